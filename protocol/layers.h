// What a world has beside its cells, as viewers are told of it: a layer is one number for each
// cell, sent in chunks as the cells are, and coarser than the server knows it. 0 is nothing. The
// names are those of Welcome::layers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "protocol/base/events.h"
#include "protocol/base/limits.h"

namespace sluice::protocol {

/// Of worlds with heat: of each cell that holds water or ice, its temperature.
inline constexpr std::string_view kTemperatureLayer = "temperature";
/// Of worlds with waves: of each cell in which a surface lies that moves, the height of its wave.
inline constexpr std::string_view kWaveLayer = "waves";

/// Of worlds with tracers, one for each: this and its name. Of each cell that holds any of it, its
/// share in the cell's water.
inline constexpr std::string_view kTracerLayer = "tracer:";

/// Of worlds whose heat has steam: of each cell of air that holds some, how much.
inline constexpr std::string_view kSteamLayer = "steam";
/// Of worlds with waves or heat: what happened in a cell since the last telling. It is no state: a
/// number that comes or changes is one event, and the next telling takes it back.
inline constexpr std::string_view kEventLayer = "events";

/// Temperatures are told by the quarter of a degree, rounded down: 1 is the coldest there is.
inline constexpr std::int32_t kToldInDegree = 4;
inline constexpr std::int32_t kToldColdest = -100;  // degrees
inline constexpr std::int32_t kToldHottest = 200;

/// `quarters` of a degree, from -400 to 800; beyond, the nearest of them.
constexpr std::int32_t told_temperature(std::int32_t quarters) {
  return 1 + std::clamp(quarters, kToldInDegree * kToldColdest, kToldInDegree * kToldHottest) -
         kToldInDegree * kToldColdest;
}
/// The way back, in degrees; only of a number above 0.
constexpr double degrees_told(std::int32_t number) {
  return static_cast<double>(number - 1) / kToldInDegree + kToldColdest;
}

/// Heights of waves are told in 1/64 of a cell, up to four cells either way.
inline constexpr std::int32_t kToldInCell = 64;
inline constexpr std::int32_t kToldHighest = 4 * kToldInCell;

constexpr std::int32_t told_wave(std::int32_t parts) {
  return 1 + kToldHighest + std::clamp(parts, -kToldHighest, kToldHighest);
}
/// The way back, in cells; only of a number above 0.
constexpr double wave_told(std::int32_t number) {
  return static_cast<double>(number - 1 - kToldHighest) / kToldInCell;
}

/// Shares of tracers are told in 1/64 unit in a unit of water, rounded up, up to 16.
inline constexpr std::int32_t kToldInShare = 64;
inline constexpr std::int32_t kToldMostShare = 16;

constexpr std::int32_t told_share(std::int64_t amount, std::int32_t units) {
  const std::int64_t most = kToldInShare * kToldMostShare;
  if (amount >= most * units) return static_cast<std::int32_t>(most);
  return static_cast<std::int32_t>((amount * kToldInShare + units - 1) / units);
}
/// The way back, in units of the tracer in a unit of water.
constexpr double share_told(std::int32_t number) {
  return static_cast<double>(number) / kToldInShare;
}

/// Steam is told in 1/64 of a full cell's water, rounded up, up to 16 cells.
inline constexpr std::int32_t kToldMostSteam = 16 * kToldInCell;

constexpr std::int32_t told_steam(std::int32_t units) {
  constexpr std::int32_t kPart = kFull / kToldInCell;
  return std::min(units / kPart + (units % kPart != 0 ? 1 : 0), kToldMostSteam);
}
/// The way back, in full cells' water.
constexpr double steam_told(std::int32_t number) {
  return static_cast<double>(number) / kToldInCell;
}

/// Kinds and strengths that there is room for in a number, and ticks, after which they begin anew.
inline constexpr std::int32_t kEventKinds = 4;
inline constexpr std::int32_t kEventStrengths = kStrongestEvent + 1;
inline constexpr std::int32_t kEventTicks = 64;

struct ToldEvent {
  EventKind kind = EventKind::kDroplet;
  std::int32_t strength = 1;
  std::int32_t tick = 0;  // modulo kEventTicks: so the same event a moment later is another number
};

constexpr std::int32_t told_event(const ToldEvent& event) {
  return 1 + static_cast<std::int32_t>(event.kind) +
         kEventKinds * (event.strength + kEventStrengths * event.tick);
}
/// The way back, of a number above 0.
constexpr ToldEvent event_told(std::int32_t number) {
  const std::int32_t rest = (number - 1) / kEventKinds;
  return {static_cast<EventKind>((number - 1) % kEventKinds), rest % kEventStrengths,
          rest / kEventStrengths % kEventTicks};
}

}  // namespace sluice::protocol
