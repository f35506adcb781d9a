// How deep settled water lies under the surface that it hangs together with, in one slice: as
// client_stub/web/src/surfaces.ts has it, for the cells that a terminal shows.
//
//     air   roof#####          a: its own surface is its head
//     ~a~  |  b  |  c  ~~~     b: under a roof; its head is that of the water it is linked with
//     ~a~~~~~~b~~~~~~~~c~~     c: as a
//
// A column's own water over a cell does not tell its depth: under an overhang there is none. What
// falls belongs to nothing and has no depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/mirror.h"

namespace sluice::client {

class Surfaces {
 public:
  /// More cells than this are not looked at: a picture from so far shows no depths, and memory is
  /// bounded (8 bytes a cell).
  static constexpr std::int64_t kMostCells = std::int64_t{4} << 20;

  /// Takes in the cells of a box, one slice deep, that is cut to the world; or the coarse cells of
  /// a level of detail that stand for them.
  void settle(const protocol::Mirror& mirror, const Box& box, int level = 0);
  /// Whether the box was small enough.
  [[nodiscard]] bool known() const { return known_; }
  /// Of the surface over the water in the cell, in cells over the world's floor. Nothing: it holds
  /// none, it falls, or it lies outside the box.
  [[nodiscard]] std::optional<double> head(std::int32_t x, std::int32_t y) const;
  /// Of the cell's middle under that surface, in cells.
  [[nodiscard]] std::optional<double> depth(std::int32_t x, std::int32_t y) const;
  /// The greatest depth of all; not of a level of detail.
  [[nodiscard]] double deepest() const { return deepest_; }
  /// The lowest and the highest head of all; nothing: there is no settled water. As deepest().
  [[nodiscard]] std::optional<std::pair<double, double>> heads() const { return heads_; }

 private:
  /// An upright run of settled water; rows count from the box's lowest.
  struct Stem {
    std::int32_t low = 0;
    std::int32_t high = 0;
    double top = 0;  // cells over the world's floor
    bool roofed = false;
    bool is_known = false;  // head
    double head = 0;
  };

  void gather(const protocol::Mirror& mirror);
  void gather_chunk(const ChunkShape& sides, ChunkCoord coord, const protocol::ChunkCells& held);
  void cut_column(const protocol::Mirror& mirror, std::int32_t column);
  void link_columns(std::int32_t column);
  void spread();
  [[nodiscard]] bool carry();
  void smooth();
  void seal();
  [[nodiscard]] std::int32_t cell(std::int32_t column, std::int32_t row) const;

  int level_ = 0;  // of what is held; all below counts its cells
  Box box_;
  bool known_ = false;
  double deepest_ = 0;
  std::optional<std::pair<double, double>> heads_;
  std::vector<std::int32_t> cells_;                         // [y][x] of the box
  std::vector<std::int32_t> owners_;                        // [y][x]: the cell's stem, or -1
  std::vector<Stem> stems_;                                 // by columns, each from below
  std::vector<std::size_t> first_;                          // of each column, and the end
  std::vector<std::pair<std::size_t, std::size_t>> links_;  // pairs that touch, one of them roofed
};

}  // namespace sluice::client
