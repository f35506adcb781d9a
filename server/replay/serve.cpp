#include "server/replay/serve.h"

#include <utility>

#include "server/net/server.h"
#include "server/net/viewer_assets.h"
#include "server/playback/own_positions.h"
#include "server/playback/player.h"
#include "server/replay/recordings.h"
#include "server/replay/timeline.h"
#include "server/workers/shared_executor.h"
#include "server/workers/thread_pool.h"

namespace sluice::replay {

struct ReplayServer::Implementation {
  explicit Implementation(const ServeOptions& options)
      : pool(options.threads), recordings(options.files, executor) {}

  workers::ThreadPool pool;
  workers::SharedExecutor executor{pool};
  Recordings recordings;
  std::unique_ptr<playback::Player> player;
  std::unique_ptr<playback::OwnPositions> own_positions;
  std::unique_ptr<Timeline> timeline;
  std::unique_ptr<net::Server> server;
  std::string note;

  Status open();
  Status listen(const ServeOptions& options);
};

Status ReplayServer::Implementation::open() {
  auto opened = recordings.open();
  if (!opened.ok()) return Error{opened.error()};
  std::vector<TimelineRow> rows;
  for (const auto& [name, cursor] : *opened) {
    rows.push_back({name, cursor->reader().path(), cursor->world().config().name,
                    cursor->first_tick(), cursor->last_tick()});
  }
  const TimelineRow& first = rows.front();
  const TimelineRow& last = rows.back();
  if (first.first_tick != last.first_tick || first.last_tick != last.last_tick) {
    note = first.path + " holds " + range_text(*opened->front().cursor) + ", " + last.path + " " +
           range_text(*opened->back().cursor) + "; what both hold can be shown";
  }
  const std::int64_t tick_rate = opened->front().cursor->world().config().tick_rate;
  player = std::make_unique<playback::Player>(std::move(opened).value());
  own_positions = std::make_unique<playback::OwnPositions>();
  own_positions->add_beside(*player, [this] { return recordings.open(); });
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
  own_positions->start(*server);
  return Done{};
}

Result<std::unique_ptr<ReplayServer>> ReplayServer::start(const ServeOptions& options) {
  auto implementation = std::make_unique<Implementation>(options);
  Implementation& it = *implementation;
  if (const Status opened = it.open(); !opened.ok()) {
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

// The players first: their last replies then still leave.
void ReplayServer::stop() {
  implementation_->own_positions->stop();
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
