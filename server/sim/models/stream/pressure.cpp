#include "server/sim/models/stream/pressure.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace sluice::sim {

namespace {

/// Levels a tick that pass through one firm cell, or from one to the next.
constexpr std::int32_t kPressureFlow = kStreamLevels;

std::int32_t head_of(const StreamCell& cell) {
  return cell.at.y * kStreamLevels + cell.level;
}

/// What a cell holds above a head, in levels.
std::int32_t above(const StreamCell& cell, std::int32_t head) {
  return std::clamp(head_of(cell) - head, 0, cell.level);
}

}  // namespace

void StreamPressure::move(StreamCells& cells) {
  if (slab_ == 0) learn_shape(cells.shape());
  find_runs(cells);
  rooms_.clear();
  pools_ = kept_pools_;
  for (const auto& region : cells.regions()) {
    if (region->runs_listed) region->near_part_full = near_part_full(cells, *region);
  }
  for (Pool& pool : pools_) look_at(cells, pool);
  std::erase_if(pools_, [](const Pool& pool) { return pool.top - pool.lowest < 2; });
  std::sort(pools_.begin(), pools_.end(),
            [](const Pool& a, const Pool& b) { return a.first < b.first; });
  for (Pool& pool : pools_) act(cells, pool);
}

void StreamPressure::look_at(const StreamCells& cells, Pool& pool) {
  pool.rooms = static_cast<std::int32_t>(rooms_.size());
  for (std::int32_t i = pool.begin; i < pool.end; ++i) {
    Run& run = member(i);
    run.from_giver = run.asked = kUnreached;
    run.supply = run.need = run.passing = run.granted = 0;
    find_rooms(cells, run);
  }
  pool.rooms_end = static_cast<std::int32_t>(rooms_.size());
  find_lowest(cells, pool);
}

/// Whether a part-full cell may stand beside any run of a region.
bool StreamPressure::near_part_full(const StreamCells& cells, const StreamCells::Region& region) {
  if (region.part_full_cells > 0) return true;
  return std::any_of(kSideways.begin(), kSideways.end(), [&](StreamFace face) {
    const Chunk* const chunk = chunk_beside(*region.chunk, face);
    return chunk != nullptr && chunk->in_pass &&
           cells.regions()[chunk->pass_slot]->part_full_cells > 0;
  });
}

void StreamPressure::find_rooms(const StreamCells& cells, Run& run) {
  run.rooms = static_cast<std::int32_t>(rooms_.size());
  find_over(cells, run);
  const std::uint64_t heights = run.heights();
  for (std::size_t i = 0; i < kSideways.size() && run.region->near_part_full; ++i) {
    const StreamFace face = kSideways[i];
    const Column beside = column_beside(cells, *run.region, run.column, face);
    if (beside.region == nullptr) continue;
    std::uint64_t part_full =
        beside.region->part_full[static_cast<std::size_t>(beside.column)] & heights;
    for (; part_full != 0; part_full &= part_full - 1) {
      const std::int32_t height = std::countr_zero(part_full);
      const std::int32_t slot =
          beside.region->slots[static_cast<std::size_t>(height * slab_ + beside.column)];
      if (!cells.supported(cells[slot])) continue;
      rooms_.push_back({slot, slot_in(run, height), 0, face});
    }
  }
  run.rooms_end = static_cast<std::int32_t>(rooms_.size());
}

void StreamPressure::find_over(const StreamCells& cells, Run& run) {
  const StreamCells::Region* region = run.region;
  const std::int32_t top = slot_in(run, run.high);
  // Most often there is no need to look at the cells themselves.
  std::int32_t height = run.high + 1;
  if (height == shape_.height()) {
    const Chunk* const above = region->chunk->above;
    const bool kept = above != nullptr && above->in_pass;
    region = kept ? cells.regions()[above->pass_slot].get() : nullptr;
    height = 0;
  }
  if (region == nullptr || region->chunk->world_cells != kChunkCells) {
    run.over = cells[top].beside[kAbove];
    if (run.over >= 0 && cells[run.over].level > 0 && !cells[run.over].full()) {
      rooms_.push_back({run.over, top, 0, kAbove});
      return;
    }
  } else {
    const auto column = static_cast<std::size_t>(run.column);
    run.over = region->slots[static_cast<std::size_t>(height * slab_ + run.column)];
    if ((region->firm[column] >> height & 1) != 0) return;
    if ((region->part_full[column] >> height & 1) != 0) {
      rooms_.push_back({run.over, top, 0, kAbove});
      return;
    }
  }
  if (run.over >= 0 ? !cells[run.over].full() : run.over == kDryThere) {
    rooms_.push_back({kDryThere, top, run.head(), kAbove});
  }
}

void StreamPressure::find_lowest(const StreamCells& cells, Pool& pool) const {
  for (std::int32_t i = pool.rooms; i < pool.rooms_end; ++i) {
    const Room& room = rooms_[static_cast<std::size_t>(i)];
    if (room.slot < 0) continue;
    pool.top = std::max(pool.top, head_of(cells[room.slot]));
    pool.lowest = std::min(pool.lowest, head_of(cells[room.slot]));
  }
  pool.lowest = std::min(pool.lowest, pool.top);
  // The row of the highest water; only what lies below it rises.
  const std::int32_t top_row = (pool.top - 1) / kStreamLevels;
  for (std::int32_t i = pool.rooms; i < pool.rooms_end; ++i) {
    const Room& room = rooms_[static_cast<std::size_t>(i)];
    if (room.slot >= 0) continue;
    if (room.base < top_row * kStreamLevels) pool.lowest = std::min(pool.lowest, room.base);
  }
}

void StreamPressure::act(StreamCells& cells, Pool& pool) {
  // What gives stays above all that takes, so that no level ever rises.
  const std::int32_t range = pool.top - pool.lowest;
  pool.giving = pool.top - std::max(range == 2 ? 1 : 2, range / 4);
  ++searches_;
  asks_.clear();
  find_givers(cells, pool);
  const std::int32_t wanting = find_wanting(cells, pool);
  if (wanting == 0 || givers_.empty()) return;
  find_ways(cells, wanting);
  for (std::size_t i = queue_.size(); i-- > 0;) ask(cells, queue_[i]);
  for (const std::int32_t run : queue_) {
    grant(cells, pool, runs_[static_cast<std::size_t>(run)]);
  }
}

void StreamPressure::find_givers(StreamCells& cells, const Pool& pool) {
  givers_.clear();
  for (std::int32_t i = pool.begin; i < pool.end; ++i) {
    Run& run = member(i);
    // Not even the cell above its highest one holds water that high.
    if (run.head() + kStreamLevels <= pool.giving) continue;
    run.supply = std::clamp(run.head() - pool.giving, 0, run.height() * kStreamLevels);
    if (run.over >= 0) {
      const StreamCell& surface = cells[run.over];
      // What is full there is the next run's.
      if (surface.found_level < kStreamLevels) run.supply += above(surface, pool.giving);
    }
    if (run.supply == 0) continue;
    givers_.push_back({cells.turn_of(run.base), run.base, members_[static_cast<std::size_t>(i)]});
  }
  std::sort(givers_.begin(), givers_.end(), [](const Giver& a, const Giver& b) {
    return std::tie(a.turn, a.at) < std::tie(b.turn, b.at);
  });
}

// Notes what each room takes, and counts those that take anything, each once.
std::int32_t StreamPressure::find_wanting(StreamCells& cells, const Pool& pool) {
  const std::int32_t top_row = (pool.top - 1) / kStreamLevels;
  std::int32_t wanting = 0;
  for (std::int32_t i = pool.rooms; i < pool.rooms_end; ++i) {
    Room& room = rooms_[static_cast<std::size_t>(i)];
    if (room.slot < 0) {
      if (room.base >= top_row * kStreamLevels) continue;
      room.need = std::clamp(pool.giving - room.base, 0, kStreamLevels);
      wanting += room.need > 0 ? 1 : 0;
      continue;
    }
    StreamCell& cell = cells[room.slot];
    room.need = std::min(kStreamLevels - cell.level, pool.giving - head_of(cell));
    if (room.need <= 0 || cell.wanting_in == searches_) continue;
    cell.wanting_in = searches_;
    ++wanting;
  }
  return wanting;
}

// As far as the last one that wants any.
void StreamPressure::find_ways(StreamCells& cells, std::int32_t wanting) {
  queue_.clear();
  for (const Giver& giver : givers_) {
    runs_[static_cast<std::size_t>(giver.run)].from_giver = 0;
    queue_.push_back(giver.run);
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    Run& run = runs_[static_cast<std::size_t>(queue_[next])];
    for (std::int32_t j = run.rooms; j < run.rooms_end; ++j) {
      Room& room = rooms_[static_cast<std::size_t>(j)];
      if (room.need <= 0) continue;
      if (room.slot >= 0) {
        // The nearest run has it.
        if (cells[room.slot].wanting_in != searches_) {
          room.need = 0;
          continue;
        }
        cells[room.slot].wanting_in = 0;
      }
      run.need += room.need;
      --wanting;
    }
    if (wanting == 0) {
      queue_.resize(next + 1);
      return;
    }
    const std::int32_t further = run.from_giver + 1;
    for (std::int32_t i = run.links; i < run.links_end; ++i) {
      const std::int32_t there = links_[static_cast<std::size_t>(i)].run;
      Run& to = runs_[static_cast<std::size_t>(there)];
      if (to.from_giver != kUnreached) continue;
      to.from_giver = further;
      queue_.push_back(there);
    }
  }
}

void StreamPressure::ask(StreamCells& cells, std::int32_t child) {
  Run& run = runs_[static_cast<std::size_t>(child)];
  if (run.from_giver == 0) return;
  std::int32_t wanted = std::min(run.need + run.passing, kPressureFlow * run.height());
  if (wanted == 0) return;
  // From a drawn face on, then from the first one to there.
  const std::uint64_t turned = cells.turn_of(run.base) % kFaces;
  std::int32_t begin = run.links;
  while (begin < run.links_end && links_[static_cast<std::size_t>(begin)].face < turned) ++begin;
  for (std::int32_t i = begin; i < run.links_end; ++i) ask_beside(child, i, wanted);
  for (std::int32_t i = run.links; i < begin; ++i) ask_beside(child, i, wanted);
}

void StreamPressure::ask_beside(std::int32_t child, std::int32_t link, std::int32_t& wanted) {
  const Run& run = runs_[static_cast<std::size_t>(child)];
  const Link& way = links_[static_cast<std::size_t>(link)];
  Run& parent = runs_[static_cast<std::size_t>(way.run)];
  if (parent.from_giver + 1 != run.from_giver || parent.from_giver == kUnreached) return;
  const std::int32_t possible =
      parent.from_giver == 0 ? parent.supply : kPressureFlow * parent.height();
  const std::int32_t levels =
      std::min({wanted, possible - parent.passing, kPressureFlow * way.cells});
  if (levels <= 0) return;
  parent.passing += levels;
  wanted -= levels;
  asks_.push_back({child, opposite(way.face), way.high, levels, parent.asked});
  parent.asked = static_cast<std::int32_t>(asks_.size()) - 1;
}

// In the order of the ways, so that a run has what it was granted before it grants.
void StreamPressure::grant(StreamCells& cells, const Pool& pool, Run& run) {
  if (run.from_giver == 0) {
    run.granted = std::min(run.supply, run.need + run.passing);
    give(cells, pool, run, run.granted);
  }
  for (std::int32_t j = run.rooms; j < run.rooms_end && run.granted > 0; ++j) {
    const Room& room = rooms_[static_cast<std::size_t>(j)];
    const std::int32_t levels = std::min(room.need, run.granted);
    if (levels <= 0) continue;
    fill(cells, room, levels);
    run.granted -= levels;
  }
  for (std::int32_t i = run.asked; i != kUnreached && run.granted > 0;) {
    const Ask& asked = asks_[static_cast<std::size_t>(i)];
    i = asked.next;
    const std::int32_t levels = std::min(asked.levels, run.granted);
    Run& child = runs_[static_cast<std::size_t>(asked.child)];
    child.granted += levels;
    run.granted -= levels;
    if (asked.face == kBelow || asked.face == kAbove) continue;
    StreamCell& from = cells[slot_in(run, asked.overlap)];
    StreamCell& to = cells[slot_in(child, asked.overlap)];
    from.mark.direction = static_cast<std::uint8_t>(asked.face + 1);
    cells.flow(from);
    cells.flow(to);
    cells.tell(from.at, to.at, levels);
  }
}

// From the surface downwards.
void StreamPressure::give(StreamCells& cells, const Pool& pool, const Run& run,
                          std::int32_t levels) {
  const auto take = [&](StreamCell& cell) {
    const std::int32_t some = std::min(levels, above(cell, pool.giving));
    if (some == 0) return;
    cells.lower(cell, some);
    cells.note_pressed(cell);
    cells.flow(cell);
    levels -= some;
  };
  if (run.over >= 0 && cells[run.over].found_level < kStreamLevels) take(cells[run.over]);
  for (std::int32_t height = run.high; height >= run.low && levels > 0; --height) {
    take(cells[slot_in(run, height)]);
  }
}

void StreamPressure::fill(StreamCells& cells, const Room& room, std::int32_t levels) {
  StreamCell& firm = cells[room.firm];
  const std::int32_t slot = room.slot < 0 ? firm.beside[kAbove] : room.slot;
  firm.mark.direction = static_cast<std::uint8_t>(room.face + 1);
  cells.flow(firm);
  if (slot < 0) {
    StreamMark mark;
    mark.active = 1;
    mark.has_source = firm.mark.has_source;
    mark.largest = firm.mark.largest;
    mark.parents = 1 << kBelow;
    cells.wet(firm, kAbove, levels, mark);
    return;
  }
  StreamCell& cell = cells[slot];
  cells.raise(cell, levels);
  cells.note_pressed(cell);
  cells.flow(cell);
  cells.tell(firm.at, cell.at, levels);
}

}  // namespace sluice::sim
