// How many may look back at what living worlds recorded, and what that may take.
#pragma once

#include <cstdint>

namespace sluice::host {

inline constexpr std::uint32_t kMostLookBack = 256;
inline constexpr std::uint32_t kMostLookBackMebibytes = 1U << 20;

/// Of one account, or of one address that shows none.
inline constexpr std::uint32_t kMostOfAsker = 2;

struct LookBackBounds {
  std::uint32_t positions = 8;  // of the server; 0: nobody looks back
  std::uint32_t per_world = 4;  // of those, in one world
  std::uint32_t memory = 1024;  // MiB, of all worlds and states that they hold
  bool operator==(const LookBackBounds&) const = default;
};

}  // namespace sluice::host
