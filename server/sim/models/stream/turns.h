// Who acts when, as water settles: the cells that may have anything to do, kept from tick to tick.
// What is still (full between full cells and rock, or a pond's level surface) stands in no list,
// until in a tick water comes there or goes from beside or below it.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

class StreamTurns {
 public:
  static constexpr std::size_t kFetched = 8;
  /// Ticks of the clock after which rivers' cells that became still lose their turns.
  static constexpr std::uint64_t kLingering = 64;

  void forget();
  /// Puts every cell into the list where it belongs, when ways are known.
  void arrange(StreamCells& cells);

  /// Cells that are joined to a spring and an edge, from the edge backwards. kUnreached: no more.
  void begin();
  std::int32_t next_of_river(StreamCells& cells) {
    // Whose turn comes soon is fetched: in the order of turns no two cells lie side by side.
    if (at_ + kFetched < rivers_.size()) cells.fetch(rivers_[at_ + kFetched].slot);
    if (!late_.empty() || absorbed_ < cells.woken().size() || at_ == rivers_.size()) {
      return next(cells, rivers_, true);
    }
    current_ = rivers_[at_++];
    current_is_late_ = false;
    has_current_ = true;
    return current_.slot;
  }
  /// Whether the last one was still as the tick began: it does not have a turn in every tick.
  [[nodiscard]] bool was_still() const { return current_is_late_; }
  /// Then all others, by their turns.
  void begin_others(StreamCells& cells);
  std::int32_t next_other(StreamCells& cells);
  void end(StreamCells& cells);
  /// Notes that a turn was no repetition.
  void note_taken() { ++taken_; }
  /// Cells that had such a turn in this tick.
  [[nodiscard]] std::int64_t taken() const { return taken_; }

 private:
  struct Turn {
    std::uint64_t key;
    std::int32_t slot;
  };
  [[nodiscard]] static bool before(const StreamCells& cells, const Turn& a, const Turn& b) {
    return a.key != b.key ? a.key < b.key : cells[a.slot].at < cells[b.slot].at;
  }
  [[nodiscard]] static StreamList list_for(const StreamCells& cells, std::int32_t slot);
  [[nodiscard]] static bool is_still(const StreamCells& cells, const StreamCell& cell);
  void take_out_leaving(const StreamCells& cells);
  void merge_rivers(const StreamCells& cells);
  void sort_others(const StreamCells& cells);
  void absorb(StreamCells& cells, bool rivers);
  std::int32_t next(StreamCells& cells, const std::vector<Turn>& list, bool rivers);

  std::vector<Turn> rivers_;             // by the way to the edge, then place
  std::vector<Turn> joining_;            // rivers
  std::vector<Turn> leaving_;            // likewise, as they stand there
  std::vector<std::int32_t> lingering_;  // that are still, but were not a moment ago
  std::vector<std::int32_t> others_;
  std::vector<Turn> turns_;  // of others, in this tick
  std::vector<Turn> late_;   // a heap: those that were woken
  Turn current_ = {};
  bool has_current_ = false;
  bool current_is_late_ = false;
  std::size_t at_ = 0;        // in the list under way
  std::size_t absorbed_ = 0;  // of StreamCells::woken()
  std::int64_t taken_ = 0;
  // Of sorting: of a layer, and of a place, the first turn's number.
  std::vector<std::uint64_t> layers_;
  std::vector<std::uint32_t> places_;
  std::vector<Turn> sorted_;
};

}  // namespace sluice::sim
