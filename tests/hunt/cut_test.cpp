// Goal: a world that runs has old history cut off, and whatever the medium does meanwhile, nothing
// that was committed is lost: not where the process dies in any change, with its power or without,
// and not where the medium fails in any of them and is sound again later.
// Method: the hunter's medium below a recorder that is cut twice; each change of the medium in
// which that can end is one case. What is left must be parts that follow each other, each whole,
// and together the true history.
#include "server/record/cut.h"

#include <optional>

#include <gtest/gtest.h>

#include "server/record/checkpoint_keeper.h"
#include "server/record/exchange.h"
#include "server/record/repair.h"
#include "tests/hunt/disk.h"
#include "tests/record/support.h"

namespace sluice::hunt::cut_test {
namespace {

using namespace record::test;

constexpr const char* kPath = "/a.sluice";
constexpr std::uint64_t kTicks = 90;

/// What happens to the world, the same each time.
class TrueHistory {
 public:
  TrueHistory() {
    const auto world = make_world();
    digests_.push_back(world->digest());
    CommandSource source(6, 3);
    while (world->tick_number() < kTicks) {
      commands_.push_back(source.some(0.4));
      digests_.push_back(play(*world, commands_.back()).digest);
    }
  }
  [[nodiscard]] const std::vector<record::RecordedCommand>& commands(std::uint64_t tick) const {
    return commands_.at(tick - 1);
  }
  [[nodiscard]] sim::Digest digest(std::uint64_t tick) const { return digests_.at(tick); }

 private:
  std::vector<std::vector<record::RecordedCommand>> commands_;
  std::vector<sim::Digest> digests_;
};

/// A server's part in it: a recorder, and what cuts. What fails is tried again until the process
/// dies.
class Server {
 public:
  Server(Disk& disk, const TrueHistory& history) : disk_(disk), history_(history) {}

  /// Runs to the end, or to its death. `heals`: the medium is sound again after so many failures.
  void run(int heals) {
    heals_ = heals;
    world_ = make_world();
    keeper_.emplace(*world_);
    keeper_->set_spacing(7);
    auto made = record::Recorder::create(kPath, kWorldFile, *world_);
    if (made) recorder_ = std::move(made).value();
    created_at_ = disk_.changes();
    while (!disk_.dead() && world_->tick_number() < kTicks) {
      tick();
      if (world_->tick_number() == 40) cut(15, false);
      if (world_->tick_number() == 75) cut(10, drops_);
    }
    while (!disk_.dead() && acknowledged_ < kTicks) commit();
  }
  void drop_the_second() { drops_ = true; }

  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
  /// The change of the medium after which there was a recording.
  [[nodiscard]] std::uint64_t created_at() const { return created_at_; }
  [[nodiscard]] int cuts() const { return cuts_; }
  /// Recordings that failed while they changed their file.
  [[nodiscard]] int failed_in_change() const { return failed_in_change_; }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  void tick() {
    sim::SerialExecutor executor;
    record::TickRecord record;
    record.tick = world_->tick_number() + 1;
    record.commands = history_.commands(record.tick);
    std::vector<sim::Command> bare;
    for (const auto& recorded : record.commands) bare.push_back(recorded.command);
    const sim::TickReport report = world_->tick(bare, executor);
    record.digest = report.digest;
    for (std::size_t i = 0; i < bare.size(); ++i) {
      record.commands[i].applied = report.outcomes[i].applied();
      record.commands[i].reason = report.outcomes[i].reason;
    }
    while (!disk_.dead() && !recorder_->append(record)) resume();
    if (auto image = keeper_->after_tick(*world_, report, !bare.empty())) {
      if (!disk_.dead()) (void)recorder_->append_checkpoint(std::move(*image));
    }
    if (record.tick % 3 == 0) commit();
  }
  void commit() {
    while (!disk_.dead()) {
      if (recorder_->commit()) {
        acknowledged_ = recorder_->last_tick();
        return;
      }
      resume();
    }
  }
  void resume() {
    failed();
    (void)recorder_->resume();
  }
  void failed() {
    ++failures_;
    if (--heals_ <= 0) disk_.set_fault(DiskFault::kNone);
  }
  void cut(std::uint64_t keep, bool drop) {
    record::SealOptions options;
    options.keep = keep;
    options.drop = drop;
    for (int attempt = 0; attempt < 4 && !disk_.dead(); ++attempt) {
      commit();
      auto found = record::Cut::find(kPath, options);
      // One that failed may have been completed when the recording went on.
      if (found && *found == nullptr) return;
      if (!found || !(*found)->prepare()) {
        failed();
        continue;
      }
      for (int i = 0; i < 4 && !disk_.dead(); ++i) tick();
      commit();
      if (disk_.dead()) return;
      const auto taken = (*found)->take_place(*recorder_, 6);
      if (taken.ok() && *taken) {
        ++cuts_;
        return;
      }
      failed_in_change_ += recorder_->failed() ? 1 : 0;
      failed();
    }
  }

  Disk& disk_;
  const TrueHistory& history_;
  int heals_ = 0;
  bool drops_ = false;
  int failures_ = 0;
  int cuts_ = 0;
  int failed_in_change_ = 0;
  std::uint64_t created_at_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::unique_ptr<sim::World> world_;
  std::optional<record::CheckpointKeeper> keeper_;
  std::unique_ptr<record::Recorder> recorder_;
};

/// The file is whole, and holds that history after its first tick. Returns its last.
std::uint64_t expect_part(const std::string& path, std::uint64_t first,
                          const TrueHistory& history) {
  auto reader = must(record::Reader::open(path));
  EXPECT_TRUE(must(record::find_damage(*reader)).whole()) << path;
  EXPECT_EQ(reader->first_tick(), first) << path;
  const std::uint64_t last = reader->last_tick();
  if (last == first) return last;
  must(reader->read_ticks(first + 1, last, [&](const record::TickRecord& tick) {
    EXPECT_EQ(tick.digest, history.digest(tick.tick)) << tick.tick;
    EXPECT_EQ(tick.commands.size(), history.commands(tick.tick).size()) << tick.tick;
    return !testing::Test::HasFailure();
  }));
  return last;
}

/// As the next start does it; then the parts, one after the other.
void expect_nothing_lost(const Disk& disk, std::uint64_t acknowledged, const TrueHistory& history,
                         bool dropped) {
  (void)must(record::finish_repair(kPath));
  { auto opened = must(record::Recorder::open(kPath)); }
  sim::SerialExecutor executor;
  const auto recovered = must(record::recover(kPath, executor));
  EXPECT_GE(recovered.world->tick_number(), acknowledged);
  EXPECT_EQ(recovered.world->digest(), history.digest(recovered.world->tick_number()));
  EXPECT_FALSE(record::has_leftovers(kPath));
  const std::uint64_t begin = must(record::Reader::open(kPath))->first_tick();
  std::uint64_t first = 0;
  while (first < begin) {
    std::string next;
    for (const std::string& name : disk.names()) {
      if (name.starts_with(std::string(kPath) + ".part-" + std::to_string(first) + "-"))
        next = name;
    }
    if (next.empty() && dropped) {
      first = begin;
      break;
    }
    ASSERT_FALSE(next.empty()) << "after tick " << first;
    first = expect_part(next, first, history);
  }
  EXPECT_GE(expect_part(kPath, first, history), acknowledged);
}

/// Of a run that nothing befalls.
struct Changes {
  std::uint64_t first = 0;  // after the recording was made
  std::uint64_t last = 0;
};

Changes all_changes(const TrueHistory& history) {
  Disk disk(1);
  Server server(disk, history);
  server.run(0);
  EXPECT_EQ(server.cuts(), 2);
  EXPECT_EQ(server.acknowledged(), kTicks);
  return {server.created_at() + 1, disk.changes()};
}

TEST(CutOnAMedium, AProcessThatDiesInAnyChangeLosesNothing) {
  const TrueHistory history;
  const Changes changes = all_changes(history);
  for (const bool power : {false, true}) {
    for (std::uint64_t at = changes.first + (power ? 1 : 0); at <= changes.last; at += 2) {
      SCOPED_TRACE("change " + std::to_string(at) + (power ? ", power lost" : ""));
      Disk disk(at);
      std::uint64_t acknowledged = 0;
      const bool drops = at % 4 < 2;
      {
        Server server(disk, history);
        if (drops) server.drop_the_second();
        disk.die_in(at);
        server.run(0);
        acknowledged = server.acknowledged();
      }
      disk.restart(power);
      if (acknowledged > 0) expect_nothing_lost(disk, acknowledged, history, drops);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(CutOnAMedium, OneThatFailsInAnyChangeIsGoneOnWithWhenItIsSound) {
  const TrueHistory history;
  const Changes changes = all_changes(history);
  int failed = 0;
  int failed_in_change = 0;
  for (const DiskFault fault : {DiskFault::kFull, DiskFault::kGone, DiskFault::kSyncsFail}) {
    for (std::uint64_t at = changes.first; at <= changes.last; at += 5) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " at change " +
                   std::to_string(at));
      Disk disk(at);
      {
        Server server(disk, history);
        disk.fail_in(at, fault);
        server.run(1 + static_cast<int>(at % 3));
        EXPECT_EQ(server.acknowledged(), kTicks);
        failed += server.failures() > 0 ? 1 : 0;
        failed_in_change += server.failed_in_change();
      }
      disk.set_fault(DiskFault::kNone);
      // What was committed outlasts its power, too.
      if (at % 2 == 0) disk.restart(true);
      expect_nothing_lost(disk, kTicks, history, false);
      EXPECT_GE(must(record::Reader::open(kPath))->first_tick(), 56U) << "both cuts were made";
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(failed, 100);
  EXPECT_GT(failed_in_change, 5);
}

}  // namespace
}  // namespace sluice::hunt::cut_test
