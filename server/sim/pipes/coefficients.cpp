// What the inner loop wants to know of each link and node, made anew around what was edited:
// conductances, links of a large degree, crests.
#include <algorithm>
#include <bit>

#include "server/sim/pipes/layout.h"

namespace sluice::sim {

namespace {

constexpr int kMantissaBits = 10;

std::uint64_t saturating_multiply(std::uint64_t a, std::uint32_t b) {
  return multiply_high(a, b) != 0 ? UINT64_MAX : a * b;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

bool is_crest(const PipeGraph& graph, Slot node) {
  if (graph.degree(node) != 2 || graph.type(node).kind == NodeKind::kPump) return false;
  const Slot first = graph.first_link(node);
  const Slot second = graph.next_link(first, node);
  const std::int32_t base = graph.node(node).base;
  const std::int32_t one = graph.node(graph.link(first).other(node)).base;
  const std::int32_t two = graph.node(graph.link(second).other(node)).base;
  return base >= one && base >= two && (base > one || base > two);
}

}  // namespace

PackedConductance pack_conductance(std::uint64_t conductance) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(conductance)) - kMantissaBits);
  return static_cast<PackedConductance>(static_cast<std::uint64_t>(shift) << kMantissaBits |
                                        conductance >> shift);
}

void PipeLayout::refresh(PipeGraph& graph) {
  if (edited_.empty()) return;
  std::sort(edited_.begin(), edited_.end());
  edited_.erase(std::unique(edited_.begin(), edited_.end()), edited_.end());
  std::erase_if(edited_, [&](Slot node) { return !graph.used(node); });
  for (const Slot node : edited_) refresh_links_of(graph, node);
  for (const Slot node : edited_) {
    graph.set_crest(node, is_crest(graph, node));
    graph.for_links_of(node, [&](Slot link) {
      const Slot other = graph.link(link).other(node);
      graph.set_crest(other, is_crest(graph, other));
    });
    work_ += 1 + 2 * std::int64_t{graph.degree(node)};
  }
  edited_.clear();
}

void PipeLayout::refresh_links_of(PipeGraph& graph, Slot node) {
  const std::uint64_t own =
      saturating_multiply(graph.type(node).unit_rise(), graph.degree(node) + 1);
  const bool open = graph.node(node).is(kFlagOpen);
  graph.for_links_of(node, [&](Slot slot) {
    const Slot other = graph.link(slot).other(node);
    const bool large = std::max(graph.degree(node), graph.degree(other)) > kMostAddedUp;
    if (large != graph.link(slot).large()) {
      unregister_link(graph, slot);
      graph.set_large(slot, large);
      register_link(graph, slot);
    }
    conductances_[slot] = 0;
    if (!open || !graph.node(other).is(kFlagOpen)) return;
    // A pump draws for itself.
    if (graph.type(graph.link(slot).b()).kind == NodeKind::kPump) return;
    // A flow is the difference of levels over half the sum of both ends' rise times degree plus
    // one: so the energy falls whatever the other links do (pipes.md, "Why it comes to rest").
    const std::uint64_t theirs =
        saturating_multiply(graph.type(other).unit_rise(), graph.degree(other) + 1);
    conductances_[slot] = pack_conductance(UINT64_MAX / (saturating_add(own, theirs) / 2));
  });
}

}  // namespace sluice::sim
