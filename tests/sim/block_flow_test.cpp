// Goal: block water flows through every opening that it presses on, as much as the opening lets
// pass.
// Method: drawn worlds of which each showed that it did not.
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/block/flow.h"
#include "server/sim/world.h"
#include "tests/support/dice.h"
#include "tests/support/drawn_world.h"

namespace sluice::tests::block_flow_test {
namespace {

using sim::World;
using sim::WorldSpec;

WorldSpec blocks(const std::vector<Drawing>& layers) {
  WorldSpec spec = drawn_spec(sim::WaterModel::kBlock, layers);
  spec.config.options["walk_steps"] = 0;
  return spec;
}

/// Units in a box.
std::int64_t held_in(const World& world, Vec3 from, Vec3 size) {
  std::int64_t units = 0;
  for (std::int32_t y = from.y; y < from.y + size.y; ++y) {
    for (std::int32_t z = from.z; z < from.z + size.z; ++z) {
      for (std::int32_t x = from.x; x < from.x + size.x; ++x) {
        units += water_of(world.cell({x, y, z}));
      }
    }
  }
  return units;
}

bool run_to_rest(World& world, int ticks = 5000) {
  sim::SerialExecutor serial;
  for (int t = 0; t < ticks; ++t) {
    if (world.tick({}, serial).at_rest) return true;
  }
  return false;
}

// All blocks left through the hole; the gap under six rows of head passed nothing.
TEST(BlockFlow, AGapRunsWhileAHoleRuns) {
  Drawing rows(6, "#.....#~~~~~~~~#");
  rows.insert(rows.end(), {"#......~~~~~~~~#", "#############~##", "#############~##"});
  WorldSpec spec = blocks({rows});
  spec.config.edges.bottom = sim::Edge::kOpen;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 10; ++t) {
    const std::int64_t drained = world->totals().drained;
    (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().drained - drained, kFull) << "through a hole of one cell";
  }
  const std::int64_t through_the_gap = held_in(*world, {1, 2, 0}, {6, 7, 1});
  EXPECT_GE(through_the_gap, 7 * kFull);
  EXPECT_LE(through_the_gap, 10 * kFull) << "the gap is one cell high";
}

TEST(BlockFlow, TwoHolesAtDifferentDepthsBothRun) {
  WorldSpec spec = blocks({{"#~~~~~~~~#..", "#~~~~~~~~#..", "#~~~~~~~~...", "#~~~~~~~~#..",
                            "#~~~~~~~~#..", "#~~~~~~~~...", "############"}});
  spec.config.edges.right = sim::Edge::kOpen;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  // Six blocks stand in the air beside the upper hole, or have gone over the edge.
  for (int t = 0; t < 2; ++t) (void)world->tick({}, serial);
  EXPECT_EQ(held_in(*world, {1, 1, 0}, {8, 6, 1}), (48 - 4) * kFull)
      << "a block a tick through each";
}

// The way to the one led past the other's mouth, which got none.
TEST(BlockFlow, HolesInOppositeWallsBothRun) {
  for (const int lower : {3, 4}) {  // the row of the hole at the right, from the top
    Drawing rows(6, "..#~~~~~~~~#..");
    rows.emplace_back("##############");
    rows[3][2] = '.';
    rows[static_cast<std::size_t>(lower)][11] = '.';
    WorldSpec spec = blocks({rows});
    spec.config.edges.left = spec.config.edges.right = sim::Edge::kOpen;
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    for (int t = 0; t < 6; ++t) (void)world->tick({}, serial);
    EXPECT_EQ(held_in(*world, {3, 1, 0}, {8, 6, 1}), (48 - 12) * kFull)
        << "a block a tick through each";
  }
}

// In 3D: a mouth in each wall of a lake, at one depth.
TEST(BlockFlow, HolesInAllFourWallsRun) {
  std::vector<Drawing> layers(7, Drawing(4, "#~~~~~#"));
  for (Drawing& layer : layers) layer.emplace_back("#######");
  layers.front() = layers.back() = Drawing(5, "#######");
  layers.front()[2][3] = layers.back()[2][3] = '.';
  layers[3][2].front() = layers[3][2].back() = '.';
  WorldSpec spec = blocks(layers);
  sim::Edges& edges = spec.config.edges;
  edges.left = edges.right = edges.front = edges.back = sim::Edge::kOpen;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 6; ++t) (void)world->tick({}, serial);
  EXPECT_EQ(held_in(*world, {1, 1, 1}, {5, 4, 5}), (100 - 24) * kFull)
      << "a block a tick through each";
}

// Two blocks, for ever.
TEST(BlockFlow, ASpringUnderARoofGivesToTheLowestPlace) {
  WorldSpec spec = blocks({{"####.##", "####.##", "####.##", "#....##", "#######"}});
  spec.sources = {{{1, 1, 0}, kFull}};
  auto world = make_world(spec);
  ASSERT_TRUE(run_to_rest(*world));
  EXPECT_EQ(drawing_of(*world), (Drawing{"####~##", "####~##", "####~##", "#~~~~##", "#######"}));
}

TEST(BlockFlow, APairOnALedgeFallsOffIt) {
  auto world = make_world(blocks({{".~~....", ".##...."}}));
  ASSERT_TRUE(run_to_rest(*world));
  EXPECT_EQ(held_in(*world, {0, 1, 0}, {7, 1, 1}), 0);
  EXPECT_EQ(held_in(*world, {0, 0, 0}, {7, 1, 1}), 2 * kFull);
}

/// A lake of 16 x 16 x 6 over a floor with a hole of one cell, and an empty hall below.
WorldSpec lake_over_a_hole(std::int32_t x, std::int32_t z) {
  std::vector<Drawing> layers(16, Drawing(6, std::string(16, '~')));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].push_back(std::string(16, '#'));
    layers[i].insert(layers[i].end(), 4, std::string(16, '.'));
  }
  layers[static_cast<std::size_t>(z)][6][static_cast<std::size_t>(x)] = '.';
  return blocks(layers);
}

// Eighty blocks in one tick.
TEST(BlockFlow, AHoleOfOneCellPassesABlockATick) {
  auto world = make_world(lake_over_a_hole(5, 9));
  sim::SerialExecutor serial;
  std::int64_t before = 0;
  for (int t = 0; t < 200; ++t) {
    (void)world->tick({}, serial);
    const std::int64_t passed = held_in(*world, {0, 0, 0}, {16, 4, 16});
    EXPECT_LE(passed - before, kFull) << "tick " << t + 1;
    before = passed;
  }
  EXPECT_GE(before, 190 * kFull);
}

// The surface receded as a strip along x.
TEST(BlockFlow, ASurfaceRecedesAlikeInXAndZ) {
  auto world = make_world(lake_over_a_hole(2, 2));
  sim::SerialExecutor serial;
  for (int t = 0; t < 100; ++t) (void)world->tick({}, serial);
  std::int64_t over = 0;   // missing where x > z
  std::int64_t under = 0;  // and where z > x
  for (std::int32_t z = 0; z < 16; ++z) {
    for (std::int32_t x = 0; x < 16; ++x) {
      const bool missing = world->cell({x, 10, z}) == 0;
      if (missing && x > z) ++over;
      if (missing && x < z) ++under;
    }
  }
  EXPECT_GE(over, 30);
  EXPECT_NEAR(static_cast<double>(over), static_cast<double>(under), 12);
}

int ticks_to_level(std::int32_t parts) {
  Drawing rows(8, "~~~~~~~~........");
  WorldSpec spec = blocks({rows});
  spec.config.options["parts"] = parts;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  int ticks = 1;
  while (!world->tick({}, serial).at_rest) ++ticks;
  return ticks;
}

TEST(BlockFlow, EighthsLevelAboutAsFastAsBlocks) {
  const int whole = ticks_to_level(1);
  EXPECT_LE(ticks_to_level(8), 2 * whole + 4);
}

Vec3 any_of(const std::vector<Vec3>& cells, Dice& dice) {
  return cells[static_cast<std::size_t>(dice.roll(0, static_cast<std::int32_t>(cells.size()) - 1))];
}

/// One body of water in a random cave, and how much of it can get from its top to places around it.
class Cave {
 public:
  Cave(Dice& dice, Vec3 size, std::int32_t parts) : grid_(config_of(size)), parts_(parts) {
    const std::int32_t rock = dice.roll(5, 50);
    std::vector<Vec3> open;
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t z = 0; z < size.z; ++z) {
        for (std::int32_t x = 0; x < size.x; ++x) {
          const bool is_rock = dice.chance(rock);
          put(grid_, {x, y, z}, is_rock ? kRock : kFull);
          if (!is_rock) open.push_back({x, y, z});
        }
      }
    }
    if (open.empty()) return;
    std::vector<Vec3> found = {any_of(open, dice)};
    water_.insert(found.front());
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const Vec3 beside : around(found[i])) {
        if (grid_.cell(beside) == kFull && water_.insert(beside).second) found.push_back(beside);
      }
    }
  }

  [[nodiscard]] const sim::Grid& grid() const { return grid_; }
  [[nodiscard]] const std::set<Vec3>& water() const { return water_; }

  /// One part more to a place, and no fewer to those before: a search, nearest first, over all ways
  /// that ways may take (Edmonds and Karp, 1972).
  bool brings(std::size_t place, Vec3 mouth, std::int32_t top) {
    const Node start = {place, true, mouth};
    std::map<Node, Node> before = {{start, start}};
    std::vector<Node> found = {start};
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Node node = found[i];
      if (!std::get<1>(node) && std::get<2>(node).y >= top) {
        for (Node at = node; at != start; at = before.at(at)) {
          int& against = flow_[{at, before.at(at)}];
          against > 0 ? --against : ++flow_[{before.at(at), at}];
        }
        return true;
      }
      for (const Node& next : next_to(node)) {
        if (before.emplace(next, node).second) found.push_back(next);
      }
    }
    return false;
  }

 private:
  // A place and its mouth; or, of place 0, what comes into a cell (true) or goes out of it.
  using Node = std::tuple<std::size_t, bool, Vec3>;

  static sim::WorldConfig config_of(Vec3 size) {
    sim::WorldConfig config;
    config.size = size;
    config.water = sim::WaterModel::kBlock;
    return config;
  }
  static std::vector<Vec3> around(Vec3 p) {
    return {p + Vec3{1, 0, 0},  p + Vec3{-1, 0, 0}, p + Vec3{0, 1, 0},
            p + Vec3{0, -1, 0}, p + Vec3{0, 0, 1},  p + Vec3{0, 0, -1}};
  }
  [[nodiscard]] std::vector<Node> next_to(const Node& node) const {
    std::vector<Node> next;
    const auto& [place, is_in, at] = node;
    if (place > 0) {
      next.push_back({0, true, at});
    } else if (is_in) {
      const auto passed = flow_.find({node, {0, false, at}});
      if (passed == flow_.end() || passed->second < parts_) next.push_back({0, false, at});
    } else {
      for (const Vec3 beside : around(at)) {
        if (water_.contains(beside)) next.push_back({0, true, beside});
      }
    }
    for (const auto& [arrow, parts] : flow_) {
      if (arrow.second == node && parts > 0) next.push_back(arrow.first);
    }
    return next;
  }

  sim::Grid grid_;
  std::int32_t parts_;
  std::set<Vec3> water_;
  std::map<std::pair<Node, Node>, int> flow_;
};

/// Asks for ways from places of a random cave: tell(whether it passes, whether one more can). Ends
/// where tell() says so.
template <class Tell>
void ask_for_ways(std::uint64_t seed, bool solid, std::int64_t most_effort, Tell&& tell) {
  Dice dice(seed);
  const Vec3 size = solid ? Vec3{dice.roll(2, 6), dice.roll(2, 6), dice.roll(2, 6)}
                          : Vec3{dice.roll(2, 14), dice.roll(2, 14), 1};
  const std::int32_t parts = 1 << dice.roll(0, 3);
  Cave cave(dice, size, parts);
  if (cave.water().empty()) return;
  sim::LevelCells cells(cave.grid(), parts, sim::FirstLook::kAsItIs);
  for (const Vec3 at : cave.water()) cells.set_group(cells.cell_at(at), 3);
  const std::vector<Vec3> water(cave.water().begin(), cave.water().end());
  const std::int32_t top = dice.roll(water.front().y, water.back().y);
  sim::BlockFlow flow(cells, most_effort);
  flow.begin(3, static_cast<std::int64_t>(water.size()), top * parts + parts - 1);
  for (std::size_t place = 1; place <= 12; ++place) {
    const Vec3 mouth = any_of(water, dice);
    const auto face = static_cast<sim::CellFace>(dice.roll(0, 5));
    const sim::BlockFlow::Mouth from = {cells.cell_at(mouth), face};
    const std::int32_t number = flow.add_place(std::span(&from, 1));
    for (std::int32_t part = dice.roll(1, parts); part > 0; --part) {
      const bool can = cave.brings(place, mouth, top);
      const bool passes = flow.pass(number);
      if (!tell(passes, can, flow.is_exact())) return;
    }
  }
}

RC_GTEST_PROP(BlockFlow, FindsEveryWayThatThereIs, (std::uint64_t seed, bool solid)) {
  ask_for_ways(seed, solid, sim::BlockFlow::kMostEffort, [](bool passes, bool can, bool is_exact) {
    if (is_exact) RC_ASSERT(passes == can);
    return is_exact;
  });
}

// What the search may spend bounds what it finds, and makes up nothing.
RC_GTEST_PROP(BlockFlow, FindsNoMoreWaysWithLessEffort, (std::uint64_t seed, bool solid)) {
  for (const std::int64_t effort : {0, 2, 4, 40}) {
    int passed = 0;
    int possible = 0;
    ask_for_ways(seed, solid, effort, [&](bool passes, bool can, bool /*is_exact*/) {
      passed += passes ? 1 : 0;
      possible += can ? 1 : 0;
      RC_ASSERT(passed <= possible);
      return true;
    });
  }
}

}  // namespace
}  // namespace sluice::tests::block_flow_test
