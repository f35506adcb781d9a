#include "server/formats/cell_tables.h"

#include <cstdint>
#include <optional>
#include <sstream>

#include "protocol/base/map_text.h"

namespace sluice::formats {

namespace {

void parse_fill(const toml::table& node, std::size_t index, FirstMistake& mistake,
                sim::WorldSpec& spec) {
  const std::string path = "fill[" + std::to_string(index) + "]";
  TomlTable table(node, path, mistake);
  sim::Fill fill;
  fill.box.from = table.require("from", table.vec3("from"));
  fill.box.size = table.require("size", table.vec3("size"));
  if (node.contains("cell") && node.at("cell").is_integer()) {
    fill.cell = table.require("cell", table.number("cell"));
    if (!mistake.made() && fill.cell < 0) table.fail("cell", "is below zero");
  } else {
    const std::string cell = table.require("cell", table.text("cell"));
    if (!mistake.made()) {
      const auto value = cell.size() == 1 ? cell_of_glyph(cell[0]) : std::nullopt;
      if (!value) {
        table.fail("cell", "is '" + cell + "'; allowed: " + kAllowedGlyphs +
                               ", a number of units of water");
      }
      fill.cell = value.value_or(kAir);
    }
  }
  fill.at_rest = table.boolean("at_rest").value_or(false);
  if (!mistake.made() && fill.at_rest && water_of(fill.cell) == 0) {
    table.fail("at_rest", "is true for a box without water");
  }
  fill.tracers = tracers_of(table, node, path, mistake, spec);
  table.finish();
  const Vec3 last = fill.box.end() - Vec3{1, 1, 1};
  if (!mistake.made() && (fill.box.empty() || !spec.config.box().contains(fill.box.from) ||
                          !spec.config.box().contains(last))) {
    mistake.note(node.source(), "key '" + path + "' the box at " + to_string(fill.box.from) +
                                    " of size " + to_string(fill.box.size) +
                                    " is empty or leaves the world of size " +
                                    to_string(spec.config.size));
  }
  spec.fills.push_back(fill);
}

void place_rows(Vec3 at, const std::vector<std::string>& rows, const std::string& key,
                const std::string& place, FirstMistake& mistake, sim::WorldSpec& spec) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t column = 0; column < rows[r].size(); ++column) {
      const char glyph = rows[r][column];
      if (glyph == ' ') continue;  // leaves the cell as it is
      const std::string here = "key '" + key + ".rows' row " + std::to_string(r + 1) + ", column " +
                               std::to_string(column + 1) + ": ";
      const auto cell = cell_of_glyph(glyph);
      if (!cell) {
        return mistake.note_at(place, here + "'" + std::string(1, glyph) +
                                          "' is not a cell; allowed: " + kAllowedGlyphs +
                                          "; in a drawing ' ' leaves the cell as it is");
      }
      const std::int64_t x = std::int64_t{at.x} + static_cast<std::int64_t>(column);
      const std::int64_t y = std::int64_t{at.y} + static_cast<std::int64_t>(rows.size() - 1 - r);
      const Vec3 size = spec.config.size;
      if (x < 0 || x >= size.x || y < 0 || y >= size.y || at.z < 0 || at.z >= size.z) {
        return mistake.note_at(place, here + "the cell [" + std::to_string(x) + ", " +
                                          std::to_string(y) + ", " + std::to_string(at.z) +
                                          "] lies outside the world of size " + to_string(size));
      }
      spec.cells.push_back(
          {{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), at.z}, *cell});
    }
  }
}

void parse_map(const toml::table& node, std::size_t index, FirstMistake& mistake,
               sim::WorldSpec& spec) {
  const std::string path = "map[" + std::to_string(index) + "]";
  TomlTable table(node, path, mistake);
  const Vec3 at = table.vec3("at").value_or(Vec3{});
  const std::string text = table.require("rows", table.text("rows"));
  const std::string place = table.place("rows");
  const bool at_rest = table.boolean("at_rest").value_or(false);
  table.finish();
  if (mistake.made()) return;
  std::vector<std::string> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    rows.push_back(line);
  }
  const std::size_t first = spec.cells.size();
  place_rows(at, rows, path, place, mistake, spec);
  for (std::size_t i = first; i < spec.cells.size(); ++i) spec.cells[i].at_rest = at_rest;
}

}  // namespace

CellTables CellTables::of(TomlTable& root) {
  return {root.tables("fill"), root.tables("map")};
}

void parse_cells(const CellTables& tables, FirstMistake& mistake, sim::WorldSpec& spec) {
  const auto each = [&](const std::vector<const toml::table*>& list, auto&& parse) {
    for (std::size_t i = 0; i < list.size() && !mistake.made(); ++i) {
      parse(*list[i], i, mistake, spec);
    }
  };
  each(tables.fills, parse_fill);
  each(tables.maps, parse_map);
}

sim::TracerAmounts tracers_of(TomlTable& table, const toml::table& node, const std::string& path,
                              FirstMistake& mistake, const sim::WorldSpec& spec) {
  sim::TracerAmounts amounts = table.numbers("tracer");
  if (mistake.made() || !node.contains("tracer")) return amounts;
  if (Status valid = sim::check_amounts(spec.tracers, amounts); !valid) {
    mistake.note(node.source(), "key '" + path + ".tracer': " + valid.error());
  }
  return amounts;
}

}  // namespace sluice::formats
