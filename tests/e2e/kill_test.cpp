// Goal: a server that is killed at any moment (kill -9, under load) comes back with every command
// that it acknowledged, at the tick that it said, and its recording verifies.
// Method: the real server, clients that pour as fast as they are acknowledged, a kill after a
// random number of acknowledgements, the recording's log compared with what the clients were told;
// again and again on one file.
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>

#include "server/record/reader.h"
#include "tests/support/acknowledged.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::tests::kill_test {
namespace {

constexpr int kKills = 22;
constexpr int kClients = 3;
/// Before the kill.
constexpr std::uint64_t kMostAnswers = 400;

constexpr const char* kWorld = R"(
[world]
name = "lake"
size = [128, 64, 1]
tick_rate = 100
[[fill]]
from = [0, 0, 0]
size = [128, 2, 1]
cell = "#"

# A pump that goes round and round, a tank that fills over a valve, a port; and one that sleeps.
[[pipe]]
name = "low"
amount = 9000
[[pump]]
name = "lift"
rate = 300
[[pipe]]
name = "high"
base = 30000
[[valve]]
name = "gate"
[[pipe]]
name = "tank"
capacity = 900000
amount = 100000
[[pipe]]
name = "asleep"
amount = 1000
[[link]]
from = "low"
to = "lift"
[[link]]
from = "lift"
to = "high"
[[link]]
from = "high"
to = "low"
[[link]]
from = "tank"
to = "gate"
[[link]]
from = "gate"
to = "low"
[[port]]
node = "tank"
cell = [64, 2, 0]
kind = "inlet"
rate = 500
)";

/// Pours, and turns a valve and a pump.
std::string command_number(std::uint64_t number) {
  if (number % 9 == 0) {
    return std::string(R"({"cmd": "set_valve", "name": "gate", "open": )") +
           (number % 2 == 0 ? "true}" : "false}");
  }
  if (number % 13 == 0) {
    return R"({"cmd": "set_pump", "name": "lift", "rate": )" + std::to_string(number % 700) + "}";
  }
  return pour_number(number);
}

/// From a few of its checkpoints, the last one among them.
void expect_resumes(const std::string& recording, std::mt19937& random) {
  auto reader = record::Reader::open(recording);
  ASSERT_TRUE(reader.ok()) << reader.error();
  auto checkpoints = (*reader)->checkpoints();
  ASSERT_TRUE(checkpoints.ok()) << checkpoints.error();
  for (int i = 0; i < 4; ++i) {
    const std::size_t at = i == 0 ? checkpoints->size() - 1 : random() % checkpoints->size();
    const std::string from = std::to_string((*checkpoints)[at].tick);
    const Finished verified = run_program({SLUICE_TOOL, "verify", recording, "--from", from});
    ASSERT_EQ(verified.status, 0) << "from " << from << ": " << verified.error << verified.out;
  }
}

TEST(Kill, EveryAcknowledgedCommandSurvives) {
  const std::random_device::result_type seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const TemporaryDirectory directory;
  const std::string world = directory.write("lake.toml", kWorld);
  const std::string recording = directory.file("data/lake.sluice");
  Acknowledged acknowledged;
  const std::atomic<bool> over{false};
  for (int kill_number = 0; kill_number < kKills; ++kill_number) {
    ServerProcess server(SLUICE_SERVER, {"--world", world, "--listen", "127.0.0.1:0", "--data",
                                         directory.file("data"), "--log-level", "warn"});
    ASSERT_NE(server.port(), 0) << "kill " << kill_number << ": " << server.finish().error;
    std::vector<Acknowledged> told(kClients);
    std::vector<std::thread> clients;
    std::atomic<std::uint64_t> answers = 0;
    for (int i = 0; i < kClients; ++i) {
      const std::string name = "bot-" + std::to_string(kill_number) + "-" + std::to_string(i);
      clients.emplace_back(command_until_it_ends, server.port(), name, 8, command_number,
                           std::cref(over), std::ref(told[static_cast<std::size_t>(i)]),
                           std::ref(answers));
    }
    const std::uint64_t enough = random() % kMostAnswers;
    EXPECT_TRUE(wait_until([&] { return answers >= enough; }));
    // And at any moment between two of them.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    server.send_signal(SIGKILL);
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(server.finish().status, 128 + SIGKILL);
    for (const Acknowledged& one : told) acknowledged.insert(one.begin(), one.end());

    const Finished verified = run_program({SLUICE_TOOL, "verify", recording});
    ASSERT_EQ(verified.status, 0) << "kill " << kill_number << ": " << verified.error
                                  << verified.out;
    expect_resumes(recording, random);
    if (HasFatalFailure()) return;
    const Finished log = run_program({SLUICE_TOOL, "log", recording});
    ASSERT_EQ(log.status, 0) << log.error;
    Acknowledged recorded;
    add_commands_in(log.out, recorded);
    expect_recorded(acknowledged, recorded);
    if (HasFatalFailure()) return;
  }
  std::cout << kKills << " kills, " << acknowledged.size() << " acknowledged commands, all kept\n";
  EXPECT_GT(acknowledged.size(), 100U);
  ServerProcess server(SLUICE_SERVER, {"--world", world, "--listen", "127.0.0.1:0", "--data",
                                       directory.file("data")});
  ASSERT_NE(server.port(), 0);
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.finish().status, 0);
}

}  // namespace
}  // namespace sluice::tests::kill_test
