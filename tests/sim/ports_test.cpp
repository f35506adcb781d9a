// Goal: between pipes and grid, water goes from the higher head to the lower one, in every model.
// Method: drawn worlds of which each showed that it did not, and their like in the other models.
#include <gtest/gtest.h>

#include "server/sim/world.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/water_options.h"

namespace sluice::tests::ports_test {
namespace {

using sim::WaterModel;
using sim::World;
using sim::WorldSpec;

constexpr std::int32_t kCell = kFull;

class PortsInModel : public testing::TestWithParam<WaterModel> {
 protected:
  [[nodiscard]] static WorldSpec drawn(const Drawing& rows) {
    WorldSpec spec = drawn_spec(GetParam(), {rows});
    set_option(spec.config, "drying", 0);
    return spec;
  }
  /// A lake of `depth` cells between walls, on a floor of rock.
  [[nodiscard]] static WorldSpec lake(std::int32_t depth, std::int32_t height) {
    Drawing rows;
    for (std::int32_t y = height - 1; y > 0; --y) {
      rows.emplace_back(y <= depth ? "#~~~~~~#" : "#......#");
    }
    rows.emplace_back("########");
    return drawn(rows);
  }
  static sim::PipeNode tank(std::string name, std::int32_t base, std::int32_t height,
                            std::int32_t capacity, std::int32_t amount) {
    sim::PipeNode node;
    node.fields.name = std::move(name);
    node.fields.base = base;
    node.fields.height = height;
    node.fields.capacity = capacity;
    node.fields.amount = amount;
    return node;
  }
  static bool run_to_rest(World& world, int ticks = 20000) {
    sim::SerialExecutor serial;
    for (int t = 0; t < ticks; ++t) {
      if (world.tick({}, serial).at_rest) return true;
    }
    return false;
  }
};

INSTANTIATE_TEST_SUITE_P(Models, PortsInModel, testing::ValuesIn(every_water()));

// An endless waterfall: the inlet lies low in the lake, the node and its outlet above it.
TEST_P(PortsInModel, NoInletLiftsWaterAboveItsHead) {
  WorldSpec spec = lake(1, 12);
  spec.pipes = {tank("n", 8 * kCell, kCell, 20000, 0)};
  spec.ports = {{"n", {1, 1, 0}, PortKind::kInlet, 2000},
                {"n", {6, 10, 0}, PortKind::kOutlet, 2000}};
  auto world = make_world(spec);
  EXPECT_TRUE(run_to_rest(*world, 100));
  EXPECT_EQ(world->totals().pipes, 0);
}

TEST_P(PortsInModel, APumpLiftsWaterAllTheSame) {
  WorldSpec spec = lake(1, 12);
  spec.pipes = {tank("n", 8 * kCell, kCell, 20000, 0)};
  spec.pipes[0].kind = NodeKind::kPump;
  spec.pipes[0].rate = 2000;
  spec.ports = {{"n", {1, 1, 0}, PortKind::kInlet, 2000}};
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 100; ++t) (void)world->tick({}, serial);
  EXPECT_GT(world->totals().pipes, 3 * kCell);
}

// It emptied up into the lake, or stayed dry: the port saw one cell only.
TEST_P(PortsInModel, ATankBesideADeepLakeFillsToTheLakesHead) {
  for (const std::int32_t base : {4, 20}) {
    for (const std::int32_t amount : {0, 10000}) {
      WorldSpec spec = lake(35, 40);
      spec.pipes = {tank("t", base * kCell, 6 * kCell, 20000, amount)};
      spec.ports = {{"t", {3, 4, 0}, PortKind::kOpen, 1000}};
      auto world = make_world(spec);
      EXPECT_TRUE(run_to_rest(*world));
      EXPECT_GT(world->totals().pipes, 20000 - kCell) << base << ' ' << amount;
    }
  }
}

TEST_P(PortsInModel, ATankAboveALakeGivesUnderWater) {
  for (const PortKind kind : {PortKind::kOpen, PortKind::kOutlet}) {
    WorldSpec spec = lake(10, 20);
    spec.pipes = {tank("t", 14 * kCell, 2 * kCell, 20000, 20000)};
    spec.ports = {{"t", {3, 2, 0}, kind, 1000}};
    auto world = make_world(spec);
    EXPECT_TRUE(run_to_rest(*world));
    EXPECT_LT(world->totals().pipes, kCell);
  }
}

// One filled its tank a cell deep; with a second one a closed lake ran for ever.
TEST_P(PortsInModel, TwoOpenPortsAtDifferentHeightsComeToRestAtTheLakesLevel) {
  WorldSpec spec = lake(30, 34);
  spec.pipes = {tank("t", 0, 40 * kCell, 160000, 0)};
  spec.ports = {{"t", {2, 2, 0}, PortKind::kOpen, 900}, {"t", {5, 25, 0}, PortKind::kOpen, 700}};
  auto world = make_world(spec);
  EXPECT_TRUE(run_to_rest(*world));
  const std::int64_t level = world->totals().pipes * 40 * kCell / 160000;
  const std::int64_t surface = world->head({3, 3, 0});
  EXPECT_NEAR(static_cast<double>(level), static_cast<double>(surface), 1.2 * kCell);
}

// Each waited for the other, for ever, awake.
TEST_P(PortsInModel, PortsThatShareLessThanAPartTakeTurns) {
  WorldSpec spec = drawn({"#.....#", "#.....#", "#.....#", "#~....#", "#######"});
  spec.pipes = {tank("a", 8 * kCell, 4 * kCell, 20000, 20000),
                tank("b", 8 * kCell, 4 * kCell, 20000, 20000),
                tank("c", -8 * kCell, kCell, 20000, 0), tank("d", -8 * kCell, kCell, 20000, 0)};
  spec.ports = {{"a", {4, 3, 0}, PortKind::kOutlet, kCell},
                {"b", {4, 3, 0}, PortKind::kOutlet, kCell},
                {"c", {1, 1, 0}, PortKind::kInlet, kCell},
                {"d", {1, 1, 0}, PortKind::kInlet, kCell}};
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 8; ++t) (void)world->tick({}, serial);
  for (const char* name : {"a", "b"}) {
    EXPECT_LT(world->pipes().amount(*world->pipes().find(name)), 20000) << name;
  }
  EXPECT_GT(world->pipes().amount(*world->pipes().find("c")) +
                world->pipes().amount(*world->pipes().find("d")),
            0);
  EXPECT_TRUE(run_to_rest(*world));
  EXPECT_TRUE(world->conserved());
}

TEST(Ports, TheHeadIsTheWholeBodys) {
  const Drawing rows = {"#~#...#", "#~#...#", "#~#...#", "#~~~~~#", "#######"};
  for (const WaterModel model : {WaterModel::kBlock, WaterModel::kStream}) {
    auto world = make_world(drawn_spec(model, {rows}));
    EXPECT_EQ(world->head({4, 1, 0}), 5 * kCell);
    EXPECT_EQ(world->head({4, 2, 0}), 2 * kCell) << "the floor of a dry cell";
  }
  WorldSpec spec =
      drawn_spec(WaterModel::kCellular, {{"#~#####", "#~#####", "#~#####", "#~~~~~#", "#######"}});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 500; ++t) (void)world->tick({}, serial);
  EXPECT_NEAR(static_cast<double>(world->head({4, 1, 0})),
              static_cast<double>(world->head({1, 1, 0})), 700)
      << "by compression, under a roof: a unit of it in each face is rounding";
}

// It gave what the row of the surface over it had room for: 184 units a tick of 500, in a lake
// whose surface stood near the top of a cell.
TEST(Ports, AnOutletUnderAHydroLakeGivesWhatItsRateSays) {
  for (const std::int32_t rate : {500, 2000, 4000}) {
    Drawing rows(50, "#" + std::string(100, '.') + "#");
    rows.insert(rows.end(), 9, "#" + std::string(100, '~') + "#");
    rows.emplace_back(102, '#');
    WorldSpec spec = drawn_spec(WaterModel::kHydro, {rows});
    sim::PipeNode tank;
    tank.fields.name = "t";
    tank.fields.base = 100 * kCell;
    tank.fields.height = kCell;
    tank.fields.capacity = tank.fields.amount = 100'000'000;
    spec.pipes = {tank};
    spec.ports = {{"t", {5, 3, 0}, PortKind::kOutlet, rate}};
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    const std::int64_t before = world->totals().water;
    for (int t = 0; t < 40; ++t) (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().water - before, 40 * rate);
  }
}

}  // namespace
}  // namespace sluice::tests::ports_test
