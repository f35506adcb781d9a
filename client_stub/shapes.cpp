#include "client_stub/shapes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace sluice::client {

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::kBrush:
      return "brush";
    case Shape::kLine:
      return "line";
    case Shape::kBox:
      return "box";
    case Shape::kFill:
      return "fill";
  }
  return "";
}

Box dab_at(Vec3 size, std::int32_t side, Vec3 at) {
  const std::int32_t before = (side - 1) / 2;
  return intersect({{at.x - before, at.y - before, at.z}, {side, side, 1}}, {{}, size});
}

Box box_between(Vec3 size, Vec3 from, Vec3 to) {
  const auto [left, right] = std::minmax(from.x, to.x);
  const auto [bottom, top] = std::minmax(from.y, to.y);
  return intersect({{left, bottom, from.z}, {right - left + 1, top - bottom + 1, 1}}, {{}, size});
}

std::vector<Vec3> steps_between(Vec3 from, Vec3 to, std::int32_t side) {
  const std::int32_t steps = std::max(std::abs(to.x - from.x), std::abs(to.y - from.y));
  const std::int32_t stride = std::max(1, side / 2);
  std::vector<Vec3> places;
  for (std::int32_t step = std::min(stride, steps); step < steps; step += stride) {
    const double share = step / static_cast<double>(steps);
    const auto between = [share](std::int32_t a, std::int32_t b) {
      return a + static_cast<std::int32_t>(std::lround((b - a) * share));
    };
    places.push_back({between(from.x, to.x), between(from.y, to.y), from.z});
  }
  places.push_back(to);
  return places;
}

std::optional<std::vector<Vec3>> flood(const protocol::Mirror& mirror, Vec3 from,
                                       std::int32_t ceiling, bool is_wet) {
  const Box world{{}, mirror.welcome().size};
  if (!world.contains(from)) return std::vector<Vec3>{};
  const std::int32_t least = is_wet ? 1 : 0;
  const bool is_open = mirror.cell(from) >= least;
  if (is_wet && !is_open) return std::vector<Vec3>{};
  std::set<Vec3> seen{from};
  std::vector<Vec3> cells{from};
  for (std::size_t next = 0; next < cells.size(); ++next) {
    if (cells.size() > kMostFilled) return std::nullopt;
    const Vec3 at = cells[next];
    for (const Vec3 step : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}}) {
      const Vec3 near = at + step;
      if (!world.contains(near) || near.y > ceiling) continue;
      if ((mirror.cell(near) >= least) != is_open || !seen.insert(near).second) continue;
      cells.push_back(near);
    }
  }
  return cells;
}

std::vector<Box> boxes_of(std::vector<Vec3> cells) {
  std::sort(cells.begin(), cells.end());  // rows from below, each from the left
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<Box> done;
  // Runs of the row below, by where they begin and how wide they are: what can still grow.
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> open;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> grown;
  for (std::size_t i = 0; i < cells.size();) {
    const Vec3 from = cells[i];
    std::size_t end = i + 1;
    while (end < cells.size() && cells[end].y == from.y && cells[end].x == cells[end - 1].x + 1)
      ++end;
    const auto width = static_cast<std::int32_t>(end - i);
    const auto below = open.find({from.x, width});
    if (below != open.end() && done[below->second].end().y == from.y) {
      ++done[below->second].size.y;
      grown[below->first] = below->second;
    } else {
      grown[{from.x, width}] = done.size();
      done.push_back({from, {width, 1, 1}});
    }
    i = end;
    if (i == cells.size() || cells[i].y != from.y) open = std::exchange(grown, {});
  }
  return done;
}

std::vector<Vec3> cells_of(const Box& box) {
  std::vector<Vec3> cells;
  for (std::int32_t y = box.from.y; y < box.end().y; ++y) {
    for (std::int32_t x = box.from.x; x < box.end().x; ++x) cells.push_back({x, y, box.from.z});
  }
  return cells;
}

}  // namespace sluice::client
