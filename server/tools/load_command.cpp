// `sluice load URL`: many clients on one world, and what they felt.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include "client_stub/world_client.h"
#include "server/tools/commands.h"

namespace sluice::tools {

namespace {

using Clock = std::chrono::steady_clock;

struct LoadOptions {
  std::string url;
  std::string token;
  int clients = 10;
  double seconds = 10;
  double commands_per_second = 0;
  int stall = 0;
};

struct Tally {
  int open = 0;  // clients that have not closed
  int connected = 0;
  int stalled = 0;
  std::uint64_t ticks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sent = 0;
  std::uint64_t applied = 0;
  std::uint64_t refused = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t checked = 0;
  std::vector<double> intervals;    // milliseconds
  std::vector<double> round_trips;  // milliseconds
  std::vector<std::string> errors;
};

double milliseconds_since(Clock::time_point then, Clock::time_point now) {
  return std::chrono::duration<double, std::milli>(now - then).count();
}

/// One client. A stalled one reads nothing once its view was sent.
class Bot {
 public:
  Bot(boost::asio::io_context& context, const client::Address& address, int number,
      const LoadOptions& options, Tally& tally)
      : context_(context),
        options_(options),
        tally_(tally),
        stalls_(number < options.stall),
        timer_(context),
        random_(static_cast<std::uint32_t>(number) + 1) {
    client::WorldClient::Events events;
    events.welcomed = [this] { welcomed(); };
    events.ticked = [this] { ticked(); };
    events.answered = [this](const protocol::CommandResult& result) { answered(result); };
    events.closed = [this](std::string reason) {
      timer_.cancel();
      if (!finished_) tally_.errors.push_back(std::move(reason));
      // Beast keeps a timer for a while after a refused handshake: nothing to wait for.
      if (--tally_.open == 0) context_.stop();
    };
    client_ = std::make_unique<client::WorldClient>(
        context, address, "load-" + std::to_string(number), std::move(events));
  }

  void finish() {
    finished_ = true;
    timer_.cancel();
    const protocol::MirrorStats& stats = client_->mirror().stats();
    tally_.bytes += stats.bytes;
    tally_.mismatches += stats.digest_mismatches;
    tally_.checked += stats.chunks_checked;
    client_->set_reading(true);
    client_->close();
  }

 private:
  void welcomed() {
    ++tally_.connected;
    client_->set_view(client_->whole_world());
    if (stalls_) {
      ++tally_.stalled;
      client_->set_reading(false);
    } else if (options_.commands_per_second > 0) {
      command_later();
    }
  }

  void ticked() {
    const std::uint64_t tick = client_->mirror().tick();
    if (tick == last_tick_) return;  // keyframes of the same tick
    const Clock::time_point now = Clock::now();
    ++tally_.ticks;
    if (last_tick_ != 0) tally_.intervals.push_back(milliseconds_since(last_time_, now));
    last_tick_ = tick;
    last_time_ = now;
  }

  void command_later() {
    // Spread evenly between nothing and twice the mean, so that clients fall out of step.
    const double mean = 1e6 / options_.commands_per_second;
    const auto wait = static_cast<std::int64_t>(mean * static_cast<double>(random_() % 2001) / 1e3);
    timer_.expires_after(std::chrono::microseconds(wait));
    timer_.async_wait([this](boost::system::error_code error) {
      if (error || finished_ || !client_->ready()) return;
      send_one();
      command_later();
    });
  }

  void send_one() {
    const Vec3 size = client_->mirror().welcome().size;
    const auto below = [this](std::int32_t limit) {
      return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(limit));
    };
    const std::int32_t x = below(size.x);
    const std::int32_t y = below(size.y);
    const std::int32_t z = below(size.z);
    const nlohmann::json at = {x, y, z};
    nlohmann::json command = {
        {"cmd", "pour"}, {"at", at}, {"units", 4096}};  // every water takes that
    if (random_() % 4 == 0) {
      command = {{"cmd", "set_cells"}, {"from", at}, {"size", {1, 1, 1}}, {"cell", "."}};
    }
    sent_at_[client_->send_command(command.dump())] = Clock::now();
    ++tally_.sent;
  }

  void answered(const protocol::CommandResult& result) {
    const auto sent = sent_at_.find(result.seq);
    if (sent == sent_at_.end()) return;
    tally_.round_trips.push_back(milliseconds_since(sent->second, Clock::now()));
    sent_at_.erase(sent);
    ++(result.applied ? tally_.applied : tally_.refused);
  }

  boost::asio::io_context& context_;
  const LoadOptions& options_;
  Tally& tally_;
  bool stalls_;
  bool finished_ = false;
  boost::asio::steady_timer timer_;
  std::mt19937 random_;
  std::map<std::uint64_t, Clock::time_point> sent_at_;
  std::uint64_t last_tick_ = 0;
  Clock::time_point last_time_;
  std::unique_ptr<client::WorldClient> client_;
};

/// Null when there is nothing to tell.
nlohmann::json percentile(std::vector<double>& values, double share) {
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return values[index];
}

void print(Tally& tally, double seconds) {
  const nlohmann::ordered_json json = {
      {"clients", tally.connected},
      {"stalled", tally.stalled},
      {"seconds", seconds},
      {"ticks", tally.ticks},
      {"bytes", tally.bytes},
      {"tick_interval_p50_ms", percentile(tally.intervals, 0.5)},
      {"tick_interval_p99_ms", percentile(tally.intervals, 0.99)},
      {"tick_interval_max_ms", percentile(tally.intervals, 1)},
      {"commands_sent", tally.sent},
      {"commands_applied", tally.applied},
      {"commands_refused", tally.refused},
      {"command_round_trip_p50_ms", percentile(tally.round_trips, 0.5)},
      {"command_round_trip_p99_ms", percentile(tally.round_trips, 0.99)},
      {"errors", tally.errors.size()},
      {"chunks_checked", tally.checked},
      {"digest_mismatches", tally.mismatches}};
  std::cout << json.dump() << '\n';
}

int run_load(const LoadOptions& options) {
  auto address = client::parse_address(options.url);
  const auto token = client::token_to_show(options.token);
  if (!address.ok() || !token.ok()) return fail((address.ok() ? token.error() : address.error()));
  address.value().token = token.value();
  boost::asio::io_context context(1);
  Tally tally;
  tally.open = options.clients;
  std::vector<std::unique_ptr<Bot>> bots;
  for (int i = 0; i < options.clients; ++i) {
    bots.push_back(std::make_unique<Bot>(context, address.value(), i, options, tally));
  }
  boost::asio::steady_timer end(context);
  end.expires_after(std::chrono::microseconds(static_cast<std::int64_t>(options.seconds * 1e6)));
  end.async_wait([&](boost::system::error_code) {
    for (const auto& bot : bots) bot->finish();
  });
  const Clock::time_point start = Clock::now();
  context.run();
  print(tally, milliseconds_since(start, Clock::now()) / 1e3);
  std::map<std::string, int> reasons;
  for (const std::string& error : tally.errors) ++reasons[error];
  for (const auto& [reason, count] : reasons) {
    std::cerr << "sluice: " << count << " clients: " << reason << '\n';
  }
  if (tally.connected == 0) return kExitWrongInput;
  return tally.errors.empty() && tally.mismatches == 0 ? kExitWell : kExitFound;
}

}  // namespace

void add_load_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<LoadOptions>();
  CLI::App* command = app.add_subcommand("load", "Put many clients on a hosted world");
  command->footer(
      "Example: sluice load ws://127.0.0.1:8080/worlds/cave --clients 100 --commands-per-second 2");
  command->add_option("URL", options->url, "ws://HOST:PORT/worlds/NAME")->required();
  command->add_option("--token", options->token, "of all of them (default: SLUICE_TOKEN)");
  command->add_option("--clients", options->clients, "how many (default: 10)")
      ->check(CLI::Range(1, 100000));
  command->add_option("--seconds", options->seconds, "for how long (default: 10)")
      ->check(CLI::Range(0.1, 1e6));
  command
      ->add_option("--commands-per-second", options->commands_per_second,
                   "of each client: pours, and now and then a dig (default: 0)")
      ->check(CLI::Range(0.0, 1e5));
  command->add_option("--stall", options->stall, "this many of them stop reading (default: 0)")
      ->check(CLI::NonNegativeNumber);
  command->callback([options, &exit_status] { exit_status = run_load(*options); });
}

}  // namespace sluice::tools
