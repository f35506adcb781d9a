#include "server/sim/steam/state.h"

#include <algorithm>

#include "server/sim/heat/options.h"
#include "server/sim/spec.h"

namespace sluice::sim {

// A cell's energy is a product of its units, which a part of is taken in 64 bits.
static_assert(std::int64_t{kMostSteamUnits} * kMostUnitHeat * 256 * 2 < INT64_MAX);

std::map<Vec3, Steam> SteamState::by_place() const {
  std::map<Vec3, Steam> places;
  for (const SteamCell& cell : cells) places.emplace_hint(places.end(), cell.at, cell.held);
  return places;
}

void SteamState::take(const std::map<Vec3, Steam>& places) {
  cells.clear();
  cells.reserve(places.size());
  for (const auto& [at, held] : places) cells.push_back({at, held});
}

std::int64_t SteamState::units() const {
  std::int64_t sum = 0;
  for (const SteamCell& cell : cells) sum += cell.held.units;
  return sum;
}

std::int64_t SteamState::energy() const {
  std::int64_t sum = 0;
  for (const SteamCell& cell : cells) sum += cell.held.energy;
  return sum;
}

Digest digest_of(const SteamState& state) {
  if (state.cells.empty()) return 0;
  Digest digest = combine(0x737465616dU, state.cells.size());
  for (const auto& [at, held] : state.cells) {
    digest = combine(digest, std::uint64_t{static_cast<std::uint32_t>(at.x)} << 32 |
                                 static_cast<std::uint32_t>(at.y));
    digest = combine(digest, std::uint64_t{static_cast<std::uint32_t>(at.z)} << 32 |
                                 static_cast<std::uint32_t>(held.units));
    digest = combine(digest, static_cast<std::uint64_t>(held.energy));
  }
  return digest;
}

Status validate(const SteamState& state, const WorldConfig& config, std::int64_t evaporated) {
  const Error wrong{"snapshot: its steam is none that can be"};
  if (state.cells.size() > static_cast<std::size_t>(kMostSteamCells)) return wrong;
  const std::int32_t quantum = measure_of(config).quantum;
  for (const auto& [at, held] : state.cells) {
    // Crumbs of what spread may be more than what its units could have.
    const std::int64_t most = 2 * std::int64_t{held.units} * kMostUnitHeat;
    const bool possible = config.box().contains(at) && held.units > 0 &&
                          held.units <= kMostSteamUnits && held.units % quantum == 0 &&
                          held.energy >= 0 && held.energy <= most;
    if (!possible) return wrong;
  }
  if (state.units() > std::min(evaporated, kMostHeatedUnits)) return wrong;
  return Done{};
}

}  // namespace sluice::sim
