// What columns consist of: runs, links between them, and the blocks that runs stand in (columns.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/base/limits.h"
#include "server/sim/chunk.h"
#include "server/sim/models/hydro/number.h"

namespace sluice::sim::hydro {

inline constexpr std::int32_t kNone = -1;

struct Fall {
  std::int32_t y = 0;
  std::int32_t amount = 0;
  std::int32_t speed = 0;
};

struct Block;

/// A tick of a run in which nothing falls reads and writes the first line of a processor's cache
/// alone.
struct alignas(64) Run {
  Block* block = nullptr;  // that it stands in
  Units volume = 0;        // settled
  Units air = 0;           // falling: the sum of `falls`
  // What its cells show, to be written again where it differs: of what is settled here.
  Units shown = 0;
  std::int32_t x = 0;
  std::int32_t z = 0;
  std::int32_t floor = 0;       // its lowest cell
  std::int32_t ceiling = 0;     // the cell above its highest
  std::int32_t motion = kNone;  // its entry in HydroState::runs
  std::int32_t slot = kNone;    // its mover (flow.h); below kNone: its open water
  bool drain = false;           // stands behind an open side: emptied in every tick
  bool open_top = false;        // what rises over its ceiling is gone
  bool open_bottom = false;     // nothing settles in it
  bool alive = false;
  bool event = false;        // something from outside touched it since the last tick
  bool met = false;          // there are columns all around it
  bool shows_holes = false;  // its cells do, below `shown`
  bool shows_falls = false;  // `shown_falls` lists some

  std::vector<Fall> falls;  // above the surface's cell, from the lowest up
  std::vector<std::int32_t> links;
  std::vector<std::int32_t> shown_falls;
  bool has_near_jet = false;  // what a spring gives in this tick has no way to fall
  bool fresh = false;         // made in the repair under way
  bool reshaped = false;      // Columns::take_reshaped() is to tell of it
  std::int32_t lake = kNone;  // in which it rests, as far as that is known (lakes.h)

  /// (open_water.h)
  [[nodiscard]] bool in_open_water() const { return slot < kNone; }
  [[nodiscard]] Level base() const { return Level{floor} * kFull; }
  [[nodiscard]] Level top() const { return Level{ceiling} * kFull; }
  [[nodiscard]] Units capacity() const { return top() - base(); }
  [[nodiscard]] bool swallows() const { return drain || open_bottom; }
  /// Of the surface; far below its floor where nothing can stand.
  [[nodiscard]] Level level() const { return swallows() ? base() - 4 * kFull : base() + volume; }
  /// The surface's cell: what falls into it or below has landed.
  [[nodiscard]] std::int32_t surface_cell() const {
    return open_bottom ? floor - 1 : cell_of(base() + volume);
  }
  [[nodiscard]] bool wet() const { return volume > 0 && !swallows(); }
  [[nodiscard]] bool full() const {
    return !swallows() && !open_top && volume >= capacity() - kSlack;
  }
  /// Of the surface, or its ceiling where it is full.
  [[nodiscard]] Level contact() const { return full() ? std::max(level(), top()) : level(); }
  [[nodiscard]] Units room() const { return capacity() - volume - air; }
  [[nodiscard]] Vec3 key() const { return {x, floor, z}; }
  /// The cell over the surface's: the *foot* of a strand that falls into it. What falls away has
  /// none.
  [[nodiscard]] std::int32_t foot_cell() const { return surface_cell() + (swallows() ? 0 : 1); }
  [[nodiscard]] bool has_foot() const { return !falls.empty() && falls.front().y == foot_cell(); }
  /// Lifts the foot into the next cell where the surface rose into its own; what finds no room
  /// there, or where the surface rose farther, has landed. So nothing falls in the surface's cell.
  void absorb();
  /// Adds falling water to a cell over the foot. Returns what is to arrive instead.
  [[nodiscard]] Units drop(std::int32_t y, Units amount, std::int32_t speed);
  /// So many units come to the foot, 0 if none do; most land. The foot slowly comes to hold what
  /// falls at that speed between the surface and the foot's upper end. So what lands follows what
  /// comes, and not the surface: where a surface that came into another cell at once took in a cell
  /// of the strand, or had to wait for one, it rose and sank for ever.
  void arrive(Units units, std::int32_t speed);
  /// As far as that cell has room. Returns what it took.
  Units add_falling(std::int32_t y, Units amount, std::int32_t speed);

 private:
  Units take_lowest();
};
static_assert(offsetof(Run, falls) <= 64);

struct Link {
  std::int32_t low = kNone;  // the run of the smaller x or z
  std::int32_t high = kNone;
  std::int32_t sill_cell = 0;
  std::int32_t top_cell = 0;
  bool along_z = false;
  bool alive = false;
  std::int32_t slot = kNone;  // of the tick under way

  [[nodiscard]] Level sill() const { return Level{sill_cell} * kFull; }
  [[nodiscard]] Units opening() const { return Level{top_cell - sill_cell} * kFull; }
  [[nodiscard]] std::int32_t other(std::int32_t run) const { return run == low ? high : low; }
};

/// The columns over one chunk's ground.
struct Block {
  struct StoredChunk {
    std::int32_t y = 0;  // in chunks
    Chunk* chunk = nullptr;
    // The repairs since which the grid was told that it changed, and that it is to stay awake.
    std::uint64_t noted = 0;
    std::uint64_t kept = 0;
  };
  std::int32_t x = 0;  // in chunks
  std::int32_t z = 0;
  std::vector<std::vector<std::int32_t>> columns;  // runs, from the lowest up
  // Those that are stored, from the lowest up: however high the world is, few are. Chunks come and
  // go between ticks, so they are listed anew in the first look after a repair, if any did.
  std::vector<StoredChunk> chunks;
  std::uint64_t listed_version = 0;  // of the grid's chunks, when that was done
  std::uint64_t listed_repair = 0;
  std::size_t last = 0;  // of `chunks`, looked at last
  std::size_t number = 0;
  std::uint64_t shape_version = 0;  // of the columns, when a run of it came or went last
  std::int64_t steps = 0;
};

/// Columns, from the first to the last along x and along z.
struct Ground {
  std::int32_t x_from = INT32_MAX, x_to = INT32_MIN;
  std::int32_t z_from = INT32_MAX, z_to = INT32_MIN;

  void see(std::int32_t x, std::int32_t z) {
    x_from = std::min(x_from, x);
    x_to = std::max(x_to, x);
    z_from = std::min(z_from, z);
    z_to = std::max(z_to, z);
  }
  /// And so many more on each side.
  [[nodiscard]] Ground with_margin(std::int64_t columns) const {
    const auto more = static_cast<std::int32_t>(std::min<std::int64_t>(columns, kMaxSide));
    return {x_from - more, x_to + more, z_from - more, z_to + more};
  }
};

}  // namespace sluice::sim::hydro
