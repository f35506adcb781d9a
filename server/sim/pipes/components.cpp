// What hangs together. Each node bears the number of its component. A new link joins two: the
// smaller one is renumbered, so that n nodes are renumbered n log n times at the most, whatever the
// order of building. A link that goes may part one; that is found out once a tick, by searches from
// all nodes that lost a link, a step each in turn: as soon as all searches but one have met or come
// to an end, the rest needs no look (after Even and Shiloach 1981). Until then one number may stand
// for several components; never the other way round.
#include <algorithm>

#include "server/sim/assert.h"
#include "server/sim/pipes/graph.h"

namespace sluice::sim {

std::uint32_t PipeGraph::make_component(Fluid fluid) {
  if (free_components_.empty()) {
    free_components_.push_back(component_limit());
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
  seeds_.erase(number);
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
  for (const Slot seed : seeds_[number]) {
    if (!used(seed) || component_of(seed) != number) continue;
    component.member = seed;
    return;
  }
  SLUICE_ASSERT(false);  // each part of a pending component has a seed
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

std::vector<std::uint32_t> PipeGraph::settle_components() {
  while (!seeds_.empty()) settle(seeds_.begin()->first);
  return std::exchange(new_components_, {});
}

/// One of the searches that begin at the seeds; those that meet go on as one.
struct PipeGraph::Search {
  std::vector<Slot> found;
  std::vector<Slot> ahead;   // found, of which the links are to be looked at, from `next` on
  std::size_t next = 0;
  std::uint32_t joined = 0;  // itself, or one on the way to the search that it goes on with
};

void PipeGraph::settle(std::uint32_t number) {
  std::vector<Slot> seeds = std::move(seeds_[number]);
  seeds_.erase(number);
  components_[number].pending = false;
  std::erase_if(seeds, [&](Slot s) { return !used(s) || component_of(s) != number; });
  // The ones that come to an end soonest first.
  std::sort(seeds.begin(), seeds.end(), [&](Slot a, Slot b) {
    return std::pair(degree(a), a) < std::pair(degree(b), b);
  });
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  work_ += static_cast<std::int64_t>(seeds.size());
  if (seeds.size() < 2) return;
  searched_by_.resize(nodes_.size());
  std::vector<Search> searches(seeds.size());
  for (std::uint32_t i = 0; i < seeds.size(); ++i) {
    searches[i] = {{seeds[i]}, {seeds[i]}, 0, i};
    searched_by_[seeds[i]] = i + 1;
  }
  std::vector<std::uint32_t> active(seeds.size());
  for (std::uint32_t i = 0; i < active.size(); ++i) active[i] = i;
  std::size_t going_on = active.size();  // searches that neither ended nor joined another
  std::vector<std::uint32_t> ended;
  while (going_on > 1) {
    std::vector<std::uint32_t> still;
    for (const std::uint32_t search : active) {
      if (searches[search].joined != search || going_on == 1) continue;
      if (searches[search].next == searches[search].ahead.size()) {
        ended.push_back(search);
        --going_on;
        continue;
      }
      going_on -= advance(searches, search);
      still.push_back(search);
    }
    active = std::move(still);
  }
  for (const std::uint32_t search : ended) part(number, searches[search].found);
  for (const Search& search : searches) {
    for (const Slot node : search.found) searched_by_[node] = 0;
  }
  if (component_of(components_[number].member) == number) return;
  for (const Slot seed : seeds) {
    if (component_of(seed) == number) components_[number].member = seed;
  }
}

// Looks at the links of one more node; returns how many other searches it met, which then go on as
// one with it.
std::size_t PipeGraph::advance(std::vector<Search>& searches, std::uint32_t search) {
  const auto root = [&](std::uint32_t i) {
    while (searches[i].joined != i) i = searches[i].joined = searches[searches[i].joined].joined;
    return i;
  };
  const Slot node = searches[search].ahead[searches[search].next++];
  work_ += 1 + degree(node);
  std::size_t met = 0;
  std::uint32_t own = search;
  for_links_of(node, [&](Slot link) {
    const Slot other = links_[link].other(node);
    std::uint32_t& by = searched_by_[other];
    if (by == 0) {
      by = own + 1;
      searches[own].found.push_back(other);
      searches[own].ahead.push_back(other);
      return;
    }
    const std::uint32_t theirs = root(by - 1);
    if (theirs == own) return;
    ++met;
    const bool smaller = searches[theirs].found.size() < searches[own].found.size();
    Search& from = searches[smaller ? theirs : own];
    own = smaller ? own : theirs;
    from.joined = own;
    Search& to = searches[own];
    to.found.insert(to.found.end(), from.found.begin(), from.found.end());
    to.ahead.insert(to.ahead.end(), from.ahead.begin() + static_cast<std::ptrdiff_t>(from.next),
                    from.ahead.end());
    from.found = {};
    from.ahead = {};
  });
  return met;
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
  new_components_.push_back(made);
}

}  // namespace sluice::sim
