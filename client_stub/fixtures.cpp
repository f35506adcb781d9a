#include "client_stub/fixtures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>

namespace sluice::client {

namespace {

using Json = nlohmann::json;

constexpr Colour kSource{143, 240, 192};
constexpr Colour kDrain{255, 184, 107};
constexpr Colour kHeater{255, 143, 112};
constexpr Colour kCooler{140, 200, 255};
/// Characters between two arrows of an open edge.
constexpr int kArrowSpacing = 8;

const Spring* at_cell(const std::vector<Spring>& springs, Vec3 cell) {
  const auto found = std::find_if(springs.begin(), springs.end(),
                                  [&](const Spring& spring) { return spring.at == cell; });
  return found == springs.end() ? nullptr : &*found;
}

/// "[x, y, z, rate]" each.
std::optional<std::vector<Spring>> springs_of(const Json& list) {
  std::vector<Spring> springs;
  if (!list.is_array()) return std::nullopt;
  for (const Json& row : list) {
    const bool fits =
        row.is_array() && row.size() == 4 &&
        std::all_of(row.begin(), row.end(), [](const Json& number) {
          return number.is_number_integer() && number >= INT32_MIN && number <= INT32_MAX;
        });
    if (!fits) return std::nullopt;
    springs.push_back({{row[0], row[1], row[2]}, row[3]});
  }
  return springs;
}

}  // namespace

const Spring* Fixtures::source_at(Vec3 cell) const {
  return at_cell(sources, cell);
}

const Spring* Fixtures::drain_at(Vec3 cell) const {
  return at_cell(drains, cell);
}

const Spring* Fixtures::heater_at(Vec3 cell) const {
  return at_cell(heaters, cell);
}

std::optional<Fixtures> read_fixtures(std::string_view json) {
  const Json answer = Json::parse(json, nullptr, false);
  if (!answer.is_object() || !answer.contains("sources") || !answer.contains("drains")) {
    return std::nullopt;
  }
  auto sources = springs_of(answer["sources"]);
  auto drains = springs_of(answer["drains"]);
  // Older servers do not tell of heaters.
  auto heaters = springs_of(answer.value("heaters", Json::array()));
  if (!sources || !drains || !heaters) return std::nullopt;
  Fixtures fixtures{std::move(*sources), std::move(*drains), std::move(*heaters), {}};
  if (answer.contains("edges") && answer["edges"].is_object()) {
    for (const auto& [side, kind] : answer["edges"].items()) {
      if (kind == "open") fixtures.open.push_back(side);
    }
  }
  return fixtures;
}

std::string describe_fixture(const Fixtures& fixtures, Vec3 cell) {
  std::string text;
  const auto tell = [&](const char* what, const Spring* spring) {
    if (spring == nullptr) return;
    text += (text.empty() ? "" : ", ") + std::string(what) + ", " + std::to_string(spring->rate) +
            " units a tick";
  };
  tell("spring", fixtures.source_at(cell));
  tell("drain", fixtures.drain_at(cell));
  if (const Spring* heater = fixtures.heater_at(cell)) {
    text += (text.empty() ? "" : ", ") + std::string(heater->rate > 0 ? "heater, " : "cooler, ") +
            std::to_string(std::abs(std::int64_t{heater->rate})) + " of energy a tick";
  }
  return text;
}

void draw_fixtures(const Fixtures& fixtures, const Picture& picture, Vec3 size, Screen& screen) {
  const int rows = picture.height / 2;
  const auto mark = [&](int column, int row, std::string_view text, Colour ink) {
    if (row < rows) screen.mark(column, row, text, ink);
  };
  const int left = picture.column_of(0);
  const int right = picture.column_of(size.x);
  const int top = picture.row_of(size.y);
  const int bottom = picture.row_of(0);
  for (const std::string& side : fixtures.open) {
    if (side == "left" || side == "right") {
      const int column = side == "left" ? left - 1 : right;
      for (int row = std::max(0, top); row < std::min(rows, bottom); row += kArrowSpacing / 2) {
        mark(column, row, side == "left" ? "<" : ">", kDrain);
      }
    } else if (side == "top" || side == "bottom") {
      const int row = side == "top" ? top - 1 : bottom;
      for (int column = std::max(0, left); column < std::min(picture.width, right);
           column += kArrowSpacing) {
        mark(column, row, side == "top" ? "^" : "v", kDrain);
      }
    }
  }
  const auto springs = [&](const std::vector<Spring>& list, std::string_view letter, Colour ink) {
    for (const Spring& spring : list) {
      if (spring.at.z != picture.slice) continue;
      mark(picture.column_of(spring.at.x + 0.5), picture.row_of(spring.at.y + 0.5), letter, ink);
    }
  };
  springs(fixtures.sources, "S", kSource);
  springs(fixtures.drains, "D", kDrain);
  std::vector<Spring> heaters = fixtures.heaters;
  const auto coolers = std::partition(heaters.begin(), heaters.end(),
                                      [](const Spring& heater) { return heater.rate > 0; });
  springs({coolers, heaters.end()}, "C", kCooler);
  springs({heaters.begin(), coolers}, "H", kHeater);
}

}  // namespace sluice::client
