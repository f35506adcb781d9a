// The cells that ports reach: what a network needs of the grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/models/measure.h"

namespace sluice::sim {

class PortCells {
 public:
  virtual ~PortCells() = default;
  /// kOutside beyond the world.
  [[nodiscard]] virtual Cell cell(Vec3 at) const = 0;
  /// What the cells hold at the most, and in which parts.
  [[nodiscard]] virtual WaterMeasure measure() const { return {}; }
  /// How high the water stands that a cell is joined to, and by how many level units one more unit
  /// lifts it at the most.
  struct Head {
    std::int64_t level = 0;
    std::int32_t unit_rise = 1;
  };
  [[nodiscard]] virtual Head head(Vec3 at) { return {std::int64_t{at.y} * kFull + cell(at), 1}; }
  /// What the open cell may hold for its head to stay at or below `head`, in units.
  [[nodiscard]] virtual std::int64_t most_at(Vec3 at, std::int64_t head) {
    return std::clamp<std::int64_t>(head - std::int64_t{at.y} * kFull, 0, measure().cell_max);
  }
  /// No water of these cells can press higher.
  [[nodiscard]] virtual std::int64_t highest_head() const { return INT32_MAX; }
  /// Whose water gives way when some is taken from a cell: another one of the same body.
  [[nodiscard]] virtual std::optional<Vec3> giver(Vec3 at) { return at; }
  /// Where water comes to lie that is put into a cell.
  [[nodiscard]] virtual std::optional<Vec3> taker(Vec3 at) { return at; }
  /// Adds units (takes them when negative) to an open cell that has them, or room for them.
  virtual void add(Vec3 at, std::int32_t units) = 0;

  /// Puts units in at an open cell, where they come to lie no higher than `head`; those may be
  /// fewer than there was room for before others gave to the same water. Returns how many.
  virtual std::int32_t give(Vec3 at, std::int32_t units, std::int64_t /*head*/) {
    add(at, units);
    return units;
  }

  /// A name for the neighbourhood of a cell, for changed_regions(). Always the same one.
  [[nodiscard]] virtual Vec3 region(Vec3 at) const { return at; }
  /// The regions in which a cell may be another than it was when the ports ran last. False: that is
  /// not known, any may be.
  [[nodiscard]] virtual bool changed_regions(std::vector<Vec3>& /*regions*/) const { return false; }
};

}  // namespace sluice::sim
