// What is kept of a world's heat: the energy of each cell, who heats, and the books.
#pragma once

#include <cstdint>
#include <map>
#include <type_traits>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/sim/carried/amounts.h"
#include "server/sim/heat/options.h"
#include "server/sim/steam/state.h"

namespace sluice::sim {

struct WorldConfig;

struct Heater {
  std::int32_t rate = 0;  // units of energy a tick; below zero it cools

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("rate", self.rate);
  }
};

/// Of a spring that does not give water of the usual temperature.
struct SpringHeat {
  std::int32_t temperature = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("temperature", self.temperature);
  }
};

/// The layer's part of a world's core.
struct HeatState {
  bool on = false;  // a world without [heat] has none of what follows
  HeatOptions options;
  std::int32_t air = 10 * kDegree;  // without the day's swing
  std::map<Vec3, Heater> heaters;
  std::map<Vec3, SpringHeat> springs;
  AmountTotals totals;  // in and out: with water, and from and to heaters and the air
  SteamState steam;
  AmountPages pages;   // energies
  bool solid = false;  // the shape of those: 3D

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    // 1: on. With steam 1 more, with ice that floats 2: in worlds without, what it was before there
    // was any.
    constexpr std::uint8_t kSteam = 1;
    constexpr std::uint8_t kFloating = 2;
    std::uint8_t on = 1;
    if (self.options.steam) on += kSteam;
    if (self.options.floating) on += kFloating;
    if (!self.on) on = 0;
    v.field("on", on);
    if constexpr (!std::is_const_v<Self>) {
      self.on = on != 0;
      self.options.steam = self.on && ((on - 1) & kSteam) != 0;
      self.options.floating = self.on && ((on - 1) & kFloating) != 0;
    }
    if (!self.on) return;
    v.field("options", self.options);
    v.field("air", self.air);
    v.field("heaters", self.heaters);
    v.field("springs", self.springs);
    v.field("totals", self.totals);
    v.field("solid", self.solid);
    std::map<Vec3, AmountRun> runs = runs_of(self.pages, self.shape());
    v.field("heats", runs);
    std::map<Vec3, Steam> steam = self.steam.by_place();
    if (self.options.steam) v.field("steam", steam);
    if constexpr (!std::is_const_v<Self>) {
      self.possible = on <= 1 + kSteam + kFloating && take_runs(runs, self.shape(), self.pages);
      self.steam.take(steam);
    }
  }
  [[nodiscard]] ChunkShape shape() const { return solid ? kSolidShape : kSideViewShape; }

  bool possible = true;  // false after reading runs that cannot be
};

/// Errors name the key, as a world file has it.
[[nodiscard]] Status validate(const HeatOptions& options);
[[nodiscard]] Status validate_temperature(const char* key, std::int64_t temperature);
/// Of a snapshot.
[[nodiscard]] Status validate(const HeatState& state, const WorldConfig& config);

}  // namespace sluice::sim
