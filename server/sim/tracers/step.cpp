// One step: what tracers do by themselves. Every flux is a function of the old state of its two
// cells, computed by both of their chunks; so neither the order of chunks nor the number of workers
// can matter.
#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/kernels.h"
#include "server/sim/tracers/field.h"

namespace sluice::sim {

namespace {

constexpr std::int32_t kLogFullCell = 12;
static_assert(1 << kLogFullCell == kFull);

}  // namespace

/// One tracer's step.
class TracerStep {
 public:
  TracerStep(const Grid& grid, Tracer& tracer, std::vector<ChunkTracers>& room)
      : grid_(grid), shape_(grid.shape()), tracer_(tracer), options_(tracer.options), room_(room) {}

  /// Appends the chunks in which it moved anything. Returns the cells that it looked at.
  std::int64_t run(const std::vector<ChunkCoord>& awake, Executor& executor,
                   std::vector<ChunkCoord>& moved) {
    std::size_t count = 0;
    for (const ChunkCoord coord : awake) {
      if (!holds_any_near(coord)) continue;
      if (count == room_.size()) room_.emplace_back();
      room_[count++].coord = coord;
    }
    executor.run(count, [&](std::size_t i) { look(room_[i]); });
    for (std::size_t c = 0; c < count; ++c) {
      const ChunkTracers& chunk = room_[c];
      if (!chunk.flows && chunk.faded == 0) continue;
      std::int64_t* const amounts = tracer_.pages[chunk.coord].edit();
      for (std::size_t i = 0; i < chunk.change.size(); ++i) amounts[i] += chunk.change[i];
      tracer_.totals.go(chunk.faded);
      moved.push_back(chunk.coord);
    }
    return static_cast<std::int64_t>(count) * kChunkCells;
  }

 private:
  [[nodiscard]] const AmountPage* page(ChunkCoord coord) const {
    const auto found = tracer_.pages.find(coord);
    return found == tracer_.pages.end() ? nullptr : &found->second;
  }

  [[nodiscard]] bool holds_any_near(ChunkCoord c) const {
    const Chunk* const chunk = grid_.find(c);
    if (chunk == nullptr || chunk->cells.is_shared_air() || chunk->cells.is_shared_rock()) {
      return false;
    }
    return page(c) != nullptr || page({c.x - 1, c.y, c.z}) != nullptr ||
           page({c.x + 1, c.y, c.z}) != nullptr || page({c.x, c.y - 1, c.z}) != nullptr ||
           page({c.x, c.y + 1, c.z}) != nullptr || page({c.x, c.y, c.z - 1}) != nullptr ||
           page({c.x, c.y, c.z + 1}) != nullptr;
  }

  /// Cells of a chunk that follow each other in it: so many, `step` apart.
  struct Row {
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int32_t step = 1;
  };

  // To `to` and, so many places apart, on.
  void read(const Chunk* chunk, const AmountPage* page, const Row& row, std::size_t to,
            std::size_t to_step, TracerPlane& plane) const {
    const Cell* const cells = chunk == nullptr ? nullptr : chunk->cells.data();
    const std::int64_t* const amounts = page == nullptr ? nullptr : page->data();
    const std::int64_t usual = page == nullptr ? 0 : page->at(0);
    for (std::int32_t i = 0; i < row.count; ++i, to += to_step) {
      const std::int32_t index = row.first + i * row.step;
      const Cell cell = cells == nullptr ? kAir : cells[index];
      const std::int64_t amount = amounts == nullptr ? usual : amounts[index];
      plane.units[to] = std::clamp(cell, 0, kMostSpreading);
      plane.values[to] = cell <= 0 ? 0 : options_.sink != 0 ? amount : share_of(amount, cell);
    }
  }

  [[nodiscard]] static std::int64_t share_of(std::int64_t amount, Cell cell) {
    if (amount == 0) return 0;
    return cell == kFull ? amount << (kLogTracerShare - kLogFullCell)
                         : (amount << kLogTracerShare) / cell;
  }

  /// Likewise a whole row of the chunk. Most cells are full: the others' shares, of which each
  /// takes a division, come after, so that the loop over all is one for vectors.
  void read_row(const Cell* cells, const std::int64_t* amounts, std::size_t to,
                TracerPlane& plane) const {
    const auto width = static_cast<std::size_t>(shape_.width());
    const std::int32_t shift = options_.sink != 0 ? 0 : kLogTracerShare - kLogFullCell;
    std::int64_t* const values = plane.values.data() + to;
    std::int32_t* const units = plane.units.data() + to;
    std::int32_t others = 0;
    for (std::size_t x = 0; x < width; ++x) {
      const std::int32_t wet = cells[x] > 0 ? -1 : 0;
      units[x] = std::min(cells[x], kMostSpreading) & wet;
      values[x] = (amounts[x] << shift) & std::int64_t{wet};
      others |= (cells[x] ^ kFull) & wet;
    }
    if (others == 0 || options_.sink != 0) return;
    for (std::size_t x = 0; x < width; ++x) {
      if (cells[x] > 0) values[x] = share_of(amounts[x], cells[x]);
    }
  }

  /// Layers of a chunk up to the highest one that holds water.
  [[nodiscard]] std::int32_t layers_of(const Chunk& chunk) const {
    const Cell* const cells = chunk.cells.data();
    const Cell* top = cells + kChunkCells;
    while (top != cells && top[-1] <= 0) --top;
    return static_cast<std::int32_t>(top - cells + shape_.slab() - 1) / shape_.slab();
  }

  // With the dry layer above them.
  void read_rows(const Chunk& chunk, std::int32_t layers, TracerPlane& plane) const {
    const AmountPage* const amounts = page(chunk.coord);
    std::array<std::int64_t, kChunkCells> alike;
    const std::int64_t* from = amounts == nullptr ? nullptr : amounts->data();
    if (from == nullptr) {
      alike.fill(amounts == nullptr ? 0 : amounts->at(0));
      from = alike.data();
    }
    const Cell* const cells = chunk.cells.data();
    std::size_t row = 0;
    for (std::int32_t y = 0; y < std::min(layers + 1, shape_.height()); ++y) {
      for (std::int32_t z = 0; z < shape_.depth(); ++z) {
        read_row(cells + row, from + row, plane.at(0, y, z), plane);
        row += static_cast<std::size_t>(shape_.width());
      }
    }
  }

  // What lies beside those layers.
  void read_around(const Chunk& chunk, std::int32_t layers, TracerPlane& plane) const {
    const std::int32_t width = shape_.width();
    const std::int32_t height = shape_.height();
    const std::int32_t depth = shape_.depth();
    const std::int32_t slab = shape_.slab();
    const auto amounts = [this](const Chunk* other) {
      return other == nullptr ? nullptr : page(other->coord);
    };
    for (std::int32_t z = 0; z < depth; ++z) {
      const Row along_y{z * width, layers, slab};
      const Row last{along_y.first + width - 1, layers, slab};
      read(chunk.left, amounts(chunk.left), last, plane.at(-1, 0, z), plane.layer, plane);
      read(chunk.right, amounts(chunk.right), along_y, plane.at(width, 0, z), plane.layer, plane);
      const Row along_x{z * width, width};
      const Row top{kChunkCells - slab + z * width, width};
      read(chunk.below, amounts(chunk.below), top, plane.at(0, -1, z), 1, plane);
      if (layers < height) continue;
      read(chunk.above, amounts(chunk.above), along_x, plane.at(0, height, z), 1, plane);
    }
    for (std::int32_t y = 0; depth > 1 && y < layers; ++y) {
      const Row nearest{y * slab, width};
      const Row farthest{y * slab + slab - width, width};
      read(chunk.front, amounts(chunk.front), farthest, plane.at(0, y, -1), 1, plane);
      read(chunk.back, amounts(chunk.back), nearest, plane.at(0, y, depth), 1, plane);
    }
  }

  void look(ChunkTracers& found) const {
    const Chunk& chunk = *grid_.find(found.coord);
    const std::int32_t layers = layers_of(chunk);
    found.change.resize(static_cast<std::size_t>(layers * shape_.slab()));
    found.flows = false;
    found.faded = 0;
    if (layers == 0) return;
    TracerPlane plane(shape_);
    read_rows(chunk, layers, plane);
    read_around(chunk, layers, plane);
    const TracerFluxInput input{shape_, layers, options_.spread, options_.overturn, options_.sink};
    // As much may come as goes: what flows through keeps a chunk awake, too.
    found.flows = kernels().tracers.fluxes(input, plane, found.change.data());
    if (options_.fade > 0) fade(chunk, found);
  }

  // Rounded up, so that in the end nothing is left.
  void fade(const Chunk& chunk, ChunkTracers& found) const {
    const AmountPage* const amounts = page(chunk.coord);
    if (amounts == nullptr) return;
    constexpr std::int64_t kWhole = 1 << kLogTracerParts;
    for (std::size_t i = 0; i < found.change.size(); ++i) {
      if (chunk.cells[i] <= 0) continue;
      const std::int64_t goes = (amounts->at(i) * options_.fade + kWhole - 1) >> kLogTracerParts;
      found.change[i] -= goes;
      found.faded += goes;
    }
  }

  const Grid& grid_;
  const ChunkShape& shape_;
  Tracer& tracer_;
  const TracerOptions& options_;
  std::vector<ChunkTracers>& room_;
};

void TracerField::step(bool sleep, const Grid& grid, Executor& executor, TracerState& state) {
  std::vector<ChunkCoord> awake = std::exchange(awake_, {});
  if (!sleep) {
    for (const Tracer& tracer : state.tracers) {
      if (!tracer.options.moves()) continue;
      for (const auto& [coord, page] : tracer.pages) wake_around(coord);
    }
    awake.insert(awake.end(), awake_.begin(), awake_.end());
    awake_.clear();
  }
  if (awake.empty()) return;
  std::sort(awake.begin(), awake.end());
  awake.erase(std::unique(awake.begin(), awake.end()), awake.end());
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    if (!state.tracers[t].options.moves()) continue;
    std::vector<ChunkCoord> moved;
    cells_stepped_ += TracerStep(grid, state.tracers[t], room_).run(awake, executor, moved);
    for (const ChunkCoord coord : moved) note(t, state, coord);
  }
}

}  // namespace sluice::sim
