// Goal: over lost connections and a server that is killed again and again, each command of a script
// is applied exactly once, in its order. Method: the real programs; each command pours another
// amount, so the recording tells which were applied.
#include <filesystem>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "server/record/client_name.h"
#include "server/record/reader.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::tests::resume_test {
namespace {

constexpr int kCommands = 1500;
constexpr int kKills = 6;

constexpr const char* kWorld = R"(
[world]
name = "lake"
size = [64, 40, 1]
tick_rate = 100
)";

std::string script() {
  std::ostringstream text;
  for (int i = 1; i <= kCommands; ++i) {
    text << R"({"cmd": "pour", "at": [)" << i % 64 << R"(, 20, 0], "units": )" << i << "}\n";
  }
  return text.str();
}

/// The units of each pour that the recording has as applied, in order.
std::vector<std::int64_t> poured(const std::string& recording) {
  std::vector<std::int64_t> units;
  auto reader = record::Reader::open(recording);
  EXPECT_TRUE(reader.ok()) << reader.error();
  if (!reader.ok() || (*reader)->last_tick() == 0) return units;
  const auto read =
      (*reader)->read_ticks(1, (*reader)->last_tick(), [&units](const record::TickRecord& tick) {
        for (const record::RecordedCommand& one : tick.commands) {
          EXPECT_TRUE(one.applied) << one.reason;
          EXPECT_EQ(record::client_of(one.client).claimed, "steady");
          EXPECT_EQ(record::client_of(one.client).resume.size(), 11U);
          units.push_back(std::get<sim::Pour>(one.command.body).units);
        }
        return true;
      });
  EXPECT_TRUE(read.ok()) << read.error();
  return units;
}

TEST(Resume, EachCommandIsAppliedOnceWhateverIsKilled) {
  const std::random_device::result_type seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const TemporaryDirectory directory;
  const std::string world = directory.write("lake.toml", kWorld);
  const std::string commands = directory.write("commands.jsonl", script());
  const auto start = [&](const std::string& port) {
    return std::make_unique<ServerProcess>(
        SLUICE_SERVER,
        std::vector<std::string>{"--world", world, "--listen", "127.0.0.1:" + port, "--data",
                                 directory.file("data"), "--log-level", "warn", "--no-verify"});
  };
  auto server = start("0");
  ASSERT_NE(server->port(), 0) << server->finish().error;
  const std::string port = std::to_string(server->port());
  Finished client;
  std::thread visitor([&] {
    client = run_program({SLUICE_VIEW, "ws://127.0.0.1:" + port + "/worlds/lake", "--headless",
                          "--name", "steady", "--script", commands, "--json", "--reconnect", "60",
                          "--view", "0,0,0,1,1,1"});
  });
  const std::string recording = directory.file("data/lake.sluice");
  EXPECT_TRUE(wait_until([&] { return !poured(recording).empty(); }));  // it has come
  for (int i = 0; i < kKills; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + random() % 400));
    server->send_signal(SIGKILL);
    EXPECT_EQ(server->finish().status, 128 + SIGKILL);
    server = start(port);
    EXPECT_NE(server->port(), 0) << server->finish().error;
  }
  visitor.join();
  server->send_signal(SIGTERM);
  EXPECT_EQ(server->finish().status, 0);
  EXPECT_EQ(client.status, 0) << client.error;
  const auto json = nlohmann::json::parse(client.out);
  EXPECT_EQ(json.at("commands_applied"), kCommands);
  EXPECT_EQ(json.at("commands_refused"), 0);
  std::cout << json.at("reconnects") << " connections after the first\n";

  const std::vector<std::int64_t> units = poured(recording);
  ASSERT_EQ(units.size(), static_cast<std::size_t>(kCommands));
  for (std::size_t i = 0; i < units.size(); ++i) {
    ASSERT_EQ(units[i], static_cast<std::int64_t>(i) + 1);
  }
}

}  // namespace
}  // namespace sluice::tests::resume_test
