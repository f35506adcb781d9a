// Writing to the cells of one chunk (Grid::edit).
#pragma once

#include <cstddef>

#include "server/sim/chunk.h"

namespace sluice::sim {

/// Remembers whether anything became another. Until then a page that is shared stays so.
class ChunkEdit {
 public:
  explicit ChunkEdit(Chunk& chunk) : chunk_(chunk) {}

  [[nodiscard]] Cell operator[](std::size_t index) const { return chunk_.cells[index]; }
  void set(std::size_t index, Cell cell) {
    if (chunk_.cells[index] == cell) return;
    if (own_ == nullptr) own_ = chunk_.cells.edit();
    own_[index] = cell;
    changed_ = true;
  }
  /// Makes all cells the same kind, of which some are not.
  void fill(Cell kind) {
    chunk_.cells.fill(kind);
    own_ = nullptr;
    changed_ = true;
  }
  void clear_marks() {
    if (chunk_.marks == nullptr) return;
    chunk_.marks->cells.fill(0);
    changed_ = true;
  }
  [[nodiscard]] bool changed() const { return changed_; }

 private:
  Chunk& chunk_;
  Cell* own_ = nullptr;
  bool changed_ = false;
};

}  // namespace sluice::sim
