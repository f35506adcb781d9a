// How a chunk changed, column by column, as decisions of a range coder (range_coder.h): each is
// foreseen from what both ends know, so that what was to be expected costs next to nothing.
//
// A column is the cells of one x and z from the lowest y up; columns follow one another by z, then
// x. Of each is told whether it changed at all, then of each 8 of its cells, then of each cell, and
// of a changed one by how much it differs from the best guess. README.md has every detail, and an
// example. The column before stands for the neighbourhood: what it did, this one is likely to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/chunk.h"
#include "protocol/column_lessons.h"

namespace sluice::protocol {

/// Whether columns of 1 << log_height cells can be coded.
constexpr bool has_column_coding(int log_height) {
  return log_height == 4 || log_height == 6;
}

/// Appends the change from `baseline` to `cells`, in columns of 1 << log_height cells; `chances`:
/// those at the start. What is decided is added to `counts`, unless that is null.
void append_columns(const ChunkCells& baseline, const ChunkCells& cells, int log_height,
                    std::vector<std::uint8_t>& bytes,
                    const ColumnChances& chances = first_chances(), ColumnCounts* counts = nullptr);

/// Turns `cells`, the baseline, into what the bytes from `offset` to the end say; `chances`: the
/// encoder's. Any bytes are safe to give, and cost a bounded time. The error names the offset;
/// `cells` is then of no use.
[[nodiscard]] Status read_columns(std::span<const std::uint8_t> bytes, std::size_t offset,
                                  int log_height, ChunkCells& cells,
                                  const ColumnChances& chances = first_chances());

}  // namespace sluice::protocol
