// What a viewer knows of a world beside its cells (protocol/layers.h), in the units of people.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client_stub/surfaces.h"
#include "protocol/layers.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// Its place in Welcome::layers; nothing: the world has no such layer.
[[nodiscard]] inline std::optional<std::size_t> find_layer(const protocol::Mirror& mirror,
                                                           std::string_view name) {
  const auto& layers = mirror.welcome().layers;
  const auto place = std::find(layers.begin(), layers.end(), name);
  if (place == layers.end()) return std::nullopt;
  return static_cast<std::size_t>(place - layers.begin());
}

/// For SetView: the layer's bit, 0 where there is none.
[[nodiscard]] inline std::uint32_t bit_of_layer(const protocol::Mirror& mirror,
                                                std::string_view name) {
  const auto layer = find_layer(mirror, name);
  return layer ? 1U << *layer : 0;
}

/// What a layer has of a cell, or of the coarse one of the level that stands for it; 0: nothing,
/// the world has no such layer, or it was not asked for.
[[nodiscard]] inline std::int32_t number_at(const protocol::Mirror& mirror, std::string_view name,
                                            Vec3 at, int level) {
  const auto layer = find_layer(mirror, name);
  return layer ? mirror.coarse_layer_at(level, *layer, at) : 0;
}

/// Degrees, of a cell that holds water; nothing: it holds none, or the layer was not asked for.
[[nodiscard]] inline std::optional<double> degrees_at(const protocol::Mirror& mirror, Vec3 at,
                                                      int level = 0) {
  const std::int32_t number = number_at(mirror, protocol::kTemperatureLayer, at, level);
  if (number <= 0) return std::nullopt;
  return protocol::degrees_told(number);
}

/// Full cells' water that is steam in a cell of air; nothing: none, or the layer was not asked for.
[[nodiscard]] inline std::optional<double> steam_at(const protocol::Mirror& mirror, Vec3 at,
                                                    int level = 0) {
  const std::int32_t number = number_at(mirror, protocol::kSteamLayer, at, level);
  if (number <= 0) return std::nullopt;
  return protocol::steam_told(number);
}

/// The names of the world's tracers, in its order.
[[nodiscard]] inline std::vector<std::string> tracers_of(const protocol::Mirror& mirror) {
  std::vector<std::string> names;
  for (const std::string& layer : mirror.welcome().layers) {
    if (layer.starts_with(protocol::kTracerLayer)) {
      names.push_back(layer.substr(protocol::kTracerLayer.size()));
    }
  }
  return names;
}

/// For SetView: all layers that a viewer can make sense of.
[[nodiscard]] inline std::uint32_t bits_of_known_layers(const protocol::Mirror& mirror) {
  std::uint32_t bits = bit_of_layer(mirror, protocol::kTemperatureLayer) |
                       bit_of_layer(mirror, protocol::kWaveLayer) |
                       bit_of_layer(mirror, protocol::kSteamLayer);
  for (const std::string& tracer : tracers_of(mirror)) {
    bits |= bit_of_layer(mirror, std::string(protocol::kTracerLayer) + tracer);
  }
  return bits;
}

/// Units of a tracer in a unit of a cell's water; nothing: it holds none, or the layer was not
/// asked for.
[[nodiscard]] inline std::optional<double> share_at(const protocol::Mirror& mirror,
                                                    const std::string& tracer, Vec3 at,
                                                    int level = 0) {
  const std::string name = std::string(protocol::kTracerLayer) + tracer;
  const std::int32_t number = number_at(mirror, name, at, level);
  if (number <= 0) return std::nullopt;
  return protocol::share_told(number);
}

/// Cells, of the wave on the water that a cell lies in; 0 where the surface does not move. Of ice,
/// the one that it froze. Nothing: no surface of water is known there, or the world has no waves.
[[nodiscard]] inline std::optional<double> wave_at(const protocol::Mirror& mirror,
                                                   const Surfaces& surfaces, Vec3 at,
                                                   int level = 0) {
  const auto head = surfaces.head(at.x, at.y);
  const auto number_in = [&](Vec3 cell) {
    return number_at(mirror, protocol::kWaveLayer, cell, level);
  };
  if (is_ice(level == 0 ? mirror.cell(at) : mirror.coarse_cell(level, at))) {
    const std::int32_t number = number_in(at);
    if (number > 0) return protocol::wave_told(number);
  }
  if (!find_layer(mirror, protocol::kWaveLayer) || !head) return std::nullopt;
  const auto top = static_cast<std::int32_t>(*head);
  // A full cell's surface is the floor of the cell above it, and its own.
  for (const std::int32_t y : {top, top - 1}) {
    if (y < 0 || y >= mirror.welcome().size.y) continue;
    const std::int32_t number = number_in({at.x, y, at.z});
    if (number > 0) return protocol::wave_told(number);
  }
  return 0.0;
}

}  // namespace sluice::client
