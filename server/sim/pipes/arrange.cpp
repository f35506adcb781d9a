// The order in memory: nodes along their links, links beside their nodes.
#include <algorithm>

#include "server/sim/pipes/layout.h"

namespace sluice::sim {

namespace {

void order_tree(const PipeGraph& graph, Slot start, std::size_t from, std::vector<Slot>& order) {
  // Depth first: but for a few, a tree's links then stay within a block.
  struct Step {
    Slot node;
    Slot parent;
  };
  std::vector<Step> ahead = {{start, kNoSlot}};
  while (!ahead.empty()) {
    const Step step = ahead.back();
    ahead.pop_back();
    order[from++] = step.node;
    graph.for_links_of(step.node, [&](Slot link) {
      const Slot other = graph.link(link).other(step.node);
      if (other != step.parent) ahead.push_back({other, step.node});
    });
  }
}

std::vector<Slot> order_along_links(const PipeGraph& graph) {
  std::vector<Slot> order;
  order.reserve(static_cast<std::size_t>(graph.node_count()));
  std::vector<bool> seen(graph.node_limit());
  // Breadth first: linked nodes come to lie near each other (Cuthill and McKee 1969).
  const auto visit_from = [&](Slot start) {
    const std::size_t from = order.size();
    std::size_t ends = 0;
    seen[start] = true;
    order.push_back(start);
    for (std::size_t next = from; next < order.size(); ++next) {
      const Slot node = order[next];
      graph.for_links_of(node, [&](Slot link) {
        ++ends;
        const Slot other = graph.link(link).other(node);
        if (seen[other]) return;
        seen[other] = true;
        order.push_back(other);
      });
    }
    if (ends == 2 * (order.size() - from - 1)) order_tree(graph, start, from, order);
  };
  // Ends of lines first, so that a line lies in one piece.
  for (const bool ends : {true, false}) {
    for (Slot slot = 0; slot < graph.node_limit(); ++slot) {
      if (graph.used(slot) && !seen[slot] && (!ends || graph.degree(slot) <= 1)) visit_from(slot);
    }
  }
  return order;
}

}  // namespace

void PipeLayout::arrange(PipeGraph& graph) {
  const std::vector<Slot> order = order_along_links(graph);
  std::vector<Slot> to_node(graph.node_limit(), kNoSlot);
  for (std::size_t i = 0; i < order.size(); ++i) to_node[order[i]] = static_cast<Slot>(i);

  std::vector<Slot> to_link(graph.link_limit(), kNoSlot);
  std::vector<PackedConductance> conductances;
  conductances.reserve(static_cast<std::size_t>(graph.link_count()));
  blocks_.assign((order.size() + block_nodes() - 1) >> shift_, {});
  for (std::size_t i = 0; i < order.size(); ++i) {
    Block& block = blocks_[i >> shift_];
    if (i % block_nodes() == 0) block.first_link = static_cast<Slot>(conductances.size());
    graph.for_links_of(order[i], [&](Slot link) {
      if (graph.link(link).a != order[i]) return;
      to_link[link] = static_cast<Slot>(conductances.size());
      conductances.push_back(conductances_[link]);
    });
    block.end_link = static_cast<Slot>(conductances.size());
  }
  conductances.shrink_to_fit();
  conductances_ = std::move(conductances);
  const std::vector<std::uint32_t> to_component = graph.move(to_node, to_link);
  std::vector<Awake> is_awake(graph.component_limit(), kAsleep);
  for (std::uint32_t& component : awake_) {
    is_awake[to_component[component]] = is_awake_[component];
    component = to_component[component];
  }
  is_awake_ = std::move(is_awake);
  std::erase_if(edited_,
                [&](Slot node) { return node >= to_node.size() || to_node[node] == kNoSlot; });
  for (Slot& node : edited_) node = to_node[node];
  work_ += static_cast<std::int64_t>(order.size() + to_link.size());
  register_all_links(graph);
  find_speakers(graph);
  list_all_ports(graph);
  refresh(graph);
}

void PipeLayout::register_all_links(const PipeGraph& graph) {
  listed_at_.assign(graph.link_limit(), 0);
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    blocks_[block].island = block;
    blocks_[block].island_blocks = 1;
    blocks_[block].roused = false;
  }
  for (Slot link = 0; link < graph.link_limit(); ++link) {
    if (!inner(graph.link(link))) register_link(graph, link);
  }
}

void PipeLayout::find_speakers(const PipeGraph& graph) {
  for (std::uint32_t number = 0; number < blocks_.size(); ++number) {
    const Slot first = first_node(number);
    bool all_one = true;
    for (Slot node = first; node < end_node(number, graph); ++node) {
      all_one &= graph.component_of(node) == graph.component_of(first);
    }
    blocks_[number].speaker = all_one ? first : kNoSlot;
  }
}

}  // namespace sluice::sim
