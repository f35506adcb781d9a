#include "server/sim/models/stream/settle.h"

#include <bit>

#include "protocol/base/assert.h"

namespace sluice::sim {

std::int64_t StreamSettling::run() {
  // Rivers first, from the edge backwards: each cell finds the next one emptied, and passes on
  // what it holds; so a steady spring makes a river of steady levels.
  cells_.compare_levels();
  turns_.begin();
  for (std::int32_t slot; (slot = turns_.next_of_river(cells_)) >= 0;) {
    StreamCell& cell = cells_[slot];
    if (turns_.was_still()) {
      turns_.note_taken();
      in_turn_ = Turn::kPassing;
      cell.emptied = settle(cell);
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
    cells_[slot].emptied = settle(cells_[slot]);
  }
  turns_.end(cells_);
  return drained_;
}

// Notes what it does, and who has to be told if that is not what it did before.
void StreamSettling::take_turn(StreamCell& cell) {
  in_turn_ = Turn::kRiver;
  given_ = 0;
  looked_ = 0;
  looks_beyond_ = false;
  // If it is emptied and was not, or the other way round, it gives or was given something else: so
  // it will be looked at when the tick ends.
  cell.emptied = settle(cell);
  if (given_ != cell.given) {
    cells_.doubt_turn(cell, (given_ | cell.given) & kGivenLevels);
  }
  cell.given = given_;
  cell.looked = static_cast<std::uint8_t>(looked_);
  cell.doubted = looks_beyond_;
}

// What all that it would look at holds, it held at this moment of the last tick, too.
void StreamSettling::repeat(StreamCell& cell) {
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
  cell.emptied = cell.level == 0;
  cells_.flow_on(cell);
  cell.mark.direction = static_cast<std::uint8_t>(cell.given >> kGivenDirection);
}

bool StreamSettling::settle(StreamCell& cell) {
  if (cell.level == 0) return false;
  fall(cell);
  if (cell.level > 0 && has_way(cell)) spread(cell);
  return cell.level == 0;
}

/// Whether what goes there falls on.
bool StreamSettling::falls_on(const StreamCell& cell, StreamFace face, const Target& target) {
  looked_ |= kLookedBelowSides;
  if (target.slot >= 0) return !cells_.supported(cells_[target.slot]);
  return target.edge || !cells_.supports_dry(cell, face);
}

void StreamSettling::give(StreamCell& cell, StreamFace face, const Target& target,
                          std::int32_t levels) {
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

void StreamSettling::note_given(StreamCell& cell, StreamFace face, std::int32_t levels) {
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

void StreamSettling::fall(StreamCell& cell) {
  const Target below = look(cell, kBelow);
  if (!below.open) return;
  const std::int32_t levels =
      below.edge ? cell.level : std::min(cell.level, kStreamLevels - below.level);
  if (levels > 0) give(cell, kBelow, below, levels);
}

}  // namespace sluice::sim
