// What has come to stand. A component in which nothing moved in a tick is looked at in that tick;
// what stands still in one that moves, at every sixteenth tick of the world. Bodies are levelled
// (level.cpp), and what is left above a sill or a check valve falls.
//
// Sleep. A component in which a tick moved nothing, levelled nothing and let nothing fall was
// looked at whole. The next tick would do with it what this one did, because all that the tick goes
// by is what the component is and holds: so it would change nothing either, and need not run. Only
// a command or a port changes that, and they wake it. Nothing about sleep is saved, and nothing
// needs to be.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "server/sim/pipes/step.h"

namespace sluice::sim {

namespace {

/// Ticks from one look at the still parts of moving components to the next.
constexpr std::uint64_t kLookEvery = 16;

/// The links of a node over which most energy would be lost.
struct Best {
  std::int64_t gain = 0;
  std::uint32_t links = 0;  // that gain so much
};

struct Fall {
  Slot link = kNoSlot;
  std::int32_t units = 0;  // from a to b
};

class Standing {
 public:
  Standing(PipeGraph& graph, PipeLayout& layout, PipeStep& step)
      : graph_(graph), layout_(layout), step_(step), did_(graph.component_limit()) {}

  void run(std::uint64_t tick_number, bool sleep) {
    note_movement();
    std::vector<std::uint32_t> awake;
    if (sleep) {
      awake = layout_.awake_components();
    } else {
      for (std::uint32_t c = 0; c < graph_.component_limit(); ++c) {
        if (graph_.component(c).nodes > 0) awake.push_back(c);
      }
    }
    std::int64_t to_look_at = 0;
    for (const std::uint32_t component : awake) {
      if ((did_[component] & kMoved) != 0 && tick_number % kLookEvery != 0) continue;
      did_[component] |= kLooked;
      to_look_at += graph_.component(component).nodes;
    }
    if (to_look_at > 0) {
      choose_way(awake, to_look_at);
      for (const std::vector<Slot>& body : standing_bodies()) {
        if (level_body(body, layout_, graph_)) did_[graph_.component_of(body.front())] |= kChanged;
      }
      let_fall();  // what fell may fall on: another look, before it sleeps
    }
    std::erase_if(awake, [&](std::uint32_t c) { return (did_[c] & (kMoved | kChanged)) == 0; });
    layout_.set_awake(awake);
    forget_conduits();
  }

 private:
  /// What they passed was looked at. In a tick without demands that are limited none are looked
  /// for.
  void forget_conduits() {
    for (const Conduit& conduit : step_.conduits.found) {
      for (const Slot node : conduit.inner) step_.set(node, PipeStep::kPasses, false);
    }
    step_.conduits.found.clear();
  }
  /// What a component did in this tick.
  enum Did : std::uint8_t {
    kMoved = 1,
    kLooked = 2,   // was looked at
    kChanged = 4,  // was levelled, or something fell
  };

  [[nodiscard]] bool looked_at(Slot node) const {
    return (did_[graph_.component_of(node)] & kLooked) != 0;
  }

  void note_movement() {
    for (const std::uint32_t block : layout_.awake_blocks()) {
      if (step_.block_moved[block] == 0) continue;
      const Slot speaker = layout_.block(block).speaker;
      if (speaker != kNoSlot) {
        did_[graph_.component_of(speaker)] |= kMoved;
        continue;
      }
      const Slot end = layout_.end_node(block, graph_);
      Slot first = kNoSlot;
      bool all_one = true;
      for (Slot node = layout_.first_node(block); node < end; ++node) {
        if (!graph_.used(node)) continue;
        if (first == kNoSlot) first = node;
        all_one &= graph_.component_of(node) == graph_.component_of(first);
        if (step_.traffic[node].any()) did_[graph_.component_of(node)] |= kMoved;
      }
      if (all_one) layout_.speak_for(block, first);
    }
  }

  /// Through the awake blocks, where most of them is to be looked at; else from node to node along
  /// the links.
  void choose_way(const std::vector<std::uint32_t>& awake, std::int64_t to_look_at) {
    std::int64_t in_blocks = 0;
    for (const std::uint32_t block : layout_.awake_blocks()) {
      in_blocks += layout_.end_node(block, graph_) - layout_.first_node(block);
    }
    by_blocks_ = 2 * to_look_at >= in_blocks;
    step_.work += by_blocks_ ? in_blocks : 2 * to_look_at;
    if (by_blocks_) return;
    for (const std::uint32_t component : awake) {
      if ((did_[component] & kLooked) != 0) walk_from(graph_.component(component).member);
    }
    for (const Slot node : nodes_) step_.set(node, PipeStep::kSeen, false);
  }

  void walk_from(Slot start) {
    const auto take = [&](Slot node) {
      if (step_.is(node, PipeStep::kSeen)) return;
      step_.set(node, PipeStep::kSeen, true);
      nodes_.push_back(node);
    };
    std::size_t next = nodes_.size();
    take(start);
    for (; next < nodes_.size(); ++next) {
      const Slot node = nodes_[next];
      graph_.for_links_of(node, [&](Slot link) { take(graph_.link(link).other(node)); });
    }
  }

  /// f(block, whether all its nodes are to be looked at) for the blocks that have some.
  template <class F>
  void for_blocks(F&& f) const {
    for (const std::uint32_t block : layout_.awake_blocks()) {
      const Slot speaker = layout_.block(block).speaker;
      if (speaker != kNoSlot && !looked_at(speaker)) continue;
      f(block, speaker != kNoSlot);
    }
  }

  template <class F>
  void for_nodes(F&& f) const {
    if (!by_blocks_) {
      for (const Slot node : nodes_) f(node);
      return;
    }
    for_blocks([&](std::uint32_t block, bool all) {
      const Slot end = layout_.end_node(block, graph_);
      for (Slot node = layout_.first_node(block); node < end; ++node) {
        if (graph_.used(node) && (all || looked_at(node))) f(node);
      }
    });
  }

  template <class F>
  void for_links(F&& f) const {
    if (!by_blocks_) {
      for (const Slot node : nodes_) {
        graph_.for_links_of(node, [&](Slot link) {
          if (graph_.link(link).a == node) f(link);
        });
      }
      return;
    }
    for_blocks([&](std::uint32_t number, bool all) {
      const PipeLayout::Block& block = layout_.block(number);
      layout_.for_inner_links(block, [&](Slot link) {
        if (!layout_.inner(graph_.link(link))) return;
        if (all || looked_at(graph_.link(link).a)) f(link);
      });
      for (const Slot link : block.shared) {
        if (all || looked_at(graph_.link(link).a)) f(link);
      }
    });
  }

  std::vector<std::vector<Slot>> standing_bodies() const;
  void let_fall();
  void fall_in(std::vector<Slot> candidates, std::vector<Fall>& falls) const;
  [[nodiscard]] std::int64_t fall_gain(Slot link) const;
  [[nodiscard]] std::int32_t fall_units(Slot link, std::uint32_t links_a,
                                        std::uint32_t links_b) const;

  PipeGraph& graph_;
  PipeLayout& layout_;
  PipeStep& step_;
  std::vector<std::uint8_t> did_;  // by component
  bool by_blocks_ = false;
  std::vector<Slot> nodes_;  // to be looked at, where not by blocks
};

std::vector<std::vector<Slot>> Standing::standing_bodies() const {
  // Union of the nodes that did not move, by links; what touches a moving one is not at rest
  // either.
  enum : std::uint8_t { kStands = 0, kMoves = 1, kJoined = 2 };
  const std::unique_ptr<Slot[]> up(new Slot[graph_.node_limit()]);
  const std::unique_ptr<std::uint8_t[]> state(new std::uint8_t[graph_.node_limit()]);
  bool any_stands = false;
  for_nodes([&](Slot node) {
    const bool moves = step_.moves(node);
    up[node] = node;
    state[node] = moves ? kMoves : kStands;
    any_stands |= !moves;
  });
  if (!any_stands) return {};
  const auto root = [&](Slot node) {
    while (up[node] != node) node = up[node] = up[up[node]];
    return node;
  };
  for_links([&](Slot slot) {
    const Link& link = graph_.link(slot);
    if (graph_.empty(link.a) && graph_.empty(link.b())) return;  // the quickest look
    const bool a_moves = step_.moves(link.a);
    const bool b_moves = step_.moves(link.b());
    if ((a_moves && b_moves) || !one_surface(graph_, layout_, slot)) return;
    if (a_moves || b_moves) {
      state[root(a_moves ? link.b() : link.a)] |= kMoves;
      return;
    }
    const Slot from = root(link.b());
    const Slot to = root(link.a);
    if (from == to) return;
    up[from] = to;
    state[to] = static_cast<std::uint8_t>(state[to] | kJoined | (state[from] & kMoves));
  });
  std::map<Slot, std::vector<Slot>> bodies;
  for_nodes([&](Slot node) {
    if (up[node] == node && (state[node] & kJoined) == 0) return;  // alone
    const Slot head = root(node);
    if ((state[head] & kMoves) == 0) bodies[head].push_back(node);
  });
  std::vector<std::vector<Slot>> found;
  for (auto& [head, body] : bodies) found.push_back(std::move(body));
  return found;
}

// Fluid that no body holds together and that is too little for a flow: it goes over the links that
// are best for both their nodes, as much as lowers the energy most. Links that are equally good
// share what a node has; where it does not divide, the next best have their turn.
void Standing::let_fall() {
  std::map<std::uint32_t, std::vector<Slot>> candidates;  // by component
  for_links([&](Slot link) {
    const std::uint32_t component = graph_.component_of(graph_.link(link).a);
    if (did_[component] == kLooked && fall_gain(link) > 0) candidates[component].push_back(link);
  });
  for (auto& [component, links] : candidates) {
    std::vector<Fall> falls;
    fall_in(std::move(links), falls);
    for (const Fall& fall : falls) {
      graph_.change_amount(graph_.link(fall.link).a, -fall.units);
      graph_.change_amount(graph_.link(fall.link).b(), fall.units);
    }
    if (!falls.empty()) did_[component] |= kChanged;
  }
}

void Standing::fall_in(std::vector<Slot> candidates, std::vector<Fall>& falls) const {
  while (!candidates.empty() && falls.empty()) {
    std::map<Slot, Best> best;
    for (const Slot slot : candidates) {
      const std::int64_t gain = fall_gain(slot);
      for (const Slot node : {graph_.link(slot).a, graph_.link(slot).b()}) {
        Best& so_far = best[node];
        if (gain > so_far.gain) so_far = {gain, 0};
        if (gain == so_far.gain) ++so_far.links;
      }
    }
    std::vector<Slot> others;
    for (const Slot slot : candidates) {
      const Link& link = graph_.link(slot);
      const std::int64_t gain = fall_gain(slot);
      const Best& at_a = best[link.a];
      const Best& at_b = best[link.b()];
      if (at_a.gain != gain || at_b.gain != gain) {
        others.push_back(slot);
        continue;
      }
      const std::int32_t units = fall_units(slot, at_a.links, at_b.links);
      const bool forward = graph_.level(link.a) > graph_.level(link.b());
      if (units > 0) falls.push_back({slot, forward ? units : -units});
    }
    candidates = std::move(others);
  }
}

std::int64_t Standing::fall_gain(Slot slot) const {
  const Link& link = graph_.link(slot);
  const Slot donor = graph_.level(link.a) > graph_.level(link.b()) ? link.a : link.b();
  const Slot receiver = link.other(donor);
  if (!usable(graph_, layout_, slot, donor) || graph_.empty(donor) || graph_.full(receiver)) {
    return 0;
  }
  const std::uint64_t rise =
      graph_.type(donor).unit_rise() / 2 + graph_.type(receiver).unit_rise() / 2 + 2;
  return graph_.level(donor) - graph_.level(receiver) - static_cast<std::int64_t>(rise);
}

std::int32_t Standing::fall_units(Slot slot, std::uint32_t links_a, std::uint32_t links_b) const {
  const Link& link = graph_.link(slot);
  const bool forward = graph_.level(link.a) > graph_.level(link.b());
  const Slot donor = forward ? link.a : link.b();
  const Slot receiver = link.other(donor);
  const std::uint32_t at_donor = forward ? links_a : links_b;
  const std::uint32_t at_receiver = forward ? links_b : links_a;
  const auto difference = static_cast<std::uint64_t>(graph_.level(donor) - graph_.level(receiver));
  constexpr std::uint64_t kTooMuch = std::numeric_limits<std::uint64_t>::max() / 4;
  const std::uint64_t donor_rise = graph_.type(donor).unit_rise();
  const std::uint64_t receiver_rise = graph_.type(receiver).unit_rise();
  if (donor_rise > kTooMuch / at_donor || receiver_rise > kTooMuch / at_receiver) return 0;
  const std::uint64_t rise = donor_rise * at_donor + receiver_rise * at_receiver;
  if (2 * difference <= rise) return 0;
  const std::uint64_t units = std::max<std::uint64_t>(difference / rise, 1);
  const auto held = static_cast<std::uint64_t>(graph_.node(donor).amount) / at_donor;
  const auto fits = static_cast<std::uint64_t>(graph_.room(receiver)) / at_receiver;
  return static_cast<std::int32_t>(std::min({units, held, fits}));
}

}  // namespace

void level_what_stands(std::uint64_t tick_number, bool sleep, PipeGraph& graph, PipeLayout& layout,
                       PipeStep& step) {
  Standing(graph, layout, step).run(tick_number, sleep);
}

}  // namespace sluice::sim
