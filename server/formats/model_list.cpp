#include "server/formats/model_list.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "server/sim/models/registry.h"

namespace sluice::formats {

namespace {

using sim::WaterOption;

std::string in_quotes(const char* text) {
  return '"' + std::string(text) + '"';
}

std::string usual(const WaterOption& option) {
  if (!option.has_names()) return std::to_string(option.usual);
  return in_quotes(option.values_by_name[static_cast<std::size_t>(option.usual)]);
}

std::string allowed(const WaterOption& option) {
  if (!option.has_names()) {
    return std::to_string(option.low) + " to " + std::to_string(option.high);
  }
  std::string names;
  for (const char* const name : option.values_by_name) {
    names += (names.empty() ? "" : ", ") + in_quotes(name);
  }
  return names;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

}  // namespace

std::string model_list() {
  std::string text;
  for (const sim::WaterModelRow& model : sim::water_models()) {
    text += (text.empty() ? "" : "\n") + std::string(model.name) + ", version " +
            std::to_string(model.version) + ": " + model.meaning + "\n";
    if (model.options.empty()) text += "  no options\n";
    std::size_t widths[3] = {};
    for (const WaterOption& option : model.options) {
      const std::string columns[3] = {option.name, usual(option), allowed(option)};
      for (std::size_t i = 0; i < 3; ++i) widths[i] = std::max(widths[i], columns[i].size());
    }
    for (const WaterOption& option : model.options) {
      text += "  " + padded(option.name, widths[0]) + "  default " +
              padded(usual(option), widths[1]) + "  " + padded(allowed(option), widths[2]) + "  " +
              option.meaning + "\n";
    }
  }
  return text;
}

std::string model_list_json() {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  for (const sim::WaterModelRow& model : sim::water_models()) {
    nlohmann::ordered_json options = nlohmann::ordered_json::array();
    for (const WaterOption& option : model.options) {
      nlohmann::ordered_json one = {{"name", option.name}};
      if (option.has_names()) {
        one["default"] = option.values_by_name[static_cast<std::size_t>(option.usual)];
        one["values"] = option.values_by_name;
      } else {
        one["default"] = option.usual;
        one["from"] = option.low;
        one["to"] = option.high;
      }
      one["meaning"] = option.meaning;
      options.push_back(std::move(one));
    }
    models.push_back({{"model", model.name},
                      {"version", model.version},
                      {"meaning", model.meaning},
                      {"options", std::move(options)}});
  }
  return models.dump(2) + "\n";
}

}  // namespace sluice::formats
