// The rule: in each tick every cell gives the cell below it up to `drip` units, as far as they fit,
// or else the cell beside it, where that one is open and holds less. A cell's mark counts, up to
// 15, how often it was given something. The world counts them all: every fourth drop is half as
// large.
#include "tests/sim/toy_model/toy.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace sluice::tests {

namespace {

constexpr const char* kSides[] = {"none", "left"};

constexpr sim::WaterOption kOptions[] = {
    {"drip", 512, 1, kFull, "units that a cell gives in a tick at the most"},
    sim::choice("side", kSides, "where water goes that cannot fall"),
};

constexpr sim::MarkField kMarks[] = {{"drops", 0, 4}};

class ToyWater final : public sim::WaterModelState {
 public:
  explicit ToyWater(const sim::WorldConfig& config)
      : drip_(config.option("drip")), left_(config.option("side") == 1) {}

  void attach(sim::Grid& /*grid*/, sim::WaterState& state) override {
    state_ = &state.as<ToyState>();
  }

  sim::WaterAdvance advance(const sim::WaterTick& /*now*/, sim::Grid& grid,
                            sim::Executor& /*executor*/) override {
    for (sim::Chunk* const chunk : grid.awake()) chunk->wake = 0;
    std::vector<Vec3> wet;
    grid.for_each([&](const sim::Chunk& chunk) {
      for (std::int32_t i = 0; i < kChunkCells; ++i) {
        const Vec3 at = grid.shape().cell_at(chunk.coord, i);
        if (water_of(chunk.cells[static_cast<std::size_t>(i)]) > 0) wet.push_back(at);
      }
    });
    std::sort(wet.begin(), wet.end(), [](Vec3 a, Vec3 b) { return a.y < b.y; });
    sim::WaterAdvance done;
    done.sweeps = 1;
    for (const Vec3 at : wet) {
      ++done.cell_updates;
      const Vec3 below = at + Vec3{0, -1, 0};
      const Vec3 beside = at + Vec3{-1, 0, 0};
      if (give(grid, at, below, kFull) || !left_) continue;
      give(grid, at, beside, grid.cell(at) - 1);
    }
    return done;
  }

  sim::WaterHead head(const sim::Grid& grid, Vec3 at) override {
    return {std::int64_t{at.y} * kFull + water_of(grid.cell(at)), 1};
  }
  std::int64_t most_at(const sim::Grid& /*grid*/, Vec3 at, std::int64_t head) override {
    return std::clamp<std::int64_t>(head - std::int64_t{at.y} * kFull, 0, kFull);
  }

 private:
  /// As much as fits below `most`; false where nothing does.
  bool give(sim::Grid& grid, Vec3 from, Vec3 to, std::int32_t most) {
    const Cell there = grid.cell(to);
    const std::int32_t here = water_of(grid.cell(from));
    if (!is_open(there) || there >= most) return false;
    std::int32_t units = std::min({drip_, here, most - there});
    if (++state_->drops % 4 == 0) units = (units + 1) / 2;
    grid.add_to_cell(from, -units);
    grid.add_to_cell(to, units);
    sim::Chunk& chunk = *grid.find(grid.shape().chunk_of(to));
    if (chunk.marks == nullptr) chunk.marks = std::make_unique<sim::Marks>();
    Cell& drops = chunk.marks->cells[static_cast<std::size_t>(grid.shape().index_of(to))];
    drops = std::min(drops + 1, 15);
    return true;
  }

  ToyState* state_ = nullptr;
  std::int32_t drip_;
  bool left_;
};

sim::WaterMeasure measure(const sim::WorldConfig& /*config*/) {
  return {.cell_max = kFull};
}

std::unique_ptr<sim::WaterModelState> make(const sim::WorldConfig& config) {
  return std::make_unique<ToyWater>(config);
}

}  // namespace

sim::Digest digest_of(const ToyState& state) {
  return state.drops == 0 ? 0 : sim::mix64(static_cast<std::uint64_t>(state.drops));
}

Status validate(const ToyState& state, const sim::WorldConfig& /*config*/) {
  if (state.drops < 0) return Error{"snapshot: its toy water fell less than never"};
  return Done{};
}

sim::WaterModelRow toy_water() {
  return {.id = kToyWater,
          .version = 7,
          .name = "toy",
          .meaning = "drops that fall",
          .options = kOptions,
          .marks = kMarks,
          .work = {.side_view = 10, .solid = 10},
          .measure = measure,
          .make = make,
          .state = sim::keep<ToyState>};
}

}  // namespace sluice::tests
