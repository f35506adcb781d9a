// What is kept of a world's steam: the cells of air that hold some (steam.md).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/sim/digest.h"

namespace sluice::sim {

struct WorldConfig;

/// Cells that hold steam at a time. Where there would be more, the thinnest is gone.
inline constexpr std::int32_t kMostSteamCells = 1 << 15;
/// Units that one cell holds; what comes on top is gone.
inline constexpr std::int32_t kMostSteamUnits = 1 << 30;
/// A cell's steam becomes water in drops of so many units or more, or all at once.
inline constexpr std::int32_t kLeastDrop = 64;

/// Of one cell.
struct Steam {
  std::int32_t units = 0;   // of the water that it was
  std::int64_t energy = 0;  // with the heat of boiling

  friend bool operator==(const Steam&, const Steam&) = default;
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("units", self.units);
    v.field("energy", self.energy);
  }
};

struct SteamCell {
  Vec3 at;
  Steam held;

  friend bool operator==(const SteamCell&, const SteamCell&) = default;
};

/// The layer's part of a world's core.
struct SteamState {
  std::vector<SteamCell> cells;  // in the order of their places; all hold some

  [[nodiscard]] std::map<Vec3, Steam> by_place() const;
  void take(const std::map<Vec3, Steam>& places);
  [[nodiscard]] std::int64_t units() const;
  [[nodiscard]] std::int64_t energy() const;
};

/// 0 where there is none.
[[nodiscard]] Digest digest_of(const SteamState& state);
/// Of a snapshot, of which so much counts as evaporated. Energies are looked at where the sum of
/// all of them is.
[[nodiscard]] Status validate(const SteamState& state, const WorldConfig& config,
                              std::int64_t evaporated);

}  // namespace sluice::sim
