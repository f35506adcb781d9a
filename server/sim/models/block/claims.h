// What each group of block water demands in a tick: the places below its top, as far as it has
// water above them and ways to get there (block.md, "The rule").
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "server/sim/models/block/flow.h"
#include "server/sim/models/block/groups.h"

namespace sluice::sim {

/// The pressure with which block water moves down.
enum class Downward : std::int32_t {
  kGreatest = 0,  // above every other: what can fall, falls
  kHead = 1,      // one more than the depth: a tall column can hold back high falling water
};

inline constexpr std::int32_t kGreatestPressure = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t kNoPressure = 0;  // that of a walk

/// A group's demand for a place.
struct BlockClaim {
  BlockTarget target;
  std::int32_t pressure = 0;
  std::int64_t size = 0;  // of the group
  CellGroup group = kNoGroup;
  std::int32_t parts = 1;  // that are to go there

  /// By place, and for one place in the order in which it is given away.
  friend bool operator<(const BlockClaim& a, const BlockClaim& b) {
    return std::tuple(a.target.cell, b.pressure, b.size, a.target.diagonal, a.target.from) <
           std::tuple(b.target.cell, a.pressure, a.size, b.target.diagonal, b.target.from);
  }
};

class BlockClaims {
 public:
  BlockClaims(Downward downward, LevelCells& cells, BlockGroups& groups)
      : downward_(downward), cells_(cells), groups_(groups), flow_(cells) {}

  /// Appends the group's claims; false where it is at rest. Of places that nothing but their side
  /// tells apart, those on the left and in front come first in ticks of odd numbers, the others in
  /// even ones.
  bool claim_for(CellGroup group, std::uint64_t tick, std::vector<BlockClaim>& claims);

 private:
  static constexpr std::int32_t kNoNumber = -1;
  /// A part of a place.
  struct Room {
    bool falls = false;
    std::int32_t height = 0;
    std::int64_t far = 0;  // from the middle of the top row, doubled
    std::int32_t x = 0;    // or against the axes, as the tick leans
    std::int32_t z = 0;
    std::size_t target = 0;

    /// What falls first, then the lowest, then what lies nearest to the middle of the top row.
    friend bool operator<(const Room& a, const Room& b) {
      return std::tuple(!a.falls, a.height, a.far, a.x, a.z) <
             std::tuple(!b.falls, b.height, b.far, b.x, b.z);
    }
  };
  void list_rooms(CellGroup group, std::int32_t top, std::int32_t lean);
  void list_heights(CellGroup group);
  [[nodiscard]] std::size_t possible_moves();
  [[nodiscard]] bool pairs(std::size_t count);
  [[nodiscard]] std::int32_t number_of(CellGroup group, const Room& room);
  [[nodiscard]] bool stands(LevelCell cell);

  Downward downward_;
  LevelCells& cells_;
  BlockGroups& groups_;
  BlockFlow flow_;
  std::vector<BlockTarget> targets_;
  std::vector<Room> rooms_;
  std::vector<std::int32_t> heights_;  // of the topmost parts, falling
  std::vector<std::int32_t> paired_;
  std::vector<std::int32_t> parts_;    // by target
  std::vector<std::int32_t> numbers_;  // of places in flow_, by target
  std::vector<BlockFlow::Mouth> mouths_;
};

}  // namespace sluice::sim
