// A player of recordings behind a real server in this process, and clients that watch it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/net/server.h"
#include "server/playback/player.h"
#include "tests/record/support.h"
#include "tests/support/hand_clock.h"
#include "tests/support/shown_tick.h"
#include "tests/support/wire_client.h"

namespace sluice::playback::test {

using namespace record::test;
using tests::wait_tick;
using tests::WireClient;

inline std::string seek_to(std::uint64_t tick) {
  return R"({"cmd": "seek", "to": )" + std::to_string(tick) + "}";
}

class Players : public testing::Test {
 protected:
  void record(const std::string& name, const HistoryOptions& options = {}) {
    record_history(folder_.file(name), options);
  }
  std::vector<Player::Recording> open(const std::vector<std::string>& files) {
    std::vector<Player::Recording> recordings;
    for (const std::string& file : files) {
      recordings.push_back(
          {recordings.empty() ? "a" : "b", must(Cursor::open(folder_.file(file), executor_))});
    }
    return recordings;
  }
  void start(const std::vector<std::string>& files) {
    player_ = std::make_unique<Player>(open(files), Player::Manner::kReplay, *clock_);
    must(player_->begin_at(player_->first_tick()));
    serve();
  }
  void serve() {
    net::ServerOptions options;
    options.port = 0;
    server_ = must(net::Server::start(std::move(options), player_->hosted()));
    player_->start();
  }
  void TearDown() override {
    if (player_) player_->stop();
    server_.reset();
  }
  std::unique_ptr<WireClient> watch(const std::string& world) {
    auto client = std::make_unique<WireClient>(server_->port(), "/worlds/" + world);
    EXPECT_TRUE(client->greet());
    client->session().set_view({{0, 0, 0}, {96, 80, 1}});
    client->flush();
    return client;
  }
  void expect_shown(WireClient& client, const std::string& file, std::uint64_t tick) {
    tests::expect_shown(client, folder_.file(file), tick);
  }

  /// A player that starts from now on goes by a clock that stands still.
  void stop_time() { clock_ = &hand_; }

  TemporaryFolder folder_;
  tests::HandClock hand_;
  const net::Clock* clock_ = &net::machine_clock();
  sim::SerialExecutor executor_;
  std::unique_ptr<Player> player_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace sluice::playback::test
