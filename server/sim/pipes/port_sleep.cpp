// Which ports a tick looks at. A port does what its node and its cell make it do; one that could do
// nothing can do nothing until one of the two is another. So those are looked at whose node's island
// is awake, whose node was edited, whose cell lies in a region that changed, or that had something
// to do when they were looked at last.
#include "server/sim/pipes/cells.h"
#include "server/sim/pipes/layout.h"

namespace sluice::sim {

void PipeLayout::port_dropped(const PipeGraph::PortKey& key, const Port& port) {
  if (!port.listed) return;
  const auto region = ports_by_region_.find(port.region);
  region->second.erase(key);
  if (region->second.empty()) ports_by_region_.erase(region);
}

void PipeLayout::list_all_ports(PipeGraph& graph) {
  ports_by_region_.clear();
  unlisted_ports_.clear();
  waiting_ports_.clear();
  port_nodes_.clear();
  for (auto& [key, port] : graph.ports()) {
    port.listed = false;
    unlisted_ports_.push_back(key);
  }
}

void PipeLayout::index_ports(PipeGraph& graph, const PortCells& cells) {
  for (const PipeGraph::PortKey& key : unlisted_ports_) {
    const auto found = graph.ports().find(key);
    if (found == graph.ports().end() || found->second.listed) continue;
    found->second.listed = true;
    found->second.region = cells.region(key.second);
    ports_by_region_[found->second.region].insert(key);
  }
}

std::vector<PipeGraph::Ports::value_type*> PipeLayout::take_due_ports(PipeGraph& graph,
                                                                      PortCells& cells,
                                                                      bool all) {
  std::vector<PipeGraph::Ports::value_type*> due;
  PipeGraph::Ports& ports = graph.ports();
  index_ports(graph, cells);
  const auto take = [&](PipeGraph::Ports::iterator port) {
    if (port == ports.end() || port->second.due) return;
    port->second.due = true;
    due.push_back(&*port);
  };
  const auto take_of_nodes = [&](Slot first, Slot end) {
    for (auto port = ports.lower_bound({first, kNowhere});
         port != ports.end() && port->first.first < end; ++port) {
      take(port);
    }
  };
  std::vector<Vec3> regions;
  if (!cells.changed_regions(regions) || all) {
    take_of_nodes(0, graph.node_limit());
  } else if (!ports.empty()) {
    for (const PipeGraph::PortKey& key : unlisted_ports_) take(ports.find(key));
    for (const PipeGraph::PortKey& key : waiting_ports_) take(ports.find(key));
    for (const Slot node : port_nodes_) take_of_nodes(node, node + 1);
    for (const std::uint32_t block : awake_blocks_) {
      take_of_nodes(first_node(block), end_node(block, graph));
    }
    for (const Vec3 region : regions) {
      const auto listed = ports_by_region_.find(region);
      if (listed == ports_by_region_.end()) continue;
      for (const PipeGraph::PortKey& key : listed->second) take(ports.find(key));
    }
  }
  unlisted_ports_.clear();
  waiting_ports_.clear();
  port_nodes_.clear();
  for (auto* port : due) port->second.due = false;
  work_ += static_cast<std::int64_t>(due.size());
  return due;
}

void PipeLayout::keep_due(const PipeGraph::PortKey& key) {
  waiting_ports_.push_back(key);
}

}  // namespace sluice::sim
