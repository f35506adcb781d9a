#include "server/tools/report_text.h"

#include <nlohmann/json.hpp>

#include "server/formats/script.h"
#include "server/record/client_name.h"

namespace sluice::tools {

namespace {

/// Text from a file may hold any bytes; what is printed is UTF-8.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string line_of(const record::RecordedCommand& recorded, std::uint64_t tick) {
  std::vector<std::pair<std::string, std::string>> extra = client_keys(recorded.client);
  extra.emplace_back("seq", std::to_string(recorded.seq));
  extra.emplace_back("applied", recorded.applied ? "true" : "false");
  if (!recorded.applied) extra.emplace_back("reason", quoted(recorded.reason));
  return formats::format_command(recorded.command, tick, extra);
}

nlohmann::ordered_json place_of(std::int32_t x, std::int32_t y, std::int32_t z) {
  return nlohmann::ordered_json::array({x, y, z});
}

}  // namespace

std::vector<std::pair<std::string, std::string>> client_keys(const std::string& in_history) {
  const record::ClientName name = record::client_of(in_history);
  std::vector<std::pair<std::string, std::string>> keys = {{"client", quoted(name.claimed)}};
  if (!name.account.empty()) keys.emplace_back("account", quoted(name.account));
  if (!name.visitor.empty()) keys.emplace_back("visitor", quoted(name.visitor));
  return keys;
}

nlohmann::ordered_json to_json(const record::Difference& difference, const SideNames& names) {
  nlohmann::ordered_json json = {{"layer", difference.layer},
                                 {"place", difference.place},
                                 {"field", difference.field},
                                 {names.expected, difference.expected},
                                 {names.actual, difference.actual}};
  if (difference.chunk) {
    json["chunk"] = place_of(difference.chunk->x, difference.chunk->y, difference.chunk->z);
  }
  if (difference.cell) {
    json["cell"] = place_of(difference.cell->x, difference.cell->y, difference.cell->z);
  }
  return json;
}

nlohmann::ordered_json to_json(const record::Part& part) {
  nlohmann::ordered_json json = {
      {"file", part.path}, {"first_tick", part.first_tick}, {"last_tick", part.last_tick}};
  if (part.path.empty()) json["file"] = nullptr;
  return json;
}

nlohmann::ordered_json to_json(const record::Comparison& comparison, const SideNames& names) {
  nlohmann::ordered_json json;
  const record::Difference* first = first_of(comparison);
  json["first"] = nullptr;
  if (first != nullptr) json["first"] = to_json(*first, names);
  auto& list = json["differences"] = nlohmann::ordered_json::array();
  for (const record::Difference& difference : comparison.differences) {
    list.push_back(to_json(difference, names));
  }
  json["cells"] = comparison.cells;
  json["chunks"] = comparison.chunks;
  json["fields"] = comparison.fields;
  json["box"] = to_json(comparison.cell_box);
  return json;
}

nlohmann::ordered_json to_json(const std::vector<record::RecordedCommand>& commands,
                               std::uint64_t tick) {
  auto json = nlohmann::ordered_json::array();
  for (const record::RecordedCommand& recorded : commands) {
    json.push_back(nlohmann::ordered_json::parse(line_of(recorded, tick)));
  }
  return json;
}

nlohmann::ordered_json to_json(const Box& box) {
  if (box.empty()) return nullptr;
  return {{"from", place_of(box.from.x, box.from.y, box.from.z)},
          {"size", place_of(box.size.x, box.size.y, box.size.z)}};
}

const record::Difference* first_of(const record::Comparison& comparison) {
  for (const record::Difference& difference : comparison.differences) {
    if (!difference.place.empty()) return &difference;
  }
  return comparison.differences.empty() ? nullptr : &comparison.differences.front();
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string to_text(const record::Comparison& comparison, const SideNames& names,
                    const std::string& indent) {
  std::string text;
  for (const record::Difference& difference : comparison.differences) {
    text += indent + difference.layer + ": ";
    if (!difference.place.empty()) text += difference.place + ": ";
    text += difference.field + " is " + difference.expected + " in " + names.expected + ", " +
            difference.actual + " in " + names.actual + "\n";
  }
  if (comparison.cells + comparison.fields > comparison.differences.size()) {
    text += indent + "in all " + counted(comparison.cells, "cell") + " in " +
            counted(comparison.chunks, "chunk") + " and " +
            counted(comparison.fields, "other value") + " differ\n";
  }
  return text;
}

std::string to_text(const std::vector<record::RecordedCommand>& commands, std::uint64_t tick,
                    const std::string& indent) {
  std::string text;
  for (const record::RecordedCommand& recorded : commands) {
    text += indent + line_of(recorded, tick) + "\n";
  }
  return text;
}

}  // namespace sluice::tools
