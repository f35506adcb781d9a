#include "client_stub/hand.h"

#include <algorithm>
#include <utility>

namespace sluice::client {

namespace {

void append(std::vector<std::string>&& more, std::vector<std::string>& commands) {
  for (std::string& line : more) commands.push_back(std::move(line));
}

}  // namespace

Act Hand::begin(const protocol::Mirror& mirror, Vec3 at, std::optional<Tool> instead) {
  stroked_ = instead.value_or(tool);
  stroke_.emplace(stroked_, mixture);
  start_ = last_ = at;
  if (shape == Shape::kBrush) return {apply(mirror, dab_at(mirror.welcome().size, brush, at)), ""};
  if (shape == Shape::kFill) return fill(mirror, at);
  return {};
}

Act Hand::move(const protocol::Mirror& mirror, Vec3 at) {
  at.z = start_.z;
  if (!stroke_ || at == last_) return {};
  Act act;
  if (shape == Shape::kBrush) {
    for (const Vec3& place : steps_between(last_, at, brush)) {
      append(apply(mirror, dab_at(mirror.welcome().size, brush, place)), act.commands);
    }
  }
  last_ = at;
  return act;
}

Act Hand::end(const protocol::Mirror& mirror) {
  if (!stroke_) return {};
  Act act;
  for (const Box& box : preview(mirror, last_)) append(apply(mirror, box), act.commands);
  history_.add(std::move(*stroke_));
  stroke_.reset();
  return act;
}

Act Hand::use(const protocol::Mirror& mirror, Vec3 at) {
  const bool has_ends = shape == Shape::kLine || shape == Shape::kBox;
  if (has_ends && !stroke_) {
    (void)begin(mirror, at);
    return {{},
            std::string(name_of(shape)) + " from here: press again at the other end (Esc: none)"};
  }
  Act act = has_ends ? move(mirror, at) : begin(mirror, at);
  append(std::move(end(mirror).commands), act.commands);
  return act;
}

void Hand::cancel() {
  if (stroke_) history_.add(std::move(*stroke_));
  stroke_.reset();
  corner_.reset();
}

Act Hand::fill(const protocol::Mirror& mirror, Vec3 at) {
  // Water fills a basin up to where it was begun.
  const std::int32_t ceiling = stroked_ == Tool::kPour ? at.y : mirror.welcome().size.y;
  auto cells = flood(mirror, at, ceiling, stroked_ == Tool::kTake);
  if (!cells) {
    return {{}, "more than " + std::to_string(kMostFilled) + " cells hang together here"};
  }
  Act act;
  if (stroked_ == Tool::kPour) {
    std::erase_if(*cells, [&](Vec3 cell) { return !has_room(mirror, cell); });
    stroke_->touch(mirror, *cells);
    act.commands = commands_to_fill(mirror, *cells, mixture);
    return act;
  }
  for (const Box& box : boxes_of(std::move(*cells))) append(apply(mirror, box), act.commands);
  return act;
}

std::vector<std::string> Hand::apply(const protocol::Mirror& mirror, const Box& box) {
  if (box.empty()) return {};
  if (stroked_ == Tool::kTake) return take(mirror, box);
  if (stroked_ != Tool::kPour) {
    stroke_->touch(mirror, cells_of(box));
    return {set_line(box, stroked_ == Tool::kRock ? "#" : ".")};
  }
  // A brush raises the water that it is held into; a box ends where it ends.
  std::vector<Vec3> cells = shape == Shape::kBox ? cells_of(box) : pours_at(mirror, box);
  std::erase_if(cells, [&](Vec3 cell) { return !has_room(mirror, cell); });
  stroke_->touch(mirror, cells);
  return commands_to_fill(mirror, cells, mixture);
}

/// Where there is no water nothing is sent.
std::vector<std::string> Hand::take(const protocol::Mirror& mirror, const Box& box) {
  const std::vector<Vec3> cells = cells_of(box);
  const auto is_wet = [&](Vec3 cell) { return mirror.cell(cell) > 0; };
  if (std::none_of(cells.begin(), cells.end(), is_wet)) return {};
  stroke_->touch(mirror, cells);
  return {take_line(box)};
}

std::vector<Box> Hand::preview(const protocol::Mirror& mirror, Vec3 at) const {
  const Vec3 size = mirror.welcome().size;
  if (corner_) return {box_between(size, *corner_, {at.x, at.y, corner_->z})};
  if (!stroke_) return {};
  at.z = start_.z;
  if (shape == Shape::kBox) return {box_between(size, start_, at)};
  if (shape != Shape::kLine) return {};
  std::vector<Box> boxes{dab_at(size, brush, start_)};
  if (at == start_) return boxes;
  for (const Vec3& place : steps_between(start_, at, brush)) {
    boxes.push_back(dab_at(size, brush, place));
  }
  return boxes;
}

Act Hand::copy(const protocol::Mirror& mirror, Vec3 at) {
  if (!corner_) {
    cancel();
    corner_ = at;
    return {{}, "copy from here: press y (or click) at the other corner (Esc: none)"};
  }
  const Box box = box_between(mirror.welcome().size, *corner_, {at.x, at.y, corner_->z});
  corner_.reset();
  if (box.volume() > static_cast<std::int64_t>(kMostFilled)) {
    return {{}, "at most " + std::to_string(kMostFilled) + " cells can be copied at once"};
  }
  region_ = copy_region(mirror, box);
  return {{}, "copied " + region_->describe() + "; Y puts it at the cursor"};
}

Act Hand::paste(const protocol::Mirror& mirror, Vec3 at) {
  if (!region_) return {{}, "nothing is copied yet: press y at two corners first"};
  cancel();
  const Vec3 corner = at - Vec3{region_->width / 2, region_->height / 2, 0};
  Edit edit = Edit::paste(mirror, *region_, corner, named_);
  Act act{edit.commands(), edit.empty() ? "it is here already" : ""};
  history_.add(std::move(edit));
  return act;
}

Act Hand::undo(const protocol::Mirror& mirror, bool is_seen) {
  cancel();
  auto back = history_.undo(mirror, is_seen);
  if (!back) return {{}, "there is nothing of yours to undo"};
  Act act{std::move(back->commands), "undone"};
  if (back->conflicts > 0) {
    act.said += ", but " + std::to_string(back->conflicts) +
                (back->conflicts == 1 ? " cell was" : " cells were") +
                " changed by others meanwhile and left as they are";
  }
  return act;
}

Act Hand::redo(const protocol::Mirror& mirror) {
  cancel();
  auto again = history_.redo(mirror, named_);
  if (!again) return {{}, "there is nothing to redo"};
  return {std::move(*again), "redone"};
}

Act Hand::pick(const protocol::Mirror& mirror, Vec3 at) {
  const std::int32_t cell = mirror.cell(at);
  if (cell == kOutside) return {};
  tool = cell == kRock ? Tool::kRock : cell > 0 ? Tool::kPour : Tool::kDig;
  return {{}, std::string("the tool is ") + name_of(tool)};
}

}  // namespace sluice::client
