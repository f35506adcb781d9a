// Goal: the real `sluice-server` does what the interface says: ready line, endpoints, exit status,
// clean stop, going on where it stopped.

#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/process.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::server_test {
namespace {

using Event = protocol::ClientSession::Event;

constexpr const char* kPond = R"(
[world]
name = "pond"
size = [96, 48, 1]
tick_rate = 50
[[fill]]
from = [0, 0, 0]
size = [96, 4, 1]
cell = "#"
[[fill]]
from = [0, 4, 0]
size = [30, 30, 1]
cell = "~"
)";

class Server : public testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> arguments(const std::string& world) const {
    return {"--world", world, "--listen", "127.0.0.1:0", "--data", directory_.file("data")};
  }
  [[nodiscard]] std::string recording() const { return directory_.file("data/pond.sluice"); }

  TemporaryDirectory directory_;
};

Finished run_server(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SLUICE_SERVER);
  return run_program(arguments);
}

TEST_F(Server, PrintsOneLineServesEveryPathAndStopsCleanly) {
  ServerProcess server(SLUICE_SERVER, arguments(directory_.write("pond.toml", kPond)));
  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(server.ready_line(), "listening on http://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(http_request(server.port(), "GET", "/").status, 200U);
  EXPECT_EQ(http_request(server.port(), "GET", "/healthz").status, 200U);
  EXPECT_EQ(http_request(server.port(), "GET", "/readyz").body, "pond: ready\n");
  EXPECT_NE(http_request(server.port(), "GET", "/worlds").body.find("\"name\": \"pond\""),
            std::string::npos);
  const std::string metrics = http_request(server.port(), "GET", "/metrics").body;
  for (const char* name : {"sluice_tick{", "sluice_tick_seconds_bucket{", "sluice_clients{",
                           "sluice_tick_lateness_seconds_sum{", "sluice_dropped_ticks_total{",
                           "sluice_recorder_lag_ticks{", "sluice_digest_mismatches_total{"}) {
    EXPECT_NE(metrics.find(name), std::string::npos) << name;
  }
  server.send_signal(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_EQ(finished.status, 0) << finished.error;
  EXPECT_EQ(finished.out, "");
  const Finished verified = run_program({SLUICE_TOOL, "verify", recording()});
  EXPECT_EQ(verified.status, 0) << verified.error;
}

TEST_F(Server, GoesOnWhereItStopped) {
  const std::string world = directory_.write("pond.toml", kPond);
  std::uint64_t applied_at = 0;
  {
    ServerProcess server(SLUICE_SERVER, arguments(world));
    WireClient client(server.port(), "/worlds/pond", "first");
    ASSERT_TRUE(client.greet());
    const auto result = client.command(
        R"({"cmd": "set_cells", "from": [60, 20, 0], "size": [8, 8, 1], "cell": "#"})");
    EXPECT_TRUE(result.applied) << result.reason;
    applied_at = result.tick;
    server.send_signal(SIGINT);
    EXPECT_EQ(server.finish().status, 0);
  }
  ServerProcess server(SLUICE_SERVER, arguments(world));
  WireClient client(server.port(), "/worlds/pond", "second");
  ASSERT_TRUE(client.greet());
  EXPECT_GE(client.mirror().welcome().tick, applied_at);
  client.session().set_view({{0, 0, 0}, {96, 48, 1}});
  client.flush();
  ASSERT_TRUE(client.pump_until([&](Event) { return client.mirror().cell({63, 23, 0}) == -1; }));
  server.send_signal(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.error.find("pond: goes on at tick"), std::string::npos) << finished.error;
}

TEST_F(Server, AChangedWorldFileIsReportedAndTheRecordingWins) {
  const std::string world = directory_.write("pond.toml", kPond);
  {
    ServerProcess server(SLUICE_SERVER, arguments(world));
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.finish().status, 0);
  }
  (void)directory_.write("pond.toml", std::string(kPond) + "# changed\n");
  ServerProcess server(SLUICE_SERVER, arguments(world));
  server.send_signal(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.error.find("has changed since the world was begun"), std::string::npos)
      << finished.error;
}

TEST_F(Server, AChangedWorldFileBeginsAnewWhereThatIsAskedFor) {
  const std::string world = directory_.write("pond.toml", kPond);
  const auto run = [&] {
    std::vector<std::string> all = arguments(world);
    all.push_back("--fresh");
    ServerProcess server(SLUICE_SERVER, all);
    server.send_signal(SIGTERM);
    const Finished finished = server.finish();
    EXPECT_EQ(finished.status, 0) << finished.error;
    return finished.error;
  };
  EXPECT_NE(run().find("pond: begins"), std::string::npos);
  EXPECT_NE(run().find("pond: goes on"), std::string::npos) << "nothing has changed";
  (void)directory_.write("pond.toml", std::string(kPond) + "# changed\n");
  EXPECT_NE(
      run().find("has changed, so it begins anew; what was recorded is kept as removed/pond-"),
      std::string::npos);
  EXPECT_NE(run().find("pond: goes on"), std::string::npos) << "it has begun already";
}

TEST_F(Server, VerifyAndLogReadTheFileOfARunningServer) {
  ServerProcess server(SLUICE_SERVER, arguments(directory_.write("pond.toml", kPond)));
  WireClient client(server.port(), "/worlds/pond", "live");
  ASSERT_TRUE(client.greet());
  EXPECT_TRUE(client.command(R"({"cmd": "pour", "at": [80, 40, 0], "units": 4096})").applied);
  const Finished verified = run_program({SLUICE_TOOL, "verify", recording()});
  EXPECT_EQ(verified.status, 0) << verified.error;
  const Finished log = run_program({SLUICE_TOOL, "log", recording()});
  EXPECT_NE(log.out.find("\"live\""), std::string::npos) << log.out << log.error;
}

TEST_F(Server, HostsManyWorldsAtOnce) {
  std::vector<std::string> arguments = {"--listen", "127.0.0.1:0", "--data",
                                        directory_.file("data")};
  for (const char* name : {"one", "two", "three"}) {
    std::string text = kPond;
    text.replace(text.find("pond"), 4, name);
    arguments.insert(arguments.end(), {"--world", directory_.write(name, text)});
  }
  {
    ServerProcess server(SLUICE_SERVER, arguments);
    ASSERT_NE(server.port(), 0);
    for (const char* name : {"one", "two", "three"}) {
      WireClient client(server.port(), std::string("/worlds/") + name);
      ASSERT_TRUE(client.greet());
      EXPECT_EQ(client.mirror().welcome().world, name);
      EXPECT_TRUE(client.command(R"({"cmd": "pour", "at": [80, 40, 0], "units": 9})").applied);
    }
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.finish().status, 0);
  }
  for (const char* name : {"one", "two", "three"}) {
    const Finished verified = run_program(
        {SLUICE_TOOL, "verify", directory_.file("data/" + std::string(name) + ".sluice")});
    EXPECT_EQ(verified.status, 0) << verified.error;
  }
}

TEST_F(Server, WrongUsageIsExitStatusTwoAndAMessage) {
  const auto expect_wrong = [](const std::vector<std::string>& arguments, const char* message) {
    const Finished finished = run_server(arguments);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.error.find(message), std::string::npos) << finished.error;
  };
  const std::string world = directory_.write("pond.toml", kPond);
  const std::string data = directory_.file("data");
  expect_wrong({}, "no world to host");
  expect_wrong({"--wrld", "x"}, "--wrld");
  expect_wrong({"--world", directory_.file("none.toml"), "--data", data}, "none.toml");
  expect_wrong({"--world", world, "--listen", "8080"}, "it must be ADDRESS:PORT");
  expect_wrong({"--world", world, "--log-level", "loud"}, "allowed: trace, debug");
  expect_wrong({"--world", world, "--world", world, "--data", data}, "another world named");
  expect_wrong({"--world",
                directory_.write("bad.toml", "[world]\nname = \"a\"\nsize = [9, 9, 1]\nsiez = 1\n"),
                "--data", data},
               "bad.toml:4");
  expect_wrong({"--config", directory_.write("c.toml", "\nport = 1\n")},
               "c.toml:2: unknown key \"port\"; allowed: account_header, admin_listen, ");
}

TEST_F(Server, AConfigFileSaysTheSameAsFlags) {
  (void)directory_.write("pond.toml", kPond);
  const std::string config = directory_.write(
      "server.toml", "world = [\"pond.toml\"]\nlisten = \"127.0.0.1:0\"\nthreads = 1\ndata = \"" +
                         directory_.file("data") + "\"\nlog_level = \"warn\"\n");
  ServerProcess server(SLUICE_SERVER, {"--config", config});
  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(http_request(server.port(), "GET", "/readyz").body, "pond: ready\n");
  server.send_signal(SIGTERM);
  const Finished finished = server.finish();
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.error, "");
}

TEST_F(Server, ADamagedRecordingIsAnErrorAndStaysAsItIs) {
  const std::string world = directory_.write("pond.toml", kPond);
  std::filesystem::create_directories(directory_.file("data"));
  (void)directory_.write("data/pond.sluice", "this is no recording");
  const Finished finished = run_server(arguments(world));
  EXPECT_EQ(finished.status, 2);
  EXPECT_NE(finished.error.find("pond.sluice"), std::string::npos) << finished.error;
  EXPECT_EQ(std::filesystem::file_size(recording()), 20U);
}

// How exactly is a matter of TickClock, by a clock that a test moves. Here, of a world at 50 ticks
// a second, only what holds on any machine: none comes before its time, and late ones are caught
// up.
TEST_F(Server, TheClockKeepsItsRate) {
  ServerProcess server(SLUICE_SERVER, arguments(directory_.write("pond.toml", kPond)));
  WireClient client(server.port(), "/worlds/pond");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(client.greet());
  const std::uint64_t first = client.mirror().welcome().tick;
  ASSERT_TRUE(client.pump_until([&](Event) { return client.mirror().tick() >= first + 100; }));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(passed.count(), 1.7);  // some ten of them may have been late already
}

}  // namespace
}  // namespace sluice::tests::server_test
