// Ways from springs, and to open edges: kept from tick to tick, and repaired where cells changed.
//
// Both are shortest ways, so what a cell knows follows from those of its neighbours that are
// nearer, and a repair goes in two passes (Ramalingam and Reps, "An incremental algorithm for a
// generalization of the shortest-path problem", 1996): the nearest first, what no neighbour
// explains any more is forgotten; then, the nearest first again, what is forgotten or has come
// nearer is found. It looks at the cells that changed, those that then know something else, and
// what touches them. What comes out is what a search through everything would find.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

class StreamPaths {
 public:
  /// Makes true what each cell knows of its springs and edges (StreamCell: reach, to_edge,
  /// onward; of its mark has_source, largest, flow_out), as it was before
  /// StreamCells::changed().
  void repair(StreamCells& cells);
  /// Cells that the last repair looked at.
  [[nodiscard]] std::int64_t looked_at() const { return looked_at_; }

 private:
  using Entry = std::pair<std::uint64_t, std::int32_t>;
  void push(std::uint64_t distance, std::int32_t slot);
  Entry pop();
  template <class Ways>
  void repair_ways(StreamCells& cells, Ways ways);
  template <class Ways>
  void lose(StreamCells& cells, Ways ways);
  template <class Ways>
  void find(StreamCells& cells, Ways ways);
  void widen(StreamCells& cells);
  void widen_at(StreamCells& cells, std::int32_t slot);
  bool find_widest(StreamCells& cells, StreamCell& cell) const;
  static void find_onward(StreamCells& cells, StreamCell& cell);
  void write_marks(StreamCells& cells);

  std::vector<Entry> heap_;
  std::vector<std::int32_t> moved_;   // those whose way is as long as it was no more
  std::vector<std::int32_t> nearer_;  // those that may have come nearer
  std::int64_t looked_at_ = 0;
};

}  // namespace sluice::sim
