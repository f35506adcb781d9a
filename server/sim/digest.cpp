#include "server/sim/digest.h"

#include <algorithm>
#include <array>

#include "server/sim/chunk.h"
#include "server/sim/kernels.h"

namespace sluice::sim {

const char* layer_name(Layer layer) {
  switch (layer) {
    case Layer::kClock:
      return "clock";
    case Layer::kConfig:
      return "config";
    case Layer::kTotals:
      return "totals";
    case Layer::kSprings:
      return "springs";
    case Layer::kCells:
      return "cells";
    case Layer::kPipes:
      return "pipes";
    case Layer::kMarks:
      return "marks";
    case Layer::kWaves:
      return "waves";
    case Layer::kHeat:
      return "heat";
    case Layer::kTracers:
      return "tracers";
  }
  return "unknown";
}

Digest digest_bytes(std::span<const std::byte> bytes) {
  std::uint64_t digest = combine(0, bytes.size());
  std::uint64_t word = 0;
  int filled = 0;
  for (const std::byte b : bytes) {
    word |= static_cast<std::uint64_t>(b) << (8 * filled);
    if (++filled == 8) {
      digest = combine(digest, word);
      word = 0;
      filled = 0;
    }
  }
  return filled > 0 ? combine(digest, word) : digest;
}

Digest digest_cells(const Cell* cells) {
  // Eight sums over the cells, made by whichever vector unit there is, then mixed in order.
  std::uint64_t sums[kDigestLanes];
  kernels().digest_cells(cells, sums);
  std::uint64_t digest = 0;
  for (const std::uint64_t sum : sums) digest = combine(digest, sum);
  return digest;
}

bool is_of_shared_page(Digest cells) {
  static const std::array kShared = {digest_cells(CellPage(kAir).data()),
                                     digest_cells(CellPage(kRock).data()),
                                     digest_cells(CellPage(kFull).data())};
  return std::find(kShared.begin(), kShared.end(), cells) != kShared.end();
}

Digest digest_marks(const Marks* marks) {
  if (marks == nullptr) return 0;
  static const Digest kNothing = digest_cells(Marks{}.cells.data());
  return digest_cells(marks->cells.data()) - kNothing;
}

}  // namespace sluice::sim
