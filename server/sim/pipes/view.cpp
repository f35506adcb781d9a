// What others may look at: nodes, digests, memory.
#include <algorithm>

#include "server/sim/assert.h"
#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

std::string_view port_state_name(PortState state) {
  constexpr std::string_view kNames[] = {"idle", "running", "blocked", "outside"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view node_kind_name(NodeKind kind) {
  constexpr std::string_view kNames[] = {"pipe", "pump", "valve"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

Digest place_digest(Digest seed, Vec3 at) {
  seed = combine(seed, static_cast<std::uint32_t>(at.x));
  seed = combine(seed, static_cast<std::uint32_t>(at.y));
  return combine(seed, static_cast<std::uint32_t>(at.z));
}

}  // namespace

Digest PipeNetwork::build_digest(Slot slot) const {
  const Node& node = nodes_[slot];
  const PipeType type = this->type(slot).type();
  const auto rate = pump_rates_.find(slot);
  Digest digest = combine(names_.weight(slot), static_cast<std::uint64_t>(type.kind));
  digest = combine(digest, PipeNames::weight_of(fluids_[type.fluid]));
  digest = combine(digest, static_cast<std::uint32_t>(type.capacity));
  digest = combine(digest, static_cast<std::uint32_t>(type.height));
  digest = combine(digest, static_cast<std::uint32_t>(type.throughput));
  digest = combine(digest, static_cast<std::uint32_t>(node.base));
  digest = combine(digest, node.is(kFlagOpen) ? 1 : 0);
  digest =
      combine(digest, rate == pump_rates_.end() ? 0 : static_cast<std::uint32_t>(rate->second));
  return place_digest(digest, place(slot));
}

Digest PipeNetwork::link_digest(const Link& link) const {
  const Digest ends = combine(combine(0x6c696e6bU, names_.weight(link.a)), names_.weight(link.b()));
  return combine(ends, link.one_way() ? 1 : 0);
}

Digest PipeNetwork::port_digest(Slot node, Vec3 cell, const Port& port) const {
  const Digest digest = place_digest(combine(0x706f7274U, names_.weight(node)), cell);
  return combine(combine(digest, static_cast<std::uint64_t>(port.kind)),
                 static_cast<std::uint32_t>(port.rate));
}

Digest PipeNetwork::digest() const {
  if (empty()) return 0;
  return combine(combine(0x7069706573U, build_digest_), amounts_digest_);
}

Digest PipeNetwork::recompute_digest() const {
  if (empty()) return 0;
  std::uint64_t build = 0;
  std::uint64_t amounts = 0;
  for (Slot slot = 0; slot < slot_limit(); ++slot) {
    if (!used(slot)) continue;
    build += build_digest(slot);
    amounts += names_.weight(slot) * static_cast<std::uint64_t>(nodes_[slot].amount);
  }
  for (const Link& link : links_) {
    if (link.used()) build += link_digest(link);
  }
  for (const auto& [key, port] : ports_) build += port_digest(key.first, key.second, port);
  return combine(combine(0x7069706573U, build), amounts);
}

void PipeNetwork::check() const {
  std::int64_t units = 0;
  std::int64_t ends = 0;
  for (Slot slot = 0; slot < slot_limit(); ++slot) {
    if (!used(slot)) continue;
    SLUICE_ASSERT(nodes_[slot].amount >= 0 && room(slot) >= 0);
    units += nodes_[slot].amount;
    for_links_of(slot, [&](Slot link) {
      SLUICE_ASSERT(links_[link].used() && links_[link].other(links_[link].other(slot)) == slot);
      SLUICE_ASSERT(type(slot).fluid == type(links_[link].other(slot)).fluid);
      ++ends;
    });
  }
  SLUICE_ASSERT(units == units_ && ends == 2 * link_count_);
  SLUICE_ASSERT(digest() == recompute_digest());
}

NodeView PipeNetwork::node(Slot slot) const {
  SLUICE_ASSERT(slot < slot_limit() && used(slot));
  const Node& node = nodes_[slot];
  const PipeTypeRow& row = type(slot);
  const PipeType type = row.type();
  const auto rate = pump_rates_.find(slot);
  NodeView view;
  view.name = names_.name(slot);
  view.fluid = fluids_[type.fluid];
  view.kind = type.kind;
  view.open = node.is(kFlagOpen);
  view.capacity = type.capacity;
  view.height = type.height;
  view.base = node.base;
  view.throughput = type.throughput;
  view.rate = rate == pump_rates_.end() ? 0 : rate->second;
  view.at = place(slot);
  view.amount = node.amount;
  view.level_units = node.base + std::int64_t{node.amount} * type.height / type.capacity;
  view.inflow = node.in;
  view.outflow = node.out;
  return view;
}

std::optional<Slot> PipeNetwork::find(std::string_view name) const {
  const Slot slot = names_.find(name);
  return slot == kNoSlot ? std::nullopt : std::optional<Slot>(slot);
}

std::size_t PipeNetwork::bytes(bool with_names) const {
  std::size_t bytes = nodes_.capacity() * sizeof(Node) +
                      links_.capacity() * (sizeof(Link) + sizeof(PackedConductance)) +
                      types_.bytes() + blocks_.capacity() * sizeof(Block) +
                      (free_nodes_.capacity() + free_links_.capacity()) * sizeof(Slot);
  for (const Block& block : blocks_) {
    bytes += (block.free_links.capacity() + block.extra_links.capacity() +
              block.shared_links.capacity()) *
             sizeof(Slot);
  }
  return with_names ? bytes + names_.bytes() + places_.capacity() * sizeof(Vec3) : bytes;
}

}  // namespace sluice::sim
