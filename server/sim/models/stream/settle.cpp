#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "protocol/base/assert.h"
#include "server/sim/models/stream/phases.h"
#include "server/sim/models/stream/turns.h"

namespace sluice::sim {

namespace {

/// What a cell sees beside it.
struct Target {
  bool open = false;
  bool edge = false;  // what goes there is drained
  std::int32_t slot = kDryThere;
  std::int32_t level = 0;
};

class Settling {
 public:
  Settling(StreamCells& cells, StreamTurns& turns) : cells_(cells), turns_(turns) {}

  std::int64_t run() {
    // Rivers first, from the edge backwards: each cell finds the next one emptied, and passes on
    // what it holds; so a steady spring makes a river of steady levels.
    cells_.compare_levels();
    turns_.begin();
    for (std::int32_t slot; (slot = turns_.next_of_river(cells_)) >= 0;) {
      StreamCell& cell = cells_[slot];
      if (turns_.was_still()) {
        turns_.note_taken();
        in_turn_ = Turn::kPassing;
        settle(cell);
      } else if (cells_.doubted(cell) || cells_.tells()) {
        turns_.note_taken();
        take_turn(cell);
      } else {
#ifdef SLUICE_CHECKED
        const StreamGiven before = cell.given;
        take_turn(cell);
        SLUICE_ASSERT(cell.given == before);
#else
        repeat(cell);
#endif
      }
    }
    cells_.end_doubts();
    in_turn_ = Turn::kOther;
    turns_.begin_others(cells_);
    for (std::int32_t slot; (slot = turns_.next_other(cells_)) >= 0;) {
      turns_.note_taken();
      settle(cells_[slot]);
    }
    turns_.end(cells_);
    return drained_;
  }

 private:
  enum class Turn : std::uint8_t {
    kRiver,    // of a cell that has one in every tick
    kPassing,  // of one that was still
    kOther,    // after all rivers
  };

  // Notes what it does, and who has to be told if that is not what it did before.
  void take_turn(StreamCell& cell) {
    in_turn_ = Turn::kRiver;
    given_ = 0;
    looked_ = 0;
    looks_beyond_ = false;
    settle(cell);
    if (given_ != cell.given) {
      cells_.doubt_turn(cell, (given_ | cell.given) & kGivenLevels);
    }
    cell.given = given_;
    cell.looked = static_cast<std::uint8_t>(looked_);
    cell.doubted = looks_beyond_;
  }

  // What all that it would look at holds, it held at this moment of the last tick, too.
  void repeat(StreamCell& cell) {
    if (cell.given == 0) return;
    std::uint32_t left = cell.given & kGivenLevels;
    std::int32_t given = 0;
    while (left != 0) {
      const int shift = std::countr_zero(left) / kGivenBits * kGivenBits;
      const auto levels = static_cast<std::int32_t>(left >> shift & kGivenMask);
      left &= ~(kGivenMask << shift);
      given += levels;
      const auto face = static_cast<StreamFace>(shift / kGivenBits);
      if (const std::int32_t there = cell.beside[face]; there >= 0) {
        come(cells_[there], face, levels);
      } else {
        drained_ += levels;
      }
    }
    cells_.lower(cell, given);
    cells_.flow_on(cell);
    cell.mark.direction = static_cast<std::uint8_t>(cell.given >> kGivenDirection);
  }

  void come(StreamCell& to, StreamFace face, std::int32_t levels) {
    cells_.raise(to, levels);
    cells_.flow_on(to);
    std::uint8_t& direction = to.mark.direction;
    if (direction == 0 || direction == kBelow + 1) direction = onward(face);
  }

  // What arrives goes on as it came, until it has a way of its own.
  static std::uint8_t onward(StreamFace face) {
    return static_cast<std::uint8_t>(face == kBelow ? 0 : face + 1);
  }

  void settle(StreamCell& cell) {
    if (cell.level > 0) fall(cell);
    if (cell.level > 0 && has_way(cell)) spread(cell);
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

  /// Whether what goes there falls on.
  [[nodiscard]] bool falls_on(const StreamCell& cell, StreamFace face, const Target& target) {
    looked_ |= kLookedBelowSides;
    if (target.slot >= 0) return !cells_.supported(cells_[target.slot]);
    return target.edge || !cells_.supports_dry(cell, face);
  }

  void give(StreamCell& cell, StreamFace face, const Target& target, std::int32_t levels) {
    cells_.lower(cell, levels);
    cells_.tell(cell.at, cell.at + kFaceStep[face], levels);
    cell.mark.direction = static_cast<std::uint8_t>(face + 1);
    note_given(cell, face, levels);
    if (target.edge) {
      drained_ += levels;
    } else if (target.slot >= 0) {
      StreamCell& to = cells_[target.slot];
      come(to, face, levels);
      if (in_turn_ != Turn::kRiver) cells_.flow(to);
      if (in_turn_ == Turn::kPassing) cells_.note_passing(to);
    } else {
      StreamMark mark;
      mark.direction = onward(face);
      mark.active = 1;
      mark.has_source = cell.mark.has_source;
      mark.largest = cell.mark.largest;
      mark.parents = static_cast<std::uint8_t>(1 << opposite(face));
      cells_.wet(cell, face, levels, mark);
      given_ |= kGivenUnknown;
    }
  }

  void note_given(StreamCell& cell, StreamFace face, std::int32_t levels) {
    if (in_turn_ == Turn::kRiver) {
      cells_.flow_on(cell);
      given_ += static_cast<std::uint32_t>(levels) << kGivenBits * face;
      given_ &= ~(StreamGiven{7} << kGivenDirection);
      given_ |= static_cast<std::uint32_t>(face + 1) << kGivenDirection;
      return;
    }
    cells_.flow(cell);
    if (in_turn_ == Turn::kPassing) cells_.note_passing(cell);
  }

  void fall(StreamCell& cell) {
    const Target below = look(cell, kBelow);
    if (!below.open) return;
    const std::int32_t levels =
        below.edge ? cell.level : std::min(cell.level, kStreamLevels - below.level);
    if (levels > 0) give(cell, kBelow, below, levels);
  }

  // A quick look, before anything is drawn: deep water mostly has none.
  [[nodiscard]] bool has_way(const StreamCell& cell) {
    const std::int32_t most =
        cell.in_river() ? std::min(cell.level, kStreamLevels - 1) : cell.level - 1;
    const auto is_way = [&](StreamFace face) {
      looked_ |= 1U << face;
      const std::int32_t there = cell.beside[face];
      if (there < 0) return there != kSolidThere;
      return cells_[there].level <= most;
    };
    // In a river it mostly lies onward, where the last turns were.
    return std::any_of(kSideways.begin(), kSideways.end(),
                       [&](StreamFace face) { return leads_on(cell, face) && is_way(face); }) ||
           std::any_of(kSideways.begin(), kSideways.end(), is_way);
  }

  static bool leads_on(const StreamCell& cell, StreamFace face) {
    return (cell.onward >> face & 1) != 0;
  }

  void spread(StreamCell& cell) {
    find_order(cell);
    if (!cell.mark.has_source) {
      level_out(cell, kStreamLevels);
    } else if (cell.mark.flow_out) {
      run_out(cell);
    } else {
      explore(cell);
    }
  }

  // A river's ways are the same in every tick; elsewhere chance has no favourites.
  void find_order(StreamCell& cell) {
    if (cell.in_river() && cell.river_ways != 0) {
      for (std::size_t i = 0; i < order_.size(); ++i) {
        order_[i] = kSideways[cell.river_ways >> 2 * i & 3];
      }
      return;
    }
    std::array<std::uint8_t, 4> order = {0, 1, 2, 3};
    const std::uint64_t tick = cell.in_river() ? 0 : cells_.tick();
    const std::uint64_t drawn = draw(cells_.seed(), tick, cell.at, DrawPurpose::kStreamSpread);
    // Each pick from 16 bits of its own.
    for (std::uint32_t left = 4; left > 1; --left) {
      const std::uint32_t pick = choose(drawn << 16 * (left - 2), left);
      std::swap(order[left - 1], order[pick]);
    }
    std::uint32_t packed = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      order_[i] = kSideways[order[i]];
      packed |= std::uint32_t{order[i]} << 2 * i;
    }
    if (cell.in_river()) cell.river_ways = static_cast<std::uint8_t>(packed);
  }

  // Towards everything that holds at least two levels less, or from where water falls on.
  void level_out(StreamCell& cell, std::int32_t most) {
    for (const StreamFace face : order_) {
      const Target target = look(cell, face);
      if (!target.open) continue;
      const std::int32_t less = cell.level - target.level;
      if (less <= 0) continue;
      const std::int32_t levels = falls_on(cell, face, target) ? less : std::min(less / 2, most);
      if (levels > 0) give(cell, face, target, levels);
    }
  }

  // Along the ways to the edge; elsewhere only where they cannot take it all.
  void run_out(StreamCell& cell) {
    const bool brimful = cell.level == kStreamLevels;
    const std::uint32_t ways = cell.onward | dry_ways(cell);
    const std::uint32_t straight = ways & straight_on(cell);
    if (straight != 0) share(cell, straight);
    share(cell, ways & ~straight);
    if (brimful) level_out(cell, cell.mark.largest);
  }

  // In equal shares, as far as there is room; what one way cannot take goes the others.
  void share(StreamCell& cell, std::uint32_t faces) {
    std::int32_t ways = std::popcount(faces);
    for (const StreamFace face : order_) {
      if ((faces >> face & 1) == 0) continue;
      const std::int32_t part = (cell.level + ways - 1) / ways;
      run_on(cell, face, look(cell, face), part);
      --ways;
    }
  }

  // Dry cells beside the ways to the edge, as near to it as these: with them a river that was
  // pushed aside fills the width of its bed, and not one row of it alone. Bits of faces.
  [[nodiscard]] std::uint32_t dry_ways(const StreamCell& cell) {
    std::uint32_t found = 0;
    for (const StreamFace face : kSideways) {
      if (cell.beside[face] != kDryThere) continue;
      for (const StreamFace aside : kSideways) {
        const std::int32_t next = cell.beside[aside];
        if (next < 0 || !leads_on(cell, aside)) continue;
        if (leads_on(cells_[next], face)) found |= 1U << face;
      }
    }
    if (found != 0) looks_beyond_ = true;
    return found;
  }

  // What came in over a face goes out over the one across: rows of a river stay rows, and do not
  // crowd into one.
  static std::uint32_t straight_on(const StreamCell& cell) {
    std::uint32_t found = 0;
    for (const StreamFace face : kSideways) {
      if ((cell.mark.parents >> opposite(face) & 1) != 0) found |= 1U << face;
    }
    return found;
  }

  // On level ground a river runs without a slope: all that the next cells have room for.
  void run_on(StreamCell& cell, StreamFace face, const Target& target, std::int32_t share) {
    const std::int32_t levels = target.edge ? share : std::min(share, kStreamLevels - target.level);
    if (levels > 0) give(cell, face, target, levels);
  }

  // Straight on while that is possible; then wherever water can go that does not lead back.
  void explore(StreamCell& cell) {
    bool went = false;
    for (const StreamFace face : order_) {
      if (went) break;
      const Target target = look(cell, face);
      if (!target.open || target.level >= cell.level) continue;
      if (falls_on(cell, face, target)) went = stream(cell, face, target);
    }
    if (!went && cell.mark.direction != 0) {
      const auto ahead = static_cast<StreamFace>(cell.mark.direction - 1);
      if (ahead != kBelow && ahead != kAbove) went = stream_ahead(cell, ahead);
    }
    for (const StreamFace face : order_) {
      if (!went) went = stream_ahead(cell, face);
    }
    if (!went || cell.level == kStreamLevels) level_out(cell, cell.mark.largest);
  }

  bool stream_ahead(StreamCell& cell, StreamFace face) {
    const Target target = look(cell, face);
    if (!target.open) return false;
    if (target.slot >= 0) {
      const StreamCell& to = cells_[target.slot];
      if (to.reach != kNoReach && to.to_source() <= cell.to_source()) return false;
    }
    return stream(cell, face, target);
  }

  // Levels fall or stay along the way from the spring. Over a difference of one, a level comes from
  // farther up: from the first cell that stands higher than the next one does.
  bool stream(StreamCell& cell, StreamFace face, const Target& target) {
    const std::int32_t less = cell.level - target.level;
    if (less <= 0) return false;
    const bool falls = falls_on(cell, face, target);
    if (!falls && less == 1 && !cell.mark.is_source && !pull(cell)) return false;
    const std::int32_t levels =
        falls ? less : std::min<std::int32_t>(std::max(less / 2, 1), cell.mark.largest);
    give(cell, face, target, levels);
    return true;
  }

  // Lets a cell have one level more from the way to its spring, along its own layer.
  bool pull(StreamCell& cell) {
    StreamCell* to = &cell;
    while (to->unsupplied_in != cells_.tick() && to->from_source != kUnreached) {
      StreamCell& from = cells_[to->from_source];
      if (from.at.y != to->at.y) break;
      // A spring is filled up again, so it may stand a level lower for the rest of the tick.
      if (from.level > 0 && from.level + (from.mark.is_source ? 1 : 0) > to->level) {
        cells_.lower(from, 1);
        cells_.raise(cell, 1);
        cells_.flow(from);
        cells_.flow(cell);
        tell_way(from, cell);
        return true;
      }
      to->unsupplied_in = cells_.tick();  // until the next tick
      to = &from;
    }
    to->unsupplied_in = cells_.tick();
    return false;
  }

  // Of a level that was pulled, from cell to cell.
  void tell_way(const StreamCell& from, const StreamCell& to) {
    for (const StreamCell* at = &to; at != &from;) {
      const StreamCell& before = cells_[at->from_source];
      cells_.tell(before.at, at->at, 1);
      at = &before;
    }
  }

  StreamCells& cells_;
  StreamTurns& turns_;
  std::array<StreamFace, 4> order_{};
  std::int64_t drained_ = 0;
  Turn in_turn_ = Turn::kRiver;
  StreamGiven given_ = 0;      // in it, if it is a river's
  std::uint32_t looked_ = 0;   // StreamCell::looked
  bool looks_beyond_ = false;  // at what is no cell of a stream: who writes there casts no doubts
};

}  // namespace

std::int64_t settle_streams(StreamCells& cells, StreamTurns& turns) {
  return Settling(cells, turns).run();
}

}  // namespace sluice::sim
