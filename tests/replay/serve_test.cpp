// Goal: a replay server shows what can be shown, and says of everything else what is wrong and
// where.
#include "server/replay/serve.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/record/support.h"
#include "tests/support/wire_client.h"

namespace sluice::replay::serve_test {
namespace {

using namespace record::test;

/// A recording of an empty world of this size.
void record_empty(const std::string& path, Vec3 size, std::int32_t tick_rate, int ticks) {
  sim::WorldSpec spec;
  spec.config.name = "empty";
  spec.config.size = size;
  spec.config.tick_rate = tick_rate;
  const auto world = must(sim::World::create(spec));
  auto recorder = must(record::Recorder::create(path, "text", *world));
  for (int i = 0; i < ticks; ++i) must(recorder->append(play(*world, {})));
  must(recorder->commit());
}

class Serving : public testing::Test {
 protected:
  ServeOptions options(const std::vector<std::string>& files) {
    ServeOptions options;
    for (const std::string& file : files) options.files.push_back(folder_.file(file));
    options.port = 0;
    options.threads = 1;
    return options;
  }
  std::string error_of(const ServeOptions& options) {
    const auto server = ReplayServer::start(options);
    EXPECT_FALSE(server.ok());
    return server.ok() ? "" : server.error();
  }
  void SetUp() override {
    record_empty(folder_.file("one.sluice"), {64, 64, 1}, 20, 30);
    record_empty(folder_.file("two.sluice"), {64, 64, 1}, 20, 40);
    record_empty(folder_.file("wide.sluice"), {65, 64, 1}, 20, 30);
    record_empty(folder_.file("fast.sluice"), {64, 64, 1}, 50, 30);
  }

  TemporaryFolder folder_;
};

std::uint16_t port_of(const ReplayServer& server) {
  const std::string address = server.address();
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

TEST_F(Serving, OneRecordingGoesByItsName) {
  const auto server = must(ReplayServer::start(options({"one.sluice"})));
  EXPECT_EQ(server->note(), "");
  const std::uint16_t port = port_of(*server);
  EXPECT_EQ(
      tests::http_request(port, "GET", "/worlds").body,
      "[{\"name\": \"empty\", \"size\": [64, 64, 1], \"water\": \"cellular\", \"tick\": 0, "
      "\"tick_rate\": 20, \"clients\": 0, \"socket\": \"/worlds/empty\", \"role\": \"build\", "
      "\"replay\": true}]\n");
  EXPECT_EQ(tests::http_request(port, "GET", "/timeline").content_type, "application/json");
  EXPECT_EQ(tests::http_request(port, "GET", "/").status, 200U);
}

TEST_F(Serving, TwoRecordingsGoByAAndB) {
  auto both = options({"one.sluice", "two.sluice"});
  both.begin_at = 12;
  const auto server = must(ReplayServer::start(both));
  EXPECT_EQ(server->note(), folder_.file("one.sluice") + " holds ticks 0 to 30, " +
                                folder_.file("two.sluice") +
                                " ticks 0 to 40; what both hold can be shown");
  tests::WireClient a(port_of(*server), "/worlds/a");
  tests::WireClient b(port_of(*server), "/worlds/b");
  for (tests::WireClient* client : {&a, &b}) {
    ASSERT_TRUE(client->greet());
    EXPECT_EQ(client->mirror().welcome().tick, 12U);
  }
}

TEST_F(Serving, PositionsOfTheirOwnPlayWhileItStops) {
  auto both = options({"one.sluice", "two.sluice"});
  both.threads = 2;  // that all positions share
  const auto server = must(ReplayServer::start(both));
  const std::uint16_t port = port_of(*server);
  tests::WireClient others(port, "/worlds/a");
  ASSERT_TRUE(others.greet());
  EXPECT_TRUE(others.command(R"({"cmd": "alone", "as": "me", "to": 20})").applied);
  tests::WireClient a(port, "/worlds/a?alone=me");
  tests::WireClient b(port, "/worlds/b?alone=me");
  for (tests::WireClient* client : {&a, &b}) {
    ASSERT_TRUE(client->greet());
    EXPECT_EQ(client->mirror().welcome().tick, 20U);
  }
  EXPECT_EQ(others.command(R"({"cmd": "step", "by": 1})").tick, 1U);
  EXPECT_TRUE(b.command(R"({"cmd": "speed", "times": 0.125})").applied);
  EXPECT_TRUE(b.command(R"({"cmd": "play"})").applied);
  std::thread stopper([&] { server->stop(); });
  for (tests::WireClient* client : {&a, &b, &others}) {
    EXPECT_TRUE(client->wait_closed());
    EXPECT_EQ(client->session().reason(), "refused: the server stops");
  }
  stopper.join();
}

TEST_F(Serving, WhatCannotBeShownIsToldWithTheReason) {
  EXPECT_EQ(error_of(options({"none.sluice"})).find(folder_.file("none.sluice")), 0U);
  write_file(folder_.file("text.sluice"), "no recording");
  EXPECT_EQ(error_of(options({"one.sluice", "text.sluice"})).find(folder_.file("text.sluice")), 0U);
  const std::string pair = folder_.file("one.sluice") + " and ";
  EXPECT_EQ(error_of(options({"one.sluice", "wide.sluice"})),
            pair + folder_.file("wide.sluice") +
                ": are of different sizes, 64 x 64 x 1 and 65 x 64 x 1; side by side there can be "
                "recordings of one size only");
  EXPECT_EQ(error_of(options({"one.sluice", "fast.sluice"})),
            pair + folder_.file("fast.sluice") + ": have different tick rates, 20 and 50");
  auto late = options({"one.sluice"});
  late.begin_at = 31;
  EXPECT_EQ(error_of(late), "there is no tick 31; ticks 0 to 30 can be shown");
  auto nowhere = options({"one.sluice"});
  nowhere.address = "nowhere";
  EXPECT_EQ(error_of(nowhere).find("cannot listen on nowhere:0"), 0U);
}

TEST_F(Serving, AnAddressInUseIsAnError) {
  const auto first = must(ReplayServer::start(options({"one.sluice"})));
  auto same = options({"one.sluice"});
  same.port = port_of(*first);
  EXPECT_NE(error_of(same).find("Address already in use"), std::string::npos);
}

}  // namespace
}  // namespace sluice::replay::serve_test
