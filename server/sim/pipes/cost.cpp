// What a command costs, before it runs: bounds that need no walk.
//
// A link that is made renumbers the smaller of the two components, and changes the conductances of
// both nodes' links. One that goes makes the tick search for where the component fell apart, unless
// one of its nodes had no other link: then that node is a component for itself, and the search ends
// with it. Where two fluids meet, searches that are still due come first.
#include <algorithm>

#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

constexpr std::int64_t kWorkOfSearchedPipe = 8;
constexpr std::int64_t kWorkOfRousedPipe = 8;
/// More than this is not asked for a network that wakes: a host could never give it.
constexpr std::int64_t kMostWorkOfRousing = 3'200'000;

/// Conductances of a node's links, crests around it, and one step of a search that ends soon.
std::int64_t edit_cost(const PipeGraph& graph, Slot node) {
  return 2 + 3 * std::int64_t{graph.degree(node)} + graph.component_at(node).ports;
}

/// Finding out how a component fell apart: each end of each link is looked at once, and each node
/// that goes to a new component once more. They lie anywhere in memory.
std::int64_t search_cost(const Component& component) {
  return kWorkOfSearchedPipe * component.size();
}

}  // namespace

/// The tick goes through all that may depend on what wakes: the first command of a tick that wakes
/// it pays for it.
std::int64_t PipeNetwork::cost_of_rousing(Slot node) const {
  const std::int64_t nodes = std::min(layout_.nodes_to_rouse(node), node_count());
  return std::min(kWorkOfRousedPipe * nodes, kMostWorkOfRousing);
}

std::int64_t PipeNetwork::cost_of_waking(Slot node) const {
  return graph_.component_at(node).units > 0 ? cost_of_rousing(node) : 0;
}

std::int64_t PipeNetwork::cost_of(const PipeFields& added) const {
  return 1 + (added.amount > 0 ? cost_of_rousing(graph_.next_node()) : 0);
}

std::int64_t PipeNetwork::cost_of(const RemovePipe& command) const {
  const Slot node = graph_.find(command.name);
  if (node == kNoSlot) return 1;
  const Component& component = graph_.component_at(node);
  const std::int64_t ports = component.ports;
  if (graph_.degree(node) == 0) return 1 + ports;
  const std::int64_t waking = cost_of_waking(node);
  if (graph_.degree(node) == 1) {
    const Slot neighbour = graph_.link(graph_.first_link(node)).other(node);
    return 6 + ports + waking + edit_cost(graph_, neighbour);
  }
  // Its neighbours may be hubs, so that every end of every link gets another conductance.
  return 4 + ports + waking + search_cost(component) +
         kWorkOfSearchedPipe * std::int64_t{component.links};
}

std::int64_t PipeNetwork::cost_of(const UpgradePipe& command) const {
  const Slot node = graph_.find(command.name);
  return node == kNoSlot ? 1 : edit_cost(graph_, node) + cost_of_waking(node);
}

std::int64_t PipeNetwork::cost_of(const UpgradePipeAndBase& command) const {
  return cost_of(UpgradePipe{command.name});
}

std::int64_t PipeNetwork::cost_of(const LinkPipes& command) const {
  const Slot a = graph_.find(command.from);
  const Slot b = graph_.find(command.to);
  if (a == kNoSlot || b == kNoSlot) return 1;
  std::int64_t cost = 1 + edit_cost(graph_, a) + edit_cost(graph_, b) + cost_of_waking(a);
  if (layout_.apart(a, b)) cost += cost_of_waking(b);
  if (graph_.component_of(a) == graph_.component_of(b)) return cost;
  const Component& left = graph_.component_at(a);
  const Component& right = graph_.component_at(b);
  const Component& smaller = left.nodes < right.nodes ? left : right;
  cost += kWorkOfSearchedPipe * smaller.size();
  if (left.fluid == right.fluid) return cost;
  for (const Component* side : {&left, &right}) cost += side->pending ? search_cost(*side) : 0;
  return cost;
}

std::int64_t PipeNetwork::cost_of(const UnlinkPipes& command) const {
  const Slot a = graph_.find(command.from);
  const Slot b = graph_.find(command.to);
  if (a == kNoSlot || b == kNoSlot || graph_.component_of(a) != graph_.component_of(b)) return 1;
  const std::int64_t cost = 6 + edit_cost(graph_, a) + edit_cost(graph_, b) + cost_of_waking(a);
  const bool leaf = graph_.degree(a) == 1 || graph_.degree(b) == 1;
  return leaf ? cost : cost + search_cost(graph_.component_at(a));
}

std::int64_t PipeNetwork::cost_of(const SetValve& command) const {
  const Slot node = graph_.find(command.name);
  return node == kNoSlot ? 1 : edit_cost(graph_, node) + cost_of_waking(node);
}

std::int64_t PipeNetwork::cost_of(const SetPump& command) const {
  const Slot node = graph_.find(command.name);
  return node == kNoSlot ? 1 : edit_cost(graph_, node) + cost_of_waking(node);
}

std::int64_t PipeNetwork::cost_of(const AddPort& command) const {
  const Slot node = graph_.find(command.node);
  return node == kNoSlot ? 2 : 2 + cost_of_rousing(node);
}

std::int64_t PipeNetwork::cost_of(const RemovePort& /*command*/) const {
  return 2;
}

}  // namespace sluice::sim
