// Goal: a recording with pipes verifies, from its beginning, from each of its checkpoints and with
// a restore at every tick, however the world that was recorded lay in memory and slept.
#include <string>

#include <gtest/gtest.h>

#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/effort.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"

namespace sluice::record::test::pipes_record_test {
namespace {

void add_line(const std::string& name, int count, int amount, bool pumps, sim::WorldSpec& spec) {
  for (int i = 0; i < count; ++i) {
    sim::PipeNode node;
    node.fields.name = name + std::to_string(i);
    node.fields.amount = pumps ? amount + i : i == 0 ? amount : 0;
    node.kind = pumps ? NodeKind::kPump : NodeKind::kPipe;
    node.rate = pumps ? 300 : 0;
    spec.pipes.push_back(node);
    if (i > 0) {
      spec.pipe_links.push_back({name + std::to_string(i - 1), name + std::to_string(i), false});
    }
  }
}

/// A block of still pipes, a pump loop that never rests, and five pipes that come to rest.
sim::WorldSpec line_loop_and_five() {
  sim::WorldSpec spec;
  spec.config.name = "line";
  spec.config.size = {8, 8, 1};
  add_line("line", 2048, 0, false, spec);
  add_line("loop", 3, 9000, true, spec);
  spec.pipe_links.push_back({"loop2", "loop0", false});
  add_line("five", 5, 19, false, spec);
  return spec;
}

void record_and_verify(const sim::WorldSpec& spec, const tests::Script& script,
                       sim::RunOptions options) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  auto world = must(sim::World::create(spec));
  world->set_run_options(options);
  {
    auto recorder = must(Recorder::create(path, kWorldFile, *world));
    for (const std::vector<sim::Command>& tick : script) {
      std::vector<RecordedCommand> commands;
      for (const sim::Command& command : tick) {
        commands.push_back({});
        commands.back().client = "c";
        commands.back().command = command;
      }
      must(recorder->append(play(*world, std::move(commands))));
      if (world->tick_number() % 9 == 0) {
        must(recorder->commit());
        must(recorder->checkpoint(CheckpointImage::of(*world)));
      }
    }
    must(recorder->commit());
  }
  auto reader = must(Reader::open(path));
  const auto checkpoints = must(reader->checkpoints());
  EXPECT_GT(checkpoints.size(), 5U);
  sim::SerialExecutor executor;
  const auto verified = [&](VerifyOptions how, const std::string& what) {
    const VerifyReport report = must(verify(*reader, how, executor));
    ASSERT_FALSE(report.divergence) << what << ": " << describe(*report.divergence);
    EXPECT_EQ(report.last_tick, script.size()) << what;
  };
  verified({}, "whole");
  for (const auto& checkpoint : checkpoints) {
    VerifyOptions from;
    from.from = checkpoint.tick;
    verified(from, "from " + std::to_string(checkpoint.tick));
  }
  VerifyOptions every;
  every.restore_every_tick = true;
  verified(every, "restored at every tick");
}

TEST(PipesRecord, OthersInTheBlockAndALoopThatNeverRestsChangeNothing) {
  for (const sim::RunOptions& options :
       {sim::RunOptions{}, sim::RunOptions{.sleep = false, .pipe_block_nodes = 4}}) {
    record_and_verify(line_loop_and_five(), tests::Script(60), options);
    if (HasFatalFailure()) return;
  }
}

TEST(PipesRecord, RandomWorldsVerifyFromEachCheckpoint) {
  for (std::uint64_t seed = 1; seed <= tests::cases(12, 5); ++seed) {
    const sim::WaterModel water = tests::any_water(seed);
    const sim::WorldSpec spec = tests::random_world_of(water, seed, {.side = 30});
    const tests::Script script = tests::fitted(tests::random_script(seed, spec.config.size, 70),
                                               sim::measure_of(spec.config));
    record_and_verify(spec, script,
                      {.sleep = seed % 2 == 0, .pipe_block_nodes = seed % 3 == 0 ? 2048U : 4U});
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sluice::record::test::pipes_record_test
