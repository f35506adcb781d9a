// The cellular water model: compressible water that flows between neighbouring cells until nothing
// flows any more. The rule, its order and the proof that it comes to rest stand in cellular.md; its
// arithmetic in cellular_rule.h; its loops over cells in kernels.h. Here is what moves through a
// whole grid.
//
// A tick is a number of sweeps; a sweep is two passes (three in a 3D world):
//
//   side view   [x + vertical]
//   3D          [x]  [z + vertical]
//
// A pass first *plans* (reads cells, writes the fluxes over chunk borders), then *applies* (each
// stack of chunks writes its own cells only). So neither the order of chunks nor the number of
// workers can matter. The vertical part of a pass goes up each column from its lowest cell to its
// highest, through all chunks of the stack.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "server/sim/kernels.h"
#include "server/sim/models/registry.h"

namespace sluice::sim {

[[nodiscard]] std::unique_ptr<WaterModelState> make_cellular_water(const WorldConfig& config);

enum class SidewaysAxis : std::uint8_t { kX, kZ };

/// One pass over a grid.
struct CellularPass {
  SidewaysAxis axis = SidewaysAxis::kX;
  bool vertical = false;  // whether the columns settle in this pass too
};

/// What one stack of chunks did in a pass; one worker writes one report.
struct StackReport {
  std::vector<Chunk*> touched;  // their Chunk::changed say how
  /// Chunks that the stack's water rose or fell into: linked to those above and below them, which
  /// no other worker looks at; still to be stored in the grid.
  std::vector<std::unique_ptr<Chunk>> stored;
  std::int64_t drained = 0;
  std::int64_t processed_cells = 0;
  std::int32_t largest_flow = 0;

  void clear() {
    touched.clear();
    stored.clear();
    drained = 0;
    processed_cells = 0;
    largest_flow = 0;
  }
};

/// A chunk's part in the pass under way.
struct ActiveChunk {
  Chunk* chunk = nullptr;
  bool sideways = false;
  bool vertical = false;
  std::uint32_t fluxes = 0;  // where its border fluxes lie
};

/// The fluxes over the two borders of each active chunk: low border, then high border.
class BorderFluxes {
 public:
  void reset(std::size_t chunks, std::size_t faces) {
    faces_ = faces;
    fluxes_.assign(2 * chunks * faces + kOverread, 0);
  }
  void grow(std::size_t chunks) { fluxes_.resize(2 * chunks * faces_ + kOverread, 0); }
  [[nodiscard]] std::int32_t* low(std::uint32_t slot) { return fluxes_.data() + 2 * slot * faces_; }
  [[nodiscard]] std::int32_t* high(std::uint32_t slot) { return low(slot) + faces_; }
  [[nodiscard]] std::size_t faces() const { return faces_; }

 private:
  std::size_t faces_ = 0;
  std::vector<std::int32_t> fluxes_;
};

/// Applies a pass to the chunks of one stack, given from the bottom up. `report` is written.
///
/// A missing chunk is as good as air wherever water can come from: water stands inside the world
/// only, since gutters are emptied before anything settles, and behind every cell of the world lies
/// a cell of the world, a gutter, or a place that Grid::reaches() denies.
void apply_to_stack(const CellularRule& rule, Grid& grid, CellularPass pass,
                    std::span<const ActiveChunk> stack, BorderFluxes& fluxes, StackReport& report);

/// The slab that a sideways pass sees below a chunk: the chunk below's top, air, or rock.
[[nodiscard]] const Cell* slab_below(const Grid& grid, const Chunk& chunk);

}  // namespace sluice::sim
