// Digests, checks and memory of the graph.
#include <algorithm>

#include "protocol/base/assert.h"
#include "server/sim/pipes/graph.h"

namespace sluice::sim {

namespace {

Digest place_digest(Digest seed, Vec3 at) {
  seed = combine(seed, static_cast<std::uint32_t>(at.x));
  seed = combine(seed, static_cast<std::uint32_t>(at.y));
  return combine(seed, static_cast<std::uint32_t>(at.z));
}

}  // namespace

Digest PipeGraph::build_digest(Slot slot) const {
  const PipeType type = this->type(slot).type();
  Digest digest = combine(names_.weight(slot), static_cast<std::uint64_t>(type.kind));
  // What other fluids make different is added for whole components at once (set_fluid).
  digest = combine(digest, PipeNames::weight_of("water"));
  digest = combine(digest, static_cast<std::uint32_t>(type.capacity));
  digest = combine(digest, static_cast<std::uint32_t>(type.height));
  digest = combine(digest, static_cast<std::uint32_t>(type.throughput));
  digest = combine(digest, static_cast<std::uint32_t>(nodes_[slot].base));
  digest = combine(digest, nodes_[slot].is(kFlagOpen) ? 1 : 0);
  digest = combine(digest, static_cast<std::uint32_t>(pump_rate(slot)));
  return place_digest(digest, place(slot));
}

Digest PipeGraph::link_digest(const Link& link) const {
  const Digest ends = combine(combine(0x6c696e6bU, names_.weight(link.a)), names_.weight(link.b()));
  return combine(ends, link.one_way() ? 1 : 0);
}

Digest PipeGraph::port_digest(Slot node, Vec3 cell, const Port& port) const {
  const Digest digest = place_digest(combine(0x706f7274U, names_.weight(node)), cell);
  const Digest built = combine(combine(digest, static_cast<std::uint64_t>(port.kind)),
                               static_cast<std::uint32_t>(port.rate));
  return combine(built, static_cast<std::uint32_t>(port.waited));
}

Digest PipeGraph::digest() const {
  if (node_count_ == 0) return 0;
  return combine(combine(0x7069706573U, build_digest_ + fluids_digest_), amounts_digest_);
}

Digest PipeGraph::recompute_digest() const {
  if (node_count_ == 0) return 0;
  std::uint64_t build = 0;
  std::uint64_t amounts = 0;
  for (Slot slot = 0; slot < node_limit(); ++slot) {
    if (!used(slot)) continue;
    const std::uint64_t weight = names_.weight(slot);
    build += build_digest(slot);
    build += weight * (PipeNames::weight_of(fluid_name(slot)) - PipeNames::weight_of("water"));
    amounts += weight * static_cast<std::uint64_t>(nodes_[slot].amount);
  }
  for (const Link& link : links_) {
    if (link.used()) build += link_digest(link);
  }
  for (const auto& [key, port] : ports_) build += port_digest(key.first, key.second, port);
  return combine(combine(0x7069706573U, build), amounts);
}

void PipeGraph::check() const {
  std::int64_t units = 0;
  std::int64_t ends = 0;
  std::vector<Sum> sums(components_.size());
  for (Slot slot = 0; slot < node_limit(); ++slot) {
    if (!used(slot)) continue;
    SLUICE_ASSERT(nodes_[slot].amount >= 0 && room(slot) >= 0);
    units += nodes_[slot].amount;
    count_in(slot, sums[component_of(slot)]);
    std::uint32_t degree = 0;
    Slot before = kNoSlot;
    for_links_of(slot, [&](Slot link) {
      const LinkPlace& place = places_of_links_[link];
      SLUICE_ASSERT(links_[link].used() && links_[link].other(links_[link].other(slot)) == slot);
      SLUICE_ASSERT((links_[link].a == slot ? place.previous_a : place.previous_b) == before);
      SLUICE_ASSERT(component_of(slot) == component_of(links_[link].other(slot)));
      before = link;
      ++degree;
    });
    SLUICE_ASSERT(degree == ends_[slot].degree);
    ends += degree;
  }
  SLUICE_ASSERT(units == units_ && ends == 2 * link_count_);
  for (std::uint32_t number = 0; number < components_.size(); ++number) {
    const Component& component = components_[number];
    const Sum& sum = sums[number];
    SLUICE_ASSERT(component.nodes == sum.nodes && component.units == sum.units &&
                  component.weight == sum.weight && component.ports == sum.ports &&
                  component.links == sum.ends / 2);
    SLUICE_ASSERT(sum.nodes == 0 ||
                  (used(component.member) && component_of(component.member) == number));
    SLUICE_ASSERT(sum.ports == 0 || component.fluid == kWaterFluid);
  }
  SLUICE_ASSERT(digest() == recompute_digest());
}

std::size_t PipeGraph::bytes(bool with_names) const {
  const std::size_t bytes =
      nodes_.size() * (sizeof(Node) + sizeof(NodeEnds)) +
      links_.size() * (sizeof(Link) + sizeof(LinkPlace)) + types_.bytes() +
      components_.size() * sizeof(Component) +
      (free_nodes_.size() + free_links_.size() + searched_by_.size()) * sizeof(Slot);
  return with_names ? bytes + names_.bytes() + places_.size() * sizeof(Vec3) : bytes;
}

}  // namespace sluice::sim
