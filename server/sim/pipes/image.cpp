#include "server/sim/pipes/image.h"

#include <algorithm>
#include <tuple>

#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

std::vector<Slot> nodes_by_name(const PipeGraph& graph) {
  std::vector<Slot> slots;
  for (Slot slot = 0; slot < graph.node_limit(); ++slot) {
    if (graph.used(slot)) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end(),
            [&](Slot a, Slot b) { return graph.name(a) < graph.name(b); });
  return slots;
}

PipesImage::Node image_of(const PipeGraph& graph, Slot slot, std::int32_t amount) {
  const PipeType type = graph.type(slot).type();
  const Node& node = graph.node(slot);
  return {{std::string(graph.name(slot)), graph.fluid_name(slot), type.capacity, type.height,
           node.base, amount, type.throughput, graph.place(slot)},
          type.kind,
          node.is(kFlagOpen),
          graph.pump_rate(slot)};
}

}  // namespace

PipesContents PipesContents::of(const PipeGraph& graph) {
  PipesContents contents;
  contents.amounts.reserve(graph.node_limit());
  for (Slot slot = 0; slot < graph.node_limit(); ++slot) {
    contents.amounts.push_back(graph.node(slot).amount);
  }
  for (const auto& [key, port] : graph.ports()) contents.waited.push_back(port.waited);
  return contents;
}

PipesImage image_of(const PipeGraph& graph, const PipesContents& contents) {
  const std::vector<Slot> slots = nodes_by_name(graph);
  std::vector<std::uint32_t> number(graph.node_limit());
  PipesImage image;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    number[slots[i]] = static_cast<std::uint32_t>(i);
    image.nodes.push_back(image_of(graph, slots[i], contents.amounts[slots[i]]));
  }
  image.links.reserve(static_cast<std::size_t>(graph.link_count()));
  for (Slot slot = 0; slot < graph.link_limit(); ++slot) {
    const Link& link = graph.link(slot);
    if (link.used()) image.links.push_back({number[link.a], number[link.b()], link.one_way()});
  }
  std::sort(image.links.begin(), image.links.end(), [](const auto& a, const auto& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  auto waited = contents.waited.begin();
  for (const auto& [key, port] : graph.ports()) {
    image.ports.push_back({number[key.first], key.second, port.kind, port.rate, *waited++});
  }
  std::sort(image.ports.begin(), image.ports.end(), [](const auto& a, const auto& b) {
    return std::tie(a.node, a.cell) < std::tie(b.node, b.cell);
  });
  return image;
}

PipesImage PipeNetwork::image() const {
  return image_of(graph_, PipesContents::of(graph_));
}

Status PipeNetwork::load(const PipesImage& image) {
  const auto failed = [](const std::string& what, const std::string& why) {
    return Error{"pipes: " + what + ": " + why};
  };
  for (const PipesImage::Node& node : image.nodes) {
    const bool known = node.kind <= NodeKind::kValve;
    const Status added = known ? add(node.fields, node.kind, node.rate, node.open)
                               : Error{"is of no kind that there is"};
    if (!added) return failed("node '" + node.fields.name + "'", added.error());
  }
  const auto count = static_cast<std::uint32_t>(image.nodes.size());
  for (const PipesImage::Link& link : image.links) {
    if (link.from >= count || link.to >= count) return failed("a link", "names no node");
    const std::string& from = image.nodes[link.from].fields.name;
    const std::string& to = image.nodes[link.to].fields.name;
    if (Status s = this->link(from, to, link.one_way); !s) {
      return failed("link '" + from + "' to '" + to + "'", s.error());
    }
  }
  for (const PipesImage::Port& port : image.ports) {
    if (port.node >= count) return failed("a port", "names no node");
    const std::string& name = image.nodes[port.node].fields.name;
    if (Status s = add_port({name, port.cell, port.kind, port.rate}); !s) {
      return failed("port of '" + name + "'", s.error());
    }
    if (port.waited < 0) return failed("port of '" + name + "'", "waited less than no time");
    const PipeGraph::PortKey key = {graph_.find(name), port.cell};
    graph_.set_waited(key, graph_.ports().at(key), port.waited);
  }
  arrange();
  return Done{};
}

}  // namespace sluice::sim
