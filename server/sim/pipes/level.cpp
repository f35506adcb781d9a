// Levelling what has come to stand. Flows round down, so a line comes to stand on a staircase of a
// few units a link. Each *body* (what hangs together by open links under one surface) in which
// nothing moved is brought to the least potential energy that its units allow, in one step: the
// water-filling of a convex allocation (Fox 1966: the cheapest place for each unit, one after
// another).
#include <algorithm>

#include "server/sim/pipes/body.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

bool one_surface(const PipeGraph& graph, const PipeLayout& layout, Slot slot) {
  const Link& link = graph.link(slot);
  if (layout.conductance(slot) == 0 || link.one_way()) return false;
  const Level a = graph.level(link.a);
  const Level b = graph.level(link.b());
  const Level sill = Level{std::max(graph.node(link.a).base, graph.node(link.b()).base)}
                     << kLevelFraction;
  // Through a full pipe what stands above it presses on, and may press into what lies higher; where
  // the levelled surface does not reach a sill, level_body() parts the body there.
  return graph.full(a < b ? link.a : link.b()) || (std::max(a, b) > sill && std::min(a, b) >= sill);
}

namespace {

/// Gives a body these amounts, but only if that lowers its energy; true if it did. A body that is
/// as level as its units allow therefore stays as it is, even where other amounts are as good.
bool spread_over(const std::vector<Slot>& body, const std::vector<std::int32_t>& amounts,
                 PipeGraph& graph) {
  WideSum energy;
  for (std::size_t i = 0; i < body.size(); ++i) {
    Node after = graph.node(body[i]);
    after.amount = amounts[i];
    const std::int64_t by = std::int64_t{amounts[i]} - graph.node(body[i]).amount;
    const Level middle = (graph.level(body[i]) + level_of(after, graph.type(body[i]))) / 2;
    energy.add_product(by, middle);
  }
  if (!energy.negative()) return false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    graph.change_amount(body[i], amounts[i] - graph.node(body[i]).amount);
  }
  return true;
}

/// The links of a body that its surface reaches over; `parted` where one is too high for it.
BodyLinks links_under(Level surface, const std::vector<Slot>& body, const PipeGraph& graph,
                      const PipeLayout& layout, bool& parted) {
  std::vector<std::pair<Slot, std::size_t>> places;  // in the body, by slot
  for (std::size_t i = 0; i < body.size(); ++i) places.emplace_back(body[i], i);
  std::sort(places.begin(), places.end());
  BodyLinks links(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    graph.for_links_of(body[i], [&](Slot slot) {
      const Link& link = graph.link(slot);
      if (link.a != body[i]) return;
      const auto other = std::lower_bound(places.begin(), places.end(), link.b(),
                                          [](const auto& p, Slot node) { return p.first < node; });
      const bool inside = other != places.end() && other->first == link.b();
      if (!inside || !one_surface(graph, layout, slot)) return;
      const std::int32_t sill = std::max(graph.node(link.a).base, graph.node(link.b()).base);
      if ((Level{sill} << kLevelFraction) > surface)
        parted = true;
      else
        links.add(i, other->second);
    });
  }
  return links;
}

/// Levels a body, or puts the parts that it falls into on the list.
bool level_or_part(const std::vector<Slot>& body, const PipeLayout& layout, PipeGraph& graph,
                   std::vector<std::vector<Slot>>& parts) {
  std::vector<BodyNode> members;
  members.reserve(body.size());
  for (const Slot slot : body) {
    const PipeTypeRow& row = graph.type(slot);
    members.push_back({graph.node(slot).base, row.height, static_cast<std::int32_t>(row.capacity),
                       graph.node(slot).amount});
  }
  const BodyFilling filling = fill_body(members);
  // Water does not stand below a sill that it had to cross: where the levelled surface would, the
  // body falls into parts that are levelled for themselves.
  bool parted = false;
  const BodyLinks links = links_under(filling.surface, body, graph, layout, parted);
  if (parted) {
    for (const std::vector<std::size_t>& part : links.parts()) {
      if (part.size() < 2 || part.size() == body.size()) continue;
      parts.emplace_back();
      for (const std::size_t i : part) parts.back().push_back(body[i]);
    }
    return false;
  }
  std::vector<BodyTraits> traits;
  if (filling.undecided) {
    for (const Slot slot : body) {
      const PipeType type = graph.type(slot).type();
      traits.push_back({graph.place(slot), combine(static_cast<std::uint64_t>(type.kind),
                                                   graph.type(slot).throughput)});
    }
  }
  return spread_over(body, decide_filling(members, filling, links, traits), graph);
}

}  // namespace

bool level_body(const std::vector<Slot>& body, const PipeLayout& layout, PipeGraph& graph) {
  bool changed = false;
  // A list, because a staircase may part as often as it has steps.
  std::vector<std::vector<Slot>> bodies = {body};
  while (!bodies.empty()) {
    const std::vector<Slot> next = std::move(bodies.back());
    bodies.pop_back();
    changed |= level_or_part(next, layout, graph, bodies);
  }
  return changed;
}

}  // namespace sluice::sim
