// What others may look at.
#include "protocol/base/assert.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

NodeView PipeNetwork::node(Slot slot) const {
  SLUICE_ASSERT(slot < slot_limit() && used(slot));
  const Node& node = graph_.node(slot);
  const PipeType type = graph_.type(slot).type();
  NodeView view;
  view.name = graph_.name(slot);
  view.fluid = graph_.fluid_name(slot);
  view.kind = type.kind;
  view.open = node.is(kFlagOpen);
  view.capacity = type.capacity;
  view.height = type.height;
  view.base = node.base;
  view.throughput = type.throughput;
  view.rate = graph_.pump_rate(slot);
  view.at = graph_.place(slot);
  view.amount = node.amount;
  view.level_units = node.base + std::int64_t{node.amount} * type.height / type.capacity;
  if (slot < step_.traffic.size()) {
    view.inflow = step_.traffic[slot].in;
    view.outflow = step_.traffic[slot].out;
  }
  return view;
}

std::optional<Slot> PipeNetwork::find(std::string_view name) const {
  const Slot slot = graph_.find(name);
  return slot == kNoSlot ? std::nullopt : std::optional<Slot>(slot);
}

std::size_t PipeNetwork::bytes(bool with_names) const {
  return graph_.bytes(with_names) + layout_.bytes() + step_.traffic.size() * sizeof(Traffic) +
         step_.flows.size() * sizeof(std::int32_t) + step_.marks.size() +
         step_.conduits.distances.size() * sizeof(ConduitSearch::Distance);
}

}  // namespace sluice::sim
