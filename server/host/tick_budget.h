// How long clients may make a tick: what a host is told (config.h) and its queues keep to
// (command_queue.h).
#pragma once

#include <cstdint>

namespace sluice::host {

/// Milliseconds.
inline constexpr std::uint32_t kDefaultTickBudget = 20;
inline constexpr std::uint32_t kMaxTickBudget = 1000;

}  // namespace sluice::host
