#include "server/sim/cell_page.h"

#include <algorithm>

#include "protocol/base/assert.h"

namespace sluice::sim {

namespace {

using Cells = std::array<Cell, kChunkCells + kOverread>;

constexpr Cells page_of(Cell kind) {
  Cells cells{};
  for (std::size_t i = 0; i < kChunkCells; ++i) cells[i] = kind;
  return cells;
}

alignas(64) constexpr Cells kAirPage = page_of(kAir);
alignas(64) constexpr Cells kRockPage = page_of(kRock);
alignas(64) constexpr Cells kFullPage = page_of(kFull);

const Cell* shared_page(Cell kind) {
  SLUICE_ASSERT(CellPage::can_share(kind));
  return (kind == kAir ? kAirPage : kind == kRock ? kRockPage : kFullPage).data();
}

}  // namespace

CellPage::CellPage(Cell kind) : cells_(shared_page(kind)) {}

Cell* CellPage::own() {
  auto own = std::make_unique_for_overwrite<Own>();
  if (is_shared_air()) {
    own->cells.fill(kAir);
  } else {
    std::copy_n(cells_, kChunkCells + kOverread, own->cells.begin());
  }
  own_ = std::move(own);
  cells_ = own_->cells.data();
  return own_->cells.data();
}

void CellPage::fill(Cell kind) {
  if (can_share(kind)) {
    own_.reset();
    cells_ = shared_page(kind);
  } else {
    std::fill_n(edit(), kChunkCells, kind);
  }
}

void CellPage::share_if_uniform() {
  const Cell kind = cells_[0];
  // A lake's chunk begins with thousands of cells alike and ends with air.
  if (own_ == nullptr || !can_share(kind) || cells_[kChunkCells - 1] != kind) return;
  if (!std::equal(begin(), end(), shared_page(kind))) return;
  fill(kind);
}

}  // namespace sluice::sim
