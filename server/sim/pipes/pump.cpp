// Pumps draw first, whatever the levels: up to their rate, their room and what their inlets hold,
// in proportion to what each inlet holds. Pumps that want more of an inlet than it holds share it
// in proportion to what they want. What no rule can divide stays where it is.
#include <algorithm>
#include <map>

#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"
#include "server/sim/pipes/share.h"

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

}  // namespace

void PipeNetwork::run_pumps(bool all_awake) {
  std::vector<Pumping> all;
  std::map<Slot, Inlet> inlets;
  for (const auto& entry : pump_rates_) {
    // Not a structured binding: C++20 lets lambdas take those, clang 14 does not yet.
    const Slot slot = entry.first;
    const std::int32_t rate = entry.second;
    if (!all_awake && island_awake_[island_of(block_of(slot))] == 0) continue;
    Pumping pumping;
    pumping.pump = slot;
    pumping.wanted = std::min(
        {std::int64_t{rate}, std::int64_t{room(slot)}, std::int64_t{type(slot).throughput}});
    for_links_of(slot, [&](Slot i) {
      const Link& link = links_[i];
      if (link.b() != slot || !nodes_[link.a].is(kFlagOpen)) return;
      const std::int64_t most =
          std::min<std::int64_t>(nodes_[link.a].amount, type(link.a).throughput);
      inlets[link.a].holds = most;
      pumping.asks.push_back({i, link.a, 0});
    });
    pumping.drawn.resize(pumping.asks.size());
    if (pumping.wanted > 0 && !pumping.asks.empty()) all.push_back(std::move(pumping));
  }
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
      change_amount(pumping.asks[i].inlet, -units);
      change_amount(pumping.pump, units);
      parcels_.push_back({pumping.asks[i].inlet, kNoSlot, 0, units});
      parcels_.push_back({pumping.pump, pumping.asks[i].link, units, 0});
    }
  }
}

}  // namespace sluice::sim
