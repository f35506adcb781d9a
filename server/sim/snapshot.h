// What is said of snapshots (world.h takes and restores them) outside this folder.
#pragma once

#include <string_view>

namespace sluice::sim {

/// How World::restore begins when a snapshot is whole, but by other rules than this program's.
inline constexpr std::string_view kMadeByOtherRules = "snapshot: made by version ";

}  // namespace sluice::sim
