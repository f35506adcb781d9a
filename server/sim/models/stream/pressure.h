// Pressure: water moves through firm cells, from the highest surface of a pool to what lies lower.
//
// A pool is looked at by *runs*: firm cells on top of each other, within one chunk. A lake has as
// many as its surface has cells, however deep it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

class StreamPressure {
 public:
  void move(StreamCells& cells);
  /// Runs that the last tick looked at.
  [[nodiscard]] std::int64_t runs() const { return static_cast<std::int64_t>(runs_.size()); }

 private:
  [[nodiscard]] static std::uint64_t bits_between(std::int32_t low, std::int32_t high) {
    return ~std::uint64_t{0} >> (63 - (high - low)) << low;
  }
  struct Run {
    const StreamCells::Region* region;
    Vec3 base;  // its lowest cell
    std::int32_t column;
    std::int32_t low;  // heights in the chunk
    std::int32_t high;
    bool known = false;             // to belong to a pool
    bool changed = false;           // its links are to be found anew
    std::int32_t over = kDryThere;  // the slot of what stands on it, or what lies there
    std::int32_t links = 0;         // the first of its own in links_, by their faces
    std::int32_t links_end = 0;
    std::int32_t rooms = 0;  // the first of those beside it in rooms_
    std::int32_t rooms_end = 0;
    std::int32_t from_giver = kUnreached;
    std::int32_t supply = 0;   // levels that it may give
    std::int32_t need = 0;     // levels that what stands on and beside it takes
    std::int32_t passing = 0;  // levels that other runs asked of it
    std::int32_t granted = 0;
    std::int32_t asked = kUnreached;  // the first in asks_

    [[nodiscard]] std::int32_t height() const { return high - low + 1; }
    /// A bit for each of its heights in the chunk.
    [[nodiscard]] std::uint64_t heights() const { return bits_between(low, high); }
    /// Of the surface of its highest cell.
    [[nodiscard]] std::int32_t head() const { return (base.y + height()) * kStreamLevels; }
  };
  /// A run that touches another one.
  struct Link {
    std::int32_t run;
    StreamFace face;     // behind which it lies
    std::uint8_t high;   // the highest height where they touch
    std::uint8_t cells;  // in which they touch
  };
  /// What stands on a run or beside it, and is not full.
  struct Room {
    std::int32_t slot;  // below 0: a dry cell on top
    std::int32_t firm;  // the slot of the run's cell that it touches
    std::int32_t base;  // of a dry cell: the head of its bottom
    StreamFace face;    // of that cell
    std::int32_t need = 0;
  };
  struct Ask {
    std::int32_t child;
    StreamFace face;       // of the parent
    std::int32_t overlap;  // the highest height where they touch
    std::int32_t levels;
    std::int32_t next;
  };
  struct Pool {
    Vec3 first;              // its lowest cell
    std::int32_t begin = 0;  // in members_
    std::int32_t end = 0;
    std::int32_t rooms = 0;  // in rooms_
    std::int32_t rooms_end = 0;
    std::int32_t top = INT32_MIN;     // head of the highest surface: 8 y + level
    std::int32_t lowest = INT32_MAX;  // head of the lowest cell with room
    std::int32_t giving = 0;          // heads above it give, those below it take
  };
  struct Giver {
    std::uint64_t turn;
    Vec3 at;
    std::int32_t run;
  };
  /// A column of a chunk that is kept.
  struct Column {
    const StreamCells::Region* region = nullptr;  // null: none
    std::int32_t column = 0;
  };
  void learn_shape(const ChunkShape& shape);
  /// Lists the runs, or changes those in columns that changed.
  void find_runs(StreamCells& cells);
  void list_all(const StreamCells& cells);
  bool change_column(const StreamCells& cells, const StreamCells::FirmColumn& changed);
  void link_anew(const StreamCells& cells);
  void gather_pool(std::int32_t first);
  void list_runs(StreamCells::Region& region);
  [[nodiscard]] static bool near_part_full(const StreamCells& cells,
                                           const StreamCells::Region& region);
  /// What the pool holds in this tick.
  void look_at(const StreamCells& cells, Pool& pool);
  /// The one that holds the firm cell at that height.
  [[nodiscard]] std::int32_t run_at(const StreamCells::Region& region, std::int32_t column,
                                    std::int32_t height) const;
  /// That in which what touches a column behind a face lies; above and below that of the next
  /// chunk.
  [[nodiscard]] Column column_beside(const StreamCells& cells, const StreamCells::Region& region,
                                     std::int32_t column, StreamFace face) const;
  void find_links(const StreamCells& cells, Run& run);
  /// Finds the room on it and beside it.
  void find_rooms(const StreamCells& cells, Run& run);
  void find_over(const StreamCells& cells, Run& run);
  void add_links(StreamFace face, const Column& beside, std::uint64_t touching);
  void find_lowest(const StreamCells& cells, Pool& pool) const;
  void act(StreamCells& cells, Pool& pool);
  void find_givers(StreamCells& cells, const Pool& pool);
  std::int32_t find_wanting(StreamCells& cells, const Pool& pool);
  void find_ways(StreamCells& cells, std::int32_t wanting);
  void ask(StreamCells& cells, std::int32_t child);
  void ask_beside(std::int32_t child, std::int32_t link, std::int32_t& wanted);
  void grant(StreamCells& cells, const Pool& pool, Run& run);
  void give(StreamCells& cells, const Pool& pool, const Run& run, std::int32_t levels);
  void fill(StreamCells& cells, const Room& room, std::int32_t levels);
  /// The i-th of members_.
  [[nodiscard]] Run& member(std::int32_t i) {
    return runs_[static_cast<std::size_t>(members_[static_cast<std::size_t>(i)])];
  }
  [[nodiscard]] const Run& member(std::int32_t i) const {
    return runs_[static_cast<std::size_t>(members_[static_cast<std::size_t>(i)])];
  }
  [[nodiscard]] std::int32_t slot_in(const Run& run, std::int32_t height) const {
    return run.region->slots[static_cast<std::size_t>(height * slab_ + run.column)];
  }

  ChunkShape shape_;
  std::int32_t slab_ = 0;
  /// By column and side (left, right, front, back): the column there; below 0: -1 - c for the
  /// column c of the next chunk.
  std::array<std::array<std::int16_t, 4>, kMostColumns> sides_{};
  std::uint64_t searches_ = 0;
  // Kept as long as the same cells are firm.
  std::uint64_t regions_version_ = 0;  // StreamCells::regions_version() of then
  std::vector<Run> runs_;
  std::vector<Link> links_;      // of each run those in a row; some may be no run's any more
  std::size_t least_links_ = 0;  // when all were listed
  std::vector<Pool> kept_pools_;
  std::vector<std::int32_t> members_;  // runs, pool after pool
  // Of this tick.
  std::vector<Room> rooms_;  // run after run, and pool after pool
  std::vector<Pool> pools_;
  std::vector<Giver> givers_;
  std::vector<std::int32_t> queue_;
  std::vector<Ask> asks_;
};

}  // namespace sluice::sim
