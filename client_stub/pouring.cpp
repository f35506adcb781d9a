#include "client_stub/pouring.h"

#include <algorithm>
#include <optional>

#include "client_stub/command_json.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

const char* name_of(Tool tool) {
  return tool == Tool::kDig ? "dig" : tool == Tool::kRock ? "rock" : "pour";
}

bool has_room(const protocol::Mirror& mirror, Vec3 cell) {
  const std::int32_t held = mirror.cell(cell);
  return held >= 0 && held < kFull;
}

std::vector<Vec3> pours_at(const protocol::Mirror& mirror, const Box& box) {
  std::vector<Vec3> cells;
  for (std::int32_t x = box.from.x; x < box.end().x; ++x) {
    bool takes = false;
    std::optional<std::int32_t> top;  // the highest full cell
    for (std::int32_t y = box.from.y; y < box.end().y; ++y) {
      const Vec3 at{x, y, box.from.z};
      if (mirror.cell(at) < 0) continue;
      top = y;
      if (!has_room(mirror, at)) continue;
      takes = true;
      cells.push_back(at);
    }
    if (takes || !top) continue;
    Vec3 above{x, *top + 1, box.from.z};
    while (mirror.cell(above) >= kFull) ++above.y;
    if (has_room(mirror, above)) cells.push_back(above);
  }
  return cells;
}

std::vector<std::string> commands_to_fill(const protocol::Mirror& mirror,
                                          const std::vector<Vec3>& cells) {
  std::vector<std::string> commands;
  std::vector<Vec3> empty;
  if (cells.size() > kMostSinglePours) {
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(empty),
                 [&](Vec3 at) { return mirror.cell(at) == 0; });
  }
  // Of thousands of pours each waits its turn. Where nothing is, nothing can be replaced.
  const bool sets_empty = !empty.empty();
  for (const Box& box : boxes_of(std::move(empty))) commands.push_back(set_line(box, "~"));
  for (const Vec3& at : cells) {
    const std::int32_t held = mirror.cell(at);
    if (!sets_empty || held != 0) commands.push_back(pour_line(at, kFull - held));
  }
  return commands;
}

std::string pour_line(Vec3 at, std::int32_t units) {
  return line_of(
      {{"cmd", "pour"}, {"at", place_json(at)}, {"units", units}, {"above", kPourSpare}});
}

std::string set_line(const Box& box, const char* cell) {
  return line_of({{"cmd", "set_cells"},
                  {"from", place_json(box.from)},
                  {"size", place_json(box.size)},
                  {"cell", cell}});
}

std::string set_water_line(const Box& box, std::int32_t units) {
  return line_of({{"cmd", "set_cells"},
                  {"from", place_json(box.from)},
                  {"size", place_json(box.size)},
                  {"cell", CommandJson{{"water", units}}}});
}

}  // namespace sluice::client
