// What happens in a world for eyes alone.
#pragma once

#include <cstdint>

namespace sluice {

/// A drop is thrown from a crest, a bubble bursts, falling water sprays.
enum class EventKind : std::uint8_t { kDroplet, kBubble, kSpray };
inline constexpr std::int32_t kStrongestEvent = 63;  // the weakest is 1

}  // namespace sluice
