#include "server/sim/models/hydro/runs_at_rest.h"

#include <algorithm>

namespace sluice::sim::hydro {

void RunsAtRest::clear() {
  pages_.clear();
  blocks_.clear();
  known_movers_.clear();
  blocks_of_movers_.clear();
  (void)columns_.take_reshaped();
}

void RunsAtRest::forget(std::int32_t run) {
  forget_run(run);
  const std::size_t block = columns_.run(run).block->number;
  if (block < blocks_.size()) blocks_[block].shape_version = 0;
}

void RunsAtRest::forget_run(std::int32_t run) {
  const std::size_t page = static_cast<std::size_t>(run) / kPage;
  if (page < pages_.size() && !pages_[page].empty()) known_of(run).is_known = false;
}

// What of blocks is known bears their version.
void RunsAtRest::forget_reshaped() {
  for (const std::int32_t run : columns_.take_reshaped()) forget_run(run);
}

void RunsAtRest::forget_movers() {
  for (const std::int32_t run : known_movers_) known_of(run).is_known = false;
  for (const std::size_t block : blocks_of_movers_) blocks_[block].shape_version = 0;
  known_movers_.clear();
  blocks_of_movers_.clear();
}

RunsAtRest::Known& RunsAtRest::known_of(std::int32_t run) {
  return pages_[static_cast<std::size_t>(run) / kPage][static_cast<std::size_t>(run) % kPage];
}

const RunsAtRest::Known& RunsAtRest::look_at(std::int32_t id) {
  if (columns_.any_reshaped()) forget_reshaped();
  const std::size_t page = static_cast<std::size_t>(id) / kPage;
  if (page >= pages_.size()) pages_.resize(page + 1);
  if (pages_[page].empty()) pages_[page].resize(kPage);
  Known& known = known_of(id);
  if (known.is_known) return known;
  const Run& run = columns_.run(id);
  known.is_known = true;
  known.level = run.level();
  known.passes = run.wet() && !run.full() && !moves(run);
  known.beside_count = 0;
  known.all_beside = true;
  const std::size_t most = std::min(sizes_.neighbours, known.beside.size());
  for_each_opening(id, [&](std::int32_t beside, bool contact) {
    const Run& other = columns_.run(beside);
    const bool calm = other.full() || absolute(known.level - other.level()) <= kCalm;
    known.passes = known.passes && contact && calm;
    if (!contact) return;
    known.all_beside = known.beside_count < most;
    if (known.all_beside) known.beside[known.beside_count++] = beside;
  });
  // What open water does beside it nobody tells.
  const auto is_open = [&](std::int32_t link) {
    return columns_.run(columns_.link(link).other(id)).in_open_water();
  };
  const bool changes = run.slot != kNone || (any_open_ && std::ranges::any_of(run.links, is_open));
  if (changes) known_movers_.push_back(id);
  return known;
}

const std::vector<Level>& RunsAtRest::levels_of(const Block& block) {
  if (is_known(block)) return blocks_[block.number].levels;
  if (block.number >= blocks_.size()) blocks_.resize(columns_.block_count());
  KnownBlock& known = blocks_[block.number];
  known.shape_version = block.shape_version;
  known.levels.clear();
  bool any_mover = false;
  for (const std::vector<std::int32_t>& column : block.columns) {
    for (const std::int32_t id : column) {
      ++looks_;
      const Run& run = columns_.run(id);
      any_mover = any_mover || run.slot > kNone;
      if (!run.wet() || run.full() || moves(run)) continue;
      // Most stand as high as the one before.
      if (known.levels.empty() || known.levels.back() != run.level()) {
        known.levels.push_back(run.level());
      }
    }
  }
  std::sort(known.levels.begin(), known.levels.end());
  known.levels.erase(std::unique(known.levels.begin(), known.levels.end()), known.levels.end());
  if (any_mover) blocks_of_movers_.push_back(block.number);
  return known.levels;
}

// A block may have many runs over each other, and none be known after a dig.
bool RunsAtRest::any_between(const Ground& ground, Level from, Level to, std::int64_t most) {
  const std::int64_t end = looks_ + most;
  return columns_.any_block(ground, [&](const Block& block) {
    if (looks_ >= end && !is_known(block)) return true;
    const std::vector<Level>& levels = levels_of(block);
    const auto first = std::lower_bound(levels.begin(), levels.end(), from);
    return first != levels.end() && *first < to;
  });
}

}  // namespace sluice::sim::hydro
