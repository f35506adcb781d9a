// What hangs together. Each node bears the number of its component. A new link joins two: the
// smaller one is renumbered, so that n nodes are renumbered n log n times at the most, whatever the
// order of building. A link that goes may part one; that is found out once a tick, by searches from
// all nodes that lost a link, a step each in turn (after Even and Shiloach 1981): they end where
// they meet, or where the smaller part ends, and the larger one needs no look. Until then one
// number may stand for several components; never the other way round.
#include <algorithm>

#include "protocol/base/assert.h"
#include "server/sim/grow_ahead.h"
#include "server/sim/pipes/graph.h"

namespace sluice::sim {

std::uint32_t PipeGraph::make_component(Fluid fluid) {
  if (free_components_.empty()) {
    free_components_.push_back(component_limit());
    grow_ahead(components_, components_.size() + 1, kMaxPipes);
    components_.emplace_back();
  }
  const std::uint32_t number = free_components_.back();
  free_components_.pop_back();
  components_[number] = {};
  components_[number].fluid = fluid;
  fluids_.acquire(fluid);
  return number;
}

void PipeGraph::free_if_empty(std::uint32_t number) {
  if (components_[number].nodes > 0) return;
  fluids_.release(components_[number].fluid);
  components_[number] = {};
  lost_links_.erase(number);
  grow_ahead(free_components_, free_components_.size() + 1, kMaxPipes);
  free_components_.push_back(number);
}

void PipeGraph::count_in(Slot node, Sum& sum) const {
  sum.units += nodes_[node].amount;
  sum.weight += names_.weight(node);
  sum.ends += ends_[node].degree;
  ++sum.nodes;
  if (component_at(node).ports == 0) return;
  for (auto port = ports_.lower_bound({node, kNowhere});
       port != ports_.end() && port->first.first == node; ++port) {
    ++sum.ports;
  }
}

void PipeGraph::take_out(std::uint32_t number, const Sum& sum) {
  Component& component = components_[number];
  component.units -= sum.units;
  component.weight -= sum.weight;
  component.links -= static_cast<std::uint32_t>(sum.ends / 2);
  component.nodes -= sum.nodes;
  component.ports -= sum.ports;
}

void PipeGraph::put_in(std::uint32_t number, const Sum& sum) {
  Component& component = components_[number];
  component.units += sum.units;
  component.weight += sum.weight;
  component.links += static_cast<std::uint32_t>(sum.ends / 2);
  component.nodes += sum.nodes;
  component.ports += sum.ports;
}

void PipeGraph::find_member(std::uint32_t number) {
  Component& component = components_[number];
  if (component.nodes == 0) return;
  for (const Slot node : lost_links_[number]) {
    if (!used(node) || component_of(node) != number) continue;
    component.member = node;
    return;
  }
  SLUICE_ASSERT(false);  // each part of a pending component has lost a link
}

// Before the link between a and b is made.
void PipeGraph::merge_components(Slot a, Slot b) {
  if (component_of(a) == component_of(b)) return;
  const bool b_smaller = component_at(b).nodes <= component_at(a).nodes;
  const std::uint32_t from = component_of(b_smaller ? b : a);
  const std::uint32_t to = component_of(b_smaller ? a : b);
  const Sum moved = relabel_from(b_smaller ? b : a, to);
  put_in(to, moved);
  take_out(from, moved);
  Component& rest = components_[from];
  if (rest.nodes > 0) {
    rest.scattered = true;  // what led through that part connects no parts of the rest any more
    parted_.insert(parted_.end(), queue_.begin(), queue_.end());
  }
  if (rest.nodes > 0 && component_of(rest.member) != from) find_member(from);
  free_if_empty(from);
}

PipeGraph::Sum PipeGraph::relabel_from(Slot start, std::uint32_t to) {
  const std::uint32_t from = component_of(start);
  Sum sum;
  queue_.assign(1, start);
  count_in(start, sum);
  ends_[start].component = to;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Slot node = queue_[i];
    for_links_of(node, [&](Slot link) {
      const Slot other = links_[link].other(node);
      if (component_of(other) != from) return;
      count_in(other, sum);
      ends_[other].component = to;
      queue_.push_back(other);
    });
  }
  work_ += static_cast<std::int64_t>(sum.nodes + sum.ends);
  return sum;
}

std::vector<Slot> PipeGraph::settle_components() {
  while (!lost_links_.empty()) settle(lost_links_.begin()->first);
  return std::exchange(parted_, {});
}

// The searches of one settling. Those that meet go on as one. A link that went connected two nodes:
// what is to be found out is whether they still are, so searches bear a *class*, which joins the
// two ends of each link that went, and all that meets. Once all searches of a class but one have
// come to an end, what ended fell off, and the one is what the component goes on as: for were there
// two such remainders, some link that went would have led from one to the other, by way of what
// ended perhaps, and its ends, and what ended, would be of one class.
class PipeGraph::Searches {
 public:
  Searches(PipeGraph& graph, std::uint32_t component, const std::vector<Slot>& lost_links,
           bool one_class)
      : graph_(graph) {
    std::vector<Slot> ends = lost_links;
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    searches_.resize(ends.size());
    for (std::uint32_t i = 0; i < ends.size(); ++i) {
      searches_[i].joined = i;
      searches_[i].of_class = i;
      // What is gone, or hangs to another component, still tells that its neighbours belong
      // together.
      if (!graph.used(ends[i]) || graph.component_of(ends[i]) != component) continue;
      searches_[i].found = {ends[i]};
      searches_[i].going_on = 1;
      graph.searched_by_[ends[i]] = i + 1;
      round_.push_back(i);
    }
    const auto index_of = [&](Slot node) {
      return static_cast<std::uint32_t>(std::lower_bound(ends.begin(), ends.end(), node) -
                                        ends.begin());
    };
    for (std::size_t i = 0; i < lost_links.size(); i += 2) {
      join_classes(index_of(lost_links[i]), index_of(lost_links[one_class ? 0 : i]));
      join_classes(index_of(lost_links[i]), index_of(lost_links[i + 1]));
    }
    // The ones that come to an end soonest first.
    std::sort(round_.begin(), round_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(graph.degree(ends[a]), a) < std::pair(graph.degree(ends[b]), b);
    });
    graph.work_ += static_cast<std::int64_t>(ends.size());
  }

  /// Searches until it is known; returns the parts that fell off.
  std::vector<std::vector<Slot>> run() {
    std::vector<std::uint32_t> next_round;
    // Each search goes as far as any other in its round; the rounds get longer.
    for (std::int64_t steps = 1; !round_.empty(); steps = std::min(2 * steps, kMostSteps)) {
      next_round.clear();
      for (const std::uint32_t search : round_) {
        searches_[search].in_round = false;
        if (searches_[search].joined != search) continue;
        const std::uint32_t goes_on = run_for(steps, search);
        if (goes_on == kNone || searches_[goes_on].in_round) continue;
        searches_[goes_on].in_round = true;
        next_round.push_back(goes_on);
      }
      round_.swap(next_round);
    }
    std::vector<std::vector<Slot>> parts;
    for (Search& search : searches_) {
      for (const std::vector<Slot>* nodes : {&search.found, &search.done}) {
        for (const Slot node : *nodes) graph_.searched_by_[node] = 0;
      }
      if (!search.ended) continue;
      search.found.insert(search.found.end(), search.done.begin(), search.done.end());
      parts.push_back(std::move(search.found));
    }
    return parts;
  }

 private:
  struct Search {
    std::vector<Slot> found;  // from `next` on their links are still to be looked at
    std::vector<Slot> done;   // found by those that joined this one, and looked at
    std::size_t next = 0;
    std::uint32_t joined = 0;    // itself, or one on the way to the search that it goes on with
    std::uint32_t of_class = 0;  // itself, or one on the way to its class's first
    std::uint32_t going_on = 0;  // of a class's first: searches that neither ended nor joined
    bool in_round = false;
    bool ended = false;
  };
  static constexpr std::int64_t kMostSteps = 1024;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t root(std::uint32_t i) {
    while (searches_[i].joined != i)
      i = searches_[i].joined = searches_[searches_[i].joined].joined;
    return i;
  }
  std::uint32_t class_of(std::uint32_t i) {
    while (searches_[i].of_class != i) {
      i = searches_[i].of_class = searches_[searches_[i].of_class].of_class;
    }
    return i;
  }
  void join_classes(std::uint32_t a, std::uint32_t b) {
    a = class_of(a);
    b = class_of(b);
    if (a == b) return;
    searches_[b].of_class = a;
    searches_[a].going_on += searches_[b].going_on;
  }

  /// Looks at so many nodes and links; returns the search that goes on, if it is not over.
  std::uint32_t run_for(std::int64_t steps, std::uint32_t search) {
    while (steps > 0) {
      if (searches_[class_of(search)].going_on < 2) return kNone;
      if (searches_[search].next == searches_[search].found.size()) {
        searches_[search].ended = true;
        --searches_[class_of(search)].going_on;
        return kNone;
      }
      steps -= 1 + graph_.degree(searches_[search].found[searches_[search].next]);
      search = advance(search);
    }
    return search;
  }

  /// Looks at the links of one more node; returns the search that goes on.
  std::uint32_t advance(std::uint32_t own) {
    const Slot node = searches_[own].found[searches_[own].next++];
    graph_.work_ += 1 + graph_.degree(node);
    graph_.for_links_of(node, [&](Slot link) {
      const Slot other = graph_.links_[link].other(node);
      std::uint32_t& by = graph_.searched_by_[other];
      if (by == 0) {
        by = own + 1;
        searches_[own].found.push_back(other);
      } else if (root(by - 1) != own) {
        own = meet(own, root(by - 1));
      }
    });
    return own;
  }

  std::uint32_t meet(std::uint32_t one, std::uint32_t other) {
    join_classes(one, other);
    --searches_[class_of(one)].going_on;
    const auto size = [&](std::uint32_t i) {
      return searches_[i].found.size() + searches_[i].done.size();
    };
    if (size(one) < size(other)) std::swap(one, other);
    Search& to = searches_[one];
    Search& from = searches_[other];
    const auto next = from.found.begin() + static_cast<std::ptrdiff_t>(from.next);
    to.done.insert(to.done.end(), from.done.begin(), from.done.end());
    to.done.insert(to.done.end(), from.found.begin(), next);
    to.found.insert(to.found.end(), next, from.found.end());
    from.joined = one;
    from.found = {};
    from.done = {};
    from.next = 0;
    return one;
  }

  PipeGraph& graph_;
  std::vector<Search> searches_;
  std::vector<std::uint32_t> round_;
};

void PipeGraph::settle(std::uint32_t number) {
  const std::vector<Slot> lost_links = std::move(lost_links_[number]);
  lost_links_.erase(number);
  const bool scattered = components_[number].scattered;
  components_[number].pending = false;
  components_[number].scattered = false;
  grow_ahead(searched_by_, nodes_.size(), kMaxPipes);
  searched_by_.resize(nodes_.size());
  Searches searches(*this, number, lost_links, scattered);
  for (const std::vector<Slot>& nodes : searches.run()) part(number, nodes);
  if (component_of(components_[number].member) == number) return;
  for (const Slot node : lost_links) {
    if (used(node) && component_of(node) == number) components_[number].member = node;
  }
}

void PipeGraph::part(std::uint32_t number, const std::vector<Slot>& nodes) {
  Sum sum;
  for (const Slot node : nodes) count_in(node, sum);
  const std::uint32_t made = make_component(components_[number].fluid);
  take_out(number, sum);
  put_in(made, sum);
  components_[made].member = nodes.front();
  for (const Slot node : nodes) ends_[node].component = made;
  work_ += static_cast<std::int64_t>(nodes.size());
  parted_.insert(parted_.end(), nodes.begin(), nodes.end());
}

// Building made as many as there are nodes, of which few are left.
std::vector<std::uint32_t> PipeGraph::renumber_components() {
  SLUICE_ASSERT(lost_links_.empty() && parted_.empty());
  std::vector<std::uint32_t> to(components_.size());
  std::vector<Component> components;
  for (std::uint32_t number = 0; number < components_.size(); ++number) {
    if (components_[number].nodes == 0) continue;
    to[number] = static_cast<std::uint32_t>(components.size());
    components.push_back(components_[number]);
  }
  components.shrink_to_fit();
  components_ = std::move(components);
  free_components_ = {};
  for (NodeEnds& ends : ends_) ends.component = to[ends.component];
  return to;
}

}  // namespace sluice::sim
