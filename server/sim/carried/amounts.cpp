#include "server/sim/carried/amounts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

/// What a page adds to the digest: the product of both halves of each amount, each with a key of
/// its place (NH of Black, Halevi, Krawczyk, Krovetz and Rogaway's UMAC), less what nothing adds.
Digest digest_of(const AmountPage& page) {
  using Amounts = std::array<std::int64_t, kChunkCells>;
  const auto sum_of = [](const std::int64_t* amounts) {
    return mix64(kernels().heat.digest(amounts));
  };
  static const std::uint64_t kNothing = sum_of(Amounts{}.data());
  if (page.data() != nullptr) return sum_of(page.data()) - kNothing;
  Amounts amounts;
  amounts.fill(page.at(0));
  return sum_of(amounts.data()) - kNothing;
}

Digest contribution(ChunkCoord coord, Digest digest) {
  return digest == 0 ? 0 : chunk_contribution(coord, digest, 0);
}

}  // namespace

std::map<Vec3, AmountRun> runs_of(const AmountPages& pages, const ChunkShape& shape) {
  std::map<Vec3, AmountRun> runs;
  for (const auto& [coord, page] : pages) {
    for (std::int32_t first = 0; first < kChunkCells;) {
      const std::int64_t amount = page.at(static_cast<std::size_t>(first));
      std::int32_t end = page.uniform() ? kChunkCells : first + 1;
      while (end < kChunkCells && page.at(static_cast<std::size_t>(end)) == amount) ++end;
      if (amount != 0) runs.emplace(shape.cell_at(coord, first), AmountRun{end - first, amount});
      first = end;
    }
  }
  return runs;
}

bool take_runs(const std::map<Vec3, AmountRun>& runs, const ChunkShape& shape, AmountPages& pages) {
  pages.clear();
  for (const auto& [at, run] : runs) {
    const std::int32_t first = shape.index_of(at);
    if (run.cells < 1 || run.cells > kChunkCells - first || run.amount <= 0) return false;
    AmountPage& page = pages[shape.chunk_of(at)];
    if (run.cells == kChunkCells && page.nothing()) {
      page.fill(run.amount);
      continue;
    }
    std::int64_t* const from = page.edit() + first;
    // Each cell is told once.
    if (std::any_of(from, from + run.cells, [](std::int64_t a) { return a != 0; })) return false;
    std::fill_n(from, run.cells, run.amount);
  }
  return true;
}

void AmountDigest::note(ChunkCoord coord) {
  if (!std::exchange(known_[coord].stale, true)) stale_.push_back(coord);
}

void AmountDigest::finish(AmountPages& pages) {
  changed_ = std::exchange(stale_, {});
  for (const ChunkCoord coord : changed_) {
    Known& known = known_[coord];
    known.stale = false;
    digest_ -= contribution(coord, known.digest);
    const auto page = pages.find(coord);
    if (page != pages.end()) page->second.share_if_uniform();
    if (page == pages.end() || page->second.nothing()) {
      if (page != pages.end()) pages.erase(page);
      known_.erase(coord);
      continue;
    }
    known.digest = digest_of(page->second);
    digest_ += contribution(coord, known.digest);
  }
}

Digest digest_of(const AmountPages& pages) {
  Digest digest = 0;
  for (const auto& [coord, page] : pages) digest += contribution(coord, digest_of(page));
  return digest;
}

}  // namespace sluice::sim
