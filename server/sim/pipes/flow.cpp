// Flows over links. Every link's demand is computed from the state before the tick, so that no
// order can matter; where a node has neither the fluid nor the room for all that is demanded of it,
// limit.cpp shares out what there is. Then all amounts change at once.
#include <algorithm>

#include "server/sim/grow_ahead.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

namespace {

/// Blocks that one piece of work covers: enough to be worth a worker's while.
constexpr std::size_t kBlocksAPiece = 4;

template <class F>
void for_pieces(std::size_t blocks, Executor& executor, F&& f) {
  const std::size_t pieces = (blocks + kBlocksAPiece - 1) / kBlocksAPiece;
  executor.run(pieces, [&](std::size_t piece) {
    f(piece, piece * kBlocksAPiece, std::min(blocks, (piece + 1) * kBlocksAPiece));
  });
}

void add_saturating(std::uint32_t& sum, std::uint64_t more) {
  sum = static_cast<std::uint32_t>(std::min<std::uint64_t>(sum + more, UINT32_MAX));
}

/// What a node can give over one link in a tick.
inline std::int32_t held_by(const Node& node) {
  return std::min(node.amount, kLargestFlow);
}

/// What a link would pass: `units` from a to b, or back where `back` is all ones instead of 0.
/// Without branches, because no processor guesses which of two ends stands higher.
struct Demand {
  std::int64_t units;
  std::int64_t back;
  [[nodiscard]] std::int32_t flow() const {
    return static_cast<std::int32_t>((units ^ back) - back);
  }
};

inline Demand demand_between(PackedConductance conductance, std::uint32_t b_and_flags,
                             Level level_a, Level level_b, std::int32_t held_a,
                             std::int32_t held_b) {
  const Level difference = level_a - level_b;
  const Level back = difference >> 63;
  const auto size = static_cast<std::uint64_t>((difference ^ back) - back);
  const std::uint64_t passes = multiply_high(size, expand_conductance(conductance));
  const auto held = static_cast<std::uint64_t>(back != 0 ? held_b : held_a);
  const std::int64_t refused = back & -static_cast<std::int64_t>(b_and_flags & Link::kOneWay);
  return {static_cast<std::int64_t>(std::min(passes, held)) & ~refused, back};
}

/// Nodes that a tick has to look at once more.
struct Noticed {
  std::vector<Slot> limited;
  std::vector<Slot> crests;
};

inline void notice(const PipeGraph& graph, const Traffic& traffic, Slot slot, Noticed& noticed) {
  const Node& node = graph.node(slot);
  const PipeTypeRow& row = graph.types()[node.type()];
  const auto amount = static_cast<std::uint32_t>(node.amount);
  const std::uint32_t room = row.capacity - amount;
  if (traffic.out > std::min(amount, row.throughput) ||
      traffic.in > std::min(room, row.throughput)) {
    noticed.limited.push_back(slot);
  }
  if (room == 0 && node.is(kFlagCrest)) noticed.crests.push_back(slot);
}

void find_demands_in_block(const PipeGraph& graph, const PipeLayout& layout, std::uint32_t block,
                           PipeStep& step, Noticed& noticed) {
  // What the block's nodes are to its links, kept small enough for the first cache.
  Level levels[PipeLayout::kBlockNodes];
  std::int32_t amounts[PipeLayout::kBlockNodes];
  std::uint64_t sums[PipeLayout::kBlockNodes];  // out in the lower half, in in the upper
  const Slot first = layout.first_node(block);
  const Slot count = layout.end_node(block, graph) - first;
  const PipeTypeRow* types = graph.types();
  const Node* nodes = &graph.node(first);
  for (Slot i = 0; i < count; ++i) {
    levels[i] = level_of(nodes[i], types[nodes[i].type()]);
    amounts[i] = held_by(nodes[i]);
    sums[i] = 0;
  }
  const PackedConductance* conductances = layout.conductances();
  std::int32_t* flows = step.flows.data();
  layout.for_inner_links(layout.block(block), [&](Slot i) {
    const Link& link = graph.link(i);
    const Slot b = (link.b_and_flags >> 1) - first;
    if (b >= count) return;  // not used, shared with another block, or large
    const Slot a = link.a - first;
    const Demand demand = demand_between(conductances[i], link.b_and_flags, levels[a], levels[b],
                                         amounts[a], amounts[b]);
    flows[i] = demand.flow();
    const int half = static_cast<int>(demand.back) & 32;
    sums[a] += static_cast<std::uint64_t>(demand.units) << half;
    sums[b] += static_cast<std::uint64_t>(demand.units) << (32 - half);
  });
  Traffic* traffic = step.traffic.data() + first;
  for (Slot i = 0; i < count; ++i) {
    traffic[i] = {static_cast<std::uint32_t>(sums[i] >> 32), static_cast<std::uint32_t>(sums[i])};
    notice(graph, traffic[i], first + i, noticed);
  }
}

void add_shared_demand(const PipeGraph& graph, const PipeLayout& layout, Slot slot,
                       PipeStep& step) {
  const std::int32_t flow = demand_over(graph, layout, step, slot);
  step.flows[slot] = flow;
  const Link& link = graph.link(slot);
  const Slot donor = flow > 0 ? link.a : link.b();
  const auto units = static_cast<std::uint64_t>(flow > 0 ? flow : -flow);
  add_saturating(step.traffic[donor].out, units);
  add_saturating(step.traffic[link.other(donor)].in, units);
}

}  // namespace

void PipeStep::begin(const PipeGraph& graph) {
  grow_ahead(traffic, graph.node_limit(), kMaxPipes);
  grow_ahead(flows, graph.link_limit(), kMaxPipeLinks);
  grow_ahead(marks, graph.node_limit(), kMaxPipes);
  traffic.resize(graph.node_limit());
  flows.resize(graph.link_limit());
  marks.resize(graph.node_limit());
  parcels.clear();
  ports_wait = false;
}

void find_demands(const PipeGraph& graph, const PipeLayout& layout, Executor& executor,
                  PipeStep& step) {
  const std::vector<std::uint32_t>& blocks = layout.awake_blocks();
  std::vector<Noticed> noticed((blocks.size() + kBlocksAPiece - 1) / kBlocksAPiece);
  for_pieces(blocks.size(), executor, [&](std::size_t piece, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      find_demands_in_block(graph, layout, blocks[i], step, noticed[piece]);
    }
  });
  // A link between two blocks changes nodes of both: one thread for all of those.
  Noticed shared;
  for (const std::uint32_t block : blocks) {
    for (const Slot link : layout.block(block).shared) {
      add_shared_demand(graph, layout, link, step);
    }
  }
  for (const std::uint32_t block : blocks) {
    for (const Slot link : layout.block(block).shared) {
      for (const Slot node : {graph.link(link).a, graph.link(link).b()}) {
        notice(graph, step.traffic[node], node, shared);
      }
    }
  }
  noticed.push_back(std::move(shared));
  step.limited.clear();
  step.crests.clear();
  for (const Noticed& one : noticed) {
    step.limited.insert(step.limited.end(), one.limited.begin(), one.limited.end());
    step.crests.insert(step.crests.end(), one.crests.begin(), one.crests.end());
  }
  for (std::vector<Slot>* found : {&step.limited, &step.crests}) {
    std::sort(found->begin(), found->end());
    found->erase(std::unique(found->begin(), found->end()), found->end());
  }
}

std::int32_t demand_over(const PipeGraph& graph, const PipeLayout& layout, const PipeStep& step,
                         Slot slot) {
  const Link& link = graph.link(slot);
  if (step.is(link.a, PipeStep::kConduit) || step.is(link.b(), PipeStep::kConduit)) return 0;
  return demand_between(layout.conductance(slot), link.b_and_flags, graph.level(link.a),
                        graph.level(link.b()), held_by(graph.node(link.a)),
                        held_by(graph.node(link.b())))
      .flow();
}

void recount(const PipeGraph& graph, const PipeLayout& layout, Slot node, PipeStep& step) {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  graph.for_links_of(node, [&](Slot link) {
    const std::int32_t flow = demand_over(graph, layout, step, link);
    step.flows[link] = flow;
    const bool leaves = (flow > 0) == (graph.link(link).a == node);
    (leaves ? out : in) += static_cast<std::uint64_t>(flow > 0 ? flow : -flow);
  });
  step.work += 1 + graph.degree(node);
  step.traffic[node] = {static_cast<std::uint32_t>(std::min<std::uint64_t>(in, UINT32_MAX)),
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(out, UINT32_MAX))};
}

void move_fluid(PipeGraph& graph, const PipeLayout& layout, Executor& executor, PipeStep& step) {
  const std::vector<std::uint32_t>& blocks = layout.awake_blocks();
  std::vector<std::uint64_t> digests((blocks.size() + kBlocksAPiece - 1) / kBlocksAPiece);
  step.block_moved.resize(blocks.empty() ? 0 : blocks.back() + std::size_t{1});
  const std::uint64_t* weights = graph.weights();
  Node* nodes = graph.nodes_to_move();
  for_pieces(blocks.size(), executor, [&](std::size_t piece, std::size_t from, std::size_t to) {
    std::uint64_t digest = 0;
    for (std::size_t i = from; i < to; ++i) {
      std::uint32_t moved = 0;
      const Slot end = layout.end_node(blocks[i], graph);
      for (Slot slot = layout.first_node(blocks[i]); slot < end; ++slot) {
        const Traffic traffic = step.traffic[slot];
        const auto by = static_cast<std::int32_t>(traffic.in - traffic.out);
        nodes[slot].amount += by;
        moved |= traffic.in | traffic.out;
        digest += weights[slot] * static_cast<std::uint64_t>(std::int64_t{by});
      }
      step.block_moved[blocks[i]] = moved != 0 ? 1 : 0;
    }
    digests[piece] = digest;
  });
  for (const std::uint64_t digest : digests) graph.count_moved(digest);
  for (const std::uint32_t block : blocks) {
    step.work += layout.end_node(block, graph) - layout.first_node(block);
  }
}

void show_parcels(const PipeLayout& layout, PipeStep& step) {
  for (const Parcel& parcel : step.parcels) {
    add_saturating(step.traffic[parcel.node].in, static_cast<std::uint64_t>(parcel.in));
    add_saturating(step.traffic[parcel.node].out, static_cast<std::uint64_t>(parcel.out));
    if (parcel.link != kNoSlot) step.flows[parcel.link] = static_cast<std::int32_t>(parcel.in);
    step.block_moved[layout.block_of(parcel.node)] = 1;
  }
}

}  // namespace sluice::sim
