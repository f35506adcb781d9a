// What nodes and ports of pipe networks are, in the simulation, in files and on the wire: the
// numbers are those of both, and never used for anything else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

enum class NodeKind : std::uint8_t { kPipe = 0, kPump = 1, kValve = 2 };
inline constexpr std::array<std::string_view, 3> kNodeKindNames = {"pipe", "pump", "valve"};

/// Which way a port moves water.
enum class PortKind : std::uint8_t { kInlet = 0, kOutlet = 1, kOpen = 2 };
inline constexpr std::array<std::string_view, 3> kPortKindNames = {"inlet", "outlet", "open"};

/// What a port did in the last tick.
enum class PortState : std::uint8_t {
  kIdle = 0,     // nothing to move: no water or fluid, no room, equal levels
  kRunning = 1,  // moved something
  kBlocked = 2,  // its cell is rock
  kBeyond = 3,   // its cell lies outside the world
};
inline constexpr std::array<std::string_view, 4> kPortStateNames = {"idle", "running", "blocked",
                                                                    "outside"};

constexpr std::string_view name_of(NodeKind kind) {
  return kNodeKindNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view name_of(PortKind kind) {
  return kPortKindNames[static_cast<std::size_t>(kind)];
}
constexpr std::string_view name_of(PortState state) {
  return kPortStateNames[static_cast<std::size_t>(state)];
}

}  // namespace sluice
