// Worlds, recordings and sockets in this process whose watchers can leave the present, for tests of
// that.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/host/hosted_worlds.h"
#include "server/host/look_back.h"
#include "server/net/server.h"
#include "tests/support/process.h"
#include "tests/support/shown_tick.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::host::look_back_test {

using namespace std::chrono_literals;
using tests::WireClient;

class LookBackTest : public ::testing::Test {
 protected:
  void serve(LookBackBounds bounds = {}, playback::PositionPatience patience = {1h, 1h},
             const std::vector<std::string>& names = {"lake"}) {
    look_back_ = std::make_unique<LookBack>(bounds, patience);
    HostedWorlds::Options options;
    options.data_directory = folder_.file("");
    options.verify = false;
    options.now = [] { return 0; };
    options.look_back = look_back_.get();
    worlds_ = std::make_unique<HostedWorlds>(std::move(options), executor_, metrics_);
    ASSERT_TRUE(worlds_->read_file().ok());
    net::ServerOptions net;
    net.port = 0;
    net.limits.farewell = 200ms;  // of viewers that the test does not let read
    access::GateRules rules;
    rules.anonymous = access::Role::kWatch;
    net.gate = std::make_shared<access::Gate>(rules);
    server_ = std::move(net::Server::start(std::move(net), {})).value();
    worlds_->set_server(server_.get());
    look_back_->start(*server_);
    for (const std::string& name : names) {
      const auto made = worlds_->create("[world]\nname = \"" + name +
                                        "\"\nsize = [64, 64, 1]\ntick_rate = 200\n"
                                        "[[source]]\nat = [5, 60, 0]\nrate = 900\n");
      ASSERT_TRUE(made.ok()) << made.error();
    }
  }
  // As the host stops.
  void TearDown() override {
    if (look_back_) look_back_->stop();
    if (worlds_) {
      EXPECT_TRUE(worlds_->stop());
    }
    if (server_) server_->stop();
    worlds_.reset();
    server_.reset();
  }
  /// Until the world has ticked so far and its recording holds it.
  void run_to(std::uint64_t tick, const std::string& name = "lake") {
    WorldRunner& runner = *worlds_->runner(name);
    ASSERT_TRUE(tests::wait_until([&] { return runner.writer().durable_tick() >= tick; }));
  }
  std::unique_ptr<WireClient> watch(const std::string& path) {
    auto client = std::make_unique<WireClient>(server_->port(), "/worlds/" + path);
    EXPECT_TRUE(client->greet());
    client->session().set_view({{0, 0, 0}, {64, 64, 1}});
    client->flush();
    return client;
  }
  std::unique_ptr<WireClient> watch_at(const std::string& position,
                                       const std::string& world = "lake") {
    return watch(world + "?alone=" + position);
  }
  void expect_shown(WireClient& client, std::uint64_t tick) {
    tests::expect_shown(client, folder_.file("lake.sluice"), tick);
  }
  bool wait_positions(std::size_t count, const std::string& name = "lake") {
    return tests::wait_until([&] { return look_back_->sample(name).positions == count; });
  }

  tests::TemporaryDirectory folder_;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<LookBack> look_back_;
  std::unique_ptr<HostedWorlds> worlds_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace sluice::host::look_back_test
