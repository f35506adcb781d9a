#include "server/sim/models/block/flow.h"

namespace sluice::sim {

void BlockFlow::begin(CellGroup group, std::int32_t cut) {
  group_ = group;
  cut_ = cut;
  base_ = cells_.new_visits(static_cast<std::uint64_t>(cells_.parts()) + 1);
}

std::uint64_t BlockFlow::passing(LevelCell cell) const {
  const std::uint64_t visit = cells_.visit(cell);
  return visit < base_ ? 0 : visit - base_;
}

bool BlockFlow::usable(LevelCell cell) const {
  return cell != kNoLevelCell && cells_.has_water(cell) && cells_.group(cell) == group_ &&
         passing(cell) < static_cast<std::uint64_t>(cells_.parts());
}

bool BlockFlow::at_top(LevelCell cell) const {
  return cells_.height(cell, cells_.level(cell) - 1) >= cut_;
}

void BlockFlow::enter(LevelCell cell, CellFace direction) {
  way_.push_back({cell, direction, 0, passing(cell)});
  cells_.visit(cell) = base_ + static_cast<std::uint64_t>(cells_.parts());
}

bool BlockFlow::pass(LevelCell cell, CellFace from) {
  if (!usable(cell)) return false;
  const std::span<const CellFace> faces = faces_of(cells_.shape());
  way_.clear();
  enter(cell, from);
  while (!way_.empty()) {
    Step& step = way_.back();
    if (at_top(step.cell)) {
      for (const Step& passed : way_) cells_.visit(passed.cell) = base_ + passed.passing + 1;
      return true;
    }
    // Up where that is the top; straight on; then all faces in their order: above first.
    if (step.turn > faces.size() + 1) {
      way_.pop_back();
      continue;
    }
    const std::uint8_t turn = step.turn++;
    const CellFace face = turn == 0   ? CellFace::kAbove
                          : turn == 1 ? step.direction
                                      : faces[turn - 2U];
    const LevelCell next = cells_.neighbor(step.cell, face);
    if (turn == 0 && !(next != kNoLevelCell && cells_.has_water(next) && at_top(next))) continue;
    if (usable(next)) enter(next, face);
  }
  return false;
}

}  // namespace sluice::sim
