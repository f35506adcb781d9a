// Goal: a water model is a folder and one row: everything else (world files, digests, snapshots,
// comparisons, recordings, what is listed for people) follows from what it declares, and so it does
// for the state that it keeps beside cells and marks.
// Method: a model that this test alone has, through each of those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/formats/model_list.h"
#include "server/formats/world_file.h"
#include "server/record/difference.h"
#include "server/record/reader.h"
#include "server/record/verify.h"
#include "server/sim/core_copy.h"
#include "server/sim/world.h"
#include "tests/record/support.h"
#include "tests/sim/toy_model/toy.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/world_access.h"

namespace sluice::tests {
namespace {

using formats::parse_world;
using record::test::must;
using ::testing::HasSubstr;

const std::string kWorld = R"([world]
name = "toys"
size = [6, 4, 1]
water = "toy"
[water]
drip = 300
side = "left"
[[map]]
rows = """
#...~#
#..#.#
#....#
######
"""
)";

std::string with(const std::string& line) {
  std::string text = kWorld;
  return text.replace(text.find("drip = 300"), 10, line);
}

std::string error_of(const std::string& text) {
  const auto spec = parse_world(text, "toys.toml");
  return spec ? "" : spec.error();
}

TEST(ToyModel, ItsOptionsAreReadAndChecked) {
  const auto spec = must(parse_world(kWorld, "toys.toml"));
  EXPECT_EQ(spec.config.water, kToyWater);
  EXPECT_EQ(spec.config.option("drip"), 300);
  EXPECT_EQ(spec.config.option("side"), 1);
  EXPECT_EQ(must(parse_world(with(""), "toys.toml")).config.option("drip"), 512);
  EXPECT_EQ(error_of(with("drip = 1")), "");
  EXPECT_EQ(error_of(with("drip = 4096")), "");
  for (const char* const beyond : {"drip = 0", "drip = 4097"}) {
    EXPECT_THAT(error_of(with(beyond)), HasSubstr("water.drip")) << beyond;
    EXPECT_THAT(error_of(with(beyond)), HasSubstr("allowed: 1 to 4096")) << beyond;
  }
  EXPECT_THAT(error_of(with("drop = 3")), HasSubstr("drip"));
  std::string text = kWorld;
  text.replace(text.find("\"left\""), 6, "\"right\"");
  EXPECT_THAT(error_of(text), HasSubstr("allowed: none, left"));
  // Another model's options, and another model's name.
  EXPECT_THAT(error_of(with("max_sweeps = 3")), HasSubstr("max_sweeps"));
  text = kWorld;
  text.replace(text.find("\"toy\""), 5, "\"joy\"");
  EXPECT_THAT(error_of(text), HasSubstr("allowed: cellular, toy"));
}

TEST(ToyModel, OptionsThatDidNotComeFromAFileAreCheckedToo) {
  auto spec = must(parse_world(kWorld, "toys.toml"));
  spec.config.options["drip"] = 5000;
  EXPECT_THAT(sim::World::create(spec).error(), HasSubstr("water.drip: 5000"));
  spec.config.options["drip"] = 5;
  spec.config.options["side"] = 2;
  EXPECT_THAT(sim::World::create(spec).error(), HasSubstr("allowed: none, left"));
  spec.config.options["side"] = 0;
  spec.config.options["max_sweeps"] = 3;
  EXPECT_THAT(sim::World::create(spec).error(), HasSubstr("'toy' has no such option"));
}

TEST(ToyModel, ItRunsAndComesToRest) {
  auto world = must(formats::build_world(kWorld));
  sim::SerialExecutor serial;
  bool rests = false;
  for (int t = 0; t < 200 && !rests; ++t) rests = world->tick({}, serial).at_rest;
  EXPECT_TRUE(rests);
  EXPECT_TRUE(world->conserved());
  EXPECT_EQ(world->cell({4, 3, 0}), 0);  // it fell
  EXPECT_GT(world->cell({1, 1, 0}), 0);  // and went to the left
}

TEST(ToyModel, ItsOptionsAndMarksAreStateThatSnapshotsKeep) {
  auto world = must(formats::build_world(kWorld));
  sim::SerialExecutor serial;
  for (int t = 0; t < 5; ++t) (void)world->tick({}, serial);
  const auto restored = through_a_snapshot(*world);
  EXPECT_EQ(restored->config().option("drip"), 300);
  EXPECT_EQ(restored->config().option("side"), 1);
  for (int t = 0; t < 40; ++t) {
    (void)world->tick({}, serial);
    (void)restored->tick({}, serial);
    ASSERT_EQ(restored->digest(), world->digest()) << t;
  }
  // The digest tells options apart, marks, and that water which lies elsewhere.
  EXPECT_NE(must(formats::build_world(with("drip = 299")))->digest(),
            must(formats::build_world(kWorld))->digest());
  const auto marks = static_cast<std::size_t>(sim::Layer::kMarks);
  EXPECT_NE(world->layer_digests()[marks], 0U);
}

std::int64_t drops(const sim::CoreState& core) {
  return core.water.as<ToyState>().drops;
}

std::unique_ptr<sim::World> after_five_ticks() {
  auto world = must(formats::build_world(kWorld));
  sim::SerialExecutor serial;
  for (int t = 0; t < 5; ++t) (void)world->tick({}, serial);
  return world;
}

TEST(ToyModel, AWorldOfAModelThatKeepsNothingHasNoSuchState) {
  sim::WorldSpec spec;
  EXPECT_EQ(must(sim::World::create(spec))->core().water.kept(), nullptr);
}

TEST(ToyModel, WhatItKeepsIsInSnapshots) {
  const auto world = after_five_ticks();
  ASSERT_GT(drops(world->core()), 0);
  EXPECT_EQ(drops(through_a_snapshot(*world)->core()), drops(world->core()));
}

TEST(ToyModel, ACopyOfAWorldsStateIsOneOfWhatItKeeps) {
  const auto world = after_five_ticks();
  const sim::CoreState copy = world->core();
  sim::CoreCopier copier;
  const auto image = copier.copy(world->core(), world->pipes());
  const std::vector<std::byte> bytes = world->snapshot_core();
  const std::int64_t before = drops(copy);
  sim::SerialExecutor serial;
  (void)world->tick({}, serial);
  EXPECT_GT(drops(world->core()), before);
  EXPECT_EQ(drops(copy), before);
  EXPECT_EQ(image->bytes(), bytes);
}

TEST(ToyModel, WhatItKeepsIsInDigestsAndNamedInComparisons) {
  const auto world = after_five_ticks();
  const auto other = after_five_ticks();
  ASSERT_EQ(other->digest(), world->digest());
  const std::int64_t before = drops(world->core());
  ++sim::WorldTestAccess::core(*other).water.as<ToyState>().drops;
  EXPECT_NE(other->digest(), world->digest());
  EXPECT_NE(other->recompute_digest(), world->recompute_digest());
  const record::Comparison comparison = record::compare_worlds(*world, *other, 4);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(to_string(comparison.differences[0]), "toy: drops is " + std::to_string(before + 1) +
                                                      ", was recorded as " +
                                                      std::to_string(before));
}

TEST(ToyModel, WhatItCannotKeepIsRefused) {
  const auto world = after_five_ticks();
  sim::WorldTestAccess::core(*world).water.as<ToyState>().drops = -1;
  EXPECT_EQ(sim::World::restore(world->snapshot_core(), {}).error(),
            "snapshot: its toy water fell less than never");
}

TEST(ToyModel, ARecordingOfItVerifies) {
  record::test::TemporaryFolder folder;
  const std::string path = folder.file("toys.sluice");
  const auto world = must(formats::build_world(kWorld));
  auto recorder = must(record::Recorder::create(path, kWorld, *world));
  for (int tick = 1; tick <= 30; ++tick) {
    std::vector<record::RecordedCommand> commands(1);
    commands[0].command.body = sim::Pour{{4, 3, 0}, tick};
    must(recorder->append(record::test::play(*world, std::move(commands))));
    if (tick == 10) must(recorder->checkpoint(record::CheckpointImage::of(*world)));
  }
  must(recorder->commit());
  auto reader = must(record::Reader::open(path));
  sim::SerialExecutor serial;
  record::VerifyOptions from_a_checkpoint;
  from_a_checkpoint.from = 10;
  const auto report = must(record::verify(*reader, from_a_checkpoint, serial));
  EXPECT_FALSE(report.divergence);
  EXPECT_EQ(report.last_tick, 30U);
}

TEST(ToyModel, PeopleAreToldOfIt) {
  const std::string text = formats::model_list();
  for (const char* const part : {"toy, version 7: drops that fall", "drip", "512", "1 to 4096",
                                 "units that a cell gives", "\"none\"", "\"left\""}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace sluice::tests
