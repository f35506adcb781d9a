// Goal: whichever checkpoint a world comes back from, its history goes on as it was recorded.
// Method: recordings of random worlds of every water model, with pipes beside them and through
// ports, commands of every kind, checkpoints at odd moments; a verification from each checkpoint to
// the end, and one through a restored snapshot at every tick.
#include <gtest/gtest.h>

#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/effort.h"
#include "tests/support/every_water.h"
#include "tests/support/random_network.h"
#include "tests/support/random_world.h"

namespace sluice::record::test::resume_test {
namespace {

constexpr std::uint64_t kTicks = 120;

sim::WorldSpec random_spec(std::uint64_t seed) {
  tests::WorldKind kind;
  kind.solid = seed % 3 == 0;
  kind.side = 40;
  kind.pipes = tests::Pipes::kNone;  // its own, below
  const sim::WaterModel water = tests::any_water(seed);
  sim::WorldSpec spec = tests::random_world_of(water, seed, kind);
  tests::NetworkKind network;
  network.nodes = 40;
  tests::NetworkPlan plan = tests::random_network(seed, network);
  spec.pipes = std::move(plan.nodes);
  spec.pipe_links = std::move(plan.links);
  // Half of the networks are let alone and come to rest.
  for (sim::PipeNode& node : spec.pipes) node.fields.at = kNowhere;
  return spec;
}

void record_world(const std::string& path, std::uint64_t seed) {
  const sim::WorldSpec spec = random_spec(seed);
  auto created = sim::World::create(spec);
  ASSERT_TRUE(created.ok()) << "seed " << seed << ": " << created.error();
  const std::unique_ptr<sim::World> world = std::move(created).value();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  const auto script = tests::fitted(tests::random_script(seed, spec.config.size, 80),
                                    sim::measure_of(world->config()));
  tests::Dice dice(seed);
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    std::vector<RecordedCommand> commands;
    if (tick <= script.size()) {
      for (const sim::Command& command : script[tick - 1]) {
        commands.push_back({command, "script", commands.size(), true, {}});
      }
    }
    if (!spec.pipes.empty() && dice.chance(15)) {
      const auto& node = spec.pipes[static_cast<std::size_t>(
          dice.roll(0, static_cast<std::int32_t>(spec.pipes.size()) - 1))];
      commands.push_back(
          {{sim::SetValve{node.fields.name, dice.chance(50)}}, "script", tick, true, {}});
      commands.push_back(
          {{sim::SetPump{node.fields.name, dice.roll(0, 900)}}, "s", tick, true, {}});
      if (dice.chance(20)) {
        commands.push_back({{sim::RemovePipe{node.fields.name}}, "script", tick, true, {}});
      }
    }
    must(recorder->append(play(*world, std::move(commands))));
    if (dice.chance(12)) must(recorder->checkpoint(CheckpointImage::of(*world)));
  }
  must(recorder->commit());
}

TEST(Resume, FromEveryCheckpointTheRecordingVerifies) {
  constexpr std::uint64_t kSeeds = tests::cases(24, 5);
  std::uint64_t resumed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    record_world(path, seed);
    if (testing::Test::HasFatalFailure()) return;
    auto reader = must(Reader::open(path));
    sim::SerialExecutor executor;
    for (const CheckpointInfo& checkpoint : must(reader->checkpoints())) {
      VerifyOptions options;
      options.from = checkpoint.tick;
      const VerifyReport report = must(verify(*reader, options, executor));
      ASSERT_FALSE(report.divergence)
          << "seed " << seed << " from " << checkpoint.tick << ": " << describe(*report.divergence);
      ASSERT_EQ(report.first_tick, checkpoint.tick);
      ++resumed;
    }
    VerifyOptions options;
    options.restore_every_tick = true;
    const VerifyReport report = must(verify(*reader, options, executor));
    ASSERT_FALSE(report.divergence) << "seed " << seed << ": " << describe(*report.divergence);
  }
  EXPECT_GT(resumed, 8 * kSeeds);
}

}  // namespace
}  // namespace sluice::record::test::resume_test
