// A small eventful world, its history, and throw-away folders, for the tests of recordings.
#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/record/database.h"
#include "server/record/recorder.h"
#include "server/sim/world.h"

namespace sluice::record::test {

inline constexpr std::string_view kWorldFile = "[world]\nname = \"bowl\"\nsize = [96, 80, 1]\n";

/// Runs `work` in a process of its own and kills that at a random moment, `took` at the latest.
inline void kill_within(std::chrono::steady_clock::duration took, std::mt19937& random,
                        const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  const auto most = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  usleep(static_cast<useconds_t>(random() % static_cast<std::uint32_t>(1 + most)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

/// Two by two chunks of a bowl with a pillar, a spring and a drain.
inline std::unique_ptr<sim::World> make_world() {
  sim::WorldSpec spec;
  spec.config.name = "bowl";
  spec.config.size = {96, 80, 1};
  spec.config.seed = 7;
  spec.fills = {{{{0, 0, 0}, {96, 2, 1}}, kRock},
                {{{40, 2, 0}, {3, 20, 1}}, kRock},
                {{{4, 2, 0}, {20, 30, 1}}, kFull}};
  spec.sources = {{{60, 70, 0}, 700}};
  spec.drains = {{{90, 2, 0}, 300}};
  auto world = sim::World::create(spec);
  EXPECT_TRUE(world.ok()) << world.error();
  return std::move(world).value();
}

/// Commands as several clients would send them; some of them cannot apply.
class CommandSource {
 public:
  CommandSource(std::uint32_t seed, int clients)
      : random_(seed), seqs_(static_cast<std::size_t>(clients)) {}

  RecordedCommand next() {
    RecordedCommand recorded;
    const std::size_t client = random_() % seqs_.size();
    recorded.client = "client-" + std::to_string(client);
    recorded.seq = ++seqs_[client];
    const Vec3 at = {number(98), number(80), 0};
    switch (random_() % 4) {
      case 0:
        recorded.command.body = sim::SetCells{at, {3, 2, 1}, kRock};
        break;
      case 1:
        recorded.command.body = sim::SetCells{at, {2, 2, 1}, kAir};
        break;
      case 2:
        recorded.command.body = sim::RemoveWater{at, {4, 4, 1}};
        break;
      default:
        recorded.command.body = sim::Pour{at, 1 + number(8192)};
        break;
    }
    return recorded;
  }

  std::vector<RecordedCommand> some(double per_tick) {
    std::vector<RecordedCommand> commands;
    for (due_ += per_tick; due_ >= 1; due_ -= 1) commands.push_back(next());
    return commands;
  }

 private:
  std::int32_t number(std::uint32_t below) { return static_cast<std::int32_t>(random_() % below); }

  std::mt19937 random_;
  std::vector<std::uint64_t> seqs_;
  double due_ = 0;
};

/// Runs one tick and tells what became of it.
inline TickRecord play(sim::World& world, std::vector<RecordedCommand> commands) {
  std::vector<sim::Command> bare;
  for (const RecordedCommand& recorded : commands) bare.push_back(recorded.command);
  sim::SerialExecutor executor;
  const sim::TickReport report = world.tick(bare, executor);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i].applied = report.outcomes[i].applied();
    commands[i].reason = report.outcomes[i].reason;
  }
  return {report.tick, report.digest, std::move(commands)};
}

inline bool same_command(const RecordedCommand& a, const RecordedCommand& b) {
  std::vector<std::byte> left;
  std::vector<std::byte> right;
  sim::append_command(a.command, left);
  sim::append_command(b.command, right);
  return left == right && a.client == b.client && a.seq == b.seq && a.applied == b.applied &&
         a.reason == b.reason;
}

inline void expect_equal(const TickRecord& a, const TickRecord& b) {
  ASSERT_EQ(a.tick, b.tick);
  ASSERT_EQ(a.digest, b.digest) << "tick " << a.tick;
  ASSERT_EQ(a.commands.size(), b.commands.size()) << "tick " << a.tick;
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    ASSERT_TRUE(same_command(a.commands[i], b.commands[i])) << "tick " << a.tick << " #" << i;
  }
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

/// Fails the test with the error.
template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    ADD_FAILURE() << result.error();
    std::abort();
  }
  return std::move(result).value();
}

struct HistoryOptions {
  std::uint64_t ticks = 300;
  double commands_per_tick = 0.5;
  std::uint64_t ticks_per_commit = 3;
  std::uint64_t ticks_per_checkpoint = 100;
  int clients = 5;
};

/// Records a history of the small world; returns what was recorded.
inline std::vector<TickRecord> record_history(const std::string& path,
                                              const HistoryOptions& options = {}) {
  const std::unique_ptr<sim::World> world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  CommandSource source(11, options.clients);
  std::vector<TickRecord> history;
  for (std::uint64_t tick = 1; tick <= options.ticks; ++tick) {
    history.push_back(play(*world, source.some(options.commands_per_tick)));
    must(recorder->append(history.back()));
    if (tick % options.ticks_per_commit == 0) must(recorder->commit());
    if (tick % options.ticks_per_checkpoint == 0) {
      must(recorder->checkpoint(CheckpointImage::of(*world)));
    }
  }
  must(recorder->commit());
  return history;
}

/// As if a page had been hit: changes the leaf that holds all of a table, which has to fit it.
/// Where its rows lie is said from byte 8 on, by two bytes each.
inline void edit_leaf(const std::string& path, const std::string& table,
                      const std::function<void(std::span<char>)>& edit) {
  constexpr std::size_t kPage = 4096;
  const auto page =
      must(must(Database::open(path, Database::Mode::kRead))
               ->integer("SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'"));
  std::string bytes = read_file(path);
  const auto leaf = std::span(bytes).subspan(static_cast<std::size_t>(page - 1) * kPage, kPage);
  ASSERT_EQ(leaf[0], '\x0d') << "no leaf of a table";
  edit(leaf);
  write_file(path, bytes);
}

/// Two rows of a table each stand where the other one did.
inline void swap_rows(const std::string& path, const std::string& table, std::size_t a,
                      std::size_t b) {
  edit_leaf(path, table, [a, b](std::span<char> leaf) {
    ASSERT_GT(static_cast<std::size_t>(leaf[4]), b) << "rows";
    const auto place = [&leaf](std::size_t row) { return leaf.subspan(8 + 2 * row, 2); };
    std::swap_ranges(place(a).begin(), place(a).end(), place(b).begin());
  });
}

/// A bit of where a row lies flipped, so that it is said to lie beyond the page. SQLite reads the
/// row all the same, but for the first time.
inline void mislead(const std::string& path, const std::string& table, std::size_t row,
                    std::uint8_t bit) {
  edit_leaf(path, table, [row, bit](std::span<char> leaf) {
    leaf[8 + 2 * row] = static_cast<char>(leaf[8 + 2 * row] ^ bit);
  });
}

}  // namespace sluice::record::test
