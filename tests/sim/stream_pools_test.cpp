// Goal: what ports and springs see of a pool is what a plain walk through it sees, however many
// cells changed since the pool was walked through, and whoever changed them; and a port costs what
// it moves, not its lake. Method: random worlds, asked in each phase of their ticks; random lakes
// that give and take by turns; the sizes that decide when to walk anew set small as well.
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/stream/cells.h"
#include "server/sim/models/stream/pools.h"
#include "tests/support/drawn_world.h"
#include "tests/support/random_world.h"

namespace sluice::tests::stream_pools_test {
namespace {

using sim::StreamPools;

std::int64_t surface(Vec3 at, Cell cell) {
  return std::int64_t{at.y} * kFull + cell;
}

/// Full, and not of water that runs through.
bool is_firm(const sim::Grid& grid, Vec3 at) {
  if (grid.cell(at) != kFull) return false;
  const sim::Chunk& chunk = *grid.find(grid.shape().chunk_of(at));
  return (sim::mark_of(chunk, grid.shape().index_of(at)) & sim::kSwiftBit) == 0;
}

/// What a firm cell sees of its pool, by a plain walk from there.
class PlainSight {
 public:
  PlainSight(const sim::Grid& grid, Vec3 at) : grid_(grid), at_(at) {
    std::vector<Vec3> queue = {at};
    std::set<Vec3> seen = {at};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      press(queue[next], kFull);
      for (std::size_t face = 0; face < sim::kFaces; ++face) {
        const Vec3 there = queue[next] + sim::kFaceStep[face];
        const Cell cell = grid.cell(there);
        if (!is_open(cell)) continue;
        if (is_firm(grid, there)) {
          if (seen.insert(there).second) queue.push_back(there);
          continue;
        }
        if (cell == kFull) continue;
        const Seen room = seen_at(there, surface(there, cell));
        if (!taker_ || room < *taker_) taker_ = room;
        if (face == sim::kAbove || (face != sim::kBelow && stands(there))) press(there, cell);
      }
    }
  }
  [[nodiscard]] std::int64_t head() const { return -std::get<0>(*giver_); }
  [[nodiscard]] Vec3 giver() const { return std::get<Vec3>(*giver_); }
  [[nodiscard]] std::optional<Vec3> taker() const {
    return taker_ ? std::optional(std::get<Vec3>(*taker_)) : std::nullopt;
  }

 private:
  /// Height, distance, x, z, place: the least is what is found.
  using Seen = std::tuple<std::int64_t, std::int64_t, std::int32_t, std::int32_t, Vec3>;

  [[nodiscard]] Seen seen_at(Vec3 there, std::int64_t height) const {
    const std::int64_t x = std::int64_t{there.x} - at_.x;
    const std::int64_t z = std::int64_t{there.z} - at_.z;
    return {height, (x < 0 ? -x : x) + (z < 0 ? -z : z), there.x, there.z, there};
  }
  void press(Vec3 there, Cell cell) {
    const Seen water = seen_at(there, -surface(there, cell));
    if (cell > 0 && (!giver_ || water < *giver_)) giver_ = water;
  }
  [[nodiscard]] bool stands(Vec3 there) const {
    const Vec3 below = there + sim::kFaceStep[sim::kBelow];
    if (!grid_.world_box().contains(below)) return !grid_.open_box().contains(below);
    return !is_open(grid_.cell(below)) || is_firm(grid_, below);
  }

  const sim::Grid& grid_;
  Vec3 at_;
  std::optional<Seen> giver_;
  std::optional<Seen> taker_;
};

void expect_as_plain(StreamPools& pools, const sim::Grid& grid, Vec3 at) {
  const PlainSight plain(grid, at);
  RC_ASSERT(pools.head(grid, at) == plain.head());
  RC_ASSERT(pools.giver(grid, at) == std::optional(plain.giver()));
  RC_ASSERT(pools.taker(grid, at) == plain.taker());
}

/// Half of all times so small that they decide.
StreamPools::Limits random_limits(Dice& dice) {
  if (dice.chance(50)) return {};
  return {.most_followed = static_cast<std::size_t>(dice.roll(0, 40)),
          .most_numbers = static_cast<std::size_t>(dice.roll(1, 4)),
          .few_notes = dice.roll(-2000, 20)};
}

/// Asks between the phases of a tick, now and then.
class Asker final : public sim::PhaseObserver {
 public:
  explicit Asker(std::uint64_t seed) : dice_(seed), pools_(random_limits(dice_)) {}

  void after_phase(const char* phase, const sim::World& world) override {
    const sim::Grid& grid = world.grid();
    if (std::string_view(phase) == "water") pools_.end_tick(grid);
    if (!dice_.chance(20)) return;
    pools_.look(grid);
    std::vector<Vec3> firm;
    grid.for_each([&](const sim::Chunk& chunk) {
      for (std::int32_t i = 0; i < kChunkCells; ++i) {
        const Vec3 at = grid.shape().cell_at(chunk.coord, i);
        if (chunk.cells[static_cast<std::size_t>(i)] != kFull) continue;
        if (!grid.world_box().contains(at)) continue;
        if (is_firm(grid, at)) {
          firm.push_back(at);
        } else {
          RC_ASSERT(pools_.head(grid, at) == surface(at, kFull));
          RC_ASSERT(pools_.giver(grid, at) == std::optional(at));
          RC_ASSERT(pools_.taker(grid, at) == std::nullopt);
        }
      }
    });
    for (int asked = 0; asked < 3 && !firm.empty(); ++asked) {
      expect_as_plain(pools_, grid, firm[dice_.next() % firm.size()]);
    }
  }

 private:
  Dice dice_;
  StreamPools pools_;
};

RC_GTEST_PROP(StreamPools, SeeWhatAPlainWalkSees, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec =
      random_world_of(sim::WaterModel::kStream, seed, {.solid = solid, .side = solid ? 48 : 60});
  const Script script =
      fitted(random_script(seed, spec.config.size, 40), sim::measure_of(spec.config));
  auto world = make_world(spec);
  Asker asker(seed ^ 0x9001U);
  world->set_phase_observer(&asker);
  sim::SerialExecutor serial;
  for (const auto& commands : script) (void)world->tick(commands, serial);
}

Cell random_levels(Dice& dice) {
  if (dice.chance(20)) return kRock;
  if (dice.chance(30)) return kFull;
  return dice.roll(0, sim::kStreamLevels) * sim::kUnitsPerLevel;
}

/// Lakes with rock and gaps in them.
void draw_lakes(sim::Grid& grid, Vec3 size, Dice& dice) {
  const std::int32_t gaps = dice.roll(0, 40);
  const std::int32_t full_up_to = dice.roll(1, size.y);
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < full_up_to; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        put(grid, {x, y, z}, dice.chance(gaps) ? random_levels(dice) : kFull);
      }
    }
  }
}

RC_GTEST_PROP(StreamPools, FollowWhatIsGivenAndTaken, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  sim::WorldConfig config;
  config.size = solid ? Vec3{dice.roll(1, 24), dice.roll(2, 20), dice.roll(1, 24)}
                      : Vec3{dice.roll(1, 90), dice.roll(2, 80), 1};
  sim::Grid grid(config);
  draw_lakes(grid, config.size, dice);
  StreamPools pools(random_limits(dice));
  std::vector<Vec3> ports;
  for (int i = 0; i < 4; ++i) ports.push_back(random_place(dice, config.size));
  for (int i = 0; i < 300; ++i) {
    const Vec3 at = ports[dice.next() % ports.size()];
    if (grid.cell(at) == kFull) expect_as_plain(pools, grid, at);
    if (dice.chance(4)) {  // somebody else's change
      const Vec3 other = random_place(dice, config.size);
      put(grid, other, random_levels(dice));
      pools.look(grid);
      if (dice.chance(50)) (void)grid.take_changed();
      continue;
    }
    const bool gives = dice.chance(50);
    const auto place = gives ? pools.giver(grid, at) : pools.taker(grid, at);
    if (!place) continue;
    grid.add_to_cell(*place, gives ? -sim::kUnitsPerLevel : sim::kUnitsPerLevel);
    pools.follow(grid, *place);
  }
}

// Each looked through all of the lake for each level that went through it.
TEST(StreamPools, ALakeIsWalkedThroughOnceForAllPorts) {
  sim::WorldConfig config;
  config.size = {300, 60, 1};
  sim::Grid grid(config);
  for (std::int32_t y = 0; y < 40; ++y) {
    for (std::int32_t x = 0; x < 300; ++x) put(grid, {x, y, 0}, kFull);
  }
  StreamPools pools;
  const auto move = [&](Vec3 at, std::int32_t units) {
    const auto place = units < 0 ? pools.giver(grid, at) : pools.taker(grid, at);
    ASSERT_TRUE(place);
    grid.add_to_cell(*place, units);
    pools.follow(grid, *place);
  };
  for (int i = 0; i < 1000; ++i) move({i * 7 % 300, i % 30, 0}, -sim::kUnitsPerLevel);
  for (int i = 0; i < 3000; ++i) move({i * 7 % 300, i % 30, 0}, sim::kUnitsPerLevel);
  EXPECT_EQ(pools.walked(), 300 * 40);
}

// A film: what is left of it on either side is no longer one pool.
TEST(StreamPools, AFilmFallsApartWhereItIsTakenFrom) {
  sim::WorldConfig config;
  config.size = {101, 4, 1};
  sim::Grid grid(config);
  for (std::int32_t x = 0; x < 101; ++x) put(grid, {x, 0, 0}, kFull);
  put(grid, {100, 1, 0}, kFull);
  StreamPools pools;
  EXPECT_EQ(pools.giver(grid, {3, 0, 0}), (Vec3{100, 1, 0}));
  grid.add_to_cell({50, 0, 0}, -sim::kUnitsPerLevel);
  pools.follow(grid, {50, 0, 0});
  EXPECT_EQ(pools.giver(grid, {3, 0, 0}), (Vec3{3, 0, 0}));
  EXPECT_EQ(pools.giver(grid, {80, 0, 0}), (Vec3{100, 1, 0}));
  EXPECT_EQ(pools.taker(grid, {3, 0, 0}), (Vec3{50, 0, 0}));
  EXPECT_EQ(pools.walked(), 102);
}

}  // namespace
}  // namespace sluice::tests::stream_pools_test
