// Where water goes that does not fall: along the ways to the edge, on the search for one, or to
// what is lower.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "server/sim/models/stream/settle.h"

namespace sluice::sim {

// A quick look, before anything is drawn: deep water mostly has none.
bool StreamSettling::has_way(const StreamCell& cell) {
  const std::int32_t most = cell.in_river() ? kStreamLevels - 1 : cell.level - 1;
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

void StreamSettling::spread(StreamCell& cell) {
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
void StreamSettling::find_order(StreamCell& cell) {
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
void StreamSettling::level_out(StreamCell& cell, std::int32_t most) {
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
void StreamSettling::run_out(StreamCell& cell) {
  const bool brimful = cell.level == kStreamLevels;
  const std::uint32_t ways = cell.onward | dry_ways(cell);
  if (std::has_single_bit(ways)) {
    share(cell, ways);
  } else if (ways != 0) {
    const std::uint32_t straight = ways & straight_on(cell);
    const std::uint32_t own = ways & ways_of_its_own(cell);
    for (const std::uint32_t some :
         {straight & own, own & ~straight, straight & ~own, ways & ~straight & ~own}) {
      if (some != 0) share(cell, some);
    }
  }
  if (brimful) level_out(cell, cell.mark.largest);
}

// In equal shares, as far as there is room; what one way cannot take goes the others.
void StreamSettling::share(StreamCell& cell, std::uint32_t faces) {
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
std::uint32_t StreamSettling::dry_ways(const StreamCell& cell) {
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
std::uint32_t StreamSettling::straight_on(const StreamCell& cell) {
  std::uint32_t found = 0;
  for (const StreamFace face : kSideways) {
    if ((cell.mark.parents >> opposite(face) & 1) != 0) found |= 1U << face;
  }
  return found;
}

// Where nothing else comes in, nor hangs above, nobody is pushed aside: so rows of a river stay
// rows below a fall, too. Bits of faces.
std::uint32_t StreamSettling::ways_of_its_own(const StreamCell& cell) {
  looked_ |= kLookedAboveSides;
  std::uint32_t found = 0;
  for (const StreamFace face : kSideways) {
    const std::int32_t there = cell.beside[face];
    if (there >= 0) {
      const StreamCell& to = cells_[there];
      if ((to.mark.parents & ~(1U << opposite(face))) != 0) continue;
      const std::int32_t over = to.beside[kAbove];
      if (over >= 0 && cells_[over].level > 0) continue;
    }
    found |= 1U << face;
  }
  return found;
}

// On level ground a river runs without a slope: all that the next cells have room for.
void StreamSettling::run_on(StreamCell& cell, StreamFace face, const Target& target,
                            std::int32_t share) {
  const std::int32_t levels = target.edge ? share : std::min(share, kStreamLevels - target.level);
  if (levels > 0) give(cell, face, target, levels);
}

// Straight on while that is possible; then wherever water can go that does not lead back.
void StreamSettling::explore(StreamCell& cell) {
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

bool StreamSettling::stream_ahead(StreamCell& cell, StreamFace face) {
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
bool StreamSettling::stream(StreamCell& cell, StreamFace face, const Target& target) {
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
bool StreamSettling::pull(StreamCell& cell) {
  way_ = {&cell};
  for (;;) {
    StreamCell& to = *way_.back();
    StreamCell* const from = to.unsupplied_in == cells_.tick() ? nullptr : highest_before(to);
    if (from != nullptr) {
      way_.push_back(from);
      // A spring is filled up again, so it may stand a level lower for the rest of the tick.
      if (from->level + (from->mark.is_source ? 1 : 0) > to.level) break;
    }
    to.unsupplied_in = cells_.tick();  // until the next tick
    if (from == nullptr) return false;
  }
  cells_.lower(*way_.back(), 1);
  cells_.raise(cell, 1);
  cells_.flow(*way_.back());
  cells_.flow(cell);
  for (std::size_t i = way_.size() - 1; i > 0; --i) cells_.tell(way_[i]->at, way_[i - 1]->at, 1);
  return true;
}

// Of the cells beside it that are nearer to the spring, that which stands highest. Of several a
// place has the same one in every tick: where nothing moved in one tick nothing may in the next.
StreamCell* StreamSettling::highest_before(const StreamCell& cell) {
  const std::uint64_t first = draw(cells_.seed(), 0, cell.at, DrawPurpose::kStreamSpread);
  StreamCell* highest = nullptr;
  for (std::size_t i = 0; i < kSideways.size(); ++i) {
    const std::int32_t there = cell.beside[kSideways[(first + i) % kSideways.size()]];
    if (there < 0) continue;
    StreamCell& from = cells_[there];
    if (from.reach + 1 != cell.reach || from.level == 0) continue;
    if (highest == nullptr || from.level > highest->level) highest = &from;
  }
  return highest;
}

}  // namespace sluice::sim
