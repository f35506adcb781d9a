// How water settles: each cell's falls, else spreads, in turns. settle.cpp says whose turn it is
// and what water does as it moves; spread.cpp where it goes that does not fall.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "server/sim/models/stream/cells.h"
#include "server/sim/models/stream/turns.h"

namespace sluice::sim {

class StreamSettling {
 public:
  StreamSettling(StreamCells& cells, StreamTurns& turns) : cells_(cells), turns_(turns) {}

  /// Lets each cell's water fall, else spread. Returns the levels that left over open edges.
  std::int64_t run();

 private:
  enum class Turn : std::uint8_t {
    kRiver,    // of a cell that has one in every tick
    kPassing,  // of one that was still
    kOther,    // after all rivers
  };
  /// What a cell sees beside it.
  struct Target {
    bool open = false;
    bool edge = false;  // what goes there is drained
    std::int32_t slot = kDryThere;
    std::int32_t level = 0;
  };

  // settle.cpp
  void take_turn(StreamCell& cell);
  void repeat(StreamCell& cell);
  /// Whether all that it held has gone on.
  bool settle(StreamCell& cell);
  [[nodiscard]] bool falls_on(const StreamCell& cell, StreamFace face, const Target& target);
  void give(StreamCell& cell, StreamFace face, const Target& target, std::int32_t levels);
  void note_given(StreamCell& cell, StreamFace face, std::int32_t levels);
  void fall(StreamCell& cell);
  // spread.cpp
  [[nodiscard]] bool has_way(const StreamCell& cell);
  void spread(StreamCell& cell);
  void find_order(StreamCell& cell);
  void level_out(StreamCell& cell, std::int32_t most);
  void run_out(StreamCell& cell);
  void share(StreamCell& cell, std::uint32_t faces);
  [[nodiscard]] std::uint32_t dry_ways(const StreamCell& cell);
  static std::uint32_t straight_on(const StreamCell& cell);
  [[nodiscard]] std::uint32_t ways_of_its_own(const StreamCell& cell);
  void run_on(StreamCell& cell, StreamFace face, const Target& target, std::int32_t share);
  void explore(StreamCell& cell);
  bool stream_ahead(StreamCell& cell, StreamFace face);
  bool stream(StreamCell& cell, StreamFace face, const Target& target);
  bool pull(StreamCell& cell);
  [[nodiscard]] StreamCell* highest_before(const StreamCell& cell);

  // What arrives goes on as it came, until it has a way of its own.
  static std::uint8_t onward(StreamFace face) {
    return static_cast<std::uint8_t>(face == kBelow ? 0 : face + 1);
  }

  void come(StreamCell& to, StreamFace face, std::int32_t levels) {
    cells_.raise(to, levels);
    cells_.flow_on(to);
    std::uint8_t& direction = to.mark.direction;
    if (direction == 0 || direction == kBelow + 1) direction = onward(face);
  }

  [[nodiscard]] Target look(const StreamCell& cell, StreamFace face) {
    looked_ |= 1U << face;
    Target target;
    target.slot = cell.beside[face];
    target.open = target.slot != kSolidThere;
    target.edge = target.slot == kGutterThere;
    if (target.slot == kDryThere) {
      target.level = cells_.fresh_level(cell, face);
      looks_beyond_ = true;
    }
    if (target.slot >= 0) target.level = cells_[target.slot].level;
    return target;
  }

  static bool leads_on(const StreamCell& cell, StreamFace face) {
    return (cell.onward >> face & 1) != 0;
  }

  StreamCells& cells_;
  StreamTurns& turns_;
  std::array<StreamFace, 4> order_{};
  std::vector<StreamCell*> way_;  // of a level that is pulled
  std::int64_t drained_ = 0;
  Turn in_turn_ = Turn::kRiver;
  StreamGiven given_ = 0;      // in it, if it is a river's
  std::uint32_t looked_ = 0;   // StreamCell::looked
  bool looks_beyond_ = false;  // at what is no cell of a stream: who writes there casts no doubts
};

}  // namespace sluice::sim
