// Levelling what has come to stand. Flows round down, so a line comes to stand on a staircase of a
// few units a link. Each *body* (what hangs together by open links under one surface) in which
// nothing moved is brought to the least potential energy that its units allow, in one step: the
// water-filling of a convex allocation (Fox 1966: the cheapest place for each unit, one after
// another).
#include <algorithm>
#include <memory>

#include "server/sim/pipes/body.h"
#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

bool PipeNetwork::one_water(Slot slot) const {
  const Link& link = links_[slot];
  if (conductances_[slot] == 0 || link.one_way()) return false;
  const Level a = level(link.a);
  const Level b = level(link.b());
  const Level sill = Level{std::max(nodes_[link.a].base, nodes_[link.b()].base)} << kLevelFraction;
  // Through a full pipe what stands above it presses on, and may press into what lies higher; where
  // the levelled surface does not reach a sill, level_body() parts the body there.
  return full(a < b ? link.a : link.b()) || (std::max(a, b) > sill && std::min(a, b) >= sill);
}

std::vector<std::vector<Slot>> PipeNetwork::standing_bodies() const {
  // Union of the nodes that did not move, by links; what touches a moving one is not at rest
  // either.
  enum : std::uint8_t { kStands = 0, kMoves = 1, kJoined = 2 };
  const std::unique_ptr<Slot[]> up(new Slot[nodes_.size()]);
  const std::unique_ptr<std::uint8_t[]> state(new std::uint8_t[nodes_.size()]);
  const auto for_nodes = [&](auto&& f) {
    for (const std::uint32_t block : awake_blocks_) {
      const Slot end = std::min<Slot>((block + 1) * kBlockNodes, slot_limit());
      for (Slot slot = block * kBlockNodes; slot < end; ++slot) f(slot);
    }
  };
  bool any_stands = false;
  for_nodes([&](Slot slot) {
    const bool moves = moved_in_last_tick(slot);
    up[slot] = slot;
    state[slot] = moves ? kMoves : kStands;
    any_stands |= !moves;
  });
  if (!any_stands) return {};
  const auto root = [&](Slot node) {
    while (up[node] != node) node = up[node] = up[up[node]];
    return node;
  };
  const auto join = [&](Slot slot) {
    const Link& link = links_[slot];
    if (!link.used()) return;
    if (nodes_[link.a].amount == 0 && nodes_[link.b()].amount == 0) return;  // the quickest look
    const bool a_moves = moved_in_last_tick(link.a);
    const bool b_moves = moved_in_last_tick(link.b());
    if ((a_moves && b_moves) || !one_water(slot)) return;
    if (a_moves || b_moves) {
      state[root(a_moves ? link.b() : link.a)] |= kMoves;
      return;
    }
    const Slot from = root(link.b());
    const Slot to = root(link.a);
    if (from == to) return;
    up[from] = to;
    state[to] = static_cast<std::uint8_t>(state[to] | kJoined | (state[from] & kMoves));
  };
  for (const std::uint32_t block : awake_blocks_) {
    for (Slot i = blocks_[block].first_link; i < blocks_[block].end_link; ++i) join(i);
    for (const Slot i : blocks_[block].extra_links) join(i);
  }
  std::map<Slot, std::vector<Slot>> bodies;
  for_nodes([&](Slot slot) {
    if (up[slot] == slot && (state[slot] & kJoined) == 0) return;  // alone
    const Slot head = root(slot);
    if ((state[head] & kMoves) == 0) bodies[head].push_back(slot);
  });
  std::vector<std::vector<Slot>> found;
  for (auto& [head, body] : bodies) found.push_back(std::move(body));
  return found;
}

bool PipeNetwork::level_body(const std::vector<Slot>& body) {
  std::vector<BodyNode> members;
  members.reserve(body.size());
  for (const Slot slot : body) {
    const PipeTypeRow& row = type(slot);
    members.push_back({nodes_[slot].base, row.height, static_cast<std::int32_t>(row.capacity),
                       nodes_[slot].amount});
  }
  const Filling filling = fill_body(members);
  // Water does not stand below a sill that it had to cross: where the levelled surface would, the
  // body falls into parts that are levelled for themselves.
  std::vector<Slot> in_body = body;
  std::sort(in_body.begin(), in_body.end());
  const auto index_of = [&](Slot slot) {
    const auto found = std::lower_bound(in_body.begin(), in_body.end(), slot);
    return found != in_body.end() && *found == slot ? found - in_body.begin() : -1;
  };
  BodyLinks links(body.size());
  std::vector<std::size_t> order(in_body.size());  // from in_body's index to body's
  for (std::size_t i = 0; i < body.size(); ++i) {
    order[static_cast<std::size_t>(index_of(body[i]))] = i;
  }
  bool parted = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    for_links_of(body[i], [&](Slot slot) {
      const Link& link = links_[slot];
      const auto other = index_of(link.other(body[i]));
      if (link.a != body[i] || other < 0 || !one_water(slot)) return;
      const std::int32_t sill = std::max(nodes_[link.a].base, nodes_[link.b()].base);
      if ((Level{sill} << kLevelFraction) > filling.surface) {
        parted = true;
        return;
      }
      links.add(i, order[static_cast<std::size_t>(other)]);
    });
  }
  if (parted) {
    bool changed = false;
    for (const std::vector<std::size_t>& part : links.parts()) {
      if (part.size() < 2 || part.size() == body.size()) continue;
      std::vector<Slot> slots;
      for (const std::size_t i : part) slots.push_back(body[i]);
      changed |= level_body(slots);
    }
    return changed;
  }
  std::vector<BodyTraits> traits;
  if (filling.undecided) {
    for (const Slot slot : body) {
      traits.push_back({place(slot), combine(static_cast<std::uint64_t>(type(slot).kind),
                                             static_cast<std::uint64_t>(type(slot).throughput))});
    }
  }
  return spread_over(body, decide_filling(members, filling, links, traits));
}

bool PipeNetwork::spread_over(const std::vector<Slot>& body,
                              const std::vector<std::int32_t>& amounts) {
  // Only what lowers the energy is done: so a body that is as level as its units allow stays as it
  // is, whatever else would be as good.
  WideSum energy;
  for (std::size_t i = 0; i < body.size(); ++i) {
    Node after = nodes_[body[i]];
    after.amount = amounts[i];
    const std::int64_t by = std::int64_t{amounts[i]} - nodes_[body[i]].amount;
    const Level middle = (level(body[i]) + level_of(after, type(body[i]))) / 2;
    energy.add_product(by, middle);
  }
  if (!energy.negative()) return false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    change_amount(body[i], amounts[i] - nodes_[body[i]].amount);
  }
  return true;
}

}  // namespace sluice::sim
