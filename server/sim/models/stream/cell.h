// A cell of a stream: its faces, its mark, and what is kept of it from tick to tick (cells.h). None
// of it but level and mark is state; all else can be made anew of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "server/sim/grid.h"

namespace sluice::sim {

/// Opposite faces differ in the lowest bit.
enum StreamFace : std::uint8_t { kLeft, kRight, kBelow, kAbove, kFront, kBack };
inline constexpr std::array<Vec3, kFaces> kFaceStep = {
    {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
constexpr StreamFace opposite(StreamFace face) {
  return static_cast<StreamFace>(face ^ 1);
}

inline constexpr std::array<StreamFace, 4> kSideways = {kLeft, kRight, kFront, kBack};

/// What lies behind a face of a chunk; null where nothing is stored.
[[nodiscard]] Chunk* chunk_beside(const Chunk& chunk, std::size_t face);

/// Levels of a full cell.
inline constexpr std::int32_t kStreamLevels = 8;
inline constexpr std::int32_t kUnitsPerLevel = kFull / kStreamLevels;
static_assert(kFull % kStreamLevels == 0);

/// What a side of a cell of that level passes in one tick at the most, in levels: half of what it
/// holds, but no less than two, as the level of a thin and lively stream is now this, now that.
constexpr std::int32_t capacity_of(std::int32_t level) {
  return level > 4 ? (level + 1) / 2 : 2;
}
inline constexpr std::int32_t kMostCapacity = capacity_of(kStreamLevels);

/// A cell's mark, unpacked. Together with the height these are the published two bytes, and the
/// mask that lets a cell have several parents.
struct StreamMark {
  std::uint8_t direction = 0;   // 0: none; otherwise 1 + the face that its flow leaves through
  bool is_source : 1 = false;   // a spring stands here
  bool has_source : 1 = false;  // joined to a spring
  bool flow_out : 1 = false;    // joined to an open edge
  bool swift : 1 = false;       // full, of water that came after all that it held had gone on
  std::uint8_t largest = 0;     // levels a tick: the widest flow between here and its spring
  std::uint8_t active = 0;      // rises with flow, falls without
  std::uint8_t parents = 0;     // bit f: the neighbour behind face f feeds this cell
  std::uint8_t held = 0;        // levels a tick that it passes beyond what its level says

  friend bool operator==(const StreamMark&, const StreamMark&) = default;
};

inline constexpr std::uint8_t kMostActive = 7;
inline constexpr Cell kIsSourceBit = 1 << 3;
inline constexpr Cell kSwiftBit = 1 << 20;

[[nodiscard]] Cell pack(const StreamMark& mark);
[[nodiscard]] StreamMark unpack(Cell mark);

/// What lies behind a face, where it is no cell of a stream; others are their place in the array.
inline constexpr std::int32_t kSolidThere = -1;
inline constexpr std::int32_t kGutterThere = -2;  // beyond an open edge
inline constexpr std::int32_t kDryThere = -3;     // open, and no part of a stream so far

inline constexpr std::int32_t kUnreached = -1;

/// Which list a cell stands in of those that may act (turns.h).
enum class StreamList : std::uint8_t { kNone, kRiver, kOther };

/// A turn's key: a height of 0 to kMaxSide (a gutter's lies one below the world), then so many
/// drawn bits.
inline constexpr int kDrawnBits = 43;
static_assert(kMaxSide + 1 < 1 << (64 - kDrawnBits));

inline constexpr std::uint64_t kNoReach = UINT64_MAX;
/// StreamCell::reach of a spring at that height, and the least of any that stands as high.
constexpr std::uint64_t reach_of_spring(std::int32_t y) {
  return static_cast<std::uint64_t>(kMaxSide - y) << 32;
}

[[nodiscard]] inline Cell mark_of(const Chunk& chunk, std::int32_t index) {
  return chunk.marks == nullptr ? 0 : chunk.marks->cells[static_cast<std::size_t>(index)];
}

/// Whether a stored cell is full of water that stands (StreamCell::firm).
[[nodiscard]] inline bool firm_in(const Chunk& chunk, std::int32_t index) {
  return chunk.cells[static_cast<std::size_t>(index)] == kFull &&
         (mark_of(chunk, index) & kSwiftBit) == 0;
}

/// Where one of so many cells (or runs of full ones) changes, to look at all anew costs less than
/// to tell what may be otherwise. A checked build tells as long as it can, so that small worlds do.
#ifdef SLUICE_CHECKED
inline constexpr std::size_t kManyCells = 1;
inline constexpr std::size_t kManyRuns = 1;
#else
inline constexpr std::size_t kManyCells = 8;
inline constexpr std::size_t kManyRuns = 32;
#endif

/// What of the ways to a cell may have changed (StreamCell::changed): the way from springs, that to
/// the edge, how wide the first of them is.
inline constexpr std::uint8_t kWaysFromSprings = 1;
inline constexpr std::uint8_t kWaysToEdges = 2;
inline constexpr std::uint8_t kWidthOfWays = 4;
inline constexpr std::uint8_t kAllWays = kWaysFromSprings | kWaysToEdges | kWidthOfWays;

/// What a turn of a river's cell did (StreamCell::given): four bits of levels for each face that
/// they went through, then the direction that it left.
using StreamGiven = std::uint32_t;
inline constexpr int kGivenBits = 4;
inline constexpr StreamGiven kGivenMask = (1 << kGivenBits) - 1;
inline constexpr int kGivenDirection = kGivenBits * static_cast<int>(kFaces);
inline constexpr StreamGiven kGivenLevels = (StreamGiven{1} << kGivenDirection) - 1;
/// More than that, or no turn in the last tick: differs from whatever a turn does.
inline constexpr StreamGiven kGivenUnknown = StreamGiven{1} << 31;
static_assert(kStreamLevels <= kGivenMask);

/// A bit of StreamCell::looked beside those of faces: at what the cells beside it rest on.
inline constexpr std::uint8_t kLookedBelowSides = 1 << kFaces;
/// And at what hangs above these.
inline constexpr std::uint8_t kLookedAboveSides = 1 << (kFaces + 1);

/// What every turn looks at comes first, in one line of the processor's cache.
struct alignas(64) StreamCell {
  std::array<std::int32_t, kFaces> beside{};
  std::int32_t level = 0;             // eighths of a cell
  std::int32_t to_edge = kUnreached;  // cells between it and the nearest open edge
  std::uint64_t flowed_in = 0;        // the last tick in which water came, went or passed
  StreamMark mark;
  std::uint8_t river_ways =
      0;                    // the order of its sides in a river, two bits each; 0: not drawn yet
  std::uint8_t onward = 0;  // bit f: what lies behind face f, beside it, is nearer to the edge
  StreamGiven given = kGivenUnknown;  // in its last turn, if it has one in every tick
  StreamList listed = StreamList::kNone;
  bool doubted = true;      // its turn may do something else than the one before
  bool still = false;       // had nothing to do as the tick began (StreamTurns::arrange)
  bool woken = false;       // and has since water came here, or went from around it
  bool near_still = false;  // a neighbour that rests on it, or stands beside it, may be still
  bool busy = false;        // stands in the list of those that may fade or have to be stored
  bool quiet = false;       // flows, and stands there no more: nothing of it changes
  bool disturbed = false;   // by water that moved otherwise than in rivers' turns, in this tick
  std::uint8_t looked = 0;  // bit f: at what lies behind face f, in the turn of `given`
  std::uint8_t settling_level = 0;  // when water last began to settle
  bool emptied = false;             // in its turn of this tick, if it had one

  /// The highest spring that reaches it, then the cells between it and the nearest such one: what
  /// is less comes first. kNoReach: none does.
  std::uint64_t reach = kNoReach;
  /// The last tick in which nothing on the way from its spring stood higher than what follows.
  std::uint64_t unsupplied_in = 0;
  // Of the pressure phase.
  std::uint64_t wanting_in = 0;  // the last search (StreamPressure) that found it with room
  Vec3 at;
  Cell old_mark = 0;                 // as stored
  std::int32_t listed_edge = 0;      // to_edge, in the list of rivers
  std::int32_t region = kUnreached;  // kUnreached: no cell stands in this slot
  std::int32_t index = 0;            // in the chunk
  std::int8_t old_level = 0;         // as stored
  std::int8_t found_level = 0;       // when the tick began, as ways see it
  std::int8_t found_width = 0;       // likewise
  bool found_firm : 1 = false;       // likewise, firm()
  bool steady : 1 = false;           // may become quiet
  bool counted : 1 = false;          // while a list is tidied
  bool moved : 1 = false;            // its level has changed since ways were found
  bool new_parents : 1 = false;      // what flows here has to be found anew
  std::uint8_t changed = 0;          // kWaysFromSprings and the like

  [[nodiscard]] std::int32_t to_source() const {
    return mark.is_source ? 0 : static_cast<std::int32_t>(reach & UINT32_MAX);
  }
  /// Whether a spring reaches it that stands higher than that.
  [[nodiscard]] bool reached_from_above(std::int32_t y) const { return reach < reach_of_spring(y); }
  [[nodiscard]] bool stored() const { return region != kUnreached; }
  [[nodiscard]] bool in_river() const { return mark.has_source && to_edge != kUnreached; }
  [[nodiscard]] bool full() const { return level == kStreamLevels; }
  /// Full of water that stands: it bears what lies on it, and presses. As the tick began it was so,
  /// or swift.
  [[nodiscard]] bool firm() const { return full() && !mark.swift; }
  /// What it passes in a tick to each side at the most, in levels, where it rests on something:
  /// half of what it held lately. So what lies behind a lively place does not change in every tick.
  [[nodiscard]] std::int32_t width() const {
    return std::min(kMostCapacity, capacity_of(level) + mark.held);
  }
};

static_assert(sizeof(StreamCell) == 128 && offsetof(StreamCell, reach) == 64);

}  // namespace sluice::sim
