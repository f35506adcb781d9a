// Goal: verification passes true recordings and finds every untruth: what, when and where.
// Method: recordings whose recorder was told one lie at a known tick, of each kind that a recording
// can hold.
#include "server/record/verify.h"

#include <cstring>

#include <gtest/gtest.h>

#include "tests/record/support.h"

namespace sluice::record::test::verify_test {
namespace {

constexpr std::uint64_t kTicks = 250;
constexpr std::uint64_t kLieTick = 57;

struct Lies {
  std::function<void(TickRecord&)> in_tick;             // at kLieTick
  std::function<void(CheckpointImage&)> in_checkpoint;  // of tick 100
};

/// At kLieTick one client builds a wall and another adds a drain; checkpoints at 100 and 200.
std::string record_with(const TemporaryFolder& folder, const Lies& lies) {
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    std::vector<RecordedCommand> commands;
    if (tick == kLieTick) {
      commands.resize(2);
      commands[0].command.body = sim::SetCells{{70, 75, 0}, {2, 1, 1}, kRock};
      commands[1].command.body = sim::AddDrain{{30, 70, 0}, 5};
    }
    TickRecord record = play(*world, std::move(commands));
    if (tick == kLieTick && lies.in_tick) lies.in_tick(record);
    must(recorder->append(record));
    if (tick % 100 != 0) continue;
    CheckpointImage image = CheckpointImage::of(*world);
    if (tick == 100 && lies.in_checkpoint) lies.in_checkpoint(image);
    must(recorder->checkpoint(image));
  }
  must(recorder->commit());
  return path;
}

VerifyReport verify_file(const std::string& path, VerifyOptions options = {}) {
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  return must(verify(*reader, options, executor));
}

TEST(Verify, TrueHistoryPasses) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  record_history(path);
  const VerifyReport report = verify_file(path);
  EXPECT_FALSE(report.divergence) << describe(*report.divergence);
  EXPECT_EQ(report.first_tick, 0U);
  EXPECT_EQ(report.last_tick, 300U);
  EXPECT_EQ(report.commands, 150U);
  EXPECT_EQ(report.checkpoints, 3U);
}

TEST(Verify, StartsAtTheCheckpointBeforeFrom) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_tick = [](TickRecord& record) { record.digest ^= 1; };
  const std::string path = record_with(folder, lies);
  VerifyOptions options;
  options.from = 150;
  const VerifyReport report = verify_file(path, options);
  EXPECT_FALSE(report.divergence) << "the lie lies before";
  EXPECT_EQ(report.first_tick, 100U);
  EXPECT_EQ(report.checkpoints, 1U);
}

TEST(Verify, WrongDigestIsNamedAndFoundToBeAlone) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_tick = [](TickRecord& record) { record.digest ^= 1; };
  const VerifyReport report = verify_file(record_with(folder, lies));
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->kind, DivergenceKind::kDigest);
  EXPECT_EQ(report.divergence->tick, kLieTick);
  EXPECT_EQ(report.divergence->recorded, report.divergence->replayed ^ 1);
  EXPECT_EQ(report.divergence->located_at, 100U);
  EXPECT_TRUE(report.divergence->where.differences.empty());
  EXPECT_EQ(report.divergence->commands.size(), 2U);
  EXPECT_NE(describe(*report.divergence).find("the state agrees again"), std::string::npos);
}

TEST(Verify, MissingCommandIsLocatedToItsCells) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_tick = [](TickRecord& record) { record.commands.erase(record.commands.begin()); };
  const VerifyReport report = verify_file(record_with(folder, lies));
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->kind, DivergenceKind::kDigest);
  EXPECT_EQ(report.divergence->tick, kLieTick);
  EXPECT_GE(report.divergence->where.cells, 2U);
  const std::string text = describe(*report.divergence);
  EXPECT_NE(
      text.find(
          "cells: chunk (1, 1, 0) cell [70, 75, 0]: material is open with 0 units, was recorded as "
          "rock"),
      std::string::npos)
      << text;
}

TEST(Verify, MissingSpringIsLocatedToItsField) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_tick = [](TickRecord& record) { record.commands.pop_back(); };
  const VerifyReport report = verify_file(record_with(folder, lies));
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->tick, kLieTick);
  const std::string text = describe(*report.divergence);
  EXPECT_NE(text.find("springs: drain at [30, 70, 0]: there is no, was recorded as yes"),
            std::string::npos)
      << text;
}

TEST(Verify, WrongOutcomeIsNamed) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_tick = [](TickRecord& record) {
    record.commands[1].applied = false;
    record.commands[1].reason = "a drain is there already";
  };
  const VerifyReport report = verify_file(record_with(folder, lies));
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->kind, DivergenceKind::kOutcome);
  EXPECT_EQ(report.divergence->tick, kLieTick);
  EXPECT_NE(report.divergence->what.find("command 2 of the tick (add_drain)"), std::string::npos)
      << report.divergence->what;
}

/// Moves 77 units of the first cell that has them to cell [5, 66, 0], and makes the image's digest
/// fit: a state that is possible, and not the true one.
void move_water(CheckpointImage& image) {
  std::vector<sim::World::ChunkImage> views;
  bool taken = false;
  bool given = false;
  for (CheckpointImage::Chunk& chunk : image.chunks) {
    const auto value = [&chunk](std::size_t cell) {
      std::int32_t units = 0;
      std::memcpy(&units, &chunk.bytes[cell * 4], 4);
      return units;
    };
    const auto set = [&chunk](std::size_t cell, std::int32_t units) {
      std::memcpy(&chunk.bytes[cell * 4], &units, 4);
    };
    for (std::size_t cell = 0; cell < kChunkCells && !taken; ++cell) {
      if (value(cell) < 100) continue;
      set(cell, value(cell) - 77);
      taken = true;
    }
    if (chunk.coord == ChunkCoord{0, 1, 0}) {
      ASSERT_EQ(value(2 * 64 + 5), 0);
      set(2 * 64 + 5, 77);
      given = true;
    }
    views.push_back({chunk.coord, chunk.wake, chunk.bytes});
  }
  ASSERT_TRUE(taken && given);
  image.digest = must(sim::World::restore(image.core, views))->recompute_digest();
}

TEST(Verify, WrongCellInACheckpointIsNamed) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_checkpoint = move_water;
  const VerifyReport report = verify_file(record_with(folder, lies));
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->kind, DivergenceKind::kCheckpoint);
  EXPECT_EQ(report.divergence->tick, 100U);
  EXPECT_EQ(report.divergence->where.cells, 2U);
  const std::string text = describe(*report.divergence);
  EXPECT_NE(text.find("chunk (0, 1, 0) cell [5, 66, 0]: water is 0, was recorded as 77"),
            std::string::npos)
      << text;
}

TEST(Verify, WorldFileThatDescribesAnotherWorldIsFound) {
  TemporaryFolder folder;
  VerifyOptions options;
  options.described_world = make_world()->digest();
  const std::string path = record_with(folder, {});
  EXPECT_FALSE(verify_file(path, options).divergence);
  *options.described_world ^= 4;
  const VerifyReport report = verify_file(path, options);
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->kind, DivergenceKind::kDescription);
}

TEST(Verify, RecoveryRefusesADivergence) {
  TemporaryFolder folder;
  Lies lies;
  lies.in_tick = [](TickRecord& record) { record.digest ^= 1; };
  const std::string path = record_with(folder, lies);
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  EXPECT_TRUE(world_at(*reader, 56, executor).ok());
  const auto diverged = world_at(*reader, 60, executor);
  ASSERT_FALSE(diverged.ok());
  EXPECT_NE(diverged.error().find("diverges from the recording at tick 57"), std::string::npos)
      << diverged.error();
  EXPECT_TRUE(world_at(*reader, 120, executor).ok()) << "starts at the checkpoint of tick 100";
}

TEST(Replay, AnyTickIsReachedFromTheNearestCheckpoint) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto history = record_history(path);
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  for (const std::uint64_t tick : {1U, 99U, 100U, 101U, 250U, 300U}) {
    const auto at = must(world_at(*reader, tick, executor));
    EXPECT_EQ(at.world->tick_number(), tick);
    EXPECT_EQ(at.world->digest(), history[tick - 1].digest);
    EXPECT_EQ(at.replayed_ticks, tick % 100);
  }
}

}  // namespace
}  // namespace sluice::record::test::verify_test
