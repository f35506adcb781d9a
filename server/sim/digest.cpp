#include "server/sim/digest.h"

#include <algorithm>
#include <array>
#include <bit>

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

namespace {

// Eight sums over the cells, made by whichever vector unit there is, mixed in order.
Digest mixed(const DigestSums::Lanes& sums) {
  std::uint64_t digest = 0;
  for (const std::uint64_t sum : sums) digest = combine(digest, sum);
  return digest;
}

}  // namespace

Digest digest_cells(const Cell* cells) {
  DigestSums::Lanes sums;
  kernels().digest_cells(cells, 0, kChunkCells, sums.data());
  return mixed(sums);
}

Digest digest_cells(const Cell* cells, DigestSums& sums, std::uint32_t stale) {
  for (; stale != 0; stale &= stale - 1) {
    const auto part = static_cast<std::size_t>(std::countr_zero(stale));
    kernels().digest_cells(cells, part * kDigestPartCells, kDigestPartCells,
                           sums.parts[part].data());
  }
  DigestSums::Lanes all{};
  for (const DigestSums::Lanes& part : sums.parts) {
    for (std::size_t lane = 0; lane < kDigestLanes; ++lane) all[lane] += part[lane];
  }
  return mixed(all);
}

Digest take_digest(Chunk& chunk, const ChunkShape& shape, const DigestSizes& sizes) {
  const int slabs_of_part = shape.height() / static_cast<int>(kDigestParts);
  const std::uint64_t first_part = (std::uint64_t{1} << slabs_of_part) - 1;
  std::uint32_t stale = 0;
  for (int part = 0; part < static_cast<int>(kDigestParts); ++part) {
    const bool changed = (chunk.stale_slabs >> part * slabs_of_part & first_part) != 0;
    stale |= std::uint32_t{changed} << part;
  }
  chunk.stale_slabs = 0;
  // Where much changed, all at once is faster.
  if (chunk.cells.is_shared() || std::popcount(stale) > sizes.most_stale_parts) {
    chunk.sums.reset();
    return digest_cells(chunk.cells.data());
  }
  if (chunk.sums != nullptr) {
    const unsigned part = chunk.digests / kCallsForAPart % kDigestParts;
    if (chunk.digests % kCallsForAPart == 0) stale |= std::uint32_t{1} << part;
    ++chunk.digests;
  } else {
    if (chunk.digests < sizes.digests_before_sums) {
      ++chunk.digests;
      return digest_cells(chunk.cells.data());
    }
    chunk.sums = std::make_unique<DigestSums>();
    stale = ~std::uint32_t{0} >> (32 - kDigestParts);
  }
  return digest_cells(chunk.cells.data(), *chunk.sums, stale);
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
