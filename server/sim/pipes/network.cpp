// Building and taking down: the graph changes, the layout hears of it.
#include "server/sim/pipes/network.h"

#include <algorithm>

namespace sluice::sim {

void PipeNetwork::edited(Slot node) {
  layout_.edited(graph_, node);
  ++version_;
}

Status PipeNetwork::add(const PipeFields& fields, NodeKind kind, std::int32_t rate, bool open) {
  Slot node = kNoSlot;
  if (Status s = graph_.add(fields, kind, rate, open, node); !s) return s;
  if (node < step_.traffic.size()) step_.traffic[node] = {};
  layout_.node_made(graph_, node);
  ++version_;
  return Done{};
}

Status PipeNetwork::remove(std::string_view name, Vec3& at, std::int32_t& spilled) {
  Slot node = kNoSlot;
  if (Status s = graph_.find_node(name, node); !s) return s;
  at = graph_.is_water(node) ? graph_.place(node) : kNowhere;  // the grid holds nothing else
  spilled = graph_.node(node).amount;
  graph_.for_links_of(node, [&](Slot link) { drop_link(link); });
  const PipeGraph::Ports& ports = graph_.ports();
  for (auto port = ports.lower_bound({node, kNowhere});
       port != ports.end() && port->first.first == node;) {
    const PipeGraph::PortKey key = port->first;
    layout_.port_dropped(key, port->second);
    ++port;
    graph_.drop_port(key);
  }
  layout_.node_dropped(graph_, node);
  graph_.drop_node(node);
  ++version_;
  return Done{};
}

void PipeNetwork::drop_link(Slot link) {
  layout_.link_dropped(graph_, link);
  graph_.drop_link(link);
  ++version_;
}

Status PipeNetwork::upgrade(const UpgradePipe& command, std::optional<std::int32_t> base) {
  Slot node = kNoSlot;
  const Status done = graph_.upgrade(command, base, node);
  if (done.ok()) edited(node);
  return done;
}

Status PipeNetwork::link(std::string_view from, std::string_view to, bool one_way) {
  Slot link = kNoSlot;
  if (Status s = graph_.make_link(from, to, one_way, link); !s) return s;
  if (link < step_.flows.size()) step_.flows[link] = 0;
  layout_.link_made(graph_, link);
  ++version_;
  return Done{};
}

Status PipeNetwork::unlink(std::string_view from, std::string_view to) {
  Slot link = kNoSlot;
  const Status done = graph_.find_link(from, to, link);
  if (done.ok()) drop_link(link);
  return done;
}

Status PipeNetwork::set_valve(std::string_view name, bool open) {
  Slot node = kNoSlot;
  const Status done = graph_.set_valve(name, open, node);
  if (done.ok()) edited(node);
  return done;
}

Status PipeNetwork::set_pump(std::string_view name, std::int32_t rate) {
  Slot node = kNoSlot;
  const Status done = graph_.set_pump(name, rate, node);
  if (done.ok()) edited(node);
  return done;
}

Status PipeNetwork::add_port(const AddPort& command) {
  Slot node = kNoSlot;
  if (Status s = graph_.add_port(command, node); !s) return s;
  layout_.port_made({node, command.cell});
  ++version_;
  return Done{};
}

Status PipeNetwork::remove_port(std::string_view node, Vec3 cell) {
  PipeGraph::PortKey key;
  if (Status s = graph_.find_port(node, cell, key); !s) return s;
  layout_.port_dropped(key, graph_.ports().at(key));
  graph_.drop_port(key);
  ++version_;
  return Done{};
}

void PipeNetwork::settle() {
  for (const Slot node : graph_.settle_components()) {
    if (graph_.used(node)) layout_.parted(graph_, node);
  }
  layout_.forget_empty(graph_);
  layout_.refresh(graph_);
}

void PipeNetwork::arrange() {
  settle();
  layout_.arrange(graph_);
  (void)layout_.take_edits();
  step_.traffic.assign(graph_.node_limit(), {});
  step_.flows.assign(graph_.link_limit(), 0);
  step_.marks.assign(graph_.node_limit(), 0);
  step_.conduits.distances.clear();
  ++version_;
}

void PipeNetwork::arrange_if_rebuilt() {
  constexpr std::int64_t kFew = 4096;
  // Of more the tick would be felt. They are laid out when the world is loaded.
  constexpr std::int64_t kMost = 1 << 17;
  const bool rebuilt = layout_.take_edits() > std::max(kFew, node_count() / 2);
  if (rebuilt && node_count() <= kMost) arrange();
}

void PipeNetwork::set_block_nodes(Slot block_nodes) {
  layout_.set_block_nodes(block_nodes);
  arrange();
}

}  // namespace sluice::sim
