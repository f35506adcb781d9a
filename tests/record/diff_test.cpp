// Goal: `diff` names the first tick, phase and value in which two recordings of a world differ, or
// says why it cannot; it takes nothing equal for different and nothing different for equal.
// Method: pairs of recordings that differ by one command, by one fault of the machine at a known
// tick and place, or by a rule that only one of the two "builds" has.
#include "server/record/diff.h"

#include <gtest/gtest.h>

#include "server/record/flipped_bit.h"
#include "tests/record/support.h"
#include "tests/support/world_access.h"

namespace sluice::record::test::diff_test {
namespace {

constexpr std::uint64_t kTick = 57;

struct Scenario {
  std::uint64_t ticks = 150;
  std::uint64_t ticks_per_checkpoint = 40;
  /// Adds to the commands that every run has.
  std::function<void(std::uint64_t tick, std::vector<RecordedCommand>&)> commands = nullptr;
  /// What the machine does to the world after a tick.
  std::function<void(sim::World&)> fault = nullptr;
  std::string_view world_file = kWorldFile;
};

RecordedCommand given(sim::CommandBody body) {
  RecordedCommand recorded;
  recorded.command.body = std::move(body);
  recorded.client = "ann";
  return recorded;
}

class Diff : public testing::Test {
 protected:
  std::string record(const std::string& name, const Scenario& run) {
    const std::string path = folder_.file(name);
    const auto world = make_world();
    auto recorder = must(Recorder::create(path, run.world_file, *world));
    CommandSource source(5, 3);
    for (std::uint64_t tick = 1; tick <= run.ticks; ++tick) {
      auto commands = source.some(0.3);
      if (run.commands) run.commands(tick, commands);
      TickRecord record = play(*world, std::move(commands));
      if (run.fault) run.fault(*world);
      record.digest = world->recompute_digest();
      must(recorder->append(record));
      if (tick % run.ticks_per_checkpoint == 0) {
        CheckpointImage image = CheckpointImage::of(*world);
        image.digest = record.digest;
        must(recorder->checkpoint(image));
      }
    }
    must(recorder->commit());
    return path;
  }

  static Result<DiffReport> compare(const std::string& a, const std::string& b,
                                    const DiffOptions& options = {}) {
    auto reader_a = must(Reader::open(a));
    auto reader_b = must(Reader::open(b));
    sim::SerialExecutor executor;
    return diff(*reader_a, *reader_b, options, executor);
  }

  TemporaryFolder folder_;
};

TEST_F(Diff, EqualHistoriesAreEqualWhateverTheirCheckpointsAndLengths) {
  const std::string a = record("a.sluice", {});
  const std::string b = record("b.sluice", {.ticks = 100, .ticks_per_checkpoint = 7});
  const DiffReport report = must(compare(a, b));
  EXPECT_TRUE(report.same());
  EXPECT_EQ(report.last_tick, 100U);
  EXPECT_EQ(report.last_tick_a, 150U);
  EXPECT_EQ(report.last_tick_b, 100U);
  EXPECT_TRUE(must(compare(a, a)).same());
}

TEST_F(Diff, AnotherCommandIsFoundInThePhaseOfCommands) {
  const auto pours = [](std::int32_t units) {
    return [units](std::uint64_t tick, std::vector<RecordedCommand>& commands) {
      if (tick == kTick) commands.push_back(given(sim::Pour{{80, 60, 0}, units}));
    };
  };
  const std::string a = record("a.sluice", {.commands = pours(100)});
  const std::string b = record("b.sluice", {.commands = pours(103)});
  const DiffReport report = must(compare(a, b));
  ASSERT_TRUE(report.difference);
  const FirstDifference& found = *report.difference;
  EXPECT_EQ(found.tick, kTick);
  EXPECT_EQ(report.commands_differ_at, kTick);
  EXPECT_EQ(found.phase, "commands");
  EXPECT_EQ(found.seen_by, SeenBy::kReplay);
  EXPECT_FALSE(found.same_commands);
  EXPECT_TRUE(found.a.replays && found.b.replays);
  EXPECT_EQ(found.where.cells, 1U);
  EXPECT_EQ(found.where.fields, 2U) << "totals.water and totals.sourced";
  const Difference& cell = found.where.differences.back();
  EXPECT_EQ(cell.cell, (Vec3{80, 60, 0}));
  EXPECT_EQ(cell.chunk, (ChunkCoord{1, 0, 0}));
  EXPECT_EQ(cell.field, "water");
  EXPECT_EQ(cell.expected, "100");
  EXPECT_EQ(cell.actual, "103");
  ASSERT_EQ(found.spread.size(), 21U);
  EXPECT_EQ(found.spread.front().tick, kTick);
  EXPECT_EQ(found.spread.back().tick, kTick + 20);
  EXPECT_EQ(found.differing_ticks, 150 - kTick + 1);
  EXPECT_FALSE(found.agrees_again);
}

TEST_F(Diff, ADifferenceThatHealsIsNotOverlooked) {
  // A bisection of the digests would find the last tick equal and stop.
  const auto drain = [](std::uint64_t tick, std::vector<RecordedCommand>& commands) {
    if (tick == kTick) commands.push_back(given(sim::AddDrain{{30, 70, 0}, 5}));
    if (tick == kTick + 3) commands.push_back(given(sim::RemoveDrain{{30, 70, 0}}));
  };
  const std::string a = record("a.sluice", {});
  const std::string b = record("b.sluice", {.commands = drain});
  const DiffReport report = must(compare(a, b));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->tick, kTick);
  EXPECT_EQ(report.difference->differing_ticks, 3U);
  EXPECT_EQ(report.difference->agrees_again, kTick + 3);
  ASSERT_EQ(report.difference->where.differences.size(), 1U);
  EXPECT_EQ(report.difference->where.differences[0].place, "drain at [30, 70, 0]");
  EXPECT_EQ(report.difference->where.differences[0].field, "there");
}

TEST_F(Diff, CommandsThatChangedNothingAreStillADifference) {
  const auto refused = [](std::uint64_t tick, std::vector<RecordedCommand>& commands) {
    if (tick == kTick) commands.push_back(given(sim::Pour{{0, 0, 0}, 5}));  // rock
  };
  const std::string a = record("a.sluice", {});
  const std::string b = record("b.sluice", {.commands = refused});
  const DiffReport report = must(compare(a, b));
  EXPECT_FALSE(report.same());
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.commands_differ_at, kTick);
}

TEST_F(Diff, AFlippedBitIsNamedFromTheDigestAlone) {
  for (const int bit : {0, 11, 29}) {
    const auto flip = [bit](sim::World& world) {
      if (world.tick_number() == kTick) sim::WorldTestAccess::flip_cell(world, {7, 3, 0}, bit);
    };
    const std::string a = record("a" + std::to_string(bit), {});
    const std::string b = record("b" + std::to_string(bit), {.fault = flip});
    for (const bool swapped : {false, true}) {
      const DiffReport report = must(swapped ? compare(b, a) : compare(a, b));
      ASSERT_TRUE(report.difference);
      const FirstDifference& found = *report.difference;
      EXPECT_EQ(found.tick, kTick);
      EXPECT_TRUE(found.same_commands);
      EXPECT_EQ(found.a.replays, !swapped);
      EXPECT_EQ(found.b.replays, swapped);
      ASSERT_EQ(found.seen_by, SeenBy::kDigest);
      EXPECT_EQ(found.seen_at, kTick);
      ASSERT_EQ(found.where.differences.size(), 1U);
      const Difference& cell = found.where.differences[0];
      EXPECT_EQ(cell.cell, (Vec3{7, 3, 0}));
      const std::int64_t good = std::stoll(swapped ? cell.actual : cell.expected);
      const std::int64_t bad = std::stoll(swapped ? cell.expected : cell.actual);
      EXPECT_EQ(good ^ bad, std::int64_t{1} << bit);
      EXPECT_NE(found.remark.find("sluice trace"), std::string::npos) << found.remark;
    }
  }
}

TEST_F(Diff, EveryBitOfACellCanBeNamed) {
  const auto world = make_world();
  for (int tick = 0; tick < 40; ++tick) play(*world, {});
  for (int bit = 0; bit < 32; ++bit) {
    const auto faulty = must(CheckpointImage::of(*world).restore());
    const Vec3 at = {5 + bit, 3, 0};
    sim::WorldTestAccess::flip_cell(*faulty, at, bit);
    const auto found = find_flipped_bit(*world, faulty->recompute_digest());
    ASSERT_TRUE(found) << bit;
    EXPECT_EQ(found->cell, at) << bit;
  }
  EXPECT_FALSE(find_flipped_bit(*world, world->digest() ^ 1));
}

/// Water that moves for no reason: what another build's wrong rule might do in one tick.
void move_water(sim::World& world) {
  if (world.tick_number() != kTick) return;
  const Vec3 from = {6, 2, 0};
  const Vec3 to = {90, 75, 0};
  sim::WorldTestAccess::set_cell(world, from, world.cell(from) - 5);
  sim::WorldTestAccess::set_cell(world, to, world.cell(to) + 5);
}

TEST_F(Diff, ASideThatDoesNotReplayIsSeenInItsNextCheckpoint) {
  const std::string a = record("a.sluice", {});
  const std::string b = record("b.sluice", {.fault = move_water});
  const DiffReport report = must(compare(a, b));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->tick, kTick);
  EXPECT_EQ(report.difference->seen_by, SeenBy::kCheckpoint);
  EXPECT_EQ(report.difference->seen_at, 80U);
  EXPECT_GE(report.difference->where.cells, 1U);
  ASSERT_FALSE(report.difference->spread.empty());
  EXPECT_EQ(report.difference->spread.front().tick, 80U);
}

TEST_F(Diff, ACheckpointInTheVeryTickIsExact) {
  const std::string a = record("a.sluice", {});
  const std::string b = record("b.sluice", {.ticks_per_checkpoint = kTick, .fault = move_water});
  const DiffReport report = must(compare(b, a));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->seen_at, kTick);
  ASSERT_EQ(report.difference->where.cells, 2U);
  const Difference& last = report.difference->where.differences.back();
  EXPECT_EQ(last.cell, (Vec3{90, 75, 0}));
  EXPECT_EQ(last.expected, "5") << "A is the faulty one here";
  EXPECT_EQ(last.actual, "0");
}

/// What the faulty build's own `sluice trace` would write.
TraceFile traced(const std::string& path) {
  auto reader = must(Reader::open(path));
  sim::SerialExecutor executor;
  auto world = std::move(must(world_at(*reader, kTick - 1, executor)).world);
  std::vector<sim::Command> commands;
  must(reader->read_ticks(kTick, kTick, [&](const TickRecord& record) {
    for (const RecordedCommand& recorded : record.commands) commands.push_back(recorded.command);
    return true;
  }));
  TraceFile file;
  file.world = "bowl";
  file.made_by = "another build";
  file.trace = trace_tick(*world, commands, executor);
  move_water(*world);
  file.trace.digest = world->recompute_digest();
  TracedPhase& last = file.trace.phases.back();
  last.digest = world->recompute_digest();
  last.layers = world->recompute_layer_digests();
  last.state = StateImage::of(*world, &last.state);
  return file;
}

TEST_F(Diff, ATraceOfTheOtherBuildNamesThePhase) {
  const std::string a = record("a.sluice", {});
  const std::string b = record("b.sluice", {.fault = move_water});
  const TraceFile trace = must(decode_trace(encode_trace(traced(b))));
  EXPECT_EQ(trace.made_by, "another build");
  DiffOptions options;
  options.trace_b = &trace;
  const DiffReport report = must(compare(a, b, options));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->seen_by, SeenBy::kReplay);
  EXPECT_EQ(report.difference->phase, "sleep");
  ASSERT_FALSE(report.difference->spread.empty());
  EXPECT_EQ(report.difference->spread.front().tick, 80U) << "from the other side's checkpoints";
  EXPECT_EQ(report.difference->where.cells, 2U);
  // A trace of another tick, world or history is not taken for an answer.
  DiffOptions wrong;
  wrong.trace_a = &trace;
  EXPECT_NE(compare(a, b, wrong).error().find("does not replay that tick either"),
            std::string::npos);
}

TEST_F(Diff, DamagedTracesAreRefused) {
  const Bytes good = encode_trace(traced(record("b.sluice", {.fault = move_water})));
  for (std::size_t at = 0; at < good.size(); at += 1 + at / 3) {
    Bytes damaged = good;
    damaged[at] ^= std::byte{4};
    EXPECT_FALSE(decode_trace(damaged).ok()) << at;
    EXPECT_FALSE(decode_trace(std::span(good).first(at)).ok()) << at;
  }
}

/// Writes a recording without ticks of a world whose configuration is another one.
void begin(const std::string& path, std::string_view world_file,
           const std::function<void(sim::WorldConfig&)>& change) {
  const auto world = make_world();
  change(sim::WorldTestAccess::core(*world).config);
  must(Recorder::create(path, world_file, *must(CheckpointImage::of(*world).restore())));
}

TEST_F(Diff, OtherWorldsAreRefusedWithTheReason) {
  const std::string a = record("a.sluice", {});
  const std::string b = folder_.file("b.sluice");
  begin(b, "[world]\nseed = 8\n", [](sim::WorldConfig& config) { config.seed = 8; });
  const auto seed = compare(a, b);
  ASSERT_FALSE(seed.ok());
  EXPECT_NE(seed.error().find("different worlds: they begin from different world files; config: "
                              "seed is 7 in the first and 8 in the second"),
            std::string::npos)
      << seed.error();
  const std::string c = folder_.file("c.sluice");
  begin(c, kWorldFile, [](sim::WorldConfig& config) { config.name = "cup"; });
  EXPECT_NE(compare(a, c).error().find("\"bowl\" and \"cup\""), std::string::npos);
}

TEST_F(Diff, OneWorldFileReadDifferentlyIsADifferenceOfTheBeginning) {
  const std::string a = record("a.sluice", {});
  const std::string b = folder_.file("b.sluice");
  begin(b, kWorldFile, [](sim::WorldConfig& config) { config.seed = 8; });
  const DiffReport report = must(compare(a, b));
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->tick, 0U);
  EXPECT_EQ(report.difference->phase, "beginning");
  EXPECT_EQ(report.difference->where.differences.front().field, "seed");
}

}  // namespace
}  // namespace sluice::record::test::diff_test
