// A water model that is no part of the product: it shows what a model must bring, and that nothing
// else has to know of it. See server/sim/models/README.md.
#pragma once

#include <cstdint>

#include "server/sim/models/registry.h"

namespace sluice::tests {

inline constexpr sim::WaterModel kToyWater{1000};

/// What it keeps beside cells and marks.
struct ToyState {
  static constexpr const char* kName = "toy";

  std::int64_t drops = 0;  // that fell or went aside since the world began

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("drops", self.drops);
  }
};

[[nodiscard]] sim::Digest digest_of(const ToyState& state);
[[nodiscard]] Status validate(const ToyState& state, const sim::WorldConfig& config);

[[nodiscard]] sim::WaterModelRow toy_water();

}  // namespace sluice::tests
