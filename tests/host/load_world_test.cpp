// Goal: a recording keeps as much history as its server's rule says, from one load to the next; a
// cut that cannot be made is no reason not to host the world.
// Method: recordings of a world that ticks once a second, loaded as a start does.
#include "server/host/load_world.h"

#include <sstream>

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "server/record/client_name.h"
#include "server/record/database.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::host::load_world_test {
namespace {

using namespace record::test;

constexpr std::uint64_t kHour = 3600;  // ticks

class LoadWorld : public testing::Test {
 protected:
  void SetUp() override {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
  }
  void TearDown() override {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("quiet"));
  }

  /// A checkpoint each 500 ticks.
  void record(std::uint64_t ticks) {
    sim::WorldSpec spec;
    spec.config.name = "pond";
    spec.config.size = {32, 32, 1};
    spec.config.tick_rate = 1;
    const auto world = must(sim::World::create(spec));
    auto recorder = must(record::Recorder::create(path_, kWorldFile, *world));
    for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
      must(recorder->append(play(*world, {})));
      if (tick % 500 == 0) must(recorder->checkpoint(record::CheckpointImage::of(*world)));
    }
    must(recorder->commit());
  }
  LoadedWorld load(HistoryRule history) {
    WorldSource source{path_, "", "", {}, history};
    sim::SerialExecutor executor;
    return must(load_recorded(source, executor));
  }
  void expect_verifies(const std::string& path, std::uint64_t first, std::uint64_t last) {
    const auto reader = must(record::Reader::open(path));
    EXPECT_EQ(reader->first_tick(), first) << path;
    EXPECT_EQ(reader->last_tick(), last) << path;
    sim::SerialExecutor executor;
    EXPECT_FALSE(must(record::verify(*reader, {}, executor)).divergence) << path;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("pond.sluice");
  std::ostringstream log_;
};

TEST_F(LoadWorld, WhatIsOlderThanTheRuleIsCutOffAndTheWorldGoesOn) {
  record(kHour + 1100);
  for (int load_number = 0; load_number < 2; ++load_number) {
    LoadedWorld loaded = load({1, false});
    EXPECT_EQ(loaded.world->tick_number(), kHour + 1100);
    EXPECT_EQ(loaded.recorder->last_tick(), kHour + 1100);
    must(loaded.recorder->append(play(*loaded.world, {})));
    // Dropped with the recorder, so that the next load finds the same.
  }
  expect_verifies(path_, 1000, kHour + 1100);
  expect_verifies(path_ + ".part-0-1000", 0, 1000);
  EXPECT_NE(log_.str().find("holds ticks 1 to 1000"), std::string::npos) << log_.str();
}

TEST_F(LoadWorld, ACutIsMadeOnceItIsWorthIt) {
  // A quarter of what is kept is 900 ticks: the checkpoint of tick 500 is not enough.
  record(kHour + 999);
  load({1, false});
  expect_verifies(path_, 0, kHour + 999);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"pond.sluice"});
}

TEST_F(LoadWorld, AllIsKeptWithoutARule) {
  record(kHour + 1100);
  load({});
  expect_verifies(path_, 0, kHour + 1100);
}

TEST_F(LoadWorld, WhatIsCutOffMayBeDropped) {
  record(kHour + 1100);
  load({1, true});
  expect_verifies(path_, 1000, kHour + 1100);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"pond.sluice"});
  EXPECT_NE(log_.str().find("can no longer be proved"), std::string::npos) << log_.str();
}

TEST_F(LoadWorld, ACutThatFailsLeavesTheWorldHosted) {
  record(kHour + 1100);
  must(must(record::Database::open(path_, record::Database::Mode::kWrite))
           ->execute("UPDATE checkpoints SET core = x'00' WHERE tick = 500"));
  LoadedWorld loaded = load({1, false});
  EXPECT_EQ(loaded.world->tick_number(), kHour + 1100);
  must(loaded.recorder->append(play(*loaded.world, {})));
  must(loaded.recorder->commit());
  EXPECT_NE(log_.str().find("pond: its old history is not cut off"), std::string::npos)
      << log_.str();
  EXPECT_EQ(must(record::Reader::open(path_))->first_tick(), 0U);
}

// A repair that was ended in its last steps told nobody what was lost.
TEST_F(LoadWorld, ARepairThatWasInterruptedIsCompletedAndSaid) {
  record(20);
  {
    auto loaded = load({});
    const std::string client = record::client_in_history("page", "ann", "0123456789a");
    record::TickRecord tick =
        play(*loaded.world, {{sim::Command{sim::Pour{{1, 1, 0}, 5}}, client, 1, false, {}}});
    must(loaded.recorder->append(std::move(tick)));
    must(loaded.recorder->commit());
  }
  EXPECT_EQ(load({}).past.results.size(), 1U);
  std::filesystem::rename(path_, path_ + ".repaired");
  write_file(path_, "damaged");
  const LoadedWorld loaded = load({});
  EXPECT_EQ(loaded.world->tick_number(), 21U);
  EXPECT_TRUE(loaded.past.results.empty());
  EXPECT_NE(log_.str().find("that had been interrupted was completed"), std::string::npos)
      << log_.str();
}

}  // namespace
}  // namespace sluice::host::load_world_test
