// Goal: the demo world of pipes does what its file promises, for a viewer of a real server: the
// tank fills from the lake, water comes out of the spout, nothing is lost, every checksum agrees,
// and commands of pipes are obeyed or refused with a reason; its recording verifies. Method: the
// world of server/worlds, ten times as fast; waits for ticks and states, never for time.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/process.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::pipes_test {
namespace {

using Event = protocol::ClientSession::Event;
using ::testing::HasSubstr;

std::string pipeline_world() {
  std::ifstream file(SLUICE_SOURCE_DIR "/server/worlds/pipeline.toml");
  std::stringstream text;
  text << file.rdbuf();
  std::string world = text.str();
  const std::string rate = "tick_rate = 20";
  world.replace(world.find(rate), rate.size(), "tick_rate = 200");
  return world;
}

class Pipeline : public testing::Test {
 protected:
  Pipeline()
      : server_(SLUICE_SERVER, {"--world", directory_.write("pipeline.toml", pipeline_world()),
                                "--listen", "127.0.0.1:0", "--data", directory_.file("data")}),
        client_(server_.port(), "/worlds/pipeline", "watcher") {
    EXPECT_TRUE(client_.greet());
    client_.session().set_view({{0, 0, 0}, client_.mirror().welcome().size});
    client_.flush();
  }

  [[nodiscard]] std::int32_t amount(const char* name) {
    const auto node = client_.mirror().pipes().find_name(name);
    return node ? node->amount : -1;
  }
  /// Until the mirror says so, checking in every message that nothing is lost.
  [[nodiscard]] bool wait_until(const std::function<bool()>& done) {
    return client_.pump_until([&](Event event) {
      if (event != Event::kTicked) return false;
      const protocol::Counters& now = client_.mirror().counters();
      if (total_ == 0) total_ = now.water + now.pipes;
      EXPECT_EQ(now.water + now.pipes - now.sourced + now.drained, total_);
      return done();
    });
  }

  TemporaryDirectory directory_;
  ServerProcess server_;
  WireClient client_;
  std::int64_t total_ = 0;
};

TEST_F(Pipeline, SendsASectionThatAViewerAsksForAgain) {
  ASSERT_TRUE(wait_until([&] { return amount("tank") > 0; }));
  const auto tank = client_.mirror().pipes().find_name("tank");
  ASSERT_TRUE(tank.has_value());
  const std::uint64_t updates = client_.mirror().stats().pipe_updates;
  client_.send_raw(protocol::encode(protocol::ClientMessage{protocol::ResyncPipes{tank->section}}));
  // A section that is not there is no mistake: the viewer may not have heard yet.
  client_.send_raw(
      protocol::encode(protocol::ClientMessage{protocol::ResyncPipes{{{1, 0, 0}, 77}}}));
  ASSERT_TRUE(wait_until([&] { return client_.mirror().stats().pipe_updates > updates + 20; }));
  EXPECT_EQ(client_.mirror().stats().digest_mismatches, 0U);
  EXPECT_THAT(http_request(server_.port(), "GET", "/metrics").body,
              HasSubstr("sluice_digest_mismatches_total{world=\"pipeline\"} 2\n"));
}

TEST_F(Pipeline, CarriesTheLakesWaterToTheTankAndBack) {
  ASSERT_TRUE(wait_until([&] { return amount("tank") > 5000; }));
  // What the spout gives runs down the channel.
  const auto wet = [&](std::int32_t x) {
    for (std::int32_t y = 13; y < 19; ++y) {
      if (client_.mirror().cell({x, y, 0}) > 0) return true;
    }
    return false;
  };
  ASSERT_TRUE(wait_until([&] { return wet(112) && wet(100); }));
  const auto tank = client_.mirror().pipes().find_name("tank");
  const protocol::PipeFlows flows = client_.mirror().pipes().flows(*tank);
  EXPECT_GT(flows.in, 0);
  EXPECT_GT(flows.out, 0);

  EXPECT_TRUE(client_.command(R"({"cmd": "set_valve", "name": "tap", "open": false})").applied);
  ASSERT_TRUE(wait_until([&] {
    const auto tap = client_.mirror().pipes().find_name("tap");
    return !tap->node->open && client_.mirror().pipes().flows(*tap).out == 0;
  }));
  // With the tap shut the tank rises until the reserve takes the rest.
  ASSERT_TRUE(wait_until([&] { return amount("reserve") > 0; }));

  const auto refused = client_.command(R"({"cmd": "link", "from": "tank", "to": "nothing"})");
  EXPECT_FALSE(refused.applied);
  EXPECT_THAT(refused.reason, HasSubstr("'nothing'"));
  EXPECT_TRUE(client_.command(R"({"cmd": "add_pipe", "name": "new", "at": [60, 40, 0]})").applied);
  ASSERT_TRUE(wait_until([&] { return amount("new") == 0; }));
  EXPECT_TRUE(client_.command(R"({"cmd": "remove_pipe", "name": "new"})").applied);
  ASSERT_TRUE(wait_until([&] { return amount("new") == -1; }));

  const protocol::MirrorStats& stats = client_.mirror().stats();
  const std::uint64_t checked = stats.sections_checked;
  ASSERT_TRUE(wait_until([&] { return stats.sections_checked >= checked + 10; }));
  EXPECT_EQ(stats.digest_mismatches, 0U);

  server_.send_signal(SIGTERM);
  EXPECT_EQ(server_.finish().status, 0);
  const Finished verified =
      run_program({SLUICE_TOOL, "verify", directory_.file("data/pipeline.sluice")});
  EXPECT_EQ(verified.status, 0) << verified.error;
}

}  // namespace
}  // namespace sluice::tests::pipes_test
