// The cells of one chunk. A chunk of one kind of cell throughout (all rock, all air, all full) has
// none of its own: it looks at a page that all such chunks share, until somebody writes to it. So
// rock costs bytes, not 16 KiB a chunk.
//
// Which it is says nothing about the cells and is no part of any state.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "protocol/base/cell.h"

namespace sluice::sim {

/// The vector kernels may read, never write, this many cells past a chunk's or a slab's end.
inline constexpr std::size_t kOverread = 16;

class CellPage {
 public:
  /// All air.
  CellPage() : CellPage(kAir) {}
  /// All of one kind, which must be one that can_share().
  explicit CellPage(Cell kind);

  /// Whether a page of that kind is shared.
  [[nodiscard]] static constexpr bool can_share(Cell kind) {
    return kind == kAir || kind == kRock || kind == kFull;
  }

  /// kChunkCells cells, [y][z][x], and kOverread more that are zero.
  [[nodiscard]] const Cell* data() const { return cells_; }
  [[nodiscard]] const Cell* begin() const { return cells_; }
  [[nodiscard]] const Cell* end() const { return cells_ + kChunkCells; }
  [[nodiscard]] Cell operator[](std::size_t index) const { return cells_[index]; }

  /// To be written to: the page is the chunk's own from now on. Pointers from data() end.
  [[nodiscard]] Cell* edit() { return own_ != nullptr ? own_->cells.data() : own(); }
  /// Makes all cells the same kind, shared where it can be.
  void fill(Cell kind);
  /// Shares the page again if all its cells are of one kind that can be shared.
  void share_if_uniform();

  [[nodiscard]] bool is_shared() const { return own_ == nullptr; }
  /// All rock, known without a look at the cells: nothing can flow here.
  [[nodiscard]] bool is_shared_rock() const { return is_shared() && cells_[0] == kRock; }
  [[nodiscard]] bool is_shared_air() const { return is_shared() && cells_[0] == kAir; }

 private:
  struct alignas(64) Own {
    std::array<Cell, kChunkCells + kOverread> cells;
  };

  Cell* own();

  const Cell* cells_ = nullptr;  // the shared page's, or own_'s
  std::unique_ptr<Own> own_;
};

}  // namespace sluice::sim
