// One step: what tracers do by themselves. Every flux is a function of the old state of its two
// cells, computed by both of their chunks; so neither the order of chunks nor the number of workers
// can matter.
#include <algorithm>
#include <utility>

#include "server/sim/tracers/field.h"

namespace sluice::sim {

namespace {

/// Shares of a tracer in its water are known to a part of 65,536, rounded down.
constexpr std::int32_t kLogShare = 16;
constexpr std::int32_t kLogFullCell = 12;
static_assert(1 << kLogFullCell == kFull);
/// Beyond, shares spread as if they differed by no more, and cells as if they held no more, so that
/// a flux fits 64 bits.
constexpr std::int64_t kMostDifference = std::int64_t{1} << 32;
constexpr std::int32_t kMostSpreading = 1 << 20;
static_assert(kMostTracerUnits < INT64_MAX >> kLogShare);
static_assert(std::int64_t{kMostOverturn} * kMostSpreading < INT64_MAX / kMostDifference);

/// A cell as a flux sees it: without water, or frozen, it exchanges nothing.
struct TracerCell {
  std::int64_t amount = 0;
  std::int64_t share = 0;
  std::int32_t units = 0;
};

/// What is looked at: a chunk's cells and its amounts.
struct Place {
  const Chunk* chunk = nullptr;      // null: air
  const AmountPage* page = nullptr;  // null: nothing

  [[nodiscard]] TracerCell cell(std::int32_t index) const {
    const auto i = static_cast<std::size_t>(index);
    const Cell cell = chunk->cells[i];
    if (cell <= 0) return {};
    if (page == nullptr) return {0, 0, cell};
    const std::int64_t amount = page->at(i);
    // Most cells are full or hold none: a division takes as long as all else.
    if (amount == 0) return {0, 0, cell};
    if (cell == kFull) return {amount, amount << (kLogShare - kLogFullCell), cell};
    return {amount, (amount << kLogShare) / cell, cell};
  }
};

struct ChunkTracers {
  ChunkCoord coord;
  std::vector<std::int64_t> change;  // by cell; empty where nothing flows
  std::int64_t faded = 0;
};

}  // namespace

/// One tracer's step.
class TracerStep {
 public:
  TracerStep(const Grid& grid, Tracer& tracer)
      : grid_(grid), shape_(grid.shape()), tracer_(tracer), options_(tracer.options) {}

  /// Appends the chunks in which it moved anything. Returns the cells that it looked at.
  std::int64_t run(const std::vector<ChunkCoord>& awake, Executor& executor,
                   std::vector<ChunkCoord>& moved) {
    std::vector<ChunkTracers> chunks;
    for (const ChunkCoord coord : awake) {
      if (holds_any_near(coord)) chunks.push_back({coord, {}, 0});
    }
    executor.run(chunks.size(), [&](std::size_t i) { look(chunks[i]); });
    for (const ChunkTracers& chunk : chunks) {
      if (chunk.change.empty()) continue;
      std::int64_t* const amounts = tracer_.pages[chunk.coord].edit();
      for (std::size_t i = 0; i < kChunkCells; ++i) amounts[i] += chunk.change[i];
      tracer_.totals.go(chunk.faded);
      moved.push_back(chunk.coord);
    }
    return static_cast<std::int64_t>(chunks.size()) * kChunkCells;
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

  /// From the greater share to the lesser, less than one part of what the shares may seem to differ
  /// by for being rounded.
  [[nodiscard]] static std::int64_t spread(std::int32_t parts, const TracerCell& a,
                                           const TracerCell& b) {
    const std::int64_t difference = a.share - b.share;
    const std::int64_t size = std::clamp<std::int64_t>(
        (difference < 0 ? -difference : difference) - 1, 0, kMostDifference - 1);
    const std::int64_t units = std::min({a.units, b.units, kMostSpreading});
    const std::int64_t amount = (parts * units * size) >> (kLogTracerParts + kLogShare);
    return difference < 0 ? -amount : amount;
  }

  [[nodiscard]] std::int64_t beside(const TracerCell& a, const TracerCell& b) const {
    if (a.units == 0 || b.units == 0) return 0;
    return spread(options_.spread, a, b);
  }

  [[nodiscard]] std::int64_t upwards(const TracerCell& below, const TracerCell& above) const {
    if (below.units == 0 || above.units == 0) return 0;
    if (options_.sink > 0) return -(above.amount * options_.sink >> kLogTracerParts);
    if (options_.sink < 0) return below.amount * -options_.sink >> kLogTracerParts;
    const bool turns = options_.overturn > 0 && above.share > below.share;
    return spread(turns ? options_.overturn : options_.spread, below, above);
  }

  void look(ChunkTracers& chunk) const {
    const Place here{grid_.find(chunk.coord), page(chunk.coord)};
    std::vector<TracerCell> cells(kChunkCells);
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      cells[static_cast<std::size_t>(i)] = here.cell(i);
    }
    std::vector<std::int64_t> change(kChunkCells, 0);
    // As much may come as goes: what flows through keeps a chunk awake, too.
    bool flows = look_within(cells, change);
    flows = look_over_borders(*here.chunk, cells, change) || flows;
    if (options_.fade > 0) fade(cells, change, chunk.faded);
    if (flows || chunk.faded > 0) chunk.change = std::move(change);
  }

  /// True if anything flows.
  bool look_within(const std::vector<TracerCell>& cells, std::vector<std::int64_t>& change) const {
    const auto slab = static_cast<std::size_t>(shape_.slab());
    const auto width = static_cast<std::size_t>(shape_.width());
    bool flows = false;
    const auto exchange = [&](std::size_t a, std::size_t b, std::int64_t amount) {
      change[a] -= amount;
      change[b] += amount;
      flows = flows || amount != 0;
    };
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      if (cells[i].units == 0) continue;
      if (i % width + 1 < width) exchange(i, i + 1, beside(cells[i], cells[i + 1]));
      if (i % slab + width < slab) exchange(i, i + width, beside(cells[i], cells[i + width]));
      if (i + slab < kChunkCells) exchange(i, i + slab, upwards(cells[i], cells[i + slab]));
    }
    return flows;
  }

  bool look_over_borders(const Chunk& chunk, const std::vector<TracerCell>& cells,
                         std::vector<std::int64_t>& change) const {
    const std::int32_t slab = shape_.slab();
    const std::int32_t width = shape_.width();
    const std::int32_t top = kChunkCells - slab;
    bool flows = false;
    // `flux` is what comes into the cell here.
    const auto look_at = [&](const Chunk* other, std::int32_t index, std::int32_t to_other,
                             auto&& flux) {
      const auto here = static_cast<std::size_t>(index);
      const Place there{other, page(other->coord)};
      const std::int64_t comes = flux(cells[here], there.cell(index + to_other));
      change[here] += comes;
      flows = flows || comes != 0;
    };
    const auto side = [&](const TracerCell& here, const TracerCell& there) {
      return beside(there, here);
    };
    for (std::int32_t i = 0; i < kChunkCells; i += width) {
      if (chunk.left != nullptr) look_at(chunk.left, i, width - 1, side);
      if (chunk.right != nullptr) look_at(chunk.right, i + width - 1, 1 - width, side);
    }
    if (shape_.depth() > 1) {
      for (std::int32_t base = 0; base < kChunkCells; base += slab) {
        for (std::int32_t i = base; i < base + width; ++i) {
          if (chunk.front != nullptr) look_at(chunk.front, i, slab - width, side);
          if (chunk.back != nullptr) look_at(chunk.back, i + slab - width, width - slab, side);
        }
      }
    }
    for (std::int32_t i = 0; i < slab; ++i) {
      if (chunk.below != nullptr) {
        look_at(chunk.below, i, top, [&](const TracerCell& here, const TracerCell& there) {
          return upwards(there, here);
        });
      }
      if (chunk.above != nullptr) {
        look_at(chunk.above, top + i, -top, [&](const TracerCell& here, const TracerCell& there) {
          return -upwards(here, there);
        });
      }
    }
    return flows;
  }

  // Rounded up, so that in the end nothing is left.
  void fade(const std::vector<TracerCell>& cells, std::vector<std::int64_t>& change,
            std::int64_t& faded) const {
    constexpr std::int64_t kWhole = 1 << kLogTracerParts;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const std::int64_t goes = (cells[i].amount * options_.fade + kWhole - 1) >> kLogTracerParts;
      change[i] -= goes;
      faded += goes;
    }
  }

  const Grid& grid_;
  const ChunkShape& shape_;
  Tracer& tracer_;
  const TracerOptions& options_;
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
    cells_stepped_ += TracerStep(grid, state.tracers[t]).run(awake, executor, moved);
    for (const ChunkCoord coord : moved) note(t, state, coord);
  }
}

}  // namespace sluice::sim
