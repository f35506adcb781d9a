#include "server/sim/heat/floes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::array<Vec3, kFaces> kSteps = {Vec3{-1, 0, 0}, Vec3{1, 0, 0},  Vec3{0, -1, 0},
                                             Vec3{0, 1, 0},  Vec3{0, 0, -1}, Vec3{0, 0, 1}};

/// At the water's level floes move in one of so many ticks, that water may follow them.
constexpr std::uint64_t kTicksAtLevel = 16;
/// In the second half of each `kTicksToCalm` in one of `kCalmTicks`: what sways with its water,
/// each keeping the other in motion, is decided on again and again when that has come to rest.
constexpr std::uint64_t kTicksToCalm = 8192;
constexpr std::uint64_t kCalmTicks = 512;

constexpr bool moves_at_level(std::uint64_t tick) {
  const bool calm = tick % kTicksToCalm >= kTicksToCalm / 2;
  return tick % (calm ? kCalmTicks : kTicksAtLevel) == 0;
}

ChunkCoord beside(ChunkCoord coord, Vec3 step) {
  return {coord.x + step.x, coord.y + step.y, coord.z + step.z};
}

}  // namespace

FloeField::FloeField(const WorldConfig& config, std::int32_t most_cells)
    : shape_(config.shape()), rule_(config, most_cells) {}

void FloeField::forget() {
  all_ = true;
  known_.clear();
  staying_.clear();
  readers_.clear();
  starts_.clear();
}

FloeField::Kinds FloeField::kinds_of(const Grid& grid, ChunkCoord coord) const {
  Kinds kinds;
  const Chunk* const chunk = grid.find(coord);
  if (chunk == nullptr || chunk->cells.is_shared_air()) return kinds;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const Cell cell = chunk->cells[i];
    if (is_open(cell)) continue;
    (is_ice(cell) ? kinds.ice : kinds.solid).set(i);
  }
  return kinds;
}

bool FloeField::near_ice(ChunkCoord coord) const {
  return std::any_of(kSteps.begin(), kSteps.end(), [&](Vec3 step) {
    const auto known = known_.find(beside(coord, step));
    return known != known_.end() && known->second.ice.any();
  });
}

// Of a chunk that was not known every cell counts as another one now.
void FloeField::take_change(const Grid& grid, ChunkCoord coord) {
  const auto readers = readers_.find(coord);
  if (readers != readers_.end()) {
    for (const Vec3 seed : std::set<Vec3>(readers->second)) {
      forget_staying(seed);
      starts_.push_back(seed);
    }
  }
  const Kinds kinds = kinds_of(grid, coord);
  if (kinds.ice.none() && !near_ice(coord)) {
    known_.erase(coord);
    return;
  }
  std::bitset<kChunkCells> differing;
  differing.set();
  const auto known = known_.find(coord);
  if (known != known_.end()) {
    differing = (known->second.ice ^ kinds.ice) | (known->second.solid ^ kinds.solid);
  }
  known_[coord] = kinds;
  if (differing.none()) return;
  FloeReader reader(grid);
  start_around(reader, coord, differing);
}

void FloeField::start_around(FloeReader& reader, ChunkCoord coord,
                             const std::bitset<kChunkCells>& differing) {
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    if (!differing[i]) continue;
    const Vec3 at = shape_.cell_at(coord, static_cast<std::int32_t>(i));
    if (is_ice(reader(at))) starts_.push_back(at);
    for (const Vec3 step : kSteps) {
      if (is_ice(reader(at + step))) starts_.push_back(at + step);
    }
  }
}

void FloeField::take_starts(const Grid& grid, std::span<const ChunkCoord> changed) {
  if (std::exchange(all_, false)) {
    grid.for_each([&](const Chunk& chunk) { take_change(grid, chunk.coord); });
  }
  for (const ChunkCoord coord : changed) take_change(grid, coord);
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
}

void FloeField::stay(Vec3 seed, std::vector<ChunkCoord> read) {
  for (const ChunkCoord coord : read) readers_[coord].insert(seed);
  staying_[seed].read = std::move(read);
}

void FloeField::forget_staying(Vec3 seed) {
  const auto staying = staying_.find(seed);
  for (const ChunkCoord coord : staying->second.read) {
    const auto readers = readers_.find(coord);
    readers->second.erase(seed);
    if (readers->second.empty()) readers_.erase(readers);
  }
  staying_.erase(staying);
}

std::vector<FloeMove> FloeField::look(std::uint64_t tick, const Grid& grid,
                                      std::span<const ChunkCoord> changed) {
  take_starts(grid, changed);
  struct Moving {
    Floe floe;
    std::int32_t step = 0;
  };
  std::vector<Moving> moving;
  FloeReader reader(grid);
  CellSet seen(shape_);
  std::set<Vec3> taken;  // where floes come down to
  for (const Vec3 start : std::exchange(starts_, {})) {
    if (!is_ice(reader(start)) || seen.contains(start)) continue;
    (void)reader.take_read();
    Floe floe;
    const bool free = rule_.find(start, reader, seen, floe);
    if (!free) continue;
    const FloeWay way = rule_.way(floe, reader);
    const std::int32_t step = way.step;
    if (step == 0) {
      stay(floe.first, reader.take_read());
      continue;
    }
    if (way.at_level && !moves_at_level(tick)) {
      starts_.push_back(floe.first);  // it waits
      continue;
    }
    if (step < 0) {
      for (const FloeRun& run : floe.runs) taken.insert(run.below());
    }
    moving.push_back({std::move(floe), step});
  }
  cells_searched_ += seen.size();
  std::vector<FloeMove> moves;
  for (const Moving& one : moving) {
    const std::vector<FloeRun>& runs = one.floe.runs;
    const bool gives_way =
        one.step > 0 && std::any_of(runs.begin(), runs.end(), [&](const FloeRun& run) {
          return taken.contains(run.above());
        });
    if (gives_way) {
      starts_.push_back(one.floe.first);
      continue;
    }
    for (const FloeRun& run : runs) moves.push_back({run.bottom, run.cells, one.step});
  }
  std::sort(moves.begin(), moves.end(),
            [](const FloeMove& a, const FloeMove& b) { return a.bottom < b.bottom; });
  return moves;
}

void FloeField::know_as_ice(Vec3 at, bool ice) {
  const auto known = known_.find(shape_.chunk_of(at));
  if (known != known_.end())
    known->second.ice.set(static_cast<std::size_t>(shape_.index_of(at)), ice);
}

void FloeField::moved(std::span<const FloeMove> moves) {
  for (const FloeMove& move : moves) {
    const Vec3 top = move.bottom + Vec3{0, move.cells - 1, 0};
    const Vec3 step = {0, move.step, 0};
    know_as_ice(move.step > 0 ? move.bottom : top, false);
    know_as_ice((move.step > 0 ? top : move.bottom) + step, true);
    starts_.push_back(move.bottom + step);
  }
}

bool FloeField::at_rest(const Grid& grid, std::span<const ChunkCoord> changed) {
  const std::vector<FloeMove> moves = look(0, grid, changed);
  for (const FloeMove& move : moves) starts_.push_back(move.bottom);
  return starts_.empty();
}

}  // namespace sluice::sim
