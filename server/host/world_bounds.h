// How many worlds admins may make while the server runs, and how large. What a world file may have
// that is sent to a server is in formats/world_file.h, because `sluice admin` keeps to it, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/limits.h"

namespace sluice::host {

inline constexpr std::uint32_t kDefaultMostWorlds = 64;
inline constexpr std::uint32_t kMostWorlds = 1024;
/// Exports that lie in the data folder at a time.
inline constexpr std::size_t kMostExports = 64;

struct WorldBounds {
  std::uint32_t worlds = kDefaultMostWorlds;  // with those that are unloaded
  /// Chunks that hold anything in a world that is made while the server runs; it may grow.
  std::uint32_t chunks = 1U << 16;
  bool operator==(const WorldBounds&) const = default;
};
static_assert(WorldBounds{}.chunks <= kMaxChunks);

}  // namespace sluice::host
