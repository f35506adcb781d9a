// Runs, what they touch and which pools they make: kept as long as the same cells are firm.
#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "server/sim/models/stream/pressure.h"

namespace sluice::sim {

namespace {

/// The lowest and the highest of the set bits around a set one.
std::pair<std::int32_t, std::int32_t> run_around(std::uint64_t mask, std::int32_t height) {
  const std::uint64_t gaps_below = ~mask & ((std::uint64_t{1} << height) - 1);
  return {64 - std::countl_zero(gaps_below), height + std::countr_one(mask >> height) - 1};
}

}  // namespace

void StreamPressure::learn_shape(const ChunkShape& shape) {
  shape_ = shape;
  slab_ = shape.slab();
  const auto side = [&](std::int32_t column, std::int32_t place, std::int32_t last,
                        std::int32_t step) {
    const bool leaves = place == (step > 0 ? last : 0);
    return static_cast<std::int16_t>(leaves ? -1 - (column - step * last) : column + step);
  };
  for (std::int32_t column = 0; column < slab_; ++column) {
    const std::int32_t x = column % shape.width();
    const std::int32_t z = column / shape.width();
    sides_[static_cast<std::size_t>(column)] = {side(column, x, shape.width() - 1, -1),
                                                side(column, x, shape.width() - 1, 1),
                                                side(column, z, shape.depth() - 1, -shape.width()),
                                                side(column, z, shape.depth() - 1, shape.width())};
  }
}

void StreamPressure::find_runs(StreamCells& cells) {
  std::vector<StreamCells::FirmColumn>& changed = cells.firm_changed();
  bool kept = regions_version_ == cells.regions_version() &&
              changed.size() * kManyRuns <= runs_.size() && links_.size() <= 2 * least_links_;
  if (kept && changed.empty()) return;
  for (std::size_t i = 0; i < changed.size() && kept; ++i) kept = change_column(cells, changed[i]);
  changed.clear();
  regions_version_ = cells.regions_version();
  if (kept) {
    link_anew(cells);
  } else {
    list_all(cells);
  }
  members_.clear();
  kept_pools_.clear();
  for (Run& run : runs_) run.known = false;
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    if (!runs_[run].known) gather_pool(static_cast<std::int32_t>(run));
  }
}

void StreamPressure::list_all(const StreamCells& cells) {
  runs_.clear();
  links_.clear();
  for (const auto& region : cells.regions()) {
    region->runs_listed = region->chunk != nullptr && region->firm_cells > 0;
    if (region->runs_listed) list_runs(*region);
  }
  for (Run& run : runs_) find_links(cells, run);
  least_links_ = links_.size();
}

/// Whether the column has as many runs as it had. Then they are changed where they stand, and those
/// around them will be linked anew.
bool StreamPressure::change_column(const StreamCells& cells,
                                   const StreamCells::FirmColumn& changed) {
  const StreamCells::Region& region = *changed.region;
  if (!region.runs_listed) return false;
  const auto runs_of = [&](const StreamCells::Region& of, std::int32_t column) {
    const std::int32_t first = of.first_run[static_cast<std::size_t>(column)];
    std::int32_t end = first;
    while (static_cast<std::size_t>(end) < runs_.size() &&
           runs_[static_cast<std::size_t>(end)].region == &of &&
           runs_[static_cast<std::size_t>(end)].column == column) {
      ++end;
    }
    return std::pair(first, end);
  };
  const auto mark = [&](const Column& column) {
    if (column.region == nullptr || !column.region->runs_listed) return;
    const auto [first, end] = runs_of(*column.region, column.column);
    for (std::int32_t run = first; run < end; ++run) {
      runs_[static_cast<std::size_t>(run)].changed = true;
    }
  };
  auto [run, end] = runs_of(region, changed.column);
  std::uint64_t left = region.firm[static_cast<std::size_t>(changed.column)];
  if (std::popcount(left & ~(left << 1)) != end - run) return false;
  for (; run < end; ++run) {
    Run& here = runs_[static_cast<std::size_t>(run)];
    std::tie(here.low, here.high) = run_around(left, std::countr_zero(left));
    here.base = shape_.cell_at(region.chunk->coord, here.low * slab_ + changed.column);
    left &= ~bits_between(here.low, here.high);
  }
  mark({&region, changed.column});
  for (std::size_t face = 0; face < kFaces; ++face) {
    mark(column_beside(cells, region, changed.column, static_cast<StreamFace>(face)));
  }
  return true;
}

void StreamPressure::link_anew(const StreamCells& cells) {
  for (Run& run : runs_) {
    if (run.changed) find_links(cells, run);
  }
}

void StreamPressure::list_runs(StreamCells::Region& region) {
  for (std::int32_t column = 0; column < slab_; ++column) {
    region.first_run[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(runs_.size());
    std::uint64_t left = region.firm[static_cast<std::size_t>(column)];
    while (left != 0) {
      const auto [low, high] = run_around(left, std::countr_zero(left));
      const Vec3 base = shape_.cell_at(region.chunk->coord, low * slab_ + column);
      runs_.push_back(
          {.region = &region, .base = base, .column = column, .low = low, .high = high});
      left &= ~bits_between(low, high);
    }
  }
}

void StreamPressure::gather_pool(std::int32_t first) {
  Pool pool;
  pool.first = runs_[static_cast<std::size_t>(first)].base;
  pool.begin = static_cast<std::int32_t>(members_.size());
  runs_[static_cast<std::size_t>(first)].known = true;
  members_.push_back(first);
  for (auto next = static_cast<std::size_t>(pool.begin); next < members_.size(); ++next) {
    const Run& run = runs_[static_cast<std::size_t>(members_[next])];
    for (std::int32_t i = run.links; i < run.links_end; ++i) {
      const std::int32_t there = links_[static_cast<std::size_t>(i)].run;
      if (std::exchange(runs_[static_cast<std::size_t>(there)].known, true)) continue;
      members_.push_back(there);
    }
    pool.first = std::min(pool.first, run.base);
    pool.top = std::max(pool.top, run.head());
  }
  pool.end = static_cast<std::int32_t>(members_.size());
  kept_pools_.push_back(pool);
}

std::int32_t StreamPressure::run_at(const StreamCells::Region& region, std::int32_t column,
                                    std::int32_t height) const {
  std::int32_t run = region.first_run[static_cast<std::size_t>(column)];
  const std::uint64_t firm = region.firm[static_cast<std::size_t>(column)];
  if (const std::uint64_t starts = firm & ~(firm << 1); (starts & (starts - 1)) == 0) return run;
  while (runs_[static_cast<std::size_t>(run)].high < height) ++run;
  return run;
}

StreamPressure::Column StreamPressure::column_beside(const StreamCells& cells,
                                                     const StreamCells::Region& region,
                                                     std::int32_t column, StreamFace face) const {
  if (face != kAbove && face != kBelow) {
    const std::size_t side = face < kBelow ? face : face - kBelow;
    column = sides_[static_cast<std::size_t>(column)][side];
    if (column >= 0) return {&region, column};
    column = -1 - column;
  }
  const Chunk* const chunk = chunk_beside(*region.chunk, face);
  if (chunk == nullptr || !chunk->in_pass) return {};
  return {cells.regions()[chunk->pass_slot].get(), column};
}

void StreamPressure::find_links(const StreamCells& cells, Run& run) {
  run.changed = false;
  run.links = static_cast<std::int32_t>(links_.size());
  const std::uint64_t heights = run.heights();
  for (std::size_t i = 0; i < kFaces; ++i) {
    const auto face = static_cast<StreamFace>(i);
    const bool upright = face == kAbove || face == kBelow;
    // Above and below only where the run reaches the chunk's border: else what lies there is none.
    if (upright && (face == kAbove ? run.high < shape_.height() - 1 : run.low > 0)) continue;
    const Column beside = column_beside(cells, *run.region, run.column, face);
    if (beside.region == nullptr) continue;
    const std::uint64_t firm = beside.region->firm[static_cast<std::size_t>(beside.column)];
    const std::int32_t border = face == kAbove ? 0 : shape_.height() - 1;
    add_links(face, beside, firm & (upright ? std::uint64_t{1} << border : heights));
  }
  run.links_end = static_cast<std::int32_t>(links_.size());
}

void StreamPressure::add_links(StreamFace face, const Column& beside, std::uint64_t touching) {
  while (touching != 0) {
    const std::int32_t low = std::countr_zero(touching);
    const std::int32_t high = low + std::countr_one(touching >> low) - 1;
    links_.push_back({run_at(*beside.region, beside.column, low), face,
                      static_cast<std::uint8_t>(high), static_cast<std::uint8_t>(high - low + 1)});
    touching &= ~bits_between(low, high);
  }
}

}  // namespace sluice::sim
