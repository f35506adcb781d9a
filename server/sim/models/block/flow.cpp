#include "server/sim/models/block/flow.h"

namespace sluice::sim {

namespace {

constexpr CellFace opposite(CellFace face) {
  constexpr std::array<CellFace, kFaces> kOpposite = {CellFace::kBelow, CellFace::kRight,
                                                      CellFace::kLeft,  CellFace::kBack,
                                                      CellFace::kFront, CellFace::kAbove};
  return kOpposite[static_cast<std::size_t>(face)];
}

template <class T>
auto& item(T& list, std::int32_t number) {
  return list[static_cast<std::size_t>(number)];
}

template <class T>
std::int32_t count_of(const T& list) {
  return static_cast<std::int32_t>(list.size());
}

}  // namespace

void BlockFlow::begin(CellGroup group, std::int64_t size, std::int32_t cut) {
  group_ = group;
  cut_ = cut;
  base_ = cells_.new_visits(static_cast<std::uint64_t>(size) + 1);
  passages_.clear();
  feeds_.clear();
  places_.clear();
  mouths_.clear();
  search_ = 0;
  first_ = 1;
  effort_ = 0;
}

std::int32_t BlockFlow::add_place(std::span<const Mouth> mouths) {
  const std::int32_t first = count_of(mouths_);
  mouths_.insert(mouths_.end(), mouths.begin(), mouths.end());
  places_.push_back({first, count_of(mouths_), 0});
  return count_of(places_) - 1;
}

bool BlockFlow::pass(std::int32_t place) {
  const bool found_at_once = search(place, std::numeric_limits<std::int64_t>::max());
  // Once one has looked again, all that come after it enter anew what was passed over.
  if (first_ > 1) effort_ += static_cast<std::int64_t>(entered_.size());
  if (found_at_once) return true;
  if (passed_over_) {
    if (effort_ >= most_effort_) return false;
    first_ = search_ + 1;
    const bool found = search(place, most_effort_ - effort_);
    effort_ += static_cast<std::int64_t>(entered_.size());
    if (found || effort_ >= most_effort_) return found;
  }
  for (const Step& step : entered_) {
    seen(step) = kLeadsNowhere;
    if (step.through) item(passages_, step.number).seen_in = kLeadsNowhere;
  }
  return false;
}

bool BlockFlow::search(std::int32_t place, std::int64_t most) {
  ++search_;
  passed_over_ = false;
  entered_.clear();
  way_.clear();
  const auto enter = [this](const Step& step) {
    seen(step) = search_;
    entered_.push_back(step);
    way_.push_back(step);
  };
  if (const Step start = {Spot::kPlace, false, CellFace::kAbove, 0, place}; is_new(start))
    enter(start);
  while (!way_.empty() && static_cast<std::int64_t>(entered_.size()) < most) {
    Step& step = way_.back();
    if (step.spot == Spot::kOut && item(passages_, step.number).is_top) {
      take_way();
      return true;
    }
    if (const std::optional<Step> next = onward(step)) {
      enter(*next);
    } else {
      way_.pop_back();
    }
  }
  return false;
}

std::optional<BlockFlow::Step> BlockFlow::onward(Step& step) {
  if (step.spot == Spot::kIn) return from_in(step);
  if (step.spot == Spot::kOut) return from_out(step);
  const Place place = item(places_, step.number);
  while (place.first_mouth + step.turn < place.end_mouth) {
    const Mouth mouth = item(mouths_, place.first_mouth + step.turn++);
    if (const auto next = into(mouth.cell, mouth.from)) return next;
  }
  return std::nullopt;
}

// Through the cell; else against a way that comes into it, which then has to lead elsewhere.
std::optional<BlockFlow::Step> BlockFlow::from_in(Step& step) {
  const Passage passage = item(passages_, step.number);
  const std::span<const CellFace> faces = faces_of(cells_.shape());
  if (step.turn == 0) {
    ++step.turn;
    const Step next = {Spot::kOut, false, step.face, 0, step.number};
    if (passage.parts < cells_.parts() && is_new(next)) return next;
  }
  if (passage.parts == 0) return std::nullopt;
  while (step.turn <= faces.size()) {
    const CellFace face = faces[step.turn++ - 1U];
    const LevelCell beside = cells_.neighbor(passage.cell, face);
    const std::int32_t other = beside == kNoLevelCell ? kNone : known(beside);
    if (other == kNone) continue;
    if (item(passages_, other).onward[static_cast<std::size_t>(opposite(face))] == 0) continue;
    if (const Step next = {Spot::kOut, false, face, 0, other}; is_new(next)) return next;
  }
  std::size_t nth = faces.size() + 1;
  for (std::int32_t feed = passage.feed; feed != kNone; feed = item(feeds_, feed).next) {
    if (nth++ < step.turn) continue;
    ++step.turn;
    if (item(feeds_, feed).parts == 0) continue;
    const Step next = {Spot::kPlace, false, CellFace::kAbove, 0, item(feeds_, feed).place};
    if (is_new(next)) return next;
  }
  return std::nullopt;
}

// Up where that is the top; straight on; then all faces in their order: above first. At last back
// through the cell, where parts pass it.
std::optional<BlockFlow::Step> BlockFlow::from_out(Step& step) {
  const LevelCell cell = item(passages_, step.number).cell;
  const std::span<const CellFace> faces = faces_of(cells_.shape());
  if (step.turn == 0 && !item(passages_, step.number).is_near_top) ++step.turn;
  while (step.turn < faces.size() + 2) {
    const std::uint16_t turn = step.turn++;
    const CellFace face = turn == 0 ? CellFace::kAbove : turn == 1 ? step.face : faces[turn - 2U];
    const LevelCell beside = cells_.neighbor(cell, face);
    if (turn == 0 && !(has_water(beside) && at_top(beside))) continue;
    if (const auto next = into(beside, face)) return next;
  }
  if (step.turn++ > faces.size() + 2 || item(passages_, step.number).parts == 0)
    return std::nullopt;
  const Step back = {Spot::kIn, false, step.face, 0, step.number};
  return is_new(back) ? std::optional(back) : std::nullopt;
}

std::optional<BlockFlow::Step> BlockFlow::into(LevelCell cell, CellFace face) {
  if (cell == kNoLevelCell) return std::nullopt;
  std::int32_t number = known(cell);
  if (number == kNone) {
    if (!has_water(cell)) return std::nullopt;
    number = passage_of(cell);
  }
  const Step next = {Spot::kIn, false, face, 0, number};
  if (!is_new(next)) return std::nullopt;
  // A cell that nothing passes is gone through at once. Until a search has to look again, so is
  // each that has room, and no way gives way.
  Passage& passage = item(passages_, number);
  if (passage.parts > 0 && first_ == 1) {
    passed_over_ = true;
    if (passage.parts == cells_.parts()) return std::nullopt;
  } else if (passage.parts > 0) {
    return next;
  }
  if (passage.seen_out >= first_) return next;
  passage.seen_in = search_;
  return Step{Spot::kOut, true, face, 0, number};
}

bool BlockFlow::is_new(const Step& step) {
  const std::uint32_t by = seen(step);
  if (by >= first_ && by < search_) passed_over_ = true;
  return by < first_;
}

// Along the way a part more passes, and against it one less. Of what lies on it, the cells that
// have room are open to the next searches.
void BlockFlow::take_way() {
  for (std::size_t i = 0; i + 1 < way_.size(); ++i) {
    const Step& step = way_[i];
    const Step& next = way_[i + 1];
    if (step.spot == Spot::kPlace) {
      feed(next.number, step.number, 1);
    } else if (next.spot == Spot::kPlace) {
      feed(step.number, next.number, -1);
    } else if (step.number == next.number) {
      std::uint8_t& parts = item(passages_, step.number).parts;
      parts = static_cast<std::uint8_t>(step.spot == Spot::kIn ? parts + 1 : parts - 1);
    } else if (step.spot == Spot::kOut) {
      ++item(passages_, step.number).onward[static_cast<std::size_t>(next.face)];
    } else {
      --item(passages_, next.number).onward[static_cast<std::size_t>(opposite(next.face))];
    }
    if (next.through) ++item(passages_, next.number).parts;
  }
  for (const Step& step : way_) {
    const bool has_room =
        step.spot == Spot::kPlace || item(passages_, step.number).parts < cells_.parts();
    if (!has_room) continue;
    seen(step) = 0;
    if (step.through) item(passages_, step.number).seen_in = 0;
  }
}

void BlockFlow::feed(std::int32_t passage, std::int32_t place, std::int32_t parts) {
  std::int32_t& first = item(passages_, passage).feed;
  for (std::int32_t at = first; at != kNone; at = item(feeds_, at).next) {
    if (item(feeds_, at).place != place) continue;
    item(feeds_, at).parts += parts;
    return;
  }
  feeds_.push_back({place, first, parts});
  first = count_of(feeds_) - 1;
}

std::uint32_t& BlockFlow::seen(const Step& step) {
  if (step.spot == Spot::kPlace) return item(places_, step.number).seen;
  Passage& passage = item(passages_, step.number);
  return step.spot == Spot::kIn ? passage.seen_in : passage.seen_out;
}

std::int32_t BlockFlow::known(LevelCell cell) const {
  const std::uint64_t visit = cells_.visit(cell);
  return visit < base_ ? kNone : static_cast<std::int32_t>(visit - base_);
}

std::int32_t BlockFlow::passage_of(LevelCell cell) {
  if (const std::int32_t number = known(cell); number != kNone) return number;
  cells_.visit(cell) = base_ + passages_.size();
  Passage& passage = passages_.emplace_back();
  passage.cell = cell;
  passage.is_top = at_top(cell);
  passage.is_near_top = cells_.height(cell, 2 * cells_.parts() - 1) >= cut_;
  return count_of(passages_) - 1;
}

bool BlockFlow::has_water(LevelCell cell) const {
  return cell != kNoLevelCell && cells_.has_water(cell) && cells_.group(cell) == group_;
}

bool BlockFlow::at_top(LevelCell cell) const {
  return cells_.height(cell, cells_.level(cell) - 1) >= cut_;
}

}  // namespace sluice::sim
