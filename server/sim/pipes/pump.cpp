// Pumps draw first, whatever the levels: up to their rate, their room and what their inlets hold,
// in proportion to what each inlet holds. Pumps that want more of an inlet than it holds share it
// in proportion to what they want. What no rule can divide stays where it is.
#include <algorithm>
#include <map>

#include "server/sim/pipes/share.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

namespace {

/// Rounds in which a pump that went short at one inlet may ask at its others again.
constexpr int kRounds = 4;

struct Ask {
  Slot link = kNoSlot;
  Slot inlet = kNoSlot;
  std::int64_t units = 0;
};

struct Pumping {
  Slot pump = kNoSlot;
  std::int64_t wanted = 0;
  std::vector<Ask> asks;            // one for each inlet
  std::vector<std::int64_t> drawn;  // beside asks, over all rounds
};

struct Inlet {
  std::int64_t holds = 0;
  std::int64_t asked = 0;
};

/// Divides what the pump wants by what its inlets hold.
void ask(Pumping& pumping, std::map<Slot, Inlet>& inlets) {
  std::vector<std::int64_t> held;
  for (const Ask& one : pumping.asks) held.push_back(inlets[one.inlet].holds);
  const std::vector<std::int64_t> shares = share_out(pumping.wanted, held, held);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    pumping.asks[i].units = shares[i];
    inlets[pumping.asks[i].inlet].asked += shares[i];
  }
}

/// The pumps of awake blocks that want anything, and what there is for them.
std::vector<Pumping> find_pumps(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step,
                                std::map<Slot, Inlet>& inlets) {
  std::vector<Pumping> all;
  const auto look_at = [&](Slot pump, std::int32_t rate) {
    Pumping pumping;
    pumping.pump = pump;
    pumping.wanted = std::min({std::int64_t{rate}, std::int64_t{graph.room(pump)},
                               std::int64_t{graph.type(pump).throughput}});
    graph.for_links_of(pump, [&](Slot i) {
      const Slot inlet = graph.link(i).a;
      if (inlet == pump || !graph.node(inlet).is(kFlagOpen)) return;
      inlets[inlet].holds =
          std::min<std::int64_t>(graph.node(inlet).amount, graph.type(inlet).throughput);
      pumping.asks.push_back({i, inlet, 0});
    });
    step.work += 1 + graph.degree(pump);
    pumping.drawn.resize(pumping.asks.size());
    if (pumping.wanted > 0 && !pumping.asks.empty()) all.push_back(std::move(pumping));
  };
  const std::map<Slot, std::int32_t>& rates = graph.pump_rates();
  if (rates.empty()) return all;
  for (const std::uint32_t block : layout.awake_blocks()) {
    const Slot end = layout.end_node(block, graph);
    for (auto pump = rates.lower_bound(layout.first_node(block));
         pump != rates.end() && pump->first < end; ++pump) {
      look_at(pump->first, pump->second);
    }
  }
  return all;
}

}  // namespace

void run_pumps(PipeGraph& graph, const PipeLayout& layout, PipeStep& step) {
  std::map<Slot, Inlet> inlets;
  std::vector<Pumping> all = find_pumps(graph, layout, step, inlets);
  for (int round = 0; round < kRounds; ++round) {
    for (auto& [slot, inlet] : inlets) inlet.asked = 0;
    for (Pumping& pumping : all) ask(pumping, inlets);
    std::int64_t moved = 0;
    std::map<Slot, std::int64_t> given;
    for (Pumping& pumping : all) {
      for (std::size_t i = 0; i < pumping.asks.size(); ++i) {
        const Ask& one = pumping.asks[i];
        const Inlet& inlet = inlets[one.inlet];
        const std::int64_t units =
            inlet.asked > inlet.holds ? one.units * inlet.holds / inlet.asked : one.units;
        pumping.drawn[i] += units;
        pumping.wanted -= units;
        given[one.inlet] += units;
        moved += units;
      }
    }
    for (const auto& [slot, units] : given) inlets[slot].holds -= units;
    if (moved == 0) break;
  }
  for (const Pumping& pumping : all) {
    for (std::size_t i = 0; i < pumping.asks.size(); ++i) {
      const auto units = static_cast<std::int32_t>(pumping.drawn[i]);
      if (units == 0) continue;
      graph.change_amount(pumping.asks[i].inlet, -units);
      graph.change_amount(pumping.pump, units);
      step.parcels.push_back({pumping.asks[i].inlet, kNoSlot, 0, units});
      step.parcels.push_back({pumping.pump, pumping.asks[i].link, units, 0});
    }
  }
}

}  // namespace sluice::sim
