#include "server/sim/pipes/image.h"

#include <algorithm>
#include <tuple>

#include "server/sim/pipes/network.h"

namespace sluice::sim {

PipesImage PipeNetwork::image() const {
  std::vector<Slot> slots;
  for (Slot slot = 0; slot < slot_limit(); ++slot) {
    if (used(slot)) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end(),
            [&](Slot a, Slot b) { return graph_.name(a) < graph_.name(b); });
  std::vector<std::uint32_t> number(slot_limit());
  PipesImage image;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    number[slots[i]] = static_cast<std::uint32_t>(i);
    const NodeView view = node(slots[i]);
    image.nodes.push_back({{std::string(view.name), std::string(view.fluid), view.capacity,
                            view.height, view.base, view.amount, view.throughput, view.at},
                           view.kind,
                           view.open,
                           view.rate});
  }
  image.links.reserve(static_cast<std::size_t>(link_count()));
  for_each_link([&](const LinkView& link) {
    image.links.push_back({number[link.from], number[link.to], link.one_way});
  });
  std::sort(image.links.begin(), image.links.end(), [](const auto& a, const auto& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  for_each_port([&](Slot node, Vec3 cell, const Port& port) {
    image.ports.push_back({number[node], cell, port.kind, port.rate, port.waited});
  });
  std::sort(image.ports.begin(), image.ports.end(), [](const auto& a, const auto& b) {
    return std::tie(a.node, a.cell) < std::tie(b.node, b.cell);
  });
  return image;
}

Status PipeNetwork::load(const PipesImage& image) {
  const auto failed = [](const std::string& what, const std::string& problem) {
    return Error{"pipes: " + what + ": " + problem};
  };
  for (const PipesImage::Node& node : image.nodes) {
    const bool known = node.kind <= NodeKind::kValve;
    std::string problem =
        known ? add(node.fields, node.kind, node.rate, node.open) : "is of no kind that there is";
    if (!problem.empty()) return failed("node '" + node.fields.name + "'", problem);
  }
  const auto count = static_cast<std::uint32_t>(image.nodes.size());
  for (const PipesImage::Link& link : image.links) {
    if (link.from >= count || link.to >= count) return failed("a link", "names no node");
    const std::string& from = image.nodes[link.from].fields.name;
    const std::string& to = image.nodes[link.to].fields.name;
    if (std::string problem = this->link(from, to, link.one_way); !problem.empty()) {
      return failed("link '" + from + "' to '" + to + "'", problem);
    }
  }
  for (const PipesImage::Port& port : image.ports) {
    if (port.node >= count) return failed("a port", "names no node");
    const std::string& name = image.nodes[port.node].fields.name;
    if (std::string problem = add_port({name, port.cell, port.kind, port.rate}); !problem.empty()) {
      return failed("port of '" + name + "'", problem);
    }
    if (port.waited < 0) return failed("port of '" + name + "'", "waited less than no time");
    const PipeGraph::PortKey key = {graph_.find(name), port.cell};
    graph_.set_waited(key, graph_.ports().at(key), port.waited);
  }
  arrange();
  return Done{};
}

}  // namespace sluice::sim
