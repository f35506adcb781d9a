#include "server/sim/waves/surfaces.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "server/sim/waves/state.h"

namespace sluice::sim {

namespace {

/// Goes up one column, cell by cell, and tells its surfaces.
class Climber {
 public:
  Climber(std::int32_t x, std::int32_t z, std::int32_t full) : x_(x), z_(z), full_units_(full) {}

  /// A cell that is half full carries the water above it; one that holds less is a surface or
  /// falls.
  [[nodiscard]] bool stands(Cell cell) const { return cell >= full_units_ / 2; }

  void cell(std::int32_t y, Cell cell, std::vector<Surface>& out) {
    if (!is_open(cell)) {
      end_run(y, out);
      open_ = false;
      return;
    }
    if (!open_) {
      open_ = true;
      floor_ = y;
      surface_ = -1;
      full_ = true;
      landing_ = 0;
    }
    if (full_) {
      // The first cell that does not stand: it is the surface, unless it is dry.
      if (stands(cell)) {
        surface_ = y;
        top_ = cell;
      } else {
        full_ = false;
        if (cell > 0) {
          surface_ = y;
          top_ = cell;
        }
      }
    } else if (y == surface_ + 1) {
      landing_ = std::min(cell, full_units_);
    }
  }
  void end_run(std::int32_t y, std::vector<Surface>& out) {
    if (!open_ || surface_ < 0) return;
    const bool flooded = surface_ == y - 1 && top_ >= full_units_;
    if (!flooded) out.push_back({{x_, surface_, z_}, floor_, y, landing_, -1});
    surface_ = -1;
  }

 private:
  std::int32_t x_;
  std::int32_t z_;
  std::int32_t full_units_;
  bool open_ = false;
  bool full_ = false;  // all from the floor on stands
  std::int32_t floor_ = 0;
  std::int32_t surface_ = -1;
  Cell top_ = 0;
  std::int32_t landing_ = 0;
};

/// f(chunk or null, from, end) for each chunk of a stack, and for all that is not stored between
/// two of them at once, from the bottom up, in cells of y: however high the world is, few are
/// stored.
template <class F>
void for_each_in_stack(const Grid& grid, ChunkCoord stack, F&& f) {
  const std::int32_t world = grid.world_box().size.y;
  std::int32_t known_to = 0;
  grid.for_each_in_column(stack.x, stack.z, [&](const Chunk& chunk) {
    if (chunk.world_cells == 0) return;
    const std::int32_t from = grid.shape().origin(chunk.coord).y;
    if (known_to < from) f(nullptr, known_to, from);
    known_to = std::min(from + grid.shape().height(), world);
    f(&chunk, from, known_to);
  });
  if (known_to < world) f(nullptr, known_to, world);
}

void climb(const Chunk* chunk, const ChunkShape& shape, std::int32_t column, std::int32_t from,
           std::int32_t end, Climber& climber, std::vector<Surface>& out) {
  if (chunk == nullptr || chunk->cells.is_shared()) {
    // All alike: the floor, what lands on a surface below, and the top tell everything.
    const Cell cell = chunk == nullptr ? kAir : chunk->cells[0];
    climber.cell(from, cell, out);
    if (end - from > 2) climber.cell(from + 1, cell, out);
    if (!is_open(cell) || !climber.stands(cell)) return;
    climber.cell(end - 1, cell, out);
    return;
  }
  for (std::int32_t y = from; y < end; ++y) {
    const std::int32_t index = (y - from) * shape.slab() + column;
    climber.cell(y, chunk->cells[static_cast<std::size_t>(index)], out);
  }
}

}  // namespace

bool SurfacePatch::same_runs(const SurfacePatch& other) const {
  return std::equal(surfaces.begin(), surfaces.end(), other.surfaces.begin(), other.surfaces.end(),
                    [](const Surface& a, const Surface& b) { return a.same_run(b); });
}

SurfacePatch scan_surfaces(const Grid& grid, std::int32_t full, ChunkCoord stack) {
  const ChunkShape& shape = grid.shape();
  const Vec3 origin = shape.origin({stack.x, 0, stack.z});
  std::vector<std::pair<const Chunk*, std::int32_t>> chunks;
  for_each_in_stack(grid, stack, [&](const Chunk* chunk, std::int32_t from, std::int32_t /*end*/) {
    chunks.emplace_back(chunk, from);
  });
  const std::int32_t world = grid.world_box().size.y;
  SurfacePatch patch;
  for (std::int32_t column = 0; column < shape.slab(); ++column) {
    patch.first.push_back(static_cast<std::uint32_t>(patch.surfaces.size()));
    const std::int32_t x = origin.x + (column & (shape.width() - 1));
    const std::int32_t z = origin.z + (column >> shape.log_x);
    if (!grid.world_box().contains({x, 0, z})) continue;
    Climber climber(x, z, full);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::int32_t end = i + 1 < chunks.size() ? chunks[i + 1].second : world;
      climb(chunks[i].first, shape, column, chunks[i].second, end, climber, patch.surfaces);
    }
    climber.end_run(world, patch.surfaces);
  }
  patch.first.push_back(static_cast<std::uint32_t>(patch.surfaces.size()));
  patch.lands = std::any_of(patch.surfaces.begin(), patch.surfaces.end(),
                            [](const Surface& surface) { return surface.landing > 0; });
  return patch;
}

std::vector<Surface> scan_column(const Grid& grid, std::int32_t full, std::int32_t x,
                                 std::int32_t z) {
  const ChunkShape& shape = grid.shape();
  const ChunkCoord stack = shape.chunk_of({x, 0, z});
  const std::int32_t column = shape.index_of({x, 0, z});
  std::vector<Surface> surfaces;
  Climber climber(x, z, full);
  for_each_in_stack(grid, stack, [&](const Chunk* chunk, std::int32_t from, std::int32_t end) {
    climb(chunk, shape, column, from, end, climber, surfaces);
  });
  climber.end_run(grid.world_box().size.y, surfaces);
  return surfaces;
}

namespace {

// Ice hides what it froze over, and has its shape over what is open: between the nearest rock below
// and whatever is solid above.
std::int32_t kept_by_ice(const Grid& grid, Vec3 at, std::int32_t height) {
  std::int32_t high = 0;
  std::int32_t low = -kFull;
  Vec3 above = at + Vec3{0, 1, 0};
  for (; high < height && is_open(grid.cell(above)); ++above.y) high += kFull;
  Vec3 below = at - Vec3{0, 1, 0};
  for (; low > height && (is_open(grid.cell(below)) || is_ice(grid.cell(below))); --below.y) {
    low -= kFull;
  }
  return std::clamp(height, low, high);
}

}  // namespace

std::vector<DrawnSurface> drawn_surfaces(const WorldConfig& config, const Grid& grid,
                                         const WaveState& state) {
  const std::int32_t full = measure_of(config).full;
  std::set<ChunkCoord> stacks;
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells > 0) stacks.insert({chunk.coord.x, 0, chunk.coord.z});
  });
  const std::map<Vec3, WaveColumn> moving = state.columns.by_place();
  std::vector<DrawnSurface> drawn;
  for (const ChunkCoord stack : stacks) {
    for (const Surface& surface : scan_surfaces(grid, full, stack).surfaces) {
      const auto rest = static_cast<std::int32_t>(
          std::int64_t{std::min(grid.cell(surface.at), full)} * kFull / full);
      const auto found = moving.find(surface.at);
      const std::int32_t height = found == moving.end() ? 0 : found->second.height;
      const auto level = [&](std::int32_t y) {
        return (std::int64_t{y} - surface.at.y) * kFull - rest;
      };
      const std::int64_t kept = std::clamp<std::int64_t>(
          height / (1 << kLogWaveUnit), level(surface.floor), level(surface.ceiling));
      drawn.push_back({surface.at, rest, static_cast<std::int32_t>(kept), false});
    }
  }
  for (const auto& [at, wave] : state.frozen) {
    const std::int32_t height = kept_by_ice(grid, at, wave.height / (1 << kLogWaveUnit));
    drawn.push_back({at, kFull, height, true});
  }
  std::sort(drawn.begin(), drawn.end(), [](const DrawnSurface& a, const DrawnSurface& b) {
    if (a.at.z != b.at.z) return a.at.z < b.at.z;
    if (a.at.x != b.at.x) return a.at.x < b.at.x;
    return a.at.y < b.at.y;
  });
  return drawn;
}

}  // namespace sluice::sim
