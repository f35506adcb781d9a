// The order in memory, islands and sleep.
//
// Nodes lie in blocks of 2,048. An *island* is a set of blocks that links connect, or did since the
// last arrange(): never less than what can influence each other, so that an island in which nothing
// can move may be left alone as a whole. Islands wake and sleep; blocks of an awake one are all
// looked at.
#include <algorithm>

#include "server/sim/assert.h"
#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

/// Beyond this many links a node's degree is remembered for the time of one refresh.
constexpr std::uint32_t kLargeDegree = 64;

std::uint64_t saturating_multiply(std::uint64_t a, std::uint32_t b) {
  return multiply_high(a, b) != 0 ? UINT64_MAX : a * b;
}

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

}  // namespace

void PipeNetwork::arrange() {
  std::vector<Slot> order = order_along_links();
  std::vector<Slot> to(nodes_.size(), kNoSlot);
  for (std::size_t i = 0; i < order.size(); ++i) to[order[i]] = static_cast<Slot>(i);
  move_nodes(to);
  lay_out_links();
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) wake_island(block);
  refresh_edited();
  ++version_;
  edits_ = 0;
}

void PipeNetwork::arrange_if_rebuilt() {
  constexpr std::int64_t kFew = 4096;
  if (edits_ > std::max(kFew, node_count_ / 2)) arrange();
  edits_ = 0;
}

std::vector<Slot> PipeNetwork::order_along_links() const {
  std::vector<Slot> order;
  order.reserve(static_cast<std::size_t>(node_count_));
  std::vector<bool> seen(nodes_.size());
  // Breadth first: linked nodes come to lie near each other (Cuthill and McKee 1969).
  const auto visit_from = [&](Slot start) {
    const std::size_t from = order.size();
    std::size_t ends = 0;
    seen[start] = true;
    order.push_back(start);
    for (std::size_t next = from; next < order.size(); ++next) {
      const Slot node = order[next];
      for_links_of(node, [&](Slot link) {
        ++ends;
        const Slot other = links_[link].other(node);
        if (seen[other]) return;
        seen[other] = true;
        order.push_back(other);
      });
    }
    if (ends == 2 * (order.size() - from - 1)) order_tree(start, from, order);
  };
  const auto at_most_one_link = [&](Slot node) {
    const Slot first = nodes_[node].first_link;
    return first == kNoSlot || links_[first].next(node) == kNoSlot;
  };
  // Ends of lines first, so that a line lies in one piece.
  for (const bool ends : {true, false}) {
    for (Slot slot = 0; slot < slot_limit(); ++slot) {
      if (used(slot) && !seen[slot] && (!ends || at_most_one_link(slot))) visit_from(slot);
    }
  }
  return order;
}

void PipeNetwork::order_tree(Slot start, std::size_t from, std::vector<Slot>& order) const {
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
    for_links_of(step.node, [&](Slot link) {
      const Slot other = links_[link].other(step.node);
      if (other != step.parent) ahead.push_back({other, step.node});
    });
  }
}

void PipeNetwork::move_nodes(const std::vector<Slot>& to) {
  const auto count = static_cast<std::size_t>(node_count_);
  std::vector<Node> nodes(count);
  std::vector<Vec3> places(places_.empty() ? 0 : count, kNowhere);
  for (Slot slot = 0; slot < slot_limit(); ++slot) {
    if (!used(slot)) continue;
    nodes[to[slot]] = nodes_[slot];
    if (!places_.empty()) places[to[slot]] = places_[slot];
  }
  nodes_ = std::move(nodes);
  places_ = std::move(places);
  free_nodes_.clear();
  free_nodes_.shrink_to_fit();
  for (Link& link : links_) {
    if (!link.used()) continue;
    link.set_b(to[link.b()]);
    link.a = to[link.a];
  }
  std::map<Slot, std::int32_t> rates;
  for (const auto& [slot, rate] : pump_rates_) rates[to[slot]] = rate;
  pump_rates_ = std::move(rates);
  std::map<std::pair<Slot, Vec3>, Port> ports;
  for (const auto& [key, port] : ports_) ports[{to[key.first], key.second}] = port;
  ports_ = std::move(ports);
  names_.move(to, count);
  std::erase_if(edited_, [&](Slot slot) { return slot >= to.size() || to[slot] == kNoSlot; });
  for (Slot& slot : edited_) slot = to[slot];
}

void PipeNetwork::lay_out_links() {
  std::vector<Slot> to(links_.size(), kNoSlot);
  std::vector<Link> links;
  links.reserve(static_cast<std::size_t>(link_count_));
  std::vector<PackedConductance> conductances;
  conductances.reserve(links.capacity());
  const std::size_t blocks = (nodes_.size() + kBlockNodes - 1) / kBlockNodes;
  blocks_ = std::vector<Block>(blocks);
  island_awake_.assign(blocks, 0);
  awake_islands_ = 0;
  shown_blocks_.clear();
  for (std::uint32_t block = 0; block < blocks; ++block) {
    blocks_[block].island = block;
    blocks_[block].first_link = static_cast<Slot>(links.size());
    const Slot end = std::min<Slot>((block + 1) * kBlockNodes, slot_limit());
    for (Slot node = block * kBlockNodes; node < end; ++node) {
      for_links_of(node, [&](Slot link) {
        if (links_[link].a != node) return;
        to[link] = static_cast<Slot>(links.size());
        links.push_back(links_[link]);
        conductances.push_back(conductances_[link]);
      });
    }
    blocks_[block].end_link = static_cast<Slot>(links.size());
  }
  const auto moved = [&](Slot link) { return link == kNoSlot ? kNoSlot : to[link]; };
  for (Link& link : links) {
    link.next_a = moved(link.next_a);
    link.next_b = moved(link.next_b);
  }
  for (Node& node : nodes_) node.first_link = moved(node.first_link);
  links_ = std::move(links);
  conductances_ = std::move(conductances);
  free_links_.clear();
  free_links_.shrink_to_fit();
  for (Slot link = 0; link < links_.size(); ++link) register_link(link);
}

void PipeNetwork::register_link(Slot slot) {
  const std::uint32_t block = block_of(links_[slot].a);
  const std::uint32_t other = block_of(links_[slot].b());
  if (block == other && !links_[slot].large()) return;
  blocks_[block].shared_links.push_back(slot);
  const std::uint32_t first = island_of(block);
  const std::uint32_t second = island_of(other);
  if (first == second) return;
  const bool both_awake = island_awake_[first] != 0 && island_awake_[second] != 0;
  const bool any_awake = island_awake_[first] != 0 || island_awake_[second] != 0;
  blocks_[second].island = first;
  island_awake_[first] = any_awake ? 1 : 0;
  island_awake_[second] = 0;
  if (both_awake) --awake_islands_;
}

void PipeNetwork::unregister_link(Slot slot) {
  const std::uint32_t block = block_of(links_[slot].a);
  if (block == block_of(links_[slot].b()) && !links_[slot].large()) return;
  std::vector<Slot>& shared = blocks_[block].shared_links;
  *std::find(shared.begin(), shared.end(), slot) = shared.back();
  shared.pop_back();
}

std::uint32_t PipeNetwork::island_of(std::uint32_t block) {
  while (blocks_[block].island != block) {
    std::uint32_t& up = blocks_[block].island;
    up = blocks_[up].island;  // halves the path for the next time (Tarjan and van Leeuwen 1984)
    block = up;
  }
  return block;
}

void PipeNetwork::wake_island(std::uint32_t block) {
  std::uint8_t& awake = island_awake_[island_of(block)];
  awake_islands_ += awake == 0 ? 1 : 0;
  awake = 1;
}

void PipeNetwork::collect_awake_blocks(bool all) {
  awake_blocks_.clear();
  if (awake_islands_ == 0 && !all) return;
  for (std::uint32_t block = 0; block < blocks_.size(); ++block) {
    if (all || island_awake_[island_of(block)] != 0) awake_blocks_.push_back(block);
  }
}

void PipeNetwork::refresh_edited() {
  if (edited_.empty()) return;
  std::sort(edited_.begin(), edited_.end());
  edited_.erase(std::unique(edited_.begin(), edited_.end()), edited_.end());
  std::erase_if(edited_, [&](Slot slot) { return !used(slot); });
  std::map<Slot, std::uint32_t> degrees;
  for (const Slot node : edited_) refresh_links_of(node, degrees);
  for (const Slot node : edited_) {
    nodes_[node].set(kFlagCrest, crest(node));
    for_links_of(node, [&](Slot link) {
      const Slot other = links_[link].other(node);
      nodes_[other].set(kFlagCrest, crest(other));
    });
  }
  edited_.clear();
}

void PipeNetwork::refresh_links_of(Slot node, std::map<Slot, std::uint32_t>& degrees) {
  const auto degree_of = [&](Slot slot) {
    if (const auto known = degrees.find(slot); known != degrees.end()) return known->second;
    std::uint32_t degree = 0;
    for_links_of(slot, [&](Slot /*link*/) { ++degree; });
    if (degree > kLargeDegree) degrees[slot] = degree;
    return degree;
  };
  const std::uint32_t own_degree = degree_of(node);
  const std::uint64_t own = saturating_multiply(type(node).unit_rise(), own_degree + 1);
  const bool open = nodes_[node].is(kFlagOpen);
  for_links_of(node, [&](Slot slot) {
    Link& link = links_[slot];
    const Slot other = link.other(node);
    const std::uint32_t other_degree = degree_of(other);
    const bool large = std::max(own_degree, other_degree) > kMostAddedUp;
    if (large != link.large()) {
      unregister_link(slot);
      link.set_large(large);
      register_link(slot);
    }
    conductances_[slot] = 0;
    if (!open || !nodes_[other].is(kFlagOpen)) return;
    if (type(link.b()).kind == NodeKind::kPump) return;  // it draws for itself
    // A flow is the difference of levels over half the sum of both ends' rise times degree plus
    // one: so the energy falls whatever the other links do (pipes.md, "Why it comes to rest").
    const std::uint64_t theirs = saturating_multiply(type(other).unit_rise(), other_degree + 1);
    conductances_[slot] = pack_conductance(UINT64_MAX / (saturating_add(own, theirs) / 2));
  });
}

bool PipeNetwork::crest(Slot node) const {
  const Slot first = nodes_[node].first_link;
  if (first == kNoSlot || type(node).kind == NodeKind::kPump) return false;
  const Slot second = links_[first].next(node);
  if (second == kNoSlot || links_[second].next(node) != kNoSlot) return false;
  const std::int32_t base = nodes_[node].base;
  const std::int32_t one = nodes_[links_[first].other(node)].base;
  const std::int32_t two = nodes_[links_[second].other(node)].base;
  return base >= one && base >= two && (base > one || base > two);
}

}  // namespace sluice::sim
