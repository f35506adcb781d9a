// The fluids that a network's components hold, by number. A name that no component uses any more
// is forgotten, so that how many fluids fit is a matter of what there is, not of what there was.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/sim/digest.h"

namespace sluice::sim {

/// Index into the fluids of a network; it says nothing beyond that.
using Fluid = std::uint16_t;
/// What the grid holds. It is always there.
inline constexpr Fluid kWaterFluid = 0;

class PipeFluids {
 public:
  PipeFluids();
  /// The number of a fluid, with one more component that holds it.
  Fluid acquire(std::string_view name);
  void acquire(Fluid fluid) { ++rows_[fluid].users; }
  void release(Fluid fluid);
  [[nodiscard]] bool known(std::string_view name) const;
  /// Those in use, water among them.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(numbers_.size()); }
  [[nodiscard]] const std::string& name(Fluid fluid) const { return rows_[fluid].name; }
  /// What each node adds to the network's digest, times its weight; 0 for water.
  [[nodiscard]] Digest share(Fluid fluid) const { return rows_[fluid].share; }

 private:
  struct Row {
    std::string name;
    Digest share = 0;
    std::uint32_t users = 0;
  };
  std::vector<Row> rows_;
  std::vector<Fluid> free_;
  std::map<std::string, Fluid, std::less<>> numbers_;
};

}  // namespace sluice::sim
