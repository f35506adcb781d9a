// A chunk: kChunkCells cells and what the engine keeps about them.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "server/sim/cell_page.h"
#include "server/sim/chunk_region.h"
#include "server/sim/digest.h"

namespace sluice::sim {

/// The passes of a water sweep that a chunk may have to be looked at in (Chunk::wake). Cellular
/// water has these passes; other models look at what is awake at all. And yet they are the grid's:
/// checkpoints store these bits in worlds of any model, and what a command costs and a tick reports
/// depends on who is awake, so a rule of waking for each model would change all of these.
inline constexpr std::uint8_t kWakeX = 1;         // flow between left and right
inline constexpr std::uint8_t kWakeZ = 2;         // flow between front and back
inline constexpr std::uint8_t kWakeVertical = 4;  // flow between below and above
inline constexpr std::uint8_t kWakeAll = kWakeX | kWakeZ | kWakeVertical;
/// No pass: bodies of water at rest are still to be looked at, where the chunk changed.
inline constexpr std::uint8_t kWakeLevel = 8;

/// Which of a chunk's borders a change touched: what its neighbours need to know.
inline constexpr std::uint8_t kChangedLeft = 1;
inline constexpr std::uint8_t kChangedRight = 2;
inline constexpr std::uint8_t kChangedBottom = 4;
inline constexpr std::uint8_t kChangedTop = 8;
inline constexpr std::uint8_t kChangedFront = 16;
inline constexpr std::uint8_t kChangedBack = 32;
inline constexpr std::uint8_t kChangedInside = 64;  // any cell at all
inline constexpr std::uint8_t kChangedAll = 127;

/// A number a cell that a water model keeps beside the water; laid out as Chunk::cells are. What
/// the bits mean is the model's (its row in the registry names them); 0 says nothing.
struct Marks {
  alignas(64) std::array<Cell, kChunkCells + kOverread> cells{};
};

/// Columns of a chunk, of whatever shape.
inline constexpr std::size_t kMostColumns = 256;

/// Where a chunk must be looked at. Elsewhere nothing can flow; more than needed costs time alone.
struct WakeRegions {
  ChunkRegion sideways;
  ChunkRegion vertical;
  ChunkRegion next_tick;  // sideways, in the next tick's first sweep
  ChunkRegion level;      // what changed since bodies at rest were looked at
};

struct Chunk {
  CellPage cells;

  /// Null where every mark is 0.
  std::unique_ptr<Marks> marks;

  ChunkCoord coord;

  // Derived: what changed since the last update_digest, as ChunkRegion::slabs. It stands beside the
  // cells, since whoever writes to one writes here.
  std::uint64_t stale_slabs = ~std::uint64_t{0};

  // Derived: where the neighbours lie; null where nothing is stored.
  Chunk* left = nullptr;
  Chunk* right = nullptr;
  Chunk* below = nullptr;
  Chunk* above = nullptr;
  Chunk* front = nullptr;
  Chunk* back = nullptr;

  // Derived from the cells: recomputed and compared in checked builds.
  Digest digest = 0;        // of the cells, as of the last update_digest
  Digest pristine = 0;      // what `digest` is when the chunk holds nothing
  Digest marks_digest = 0;  // of the marks, as of the last update_digest; 0 where all are 0
  std::unique_ptr<DigestSums> sums;  // of the cells then; null where none are kept
  std::uint8_t digests = 0;          // taken since it woke, as far as that matters

  /// Whether it held anything at the last update_digest. Only then does it count as one of the
  /// world's chunks: whether an empty one is stored is no part of the state.
  [[nodiscard]] bool holds() const { return digest != pristine || marks_digest != 0; }

  // Derived, for springs (spring_schedule.h).
  mutable bool watched = true;  // a spring may sleep that a change here could wake

  /// Columns of which every cell is full here; one that is not listed may be full, too.
  struct FullBits {
    std::bitset<kMostColumns> full;
    bool known = false;
  };
  // Derived from the cells, for those who climb them (full_columns.h).
  mutable FullBits full_columns;

  bool claimed = false;  // held nothing at the last update_digest; a command of this tick fills it

  std::int32_t world_cells = 0;  // cells that lie inside the world
  std::uint8_t wake = 0;         // passes in which the chunk must be looked at
  WakeRegions regions;           // and where, as far as the model keeps to it
  bool awake_listed = false;     // stands in Grid::awake()
  bool changed_listed = false;   // stands in Grid::changed()
  bool has_gutter = false;       // holds cells beyond an open edge: what enters is drained

  // Notes of the model's engine on the pass under way. They stand here and not in the engine since
  // it comes to a chunk by way of its neighbours.
  std::uint8_t changed = 0;          // borders that changed
  ChunkRegion changed_region;        // and where
  std::uint32_t changed_beside = 0;  // segments with a face at a changed cell
  bool in_pass = false;              // takes part
  ChunkRegion pass_region;           // of the sideways flows in the sweep under way
  std::uint32_t pass_slot = 0;       // and where its border fluxes lie
};

}  // namespace sluice::sim
