// Goal: a server whose worlds run has their old history cut off again and again, under load, and is
// killed at any moment of it: every command that it acknowledged is in its recording or in a part
// that was cut off, and these verify one after the other, without a gap.
// Method: the real server and tool; clients that pour as fast as they are acknowledged, while an
// operator seals all the time; kills at random moments, then a clean end.
#include <atomic>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>

#include "tests/record/parts.h"
#include "tests/support/acknowledged.h"
#include "tests/support/process.h"

namespace sluice::tests::seal_test {
namespace {

using record::test::files_of_history;

constexpr int kKills = 8;
constexpr int kClients = 2;

constexpr const char* kWorld = R"(
[world]
name = "lake"
size = [128, 64, 1]
tick_rate = 100
[[fill]]
from = [0, 0, 0]
size = [128, 2, 1]
cell = "#"
[[source]]
at = [5, 60, 0]
rate = 900
)";

/// Seals until the server is gone or it is over. Returns how many cuts were made.
int seal_all_the_time(const std::string& admin, const std::atomic<bool>& over) {
  int cuts = 0;
  while (!over) {
    const Finished sealed =
        run_program({SLUICE_TOOL, "admin", "--server", admin, "seal", "lake", "--keep", "30"});
    if (sealed.status != 0) return cuts;
    const auto said = nlohmann::json::parse(sealed.out, nullptr, false);
    if (said.is_object() && said.contains("cut") && said["cut"].is_number()) ++cuts;
  }
  return cuts;
}

void expect_all_kept(const std::string& recording, const Acknowledged& acknowledged) {
  Acknowledged recorded;
  std::string before;
  for (const std::string& file : files_of_history(recording)) {
    const std::vector<std::string> verify = {SLUICE_TOOL, "verify", file};
    std::vector<std::string> after = verify;
    if (!before.empty()) after.insert(after.end(), {"--after", before});
    const Finished verified = run_program(after);
    ASSERT_EQ(verified.status, 0) << file << ": " << verified.error << verified.out;
    before = file;
    const Finished log = run_program({SLUICE_TOOL, "log", file});
    ASSERT_EQ(log.status, 0) << log.error;
    add_commands_in(log.out, recorded);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_EQ(before, recording) << "a part is missing";
  expect_recorded(acknowledged, recorded);
}

TEST(Seal, NothingIsLostWhileAWorldThatRunsIsCutAndKilled) {
  const std::random_device::result_type seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const TemporaryDirectory directory;
  const std::string world = directory.write("lake.toml", kWorld);
  const std::string recording = directory.file("data/lake.sluice");
  Acknowledged acknowledged;
  int cuts = 0;
  for (int kill_number = 0; kill_number <= kKills; ++kill_number) {
    const bool kills = kill_number < kKills;  // the last one is stopped
    ServerProcess server(SLUICE_SERVER,
                         {"--world", world, "--listen", "127.0.0.1:0", "--admin-listen",
                          "127.0.0.1:0", "--data", directory.file("data"), "--log-level", "warn"});
    ASSERT_NE(server.port(), 0) << "kill " << kill_number << ": " << server.finish().error;
    std::vector<Acknowledged> told(kClients);
    std::atomic<bool> over{false};
    std::atomic<std::uint64_t> answers = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kClients; ++i) {
      threads.emplace_back(command_until_it_ends, server.port(),
                           "bot-" + std::to_string(kill_number) + "-" + std::to_string(i), 4,
                           pour_number, std::cref(over),
                           std::ref(told[static_cast<std::size_t>(i)]), std::ref(answers));
    }
    const std::string admin = server.said_after("admins: ");
    std::atomic<int> made{0};
    threads.emplace_back([&] { made = seal_all_the_time(admin, over); });
    // A checkpoint comes every two seconds, and with it a cut.
    std::this_thread::sleep_for(std::chrono::milliseconds(2500 + random() % 3000));
    if (kills) server.send_signal(SIGKILL);
    over = true;
    for (std::thread& thread : threads) thread.join();
    if (!kills) server.send_signal(SIGTERM);
    EXPECT_EQ(server.finish().status, kills ? 128 + SIGKILL : 0);
    cuts += made;
    for (const Acknowledged& one : told) acknowledged.insert(one.begin(), one.end());
  }
  EXPECT_GT(acknowledged.size(), 100U);
  EXPECT_GT(cuts, kKills / 2);
  expect_all_kept(recording, acknowledged);
  std::cout << kKills << " kills, " << cuts << " cuts that were answered, "
            << files_of_history(recording).size() << " files, " << acknowledged.size()
            << " acknowledged commands, all kept\n";
}

}  // namespace
}  // namespace sluice::tests::seal_test
