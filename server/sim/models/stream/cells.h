// The cells of streams, gathered for one tick: a flat array in the order in which they act, each
// knowing where its neighbours stand in it. stream.md says what is done with them.
//
// A cell belongs to a stream while it holds water or has a mark: a bed that was wet a moment ago
// still joins the drops that run along it to their spring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/draw.h"
#include "server/sim/grid.h"
#include "server/sim/springs.h"

namespace sluice::sim {

/// Opposite faces differ in the lowest bit.
enum StreamFace : std::uint8_t { kLeft, kRight, kBelow, kAbove, kFront, kBack };
inline constexpr std::size_t kFaces = 6;
inline constexpr std::array<Vec3, kFaces> kFaceStep = {
    {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
constexpr StreamFace opposite(StreamFace face) {
  return static_cast<StreamFace>(face ^ 1);
}

/// What lies behind a face of a chunk; null where nothing is stored.
[[nodiscard]] Chunk* chunk_beside(const Chunk& chunk, std::size_t face);

/// Levels of a full cell.
inline constexpr std::int32_t kStreamLevels = 8;
inline constexpr std::int32_t kUnitsPerLevel = kFull / kStreamLevels;
static_assert(kFull % kStreamLevels == 0);

/// A cell's mark, unpacked. Together with the height these are the published two bytes, and the
/// mask that lets a cell have several parents.
struct StreamMark {
  std::uint8_t direction = 0;  // 0: none; otherwise 1 + the face that its flow leaves through
  bool is_source = false;      // a spring stands here
  bool has_source = false;     // joined to a spring
  std::uint8_t largest = 0;    // levels a tick: the widest flow between here and its spring
  std::uint8_t active = 0;     // rises with flow, falls without
  bool flow_out = false;       // joined to an open edge
  std::uint8_t parents = 0;    // bit f: the neighbour behind face f feeds this cell

  friend bool operator==(const StreamMark&, const StreamMark&) = default;
};

inline constexpr std::uint8_t kMostActive = 7;
inline constexpr Cell kIsSourceBit = 1 << 3;

[[nodiscard]] Cell pack(const StreamMark& mark);
[[nodiscard]] StreamMark unpack(Cell mark);

/// What lies behind a face, where it is no cell of a stream; others are their place in the array.
inline constexpr std::int32_t kSolidThere = -1;
inline constexpr std::int32_t kGutterThere = -2;  // beyond an open edge
inline constexpr std::int32_t kDryThere = -3;     // open, and no part of a stream so far

inline constexpr std::int32_t kUnreached = -1;

struct StreamCell {
  Chunk* chunk = nullptr;
  std::int32_t index = 0;  // in the chunk
  Vec3 at;
  std::uint64_t key = 0;  // decides its turn: its layer, then chance
  std::array<std::int32_t, kFaces> beside{};
  std::int32_t level = 0;                 // eighths of a cell
  std::int32_t to_source = kUnreached;    // cells between it and the nearest spring
  std::int32_t to_edge = kUnreached;      // and between it and the nearest open edge
  std::int32_t from_source = kUnreached;  // the cell before it on the way from there
  std::int32_t source_height = 0;         // y of the highest spring that reaches it
  bool unsupplied = false;  // nothing on the way from its spring stands higher than what follows
  StreamMark mark;
  Cell old_mark = 0;
  std::int32_t old_level = 0;
  bool flowed = false;  // water came, went or passed in this tick

  // Of the pressure phase.
  std::int32_t pool = kUnreached;
  std::int32_t from_giver = kUnreached;
  std::int32_t need = 0;                    // levels: its own, or that of the dry cell above it
  std::int32_t passing = 0;                 // levels that others asked of it
  std::array<std::int8_t, kFaces> asked{};  // of the neighbour behind each face
  std::int32_t granted = 0;
};

/// What a side of a cell passes in one tick at the most, in levels: half of what it holds, but no
/// less than two, as the level of a thin and lively stream is now this, now that.
constexpr std::int32_t capacity_of(std::int32_t level) {
  return level > 4 ? (level + 1) / 2 : 2;
}
inline constexpr std::int32_t kMostCapacity = capacity_of(kStreamLevels);

/// The cells of all streams that may move in one tick, and access to the cells around them.
class StreamCells {
 public:
  /// Gathers the cells of the awake chunks, and of every chunk that their streams reach. Puts the
  /// awake chunks to sleep: what is changed or pending wakes them again.
  void gather(Grid& grid, std::uint64_t seed, std::uint64_t tick, WaterMoves* moves);
  /// Tells whoever asked for it what moved from one column to another, or left (kNowhere).
  void tell(Vec3 from, Vec3 to, std::int32_t levels) {
    if (moves_ == nullptr || (from.x == to.x && from.z == to.z)) return;
    moves_->add(from, to, levels * kUnitsPerLevel);
  }
  /// Lets go of the chunks, tells the grid what changed.
  void release();

  [[nodiscard]] std::vector<StreamCell>& cells() { return cells_; }
  [[nodiscard]] StreamCell& operator[](std::int32_t slot) {
    return cells_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] const StreamCell& operator[](std::int32_t slot) const {
    return cells_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(cells_.size()); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::uint64_t tick() const { return tick_; }

  /// Whether the water of this cell rests on something: rock, or a full cell.
  [[nodiscard]] bool supported(const StreamCell& cell) const {
    const std::int32_t below = cell.beside[kBelow];
    return below == kSolidThere || (below >= 0 && (*this)[below].level == kStreamLevels);
  }
  /// Of a dry cell behind a face: what flowed into it in this tick, and whether it is supported.
  [[nodiscard]] std::int32_t fresh_level(const StreamCell& cell, StreamFace face) const;
  [[nodiscard]] bool fresh_supported(const StreamCell& cell, StreamFace face) const;
  /// Puts water into the dry cell behind a face, and marks it as a stream's.
  void wet(const StreamCell& from, StreamFace face, std::int32_t levels, const StreamMark& mark);

  /// Writes a cell back to its chunk.
  void store(const StreamCell& cell);
  /// Has the cell's chunk looked at in the next tick.
  void keep_awake(const StreamCell& cell) { grid_->wake(*cell.chunk, kWakeAll); }

 private:
  struct Turn {
    std::uint64_t key;  // the layer, then the draw's upper bits
    std::uint32_t chunk;
    std::int32_t index;
  };
  void add_chunk(Chunk& chunk);
  void scan(Chunk& chunk);
  void scan_cell(Chunk& chunk, std::int32_t index);
  void reach_across(Chunk& chunk, std::int32_t index, Vec3 at);
  void sort_turns();
  void take_turns();
  void put_in(const Turn& turn, std::int32_t slot);
  void meet_neighbours(StreamCell& cell) const;
  [[nodiscard]] std::int32_t found_in(const Chunk& chunk, std::int32_t index) const;
  [[nodiscard]] Cell value_at(const Chunk* near, Vec3 at) const;
  [[nodiscard]] Chunk* chunk_at(const Chunk* near, Vec3 at) const;
  void note(Chunk& chunk, std::int32_t index, bool seen_beside);
  void set_mark(Chunk& chunk, std::int32_t index, Cell mark);

  Grid* grid_ = nullptr;
  std::uint64_t seed_ = 0;
  std::uint64_t tick_ = 0;
  WaterMoves* moves_ = nullptr;
  std::vector<Chunk*> chunks_;   // those gathered; Chunk::pass_slot is the place in it
  std::vector<Chunk*> touched_;  // those with Chunk::changed set
  std::vector<Turn> turns_;
  // Of sorting them: of a layer, and of a place, the first turn's number.
  std::vector<std::uint64_t> layers_;
  std::vector<std::uint32_t> places_;
  std::vector<Turn> sorted_;
  std::vector<std::int32_t> slots_;  // a chunk's cells, chunk after chunk: their place in cells_
  std::vector<StreamCell> cells_;
};

}  // namespace sluice::sim
