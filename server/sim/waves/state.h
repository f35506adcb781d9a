// What is kept of a world's waves: the columns that move. A world at rest has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/sim/waves/options.h"

namespace sluice::sim {

struct WorldConfig;

/// Of a column of free surface; both 1/64 level unit. Columns that stand still are not listed.
struct WaveColumn {
  std::int32_t height = 0;  // above its surface at rest
  std::int32_t speed = 0;   // a step, upwards

  [[nodiscard]] bool nothing() const { return height == 0 && speed == 0; }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("height", self.height);
    v.field("speed", self.speed);
  }
};

/// Columns one after the other, in an order that is no part of the state, and maybe some that stand
/// still. Behind both ends of the heights stands a 0, so that every column has two beside it.
struct WaveColumns {
  std::vector<Vec3> places;  // the cell of the surface
  std::vector<std::int32_t> heights = {0, 0};
  std::vector<std::int32_t> speeds;

  [[nodiscard]] std::size_t size() const { return places.size(); }
  [[nodiscard]] WaveColumn at(std::size_t i) const { return {heights[i + 1], speeds[i]}; }
  void set(std::size_t i, WaveColumn column) {
    heights[i + 1] = column.height;
    speeds[i] = column.speed;
  }
  /// All at rest.
  void resize(std::size_t count) {
    places.assign(count, {});
    heights.assign(count + 2, 0);
    speeds.assign(count, 0);
  }
  /// Those that move.
  [[nodiscard]] std::map<Vec3, WaveColumn> by_place() const {
    std::map<Vec3, WaveColumn> columns;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!at(i).nothing()) columns.emplace(places[i], at(i));
    }
    return columns;
  }
  void take(const std::map<Vec3, WaveColumn>& columns) {
    resize(columns.size());
    std::size_t i = 0;
    for (const auto& [place, column] : columns) {
      places[i] = place;
      set(i++, column);
    }
  }
};

/// Of a cell of ice, the wave that it froze: its surface stands so much higher than the cell's top.
struct FrozenWave {
  std::int32_t height = 0;  // 1/64 level unit; never 0

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("height", self.height);
  }
};

/// The layer's part of a world's core.
struct WaveState {
  bool on = false;  // a world without [waves] has none of what follows
  WaveOptions options;
  std::int32_t wind = 0;  // level units a tick, towards greater x
  WaveColumns columns;
  std::map<Vec3, FrozenWave> frozen;  // by the cell of ice, where ice keeps shapes

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    // 2: on, and ice keeps shapes. In worlds without, what it was before there were any.
    std::uint8_t on = self.options.keep_shape ? 2 : 1;
    if (!self.on) on = 0;
    v.field("on", on);
    if constexpr (!std::is_const_v<Self>) {
      self.on = on != 0;
      self.options.keep_shape = on == 2;
      self.possible = on <= 2;
    }
    if (!self.on) return;
    v.field("options", self.options);
    v.field("wind", self.wind);
    std::map<Vec3, WaveColumn> columns = self.columns.by_place();
    v.field("columns", columns);
    if constexpr (!std::is_const_v<Self>) self.columns.take(columns);
    if (self.options.keep_shape) v.field("frozen", self.frozen);
  }

  bool possible = true;  // false after reading what cannot be
};

/// Errors name the key, as a world file has it.
[[nodiscard]] Status validate(const WaveOptions& options);
[[nodiscard]] Status validate_wind(std::int32_t speed);
/// Of a snapshot.
[[nodiscard]] Status validate(const WaveState& state, const WorldConfig& config);

}  // namespace sluice::sim
