// The cellular water model: compressible water that flows between neighbouring cells until nothing
// flows any more. The rule, its order and the proof that it comes to rest stand in cellular.md; its
// arithmetic in rule.h; its loops over cells in kernels.h. Here is what moves through a
// whole grid.
//
// A tick is a number of sweeps. A sweep first *plans* (reads cells, writes the fluxes over chunk
// borders), then *applies*: each stack of chunks writes its own cells only, first what flows
// sideways, then what rises and falls, up each column from its lowest cell to its highest, through
// all chunks of the stack. So neither the order of chunks nor the number of workers can matter.
//
// What a sweep costs follows what moves: in each chunk only the region is looked at in which
// something changed (Chunk::regions).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "server/sim/models/cellular/border.h"
#include "server/sim/models/cellular/kernels.h"
#include "server/sim/models/registry.h"

namespace sluice::sim {

[[nodiscard]] WaterModelRow cellular_water();

/// What one stack of chunks did in a sweep; one worker writes one report.
struct StackReport {
  std::vector<Chunk*> touched;  // their Chunk::changed and changed_region say how
  std::vector<Chunk*> waiting;  // their WakeRegions::next_tick says where
  /// Chunks that the stack's water rose or fell into: linked to those above and below them, which
  /// no other worker looks at; still to be stored in the grid.
  std::vector<std::unique_ptr<Chunk>> stored;
  std::int64_t drained = 0;
  std::int64_t processed_cells = 0;

  void clear() {
    touched.clear();
    waiting.clear();
    stored.clear();
    drained = 0;
    processed_cells = 0;
  }
};

/// A chunk's part in the sweep under way.
struct ActiveChunk {
  Chunk* chunk = nullptr;
  ChunkRegion sideways;
  ChunkRegion vertical;
  std::uint32_t fluxes = 0;  // where its border fluxes lie
  bool stands = false;       // of what is looked at sideways: whether any of it does not just fall
};

/// The fluxes over the sideways borders of each active chunk: for x the low border, then the high
/// one, and in a 3D world the same for z. Over most nothing flows, so what was written is kept in
/// mind: that alone is cleared for the next sweep.
class BorderFluxes {
 public:
  BorderFluxes(std::size_t borders, std::size_t faces) : borders_(borders), faces_(faces) {}
  /// For that many chunks; `planned`: whether anything may have been written since the last time.
  void reset(std::size_t chunks, bool planned) {
    if (planned) clear();
    if (written_.size() < chunks * borders_) grow(chunks);
  }
  void grow(std::size_t chunks) {
    written_.resize(chunks * borders_, 0);
    fluxes_.resize(chunks * borders_ * faces_ + kOverread, 0);
  }
  [[nodiscard]] const std::int32_t* low(std::uint32_t slot, SidewaysAxis axis) const {
    return fluxes_.data() + low_border(slot, axis) * faces_;
  }
  [[nodiscard]] const std::int32_t* high(std::uint32_t slot, SidewaysAxis axis) const {
    return low(slot, axis) + faces_;
  }
  /// To be written to, by one worker. Who leaves anything but zeros says so (note_low, note_high).
  [[nodiscard]] std::int32_t* low(std::uint32_t slot, SidewaysAxis axis) {
    return fluxes_.data() + low_border(slot, axis) * faces_;
  }
  [[nodiscard]] std::int32_t* high(std::uint32_t slot, SidewaysAxis axis) {
    return low(slot, axis) + faces_;
  }
  void note_low(std::uint32_t slot, SidewaysAxis axis) { written_[low_border(slot, axis)] = 1; }
  void note_high(std::uint32_t slot, SidewaysAxis axis) {
    written_[low_border(slot, axis) + 1] = 1;
  }
  /// Whether anything flows over a border of that chunk.
  [[nodiscard]] bool any(std::uint32_t slot) const {
    const auto first = written_.begin() + static_cast<std::ptrdiff_t>(slot * borders_);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(borders_),
                       [](std::uint8_t written) { return written != 0; });
  }
  [[nodiscard]] std::size_t faces() const { return faces_; }

 private:
  void clear() {
    for (std::size_t border = 0; border < written_.size(); ++border) {
      if (written_[border] == 0) continue;
      std::fill_n(fluxes_.begin() + static_cast<std::ptrdiff_t>(border * faces_), faces_, 0);
      written_[border] = 0;
    }
  }
  [[nodiscard]] std::size_t low_border(std::uint32_t slot, SidewaysAxis axis) const {
    return slot * borders_ + (axis == SidewaysAxis::kX ? 0 : 2);
  }

  std::size_t borders_;  // of a chunk: two or four
  std::size_t faces_;    // of a border
  std::vector<std::int32_t> fluxes_;
  std::vector<std::uint8_t> written_;  // by slot and border
};

/// Applies a sweep to the chunks of one stack, given from the bottom up. Inside a chunk, sideways
/// fluxes below `least` wait for the next tick. `report` is written.
///
/// A missing chunk is as good as air wherever water can come from: water stands inside the world
/// only, since gutters are emptied before anything settles, and behind every cell of the world lies
/// a cell of the world, a gutter, or a place that Grid::reaches() denies.
void apply_to_stack(const CellularRule& rule, Grid& grid, std::int32_t least,
                    std::span<const ActiveChunk> stack, const BorderFluxes& fluxes,
                    StackReport& report);

/// Tells of every sideways flux of a planned sweep, as the kernels will find it: within each chunk
/// from its cells, over borders from the plan. `borders`: by axis.
void tell_moves(const CellularRule& rule, std::span<const Border> borders, const Grid& grid,
                std::span<const ActiveChunk> chunks, const BorderFluxes& fluxes, std::int32_t least,
                WaterMoves& moves);

/// The slab that a sideways pass sees below a chunk: the chunk below's top, air, or rock.
[[nodiscard]] const Cell* slab_below(const Grid& grid, const Chunk& chunk);

}  // namespace sluice::sim
