// Nodes of which more is wished than they hold, or have room for. First every such donor divides
// what it holds in proportion to the wishes, then every such receiver its room in proportion to
// what it would get. All divisions round down: a unit that would have to be split stays with its
// donor, and equal wishes stay equal.
#include <algorithm>

#include "server/sim/assert.h"
#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

std::int32_t part_of(std::int32_t flow, std::uint64_t most, std::uint64_t wished) {
  // flow <= wished, and both fit 64 bits as products: flow and most are under 2^31.
  return static_cast<std::int32_t>(static_cast<std::uint64_t>(flow) * most / wished);
}

}  // namespace

const PipeNetwork::Limit* PipeNetwork::limit_of(Slot node) const {
  if (!nodes_[node].is(kFlagLimited)) return nullptr;
  return &*std::lower_bound(limits_.begin(), limits_.end(), node,
                            [](const Limit& limit, Slot slot) { return limit.node < slot; });
}

std::int32_t PipeNetwork::limited_wish(Slot slot) const {
  const Link& link = links_[slot];
  const std::int32_t wished = wish_of(slot);
  if (wished == 0) return 0;
  const Slot donor = wished > 0 ? link.a : link.b();
  const Slot receiver = wished > 0 ? link.b() : link.a;
  std::int32_t flow = wished > 0 ? wished : -wished;
  const Limit* given = limit_of(donor);
  if (given != nullptr && given->wished_out > given->most_out) {
    flow = part_of(flow, given->most_out, given->wished_out);
  }
  const Limit* taken = limit_of(receiver);
  if (taken != nullptr && taken->wished_in > taken->most_in) {
    flow = part_of(flow, taken->most_in, taken->wished_in);
  }
  return wished > 0 ? flow : -flow;
}

void PipeNetwork::recount(Slot slot) {
  Node& node = nodes_[slot];
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  for_links_of(slot, [&](Slot i) {
    Link& link = links_[i];
    const std::int32_t flow = wish_of(i);
    link.flow = flow;
    const bool leaves = (flow > 0) == (link.a == slot);
    (leaves ? out : in) += static_cast<std::uint64_t>(flow > 0 ? flow : -flow);
  });
  node.in = static_cast<std::uint32_t>(std::min<std::uint64_t>(in, UINT32_MAX));
  node.out = static_cast<std::uint32_t>(std::min<std::uint64_t>(out, UINT32_MAX));
}

void PipeNetwork::limit() {
  limits_.clear();
  std::sort(limited_.begin(), limited_.end());
  for (const Slot slot : limited_) {
    Node& node = nodes_[slot];
    if (node.is(kFlagConduit)) continue;
    const std::uint64_t throughput = type(slot).throughput;
    Limit limit;
    limit.node = slot;
    limit.most_out = std::min(static_cast<std::uint64_t>(node.amount), throughput);
    limit.most_in = std::min(static_cast<std::uint64_t>(room(slot)), throughput);
    for_links_of(slot, [&](Slot i) {
      const std::int32_t flow = wish_of(i);
      if ((flow > 0) == (links_[i].a == slot)) {
        limit.wished_out += static_cast<std::uint64_t>(flow > 0 ? flow : -flow);
      }
    });
    limits_.push_back(limit);
    node.set(kFlagLimited, true);
  }
  // wished_in is 0 so far, and thus limits nobody: limited_wish() knows the donors' limits alone.
  std::vector<std::uint64_t> wished_in(limits_.size());
  for (std::size_t n = 0; n < limits_.size(); ++n) {
    for_links_of(limits_[n].node, [&](Slot i) {
      const std::int32_t flow = limited_wish(i);
      if ((flow < 0) == (links_[i].a == limits_[n].node)) {
        wished_in[n] += static_cast<std::uint64_t>(flow > 0 ? flow : -flow);
      }
    });
  }
  for (std::size_t n = 0; n < limits_.size(); ++n) limits_[n].wished_in = wished_in[n];

  for (const Limit& limit : limits_) {
    nodes_[limit.node].in = 0;
    nodes_[limit.node].out = 0;
  }
  for (const Limit& limit : limits_) {
    for_links_of(limit.node, [&](Slot i) {
      Link& link = links_[i];
      const Slot other = link.other(limit.node);
      const bool both = nodes_[other].is(kFlagLimited);
      if (both && link.a != limit.node) return;  // its other end sees to it
      const std::int32_t wished = wish_of(i);
      const std::int32_t flow = limited_wish(i);
      link.flow = flow;
      Node& donor = nodes_[wished > 0 ? link.a : link.b()];
      Node& receiver = nodes_[wished > 0 ? link.b() : link.a];
      const auto passes = static_cast<std::uint32_t>(flow > 0 ? flow : -flow);
      const auto refused = static_cast<std::uint32_t>(wished > 0 ? wished : -wished) - passes;
      if (donor.is(kFlagLimited))
        donor.out += passes;
      else
        donor.out -= refused;
      if (receiver.is(kFlagLimited))
        receiver.in += passes;
      else
        receiver.in -= refused;
    });
  }
  for (const Limit& limit : limits_) nodes_[limit.node].set(kFlagLimited, false);
}

}  // namespace sluice::sim
