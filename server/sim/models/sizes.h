// Numbers inside water models that tests set to others, so that small worlds come to them and
// beyond.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::sim {

struct WaterSizes {
  static constexpr std::size_t kMostNeighbours = 6;

  /// So many movers or ways of hydro water, as a power of two, are a piece: few enough for two
  /// workers to share what is worth sharing.
  int piece_bits = 12;
  /// Lakes more than runs that are kept: beyond, what is known of them is forgotten.
  std::size_t spare_lakes = 1024;
  /// A run at rest with more neighbours has them looked at anew each time.
  std::size_t neighbours = kMostNeighbours;
  /// Bodies of so many runs or more are taken for open water where they are it; in each so many-th
  /// tick it is looked for.
  std::size_t open_runs = 64;
  std::int64_t open_ticks = 8;
  /// So many runs, and a sixteenth more of them, join open water before it is sorted again.
  std::size_t open_tail = 64;
  /// Of regions of cellular water of no more segments, over all slabs, it is asked whether anything
  /// stands: a strand as high as a chunk has as many.
  int asked_segments = 64;
  /// How far lower runs are looked for around what is to be filled flat, in rings and in runs, and
  /// more for each run of it. Unlike the others these are rules: with other ones other results
  /// come, which are as good.
  std::int64_t rings = 64;
  std::int64_t looks = 16384;

  [[nodiscard]] std::size_t piece() const { return std::size_t{1} << piece_bits; }
};

}  // namespace sluice::sim
