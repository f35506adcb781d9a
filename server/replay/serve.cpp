#include "server/replay/serve.h"

#include <algorithm>
#include <utility>

#include "server/net/server.h"
#include "server/net/viewer_assets.h"
#include "server/replay/player.h"
#include "server/replay/timeline.h"
#include "server/workers/thread_pool.h"

namespace sluice::replay {

namespace {

std::string range_text(const Cursor& cursor) {
  return "ticks " + std::to_string(cursor.first_tick()) + " to " +
         std::to_string(cursor.last_tick());
}

std::string size_text(const sim::World& world) {
  const Vec3 size = world.config().size;
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

/// Whether two recordings can be shown side by side.
Status check_pair(Cursor& a, Cursor& b) {
  const std::string both = a.reader().path() + " and " + b.reader().path() + ": ";
  const sim::WorldConfig& of_a = a.world().config();
  const sim::WorldConfig& of_b = b.world().config();
  if (!(of_a.size == of_b.size)) {
    return Error{both + "are of different sizes, " + size_text(a.world()) + " and " +
                 size_text(b.world()) + "; side by side there can be recordings of one size only"};
  }
  if (of_a.tick_rate != of_b.tick_rate) {
    return Error{both + "have different tick rates, " + std::to_string(of_a.tick_rate) + " and " +
                 std::to_string(of_b.tick_rate)};
  }
  if (std::max(a.first_tick(), b.first_tick()) > std::min(a.last_tick(), b.last_tick())) {
    return Error{both + "have no tick in common: the first holds " + range_text(a) +
                 ", the second " + range_text(b)};
  }
  return Done{};
}

}  // namespace

struct ReplayServer::Implementation {
  explicit Implementation(unsigned threads) : pool(threads) {}

  workers::ThreadPool pool;
  std::unique_ptr<Player> player;
  std::unique_ptr<Timeline> timeline;
  std::unique_ptr<net::Server> server;
  std::string note;

  Status open(const std::vector<std::string>& files);
  Status listen(const ServeOptions& options);
};

Status ReplayServer::Implementation::open(const std::vector<std::string>& files) {
  std::vector<Player::Recording> recordings;
  std::vector<TimelineRow> rows;
  for (const std::string& file : files) {
    auto cursor = Cursor::open(file, pool);
    if (!cursor.ok()) return Error{cursor.error()};
    const std::string recorded = (*cursor)->world().config().name;
    // Two recordings are mostly of one world, so its name would not tell them apart.
    const std::string name = files.size() == 1 ? recorded : rows.empty() ? "a" : "b";
    rows.push_back({name, file, recorded, (*cursor)->first_tick(), (*cursor)->last_tick()});
    recordings.push_back({name, std::move(cursor).value()});
  }
  Cursor& first = *recordings.front().cursor;
  if (recordings.size() == 2) {
    Cursor& second = *recordings.back().cursor;
    if (const Status fits = check_pair(first, second); !fits.ok()) return fits;
    if (first.first_tick() != second.first_tick() || first.last_tick() != second.last_tick()) {
      note = first.reader().path() + " holds " + range_text(first) + ", " + second.reader().path() +
             " " + range_text(second) + "; what both hold can be shown";
    }
  }
  const std::int64_t tick_rate = first.world().config().tick_rate;
  player = std::make_unique<Player>(std::move(recordings));
  timeline = std::make_unique<Timeline>(std::move(rows), player->first_tick(), player->last_tick(),
                                        tick_rate);
  return Done{};
}

Status ReplayServer::Implementation::listen(const ServeOptions& options) {
  net::ServerOptions net;
  net.address = options.address;
  net.port = options.port;
  net.server_version = SLUICE_VERSION;
  net.assets = net::viewer_assets();
  net.pages = {{"/timeline", "application/json", [this] { return timeline->json(); }}};
  auto started = net::Server::start(std::move(net), player->hosted());
  if (!started.ok()) return Error{started.error()};
  server = std::move(started).value();
  player->start();
  return Done{};
}

Result<std::unique_ptr<ReplayServer>> ReplayServer::start(const ServeOptions& options) {
  auto implementation = std::make_unique<Implementation>(options.threads);
  Implementation& it = *implementation;
  if (const Status opened = it.open(options.files); !opened.ok()) {
    return Error{opened.error()};
  }
  const std::uint64_t begin = options.begin_at.value_or(it.player->first_tick());
  if (const Status begun = it.player->begin_at(begin); !begun.ok()) {
    return Error{begun.error()};
  }
  if (const Status listening = it.listen(options); !listening.ok()) {
    return Error{listening.error()};
  }
  return std::unique_ptr<ReplayServer>(new ReplayServer(std::move(implementation)));
}

ReplayServer::ReplayServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

ReplayServer::~ReplayServer() {
  stop();
}

// The player first: its last replies then still leave.
void ReplayServer::stop() {
  implementation_->player->stop();
  implementation_->server->stop();
}

std::string ReplayServer::address() const {
  return implementation_->server->address();
}

const std::string& ReplayServer::note() const {
  return implementation_->note;
}

}  // namespace sluice::replay
