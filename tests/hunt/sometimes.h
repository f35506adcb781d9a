// How often each place marked with SLUICE_SOMETIMES was reached.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace sluice::hunt {

/// All that are marked in the sources that were built for the hunt; made by plant.py.
[[nodiscard]] std::span<const char* const> marked_places();
/// In this process so far.
[[nodiscard]] const std::map<std::string, std::uint64_t>& reached_places();

}  // namespace sluice::hunt
