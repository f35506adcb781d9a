#include "client_stub/pouring.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "client_stub/command_json.h"
#include "client_stub/layers.h"
#include "protocol/base/limits.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

/// That one pour is for.
constexpr std::int32_t kMostPouredRows = kMostPourAbove - kPourSpare + 1;
/// Parts of a degree.
constexpr std::int32_t kDegree = 256;
/// Of mixtures: hot, and as cold as water that is not to freeze at once.
constexpr std::array<std::int32_t, 2> kDegrees = {80, 1};

}  // namespace

const char* name_of(Tool tool) {
  switch (tool) {
    case Tool::kDig:
      return "dig";
    case Tool::kRock:
      return "rock";
    case Tool::kPour:
      return "pour";
    case Tool::kTake:
      return "take";
  }
  return "";
}

std::string Mixture::describe() const {
  if (!tracer.empty()) return "'" + tracer + "' in it";
  if (!temperature) return "clear water";
  return "at " + std::to_string(*temperature / kDegree) + " C";
}

Mixture next_mixture(const protocol::Mirror& mirror, const Mixture& mixture) {
  std::vector<Mixture> all = {Mixture{}};
  for (const std::string& tracer : tracers_of(mirror)) all.push_back({tracer, std::nullopt});
  if (find_layer(mirror, protocol::kTemperatureLayer)) {
    for (const std::int32_t degrees : kDegrees) all.push_back({"", degrees * kDegree});
  }
  const auto now = std::find(all.begin(), all.end(), mixture);
  return now == all.end() || now + 1 == all.end() ? all.front() : *(now + 1);
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

std::vector<std::string> commands_to_fill(const protocol::Mirror& mirror, std::vector<Vec3> cells,
                                          const Mixture& mixture) {
  // Column by column, each from below.
  std::sort(cells.begin(), cells.end(),
            [](Vec3 a, Vec3 b) { return std::tie(a.z, a.x, a.y) < std::tie(b.z, b.x, b.y); });
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < cells.size();) {
    const Vec3 from = cells[i];
    std::int32_t units = 0;
    std::int32_t rows = 0;
    while (i < cells.size() && cells[i] == from + Vec3{0, rows, 0} && rows < kMostPouredRows) {
      units += kFull - mirror.cell(cells[i]);
      ++rows;
      ++i;
    }
    commands.push_back(pour_line(from, units, mixture, rows));
  }
  return commands;
}

std::string pour_line(Vec3 at, std::int32_t units, const Mixture& mixture, std::int32_t rows) {
  CommandJson command = {
      {"cmd", "pour"}, {"at", place_json(at)}, {"units", units}, {"above", rows - 1 + kPourSpare}};
  if (!mixture.tracer.empty()) {
    // Of any water some, rounded up.
    const std::int32_t amount = (kMixedAmount * units + kFull - 1) / kFull;
    command["tracer"] = CommandJson{{mixture.tracer, amount}};
  }
  if (mixture.temperature) command["temperature"] = *mixture.temperature;
  return line_of(command);
}

std::string take_line(const Box& box) {
  return line_of(
      {{"cmd", "remove_water"}, {"from", place_json(box.from)}, {"size", place_json(box.size)}});
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
