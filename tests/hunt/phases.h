// Which phases of the ticks had something to do: those whose layer is another one than before.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "server/sim/world.h"
#include "tests/hunt/journal.h"

namespace sluice::hunt {

class Phases {
 public:
  /// After each tick of a world, whichever process it lives in.
  void note(const sim::World& world, Journal& journal) {
    using sim::Layer;
    constexpr std::array kPhases = {
        std::pair{Layer::kTotals, "phase: commands, sources and drains"},
        std::pair{Layer::kSprings, "phase: springs are built"},
        std::pair{Layer::kCells, "phase: water"},
        std::pair{Layer::kPipes, "phase: pipes"},
        std::pair{Layer::kMarks, "phase: marks"},
        std::pair{Layer::kWaves, "phase: waves"},
        std::pair{Layer::kHeat, "phase: heat"},
        std::pair{Layer::kTracers, "phase: tracers"}};
    const auto now = world.layer_digests();
    for (const auto& [layer, name] : kPhases) {
      const auto i = static_cast<std::size_t>(layer);
      if (now[i] != layers_[i]) journal.count(name);
    }
    layers_ = now;
    if (!world.core().heat.steam.cells.empty()) journal.count("phase: steam");
  }

 private:
  std::array<sim::Digest, sim::kLayerCount> layers_{};
};

}  // namespace sluice::hunt
