// Goal: `sluice replay --serve` shows over the wire what `sluice replay --to` prints, stops
// cleanly, leaves the recording as it is, and says of wrong input what is wrong, with exit
// status 2.

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <signal.h>

#include "protocol/base/map_text.h"
#include "tests/support/process.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::replay_test {
namespace {

constexpr const char* kPond = R"(
[world]
name = "pond"
size = [40, 24, 1]
water = "cellular"
[[fill]]
from = [0, 0, 0]
size = [40, 4, 1]
cell = "#"
[[fill]]
from = [0, 4, 0]
size = [12, 16, 1]
cell = "~"
)";
constexpr const char* kPours = R"({"tick": 150, "cmd": "pour", "at": [30, 20, 0], "units": 40960}
)";

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    const std::string world = directory_.write("pond.toml", kPond);
    const std::string script = directory_.write("pours.jsonl", kPours);
    ASSERT_EQ(sim(world, {"--ticks", "400", "--record", one_}).status, 0);
    ASSERT_EQ(sim(world, {"--ticks", "300", "--script", script, "--record", two_}).status, 0);
  }
  static Finished sim(const std::string& world, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SLUICE_TOOL, "sim", world});
    return run_program(arguments);
  }
  static Finished replay(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SLUICE_TOOL, "replay"});
    return run_program(arguments);
  }
  static std::string printed_map(const std::string& file, std::uint64_t tick) {
    const Finished finished = replay({file, "--to", std::to_string(tick), "--map"});
    EXPECT_EQ(finished.status, 0) << finished.error;
    return finished.out;
  }
  static void expect_map(WireClient& client, const std::string& file, std::uint64_t tick) {
    const std::string expected = printed_map(file, tick);
    const auto shows = [&] {
      return client.mirror().tick() == tick &&
             expected == print_map(40, 24, 1, [&](auto x, auto y, auto z) {
               return client.mirror().cell({x, y, z});
             });
    };
    EXPECT_TRUE(shows() || client.pump_until([&](auto) { return shows(); })) << "tick " << tick;
  }
  static void watch(WireClient& client) {
    ASSERT_TRUE(client.greet());
    client.session().set_view({{0, 0, 0}, {40, 24, 1}});
    client.flush();
  }

  TemporaryDirectory directory_;
  const std::string one_ = directory_.file("one.sluice");
  const std::string two_ = directory_.file("two.sluice");
};

TEST_F(Replay, ShowsWhatReplayPrintsAndStopsCleanly) {
  const std::string before = bytes_of(one_);
  for (const int signal : {SIGTERM, SIGINT}) {
    ServerProcess server(SLUICE_TOOL, {"replay", one_, "--serve", "127.0.0.1:0", "--to", "120"});
    ASSERT_NE(server.port(), 0);
    EXPECT_EQ(server.ready_line(),
              "listening on http://127.0.0.1:" + std::to_string(server.port()));
    EXPECT_EQ(http_request(server.port(), "GET", "/").status, 200U);
    EXPECT_EQ(http_request(server.port(), "GET", "/timeline").status, 200U);
    EXPECT_EQ(http_request(server.port(), "POST", "/timeline").status, 405U);
    WireClient client(server.port(), "/worlds/pond");
    watch(client);
    expect_map(client, one_, 120);
    for (const char* tick : {"399", "3", "250", "0"}) {
      const auto result = client.command(R"({"cmd": "seek", "to": )" + std::string(tick) + "}");
      EXPECT_TRUE(result.applied) << result.reason;
      expect_map(client, one_, std::stoull(tick));
    }
    const auto refused = client.command(R"({"cmd": "set_valve", "name": "v", "open": true})");
    EXPECT_FALSE(refused.applied);
    EXPECT_NE(refused.reason.find("this is a replay"), std::string::npos) << refused.reason;
    server.send_signal(signal);
    const Finished finished = server.finish();
    EXPECT_EQ(finished.status, 0) << finished.error;
    EXPECT_EQ(finished.out, "");
    EXPECT_TRUE(client.wait_closed());
  }
  EXPECT_EQ(bytes_of(one_), before);
}

TEST_F(Replay, TwoRecordingsAreShownAtTheSameTick) {
  ServerProcess server(SLUICE_TOOL, {"replay", one_, two_, "--serve", "127.0.0.1:0"});
  ASSERT_NE(server.port(), 0);
  WireClient a(server.port(), "/worlds/a");
  WireClient b(server.port(), "/worlds/b");
  watch(a);
  watch(b);
  for (const char* tick : {"149", "150", "300", "149"}) {
    EXPECT_TRUE(a.command(R"({"cmd": "seek", "to": )" + std::string(tick) + "}").applied);
    expect_map(a, one_, std::stoull(tick));
    expect_map(b, two_, std::stoull(tick));
    EXPECT_EQ(a.mirror().playback()->differing_cells > 0, std::stoull(tick) >= 150);
  }
  EXPECT_EQ(b.command(R"({"cmd": "seek", "to": 301})").reason,
            "seek: there is no tick 301; ticks 0 to 300 can be shown");
  const std::string facts = http_request(server.port(), "GET", "/timeline").body;
  EXPECT_NE(facts.find("\"first_difference\":150"), std::string::npos) << facts;
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.finish().status, 0);
}

// A script that ended at an earlier tick than it had been at was once waited for without end.
TEST_F(Replay, TheScriptedViewerSteersAndSeesIt) {
  ServerProcess server(SLUICE_TOOL, {"replay", one_, "--serve", "127.0.0.1:0"});
  ASSERT_NE(server.port(), 0);
  const std::string url = "ws://127.0.0.1:" + std::to_string(server.port()) + "/worlds/pond";
  const auto view = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SLUICE_VIEW, url, "--headless", "--map"});
    return run_program(arguments);
  };
  EXPECT_EQ(view({}).out, printed_map(one_, 0));
  const std::string back = directory_.write("back.jsonl", R"({"cmd": "seek", "to": 350}
{"cmd": "step", "by": -1}
{"cmd": "seek", "to": 42}
)");
  const Finished finished = view({"--script", back});
  EXPECT_EQ(finished.status, 0) << finished.error;
  EXPECT_EQ(finished.out, printed_map(one_, 42));
  const std::string play = directory_.write("play.jsonl", R"({"cmd": "speed", "times": "max"}
{"cmd": "play"}
)");
  EXPECT_EQ(view({"--script", play, "--for", "1000"}).out, printed_map(one_, 400));
}

TEST_F(Replay, TheScriptedViewerTakesAPositionOfItsOwn) {
  ServerProcess server(SLUICE_TOOL, {"replay", one_, "--serve", "127.0.0.1:0"});
  ASSERT_NE(server.port(), 0);
  const std::string url = "ws://127.0.0.1:" + std::to_string(server.port()) + "/worlds/pond";
  const auto view = [](const std::string& world, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SLUICE_VIEW, world, "--headless", "--map"});
    return run_program(arguments);
  };
  const std::string alone =
      directory_.write("alone.jsonl", R"({"cmd": "alone", "as": "me", "to": 120})");
  const std::string on = directory_.write("on.jsonl", R"({"cmd": "seek", "to": 250})");
  EXPECT_EQ(view(url, {"--script", alone}).out, printed_map(one_, 0));
  EXPECT_EQ(view(url + "?alone=me", {}).out, printed_map(one_, 120));
  EXPECT_EQ(view(url + "?alone=me", {"--script", on}).out, printed_map(one_, 250));
  EXPECT_EQ(view(url, {}).out, printed_map(one_, 0));
  const Finished nobody = view(url + "?alone=you", {});
  EXPECT_EQ(nobody.status, 2);
  EXPECT_NE(nobody.error.find("no such position"), std::string::npos) << nobody.error;
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.finish().status, 0);
}

TEST_F(Replay, WrongInputIsToldAndEndsWithTwo) {
  const std::string wide = directory_.write("wide.toml",
                                            "[world]\nname = \"wide\"\n"
                                            "size = [41, 24, 1]\n");
  ASSERT_EQ(sim(wide, {"--ticks", "10", "--record", directory_.file("wide.sluice")}).status, 0);
  const std::string text = directory_.write("text.sluice", "no recording");
  std::string damaged = bytes_of(one_);
  damaged.resize(damaged.size() / 2);
  const std::string half = directory_.write("half.sluice", damaged);
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{one_, two_}, "shown side by side with --serve ADDRESS:PORT"},
      {{directory_.file("none.sluice"), "--serve", "127.0.0.1:0"}, "none.sluice"},
      {{text, "--serve", "127.0.0.1:0"}, "text.sluice"},
      {{half, "--serve", "127.0.0.1:0"}, "half.sluice"},
      {{one_, half, "--serve", "127.0.0.1:0"}, "half.sluice"},
      {{one_, directory_.file("wide.sluice"), "--serve", "127.0.0.1:0"}, "of different sizes"},
      {{one_, "--serve", "here"}, "--serve is \"here\", it must be ADDRESS:PORT"},
      {{one_, "--serve", ""}, "--serve is \"\", it must be ADDRESS:PORT"},
      {{one_, "--serve", "127.0.0.1:65536"}, "it must be ADDRESS:PORT with a port from 0 to 65535"},
      {{one_, "--serve", "192.0.2.1:80"}, "cannot listen on 192.0.2.1:80"},
      {{one_, "--serve", "127.0.0.1:0", "--to", "401"}, "ticks 0 to 400 can be shown"},
      {{one_, "--serve", "127.0.0.1:0", "--map"}, "go without it"},
  };
  for (const auto& wrong : cases) {
    const Finished finished = replay(wrong.arguments);
    EXPECT_EQ(finished.status, 2) << wrong.says;
    EXPECT_EQ(finished.out, "") << wrong.says;
    EXPECT_NE(finished.error.find(wrong.says), std::string::npos) << finished.error;
  }
}

}  // namespace
}  // namespace sluice::tests::replay_test
