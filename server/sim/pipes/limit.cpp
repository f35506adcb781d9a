// Nodes of which more is demanded than they hold, or have room for. First every such donor divides
// what it holds in proportion to the demands, then every such receiver its room in proportion to
// what it would get. All divisions round down: a unit that would have to be split stays with its
// donor, and equal demands stay equal.
#include <algorithm>

#include "server/sim/pipes/step.h"

namespace sluice::sim {

namespace {

std::int32_t part_of(std::int32_t flow, std::uint64_t most, std::uint64_t demanded) {
  // flow <= demanded, and both fit 64 bits as products: flow and most are under 2^31.
  return static_cast<std::int32_t>(static_cast<std::uint64_t>(flow) * most / demanded);
}

std::uint32_t size_of(std::int32_t flow) {
  return static_cast<std::uint32_t>(flow > 0 ? flow : -flow);
}

const Limit* limit_of(const PipeStep& step, Slot node) {
  if (!step.is(node, PipeStep::kLimited)) return nullptr;
  return &*std::lower_bound(step.limits.begin(), step.limits.end(), node,
                            [](const Limit& limit, Slot slot) { return limit.node < slot; });
}

/// What is left of a link's demand.
std::int32_t limited_flow(const PipeGraph& graph, const PipeStep& step, Slot slot,
                          std::int32_t demanded) {
  if (demanded == 0) return 0;
  const Link& link = graph.link(slot);
  const Slot donor = demanded > 0 ? link.a : link.b();
  auto flow = static_cast<std::int32_t>(size_of(demanded));
  const Limit* given = limit_of(step, donor);
  if (given != nullptr && given->demanded_out > given->most_out) {
    flow = part_of(flow, given->most_out, given->demanded_out);
  }
  const Limit* taken = limit_of(step, link.other(donor));
  if (taken != nullptr && taken->demanded_in > taken->most_in) {
    flow = part_of(flow, taken->most_in, taken->demanded_in);
  }
  return demanded > 0 ? flow : -flow;
}

/// Everything but what comes in.
void find_limits(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step) {
  step.limits.clear();
  std::sort(step.limited.begin(), step.limited.end());
  for (const Slot slot : step.limited) {
    if (step.is(slot, PipeStep::kConduit)) continue;
    const std::uint64_t throughput = graph.type(slot).throughput;
    Limit limit;
    limit.node = slot;
    limit.most_out = std::min(static_cast<std::uint64_t>(graph.node(slot).amount), throughput);
    limit.most_in = std::min(static_cast<std::uint64_t>(graph.room(slot)), throughput);
    graph.for_links_of(slot, [&](Slot i) {
      const std::int32_t flow = demand_over(graph, layout, step, i);
      if ((flow > 0) == (graph.link(i).a == slot)) limit.demanded_out += size_of(flow);
    });
    step.limits.push_back(limit);
    step.set(slot, PipeStep::kLimited, true);
    step.work += 1 + 3 * std::int64_t{graph.degree(slot)};
  }
}

/// Gives every link of a limited node its flow.
void limit_links_of(const PipeGraph& graph, const PipeLayout& layout, Slot node, PipeStep& step) {
  graph.for_links_of(node, [&](Slot i) {
    const Link& link = graph.link(i);
    if (step.is(link.other(node), PipeStep::kLimited) && link.a != node) {
      return;  // its other end sees to it
    }
    const std::int32_t demanded = demand_over(graph, layout, step, i);
    const std::int32_t flow = limited_flow(graph, step, i, demanded);
    step.flows[i] = flow;
    const Slot donor = demanded > 0 ? link.a : link.b();
    const Slot receiver = link.other(donor);
    const std::uint32_t passes = size_of(flow);
    const std::uint32_t refused = size_of(demanded) - passes;
    if (step.is(donor, PipeStep::kLimited))
      step.traffic[donor].out += passes;
    else
      step.traffic[donor].out -= refused;
    if (step.is(receiver, PipeStep::kLimited))
      step.traffic[receiver].in += passes;
    else
      step.traffic[receiver].in -= refused;
  });
}

}  // namespace

void limit_demands(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step) {
  find_limits(graph, layout, step);
  // demanded_in is 0 so far, and thus limits nobody: limited_flow() knows the donors' limits alone.
  std::vector<std::uint64_t> demanded_in(step.limits.size());
  for (std::size_t n = 0; n < step.limits.size(); ++n) {
    const Slot node = step.limits[n].node;
    graph.for_links_of(node, [&](Slot i) {
      const std::int32_t demanded = demand_over(graph, layout, step, i);
      const std::int32_t flow = limited_flow(graph, step, i, demanded);
      if ((flow < 0) == (graph.link(i).a == node)) demanded_in[n] += size_of(flow);
    });
  }
  for (std::size_t n = 0; n < step.limits.size(); ++n) step.limits[n].demanded_in = demanded_in[n];
  for (const Limit& limit : step.limits) step.traffic[limit.node] = {};
  for (const Limit& limit : step.limits) limit_links_of(graph, layout, limit.node, step);
  for (const Limit& limit : step.limits) step.set(limit.node, PipeStep::kLimited, false);
}

}  // namespace sluice::sim
