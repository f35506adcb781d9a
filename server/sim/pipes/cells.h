// The cells that ports reach: what a network needs of the grid.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/cell.h"
#include "server/sim/geometry.h"

namespace sluice::sim {

class PortCells {
 public:
  virtual ~PortCells() = default;
  /// kOutside beyond the world.
  [[nodiscard]] virtual Cell cell(Vec3 at) const = 0;
  /// What the cells hold at the most, and in which parts.
  [[nodiscard]] virtual WaterMeasure measure() const { return {}; }
  /// Adds units (takes them when negative) to an open cell that has them, or room for them.
  virtual void add(Vec3 at, std::int32_t units) = 0;

  /// A name for the neighbourhood of a cell, for changed_regions(). Always the same one.
  [[nodiscard]] virtual Vec3 region(Vec3 at) const { return at; }
  /// The regions in which a cell may be another than it was when the ports ran last. False: that is
  /// not known, any may be.
  [[nodiscard]] virtual bool changed_regions(std::vector<Vec3>& /*regions*/) const {
    return false;
  }
};

}  // namespace sluice::sim
