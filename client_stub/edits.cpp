#include "client_stub/edits.h"

#include <algorithm>
#include <utility>

#include "client_stub/command_json.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

/// Edits that are remembered.
constexpr std::size_t kMostEdits = 200;

std::int32_t made_by(Tool tool) {
  return tool == Tool::kRock ? kRock : tool == Tool::kPour ? kFull : 0;
}

void set_cells(std::vector<Vec3> cells, const char* letter, std::vector<std::string>& commands) {
  for (const Box& box : boxes_of(std::move(cells))) commands.push_back(set_line(box, letter));
}

/// What a cell can be set to, to be as it is: ice melts.
std::int32_t settable(std::int32_t cell) {
  return cell <= kThinnestIce ? kIceBase - cell : cell;
}

/// Rock before water, so that what is to hold it is there; equal cells by boxes.
std::vector<std::string> commands_to_set(const std::map<Vec3, std::int32_t>& cells) {
  std::map<std::int32_t, std::vector<Vec3>> groups;  // rock is the lowest but for trapped air
  for (const auto& [at, cell] : cells) groups[cell].push_back(at);
  std::vector<std::string> commands;
  for (auto& [cell, places] : groups) {
    for (const Box& box : boxes_of(std::move(places))) {
      commands.push_back(cell > 0              ? set_water_line(box, cell)
                         : cell == kRock       ? set_line(box, "#")
                         : cell == kTrappedAir ? set_line(box, "o")
                                               : set_line(box, "."));
    }
  }
  return commands;
}

}  // namespace

std::string Region::describe() const {
  const auto count = [&](auto test) { return std::count_if(cells.begin(), cells.end(), test); };
  const auto rock = count([](std::int32_t cell) { return cell == kRock; });
  const auto wet = count([](std::int32_t cell) { return cell > 0; });
  std::string parts;
  const auto tell = [&parts](std::ptrdiff_t number, const std::string& what) {
    if (number > 0) parts += (parts.empty() ? "" : ", ") + std::to_string(number) + what;
  };
  tell(rock, " rock");
  tell(wet, " with water");
  tell(std::ssize(pipes.nodes), pipes.nodes.size() == 1 ? " pipe" : " pipes");
  return std::to_string(width) + " x " + std::to_string(height) +
         " cells: " + (parts.empty() ? "all air" : parts);
}

Region copy_region(const protocol::Mirror& mirror, const Box& box) {
  Region region{box.size.x, box.size.y, {}, copy_pipes(mirror.pipes(), box)};
  for (const Vec3& at : cells_of(box)) region.cells.push_back(settable(mirror.cell(at)));
  return region;
}

void Edit::touch(const protocol::Mirror& mirror, const std::vector<Vec3>& cells) {
  const std::int32_t made = made_by(*tool_);
  for (const Vec3& at : cells) {
    const std::int32_t cell = mirror.cell(at);
    if (*tool_ == Tool::kTake ? cell > 0 : cell != made) cells_.try_emplace(at, Change{cell, made});
  }
}

Edit Edit::paste(const protocol::Mirror& mirror, const Region& region, Vec3 at,
                 std::uint64_t& named) {
  Edit edit(std::nullopt);
  for (std::size_t i = 0; i < region.cells.size(); ++i) {
    const auto place = static_cast<std::int32_t>(i);
    const Vec3 cell = at + Vec3{place % region.width, place / region.width, 0};
    const std::int32_t held = settable(mirror.cell(cell));
    if (held == kOutside || held == region.cells[i]) continue;
    edit.cells_.try_emplace(cell, Change{held, region.cells[i]});
  }
  edit.pipes_ = region.pipes;
  edit.at_ = at;
  edit.build_ = pipes_to_build(edit.pipes_, at, mirror, named);
  return edit;
}

std::vector<std::string> Edit::commands() const {
  std::map<Vec3, std::int32_t> made;
  for (const auto& [at, change] : cells_) made[at] = change.made;
  std::vector<std::string> commands = commands_to_set(made);
  commands.insert(commands.end(), build_.commands.begin(), build_.commands.end());
  return commands;
}

Edit::Reversal Edit::reverse(const protocol::Mirror& mirror, bool is_seen) const {
  return tool_ ? reverse_stroke(mirror, is_seen) : reverse_paste(mirror, is_seen);
}

Edit::Reversal Edit::reverse_stroke(const protocol::Mirror& mirror, bool is_seen) const {
  Reversal back;
  std::vector<Vec3> rock;
  std::vector<Vec3> open;
  std::vector<std::string> pours;
  const bool made_rock = *tool_ == Tool::kRock;
  for (const auto& [at, change] : cells_) {
    const std::int32_t now = mirror.cell(at);
    const bool is_rock = is_seen ? now == kRock : made_rock;
    if (is_rock != made_rock) {
      ++back.conflicts;
      continue;
    }
    if (change.had == kRock) {
      if (!is_rock) rock.push_back(at);
      continue;
    }
    // From open cells whatever water is in them now is taken with the rock or the pour.
    if (is_rock || *tool_ == Tool::kPour) open.push_back(at);
    const std::int32_t had = settable(change.had);
    // Where water was taken from open cells, only what is missing comes back.
    const bool took = *tool_ == Tool::kDig || *tool_ == Tool::kTake;
    const std::int32_t missing = took && is_seen ? had - std::max(now, 0) : had;
    if (had > 0 && missing > 0) pours.push_back(pour_line(at, missing));
  }
  set_cells(std::move(rock), "#", back.commands);
  set_cells(std::move(open), ".", back.commands);
  back.commands.insert(back.commands.end(), pours.begin(), pours.end());
  return back;
}

Edit::Reversal Edit::reverse_paste(const protocol::Mirror& mirror, bool is_seen) const {
  Reversal back;
  std::map<Vec3, std::int32_t> had;
  for (const auto& [at, change] : cells_) {
    // Water moves by itself: only rock that came or went is somebody else's doing.
    const bool is_rock = mirror.cell(at) == kRock;
    if (is_seen && is_rock != (change.made == kRock)) {
      ++back.conflicts;
    } else {
      had[at] = change.had;
    }
  }
  // Pipes first: what they hold spills, into cells that are then given back what they had.
  const std::set<std::string_view> there = names_of(mirror.pipes());
  for (const std::string& name : build_.names) {
    if (is_seen && !there.contains(name)) continue;
    back.commands.push_back(line_of({{"cmd", "remove_pipe"}, {"name", name}}));
  }
  for (std::string& line : commands_to_set(had)) back.commands.push_back(std::move(line));
  return back;
}

std::vector<std::string> Edit::repeat(const protocol::Mirror& mirror, std::uint64_t& named) {
  const auto before = std::exchange(cells_, {});
  if (!tool_) {
    for (const auto& [at, change] : before) {
      cells_[at] = {settable(mirror.cell(at)), change.made};
    }
    build_ = pipes_to_build(pipes_, at_, mirror, named);
    return commands();
  }
  std::vector<Vec3> cells;
  for (const auto& [at, change] : before) {
    // Water is poured where there is room for it, as it was the first time.
    if (*tool_ != Tool::kPour || has_room(mirror, at)) cells.push_back(at);
  }
  touch(mirror, cells);
  if (*tool_ == Tool::kPour) return commands_to_fill(mirror, cells, mixture_);
  std::vector<std::string> commands;
  if (*tool_ == Tool::kTake) {
    for (const Box& box : boxes_of(std::move(cells))) commands.push_back(take_line(box));
    return commands;
  }
  set_cells(std::move(cells), *tool_ == Tool::kRock ? "#" : ".", commands);
  return commands;
}

void History::add(Edit edit) {
  if (edit.empty()) return;
  done_.push_back(std::move(edit));
  undone_.clear();
  if (done_.size() > kMostEdits) done_.erase(done_.begin());
}

std::optional<Edit::Reversal> History::undo(const protocol::Mirror& mirror, bool is_seen) {
  if (done_.empty()) return std::nullopt;
  undone_.push_back(std::move(done_.back()));
  done_.pop_back();
  return undone_.back().reverse(mirror, is_seen);
}

std::optional<std::vector<std::string>> History::redo(const protocol::Mirror& mirror,
                                                      std::uint64_t& named) {
  if (undone_.empty()) return std::nullopt;
  done_.push_back(std::move(undone_.back()));
  undone_.pop_back();
  return done_.back().repeat(mirror, named);
}

}  // namespace sluice::client
