// Random chunks for property tests: mostly like real ones (layers of rock, water, air), some wild.
#pragma once

#include <cstdint>
#include <limits>

#include <rapidcheck.h>

#include "protocol/chunk.h"

namespace sluice::protocol {

inline rc::Gen<std::int32_t> any_cell() {
  return rc::gen::weightedOneOf<std::int32_t>({
      {4, rc::gen::just(std::int32_t{0})},
      {3, rc::gen::just(std::int32_t{kRock})},
      {4, rc::gen::just(std::int32_t{4096})},
      {4, rc::gen::inRange<std::int32_t>(0, 4200)},
      {1, rc::gen::just(std::int32_t{kOutside})},
      {1, rc::gen::elementOf(std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max(),
                                                       std::numeric_limits<std::int32_t>::min(),
                                                       -1000})},
  });
}

/// Sets a few random runs of cells.
inline void scribble(ChunkCells& cells, int most_runs) {
  const int runs = *rc::gen::inRange(0, most_runs + 1);
  for (int i = 0; i < runs; ++i) {
    const auto begin = *rc::gen::inRange<std::size_t>(0, kChunkCells);
    const auto length = *rc::gen::weightedOneOf<std::size_t>(
        {{3, rc::gen::inRange<std::size_t>(1, 4)}, {1, rc::gen::inRange<std::size_t>(4, 900)}});
    const std::int32_t value = *any_cell();
    const std::int32_t slope = *rc::gen::inRange(-3, 4);
    for (std::size_t at = begin; at < begin + length && at < kChunkCells; ++at) {
      cells[at] = value < 0 ? value : value / 2 + slope * static_cast<std::int32_t>(at - begin);
    }
  }
}

}  // namespace sluice::protocol
