// What a viewer of a replay may ask for: one JSON object, sent as a command is sent to a live
// world.
//
//   {"cmd": "play"}   {"cmd": "pause"}
//   {"cmd": "seek", "to": 1200}         a tick
//   {"cmd": "step", "by": -1}           ticks; cut to what can be shown
//   {"cmd": "speed", "times": 0.125}    of the recorded speed, or "max": as fast as it goes
//   {"cmd": "alone", "as": "me"}        a position of one's own from the tick on that is shown, or
//                                       from that of a key "to"; for whoever connects to
//                                       /worlds/NAME?alone=me (own_positions.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::playback {

/// Thousandths of the recorded speed.
inline constexpr std::uint32_t kRealTime = 1000;
inline constexpr std::uint32_t kAsFastAsItGoes = 0;
inline constexpr std::uint32_t kMostSpeed = 1'000'000'000;
/// Of what a position goes by: [a-z0-9]. Long enough for a page to choose one that nobody else
/// does.
inline constexpr std::size_t kMostPositionBytes = 32;

struct Control {
  enum class Kind : std::uint8_t { kPlay, kPause, kSeek, kStep, kSpeed, kAlone };

  Kind kind = Kind::kPause;
  std::uint64_t tick = 0;                  // of kSeek
  std::int64_t by = 0;                     // of kStep
  std::uint32_t speed = kRealTime;         // of kSpeed
  std::string position = {};               // of kAlone
  std::optional<std::uint64_t> from = {};  // of kAlone: the tick to begin at
};

/// Any text is safe to give. The error says what is wrong and what is allowed; `where`, for people,
/// what those are in who give commands that only a living world takes.
[[nodiscard]] Result<Control> parse_control(std::string_view json,
                                            std::string_view where = "this is a replay");

}  // namespace sluice::playback
