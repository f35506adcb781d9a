#include <algorithm>
#include <tuple>

#include "server/sim/models/stream/phases.h"

namespace sluice::sim {

namespace {

/// Levels a tick that pass one full cell under pressure.
constexpr std::int32_t kPressureFlow = kStreamLevels;

std::int32_t head_of(const StreamCell& cell) {
  return cell.at.y * kStreamLevels + cell.level;
}

bool full(const StreamCell& cell) {
  return cell.full();
}

/// Whether pressure reaches the cell behind a face of a full one: full cells everywhere, part-full
/// ones on top of it, and beside it where they stand on something.
bool presses_on(const StreamCells& cells, const StreamCell& from, std::size_t face) {
  const std::int32_t there = from.beside[face];
  if (there < 0) return false;
  const StreamCell& to = cells[there];
  if (full(to)) return true;
  if (face == kBelow || to.level == 0) return false;  // what is below falls there by itself
  return face == kAbove || cells.supported(to);
}

}  // namespace

bool StreamPressure::any_moves(StreamCells& cells) {
  full_.clear();
  for (std::int32_t slot = 0; slot < cells.size(); ++slot) {
    cells[slot].pool = kUnreached;
    if (cells[slot].stored()) full_.push_back(slot);
  }
  bool any = false;
  for (const std::int32_t first : full_) {
    if (!full(cells[first]) || cells[first].pool != kUnreached) continue;
    gather_pool(cells, first);
    Pool pool;
    measure(cells, pool);
    any = any || pool.top - pool.lowest >= 2;
  }
  for (StreamCell& cell : cells.cells()) cell.pool = kUnreached;
  return any;
}

void StreamPressure::move(StreamCells& cells) {
  if (!any_moves(cells)) return;
  std::sort(full_.begin(), full_.end(), [&](std::int32_t a, std::int32_t b) {
    return std::tuple(cells.turn_of(cells[a]), cells[a].at) <
           std::tuple(cells.turn_of(cells[b]), cells[b].at);
  });
  for (const std::int32_t first : full_) {
    if (!full(cells[first]) || cells[first].pool != kUnreached) continue;
    gather_pool(cells, first);
    Pool pool;
    measure(cells, pool);
    if (pool.top - pool.lowest < 2) continue;
    // What gives stays above all that takes, so that no level ever rises.
    const std::int32_t range = pool.top - pool.lowest;
    pool.giving = pool.top - std::max(range == 2 ? 1 : 2, range / 4);
    find_ways(cells, pool);
    for (std::size_t i = queue_.size(); i-- > 0;) ask(cells, pool, cells[queue_[i]]);
    for (const std::int32_t slot : queue_) grant(cells, cells[slot], slot);
  }
}

void StreamPressure::gather_pool(StreamCells& cells, std::int32_t first) {
  members_.assign(1, first);
  leaves_.clear();
  cells[first].pool = first;
  for (std::size_t next = 0; next < members_.size(); ++next) {
    StreamCell& from = cells[members_[next]];
    from.from_giver = kUnreached;
    from.need = from.passing = from.granted = 0;
    for (std::size_t face = 0; face < kFaces; ++face) {
      if (!presses_on(cells, from, face)) continue;
      const std::int32_t there = from.beside[face];
      StreamCell& to = cells[there];
      // A full cell belongs to one pool a tick, even if it was filled a moment ago.
      if (to.pool == first || (full(to) && to.pool != kUnreached)) continue;
      to.pool = first;
      to.from_giver = kUnreached;
      to.need = to.passing = to.granted = 0;
      (full(to) ? members_ : leaves_).push_back(there);
    }
  }
}

void StreamPressure::measure(StreamCells& cells, Pool& pool) const {
  pool.top = INT32_MIN;
  for (const auto* list : {&members_, &leaves_}) {
    for (const std::int32_t slot : *list) pool.top = std::max(pool.top, head_of(cells[slot]));
  }
  pool.lowest = pool.top;
  for (const std::int32_t slot : leaves_) {
    pool.lowest = std::min(pool.lowest, head_of(cells[slot]));
  }
  // The row of the highest water; only what lies below it rises.
  const std::int32_t top_row = (pool.top - 1) / kStreamLevels;
  for (const std::int32_t slot : members_) {
    const StreamCell& cell = cells[slot];
    if (cell.beside[kAbove] < 0 && cell.beside[kAbove] != kDryThere) continue;
    if (cell.beside[kAbove] >= 0 && cells[cell.beside[kAbove]].level > 0) continue;
    if (cell.at.y + 1 < top_row) pool.lowest = std::min(pool.lowest, head_of(cell));
  }
}

void StreamPressure::find_ways(StreamCells& cells, const Pool& pool) {
  const std::int32_t top_row = (pool.top - 1) / kStreamLevels;
  queue_.clear();
  for (const auto* list : {&members_, &leaves_}) {
    for (const std::int32_t slot : *list) {
      StreamCell& cell = cells[slot];
      const std::int32_t head = head_of(cell);
      if (head > pool.giving) {
        cell.from_giver = 0;
        queue_.push_back(slot);
      } else if (!full(cell)) {
        cell.need = std::min(kStreamLevels - cell.level, pool.giving - head);
      } else if (cell.at.y + 1 < top_row) {
        const std::int32_t above = cell.beside[kAbove];
        const bool room = above == kDryThere || (above >= 0 && cells[above].level == 0);
        if (room) cell.need = std::min(kStreamLevels, pool.giving - head);
      }
    }
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const StreamCell& from = cells[queue_[next]];
    for (std::size_t face = 0; face < kFaces; ++face) {
      // A part-full cell presses on what it stands on alone.
      if (full(from) ? !presses_on(cells, from, face)
                     : from.from_giver > 0 || face != kBelow || from.beside[face] < 0) {
        continue;
      }
      StreamCell& to = cells[from.beside[face]];
      if (to.pool != from.pool || to.from_giver != kUnreached) continue;
      to.from_giver = from.from_giver + 1;
      queue_.push_back(from.beside[face]);
    }
  }
}

void StreamPressure::ask(StreamCells& cells, const Pool& pool, StreamCell& cell) const {
  cell.asked.fill(0);
  if (cell.from_giver == 0) return;
  std::int32_t wanted = cell.need + cell.passing;
  for (std::size_t turn = 0; turn < kFaces && wanted > 0; ++turn) {
    const std::size_t face = (turn + static_cast<std::size_t>(cells.turn_of(cell) % kFaces)) % kFaces;
    if (cell.beside[face] < 0) continue;
    StreamCell& parent = cells[cell.beside[face]];
    if (parent.pool != cell.pool || parent.from_giver + 1 != cell.from_giver) continue;
    if (!full(parent) && face != kAbove) continue;
    const std::int32_t possible = parent.from_giver == 0
                                      ? std::min(parent.level, head_of(parent) - pool.giving)
                                      : kPressureFlow;
    const std::int32_t levels = std::min(wanted, possible - parent.passing);
    if (levels <= 0) continue;
    parent.passing += levels;
    cell.asked[face] = static_cast<std::int8_t>(levels);
    wanted -= levels;
  }
}

// In the order of the ways, so that a cell has what it was granted before it grants.
void StreamPressure::grant(StreamCells& cells, StreamCell& cell, std::int32_t slot) const {
  if (cell.from_giver == 0) {
    cell.granted = cell.passing;
    cells.lower(cell, cell.passing);
    if (cell.passing > 0) cells.flow(cell);
  } else if (cell.granted > 0) {
    cells.flow(cell);
    const std::int32_t taken = std::min(cell.need, cell.granted);
    cell.granted -= taken;
    if (!full(cell)) {
      cell.level += taken;
    } else if (taken > 0) {
      StreamMark mark;
      mark.active = 1;
      mark.has_source = cell.mark.has_source;
      mark.largest = cell.mark.largest;
      mark.parents = 1 << kBelow;
      if (cell.beside[kAbove] >= 0) {
        StreamCell& above = cells[cell.beside[kAbove]];
        above.level += taken;
        cells.flow(above);
      } else {
        cells.wet(cell, kAbove, taken, mark);
      }
    }
  }
  for (std::size_t face = 0; face < kFaces && cell.granted > 0; ++face) {
    if (cell.beside[face] < 0) continue;
    StreamCell& child = cells[cell.beside[face]];
    const auto back = opposite(static_cast<StreamFace>(face));
    if (child.pool != cell.pool || child.from_giver != cell.from_giver + 1) continue;
    if (child.beside[back] != slot) continue;
    const std::int32_t levels = std::min<std::int32_t>(child.asked[back], cell.granted);
    child.granted += levels;
    cells.tell(cell.at, child.at, levels);
    cell.granted -= levels;
    if (levels > 0) cell.mark.direction = static_cast<std::uint8_t>(face + 1);
  }
}

}  // namespace sluice::sim
