// Numbers inside hydro water that tests set to others, so that small worlds come to them and
// beyond.
#pragma once

#include <cstddef>

#include "server/sim/models/hydro/number.h"

namespace sluice::sim::hydro {

struct Sizes {
  /// So many movers or ways, as a power of two, are a piece: few enough for two workers to share
  /// what is worth sharing. Decides nothing of what comes of them.
  int piece_bits = 12;
  /// Lakes more than runs that are kept: beyond, what is known is forgotten. Likewise.
  std::size_t spare_lakes = 1024;
  /// How far lower runs are looked for around what is to be filled flat, in rings and in runs, and
  /// more for each run of it (lakes_fill.cpp). These are of the model's rules.
  Units rings = 64;
  Units looks = 16384;

  [[nodiscard]] std::size_t piece() const { return std::size_t{1} << piece_bits; }
};

/// Those of worlds that are made from now on. Only tests write to it, while nobody makes one.
inline Sizes& sizes_of_new_worlds() {
  static Sizes sizes;
  return sizes;
}

}  // namespace sluice::sim::hydro
