// A world's state except its cells: declared once, so that digest, snapshot and comparison agree.
#pragma once

#include <cstdint>
#include <type_traits>

#include "server/sim/heat/state.h"
#include "server/sim/models/state.h"
#include "server/sim/spec.h"
#include "server/sim/springs.h"
#include "server/sim/totals.h"
#include "server/sim/tracers/state.h"
#include "server/sim/waves/state.h"

namespace sluice::sim {

struct CoreState {
  WorldConfig config;
  std::uint64_t tick = 0;  // ticks that have run
  Totals totals;
  Springs sources;
  Springs drains;
  WorldLimits limits;
  SourceHeads source_heads;
  WaterState water;  // beside cells and marks
  WaveState waves;
  HeatState heat;
  TracerState tracers;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("config", self.config);
    v.field("tick", self.tick);
    v.field("totals", self.totals);
    v.field("sources", self.sources);
    v.field("drains", self.drains);
    v.field("limits", self.limits);
    v.field("source_heads", self.source_heads);
    if constexpr (!std::is_const_v<Self>) self.water.make_for(self.config.water);
    if (auto* const kept = self.water.kept()) v.field(kept->name(), *kept);
    v.field("waves", self.waves);
    v.field("heat", self.heat);
    v.field("tracers", self.tracers);
  }
};

}  // namespace sluice::sim
