// Goal: no command changes a cell outside the boxes that it is said to reach.
// Method: random worlds and scripts of every model, with pipes and ports; all cells are compared
// between two commands of a tick.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/commands/reach.h"
#include "server/sim/executor.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"

namespace sluice::tests::command_reach_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<Cell> all_cells(const sim::World& world) {
  const Vec3 size = world.config().size;
  std::vector<Cell> cells;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) cells.push_back(world.cell({x, y, z}));
    }
  }
  return cells;
}

/// Hands commands out, and looks at what each of them changed.
class Watched final : public sim::CommandSource {
 public:
  explicit Watched(const std::vector<sim::Command>& commands) : commands_(commands) {}

  const sim::Command* next(const sim::World& world) override {
    const std::vector<Cell> now = all_cells(world);
    if (next_ > 0) compare(world.config().size, now);
    if (next_ == commands_.size()) return nullptr;
    before_ = now;
    reach_ = sim::reach_of(commands_[next_], world);
    return &commands_[next_++];
  }

  std::vector<Vec3> outside;

 private:
  void compare(Vec3 size, const std::vector<Cell>& now) {
    if (reach_.everywhere) return;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == before_[i]) continue;
      const auto index = static_cast<std::int32_t>(i);
      const Vec3 at = {index % size.x, index / size.x % size.y, index / size.x / size.y};
      const bool named = std::any_of(reach_.boxes.begin(), reach_.boxes.end(),
                                     [&](const Box& box) { return box.contains(at); });
      if (!named) outside.push_back(at);
    }
  }

  const std::vector<sim::Command>& commands_;
  std::size_t next_ = 0;
  std::vector<Cell> before_;
  sim::CommandReach reach_;
};

RC_GTEST_PROP(CommandReach, NothingOutsideItChanges, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec =
      random_world_of(any_water(seed), seed, {.solid = solid, .side = 40, .waves = true});
  auto world = sim::World::create(spec);
  RC_PRE(world.ok());
  sim::SerialExecutor serial;
  for (const auto& commands : random_script(seed, spec.config.size, 12)) {
    Watched watched(commands);
    (void)(*world)->tick(watched, serial);
    RC_ASSERT(watched.outside == std::vector<Vec3>());
  }
}

class CommandReachTest : public ::testing::Test {
 protected:
  CommandReachTest() {
    sim::WorldSpec spec;
    spec.config.size = {20, 10, 1};
    world_ = std::move(sim::World::create(spec)).value();
    sim::AddPipe placed;
    placed.name = "placed";
    placed.at = {3, 4, 0};
    sim::AddPipe bare;
    bare.name = "bare";
    give({{placed}, {bare}, {sim::AddPort{"placed", {5, 6, 0}, PortKind::kOpen, 1}}});
  }
  void give(const std::vector<sim::Command>& commands) {
    for (const auto& outcome : world_->tick(commands, serial_).outcomes) {
      EXPECT_TRUE(outcome.applied()) << outcome.reason;
    }
  }
  std::vector<Box> boxes(const sim::CommandBody& body) {
    const sim::CommandReach reach = sim::reach_of({body}, *world_);
    EXPECT_FALSE(reach.everywhere);
    return reach.boxes;
  }
  static Box cell(Vec3 at) { return {at, {1, 1, 1}}; }

  std::unique_ptr<sim::World> world_;
  sim::SerialExecutor serial_;
};

TEST_F(CommandReachTest, IsTheBoxOrTheCell) {
  EXPECT_THAT(boxes(sim::SetCells{{1, 2, 0}, {3, 4, 1}, kRock}),
              ElementsAre(Box{{1, 2, 0}, {3, 4, 1}}));
  EXPECT_THAT(boxes(sim::Pour{{7, 8, 0}, 5}), ElementsAre(cell({7, 8, 0})));
  EXPECT_THAT(boxes(sim::AddDrain{{7, 8, 0}, 5}), ElementsAre(cell({7, 8, 0})));
  EXPECT_THAT(boxes(sim::Splash{{1, 2, 0}, 3, 9, 0}), ElementsAre(Box{{0, 0, 0}, {5, 10, 1}}));
  EXPECT_THAT(boxes(sim::Explode{{1, 2, 0}, 3, 9}), ElementsAre(Box{{0, 0, 0}, {5, 10, 1}}));
  EXPECT_THAT(boxes(sim::MoveBody{{1, 2, 0}, {7, 5, 0}, 1}),
              ElementsAre(Box{{0, 0, 0}, {3, 10, 1}}, Box{{6, 0, 0}, {3, 10, 1}}));
}

TEST_F(CommandReachTest, OfPipesItIsTheirPlaceAndTheirPorts) {
  const Box place = cell({3, 4, 0});
  const Box port = cell({5, 6, 0});
  EXPECT_THAT(boxes(sim::RemovePipe{"placed"}), UnorderedElementsAre(place, port));
  EXPECT_THAT(boxes(sim::SetValve{"placed", true}), UnorderedElementsAre(place, port));
  EXPECT_THAT(boxes(sim::LinkPipes{"bare", "placed", false}), UnorderedElementsAre(place, port));
  EXPECT_THAT(boxes(sim::UnlinkPipes{"placed", "bare"}), UnorderedElementsAre(place, port));
  EXPECT_THAT(boxes(sim::RemovePort{"placed", {5, 6, 0}}), UnorderedElementsAre(place, port, port));
  EXPECT_THAT(boxes(sim::AddPort{"bare", {9, 9, 0}, PortKind::kOpen, 1}),
              ElementsAre(cell({9, 9, 0})));
  EXPECT_THAT(boxes(sim::RemovePipe{"bare"}), IsEmpty());
  EXPECT_THAT(boxes(sim::RemovePipe{"nobody"}), IsEmpty());
  sim::AddPump pump;
  EXPECT_THAT(boxes(pump), IsEmpty()) << "it stands nowhere";
  pump.at = {2, 2, 0};
  EXPECT_THAT(boxes(pump), ElementsAre(cell({2, 2, 0})));
}

TEST_F(CommandReachTest, IsEverywhereWhereNobodyKnows) {
  for (const sim::CommandBody& body :
       {sim::CommandBody(sim::FillLevel{{1, 1, 0}, 4096}),
        sim::CommandBody(sim::EvaporateLevel{{1, 1, 0}, 0}),
        sim::CommandBody(sim::TrapAir{{1, 1, 0}, 0}), sim::CommandBody(sim::SetWind{5}),
        sim::CommandBody(sim::SetAir{5})}) {
    EXPECT_TRUE(sim::reach_of({body}, *world_).everywhere);
  }
}

TEST_F(CommandReachTest, OfManyPortsNobodyCounts) {
  const auto everywhere = [this] {
    return sim::reach_of({sim::SetValve{"bare", true}}, *world_).everywhere;
  };
  for (std::size_t i = 0; i < sim::kMostPortsLookedAt; ++i) {
    const auto n = static_cast<std::int32_t>(i);
    give({{sim::AddPort{"bare", {n % 20, n / 20, 0}, PortKind::kOpen, 1}}});
  }
  EXPECT_FALSE(everywhere());
  give({{sim::AddPort{"bare", {19, 9, 0}, PortKind::kOpen, 1}}});
  EXPECT_TRUE(everywhere());
}

TEST_F(CommandReachTest, OutsideTheWorldIsNothing) {
  constexpr std::int32_t kMost = INT32_MAX;
  EXPECT_THAT(boxes(sim::SetCells{{kMost, kMost, 0}, {kMost, kMost, kMost}, 0}), IsEmpty());
  EXPECT_THAT(boxes(sim::SetCells{{0, 0, 0}, {21, 1, 1}, 0}), IsEmpty()) << "refused as a whole";
  EXPECT_THAT(boxes(sim::SetCells{{0, 0, 0}, {-5, 1, 1}, 0}), IsEmpty());
  EXPECT_THAT(boxes(sim::Pour{{-1, 0, 0}, 5}), IsEmpty());
  EXPECT_THAT(boxes(sim::Splash{{-1, 0, 0}, kMost, 9, 0}), IsEmpty());
  EXPECT_THAT(boxes(sim::Splash{{19, 0, 0}, kMost, 9, 0}).size(), 1U);
}

}  // namespace
}  // namespace sluice::tests::command_reach_test
