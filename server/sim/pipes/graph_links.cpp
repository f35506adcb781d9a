// Links, and which fluid two sides agree on.
#include <algorithm>

#include "protocol/base/assert.h"
#include "server/sim/grow_ahead.h"
#include "server/sim/pipes/graph.h"

namespace sluice::sim {

Status PipeGraph::make_link(std::string_view from, std::string_view to, bool one_way, Slot& link) {
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  if (Status s = find_node(from, a); !s) return s;
  if (Status s = find_node(to, b); !s) return s;
  if (a == b) return Error{"'" + std::string(from) + "' cannot be linked to itself"};
  if (link_between(a, b) != kNoSlot) {
    return Error{"'" + std::string(from) + "' and '" + std::string(to) + "' are linked already"};
  }
  if (link_count_ >= limits_.links) {
    return Error{"a world holds at most " + std::to_string(limits_.links) + " links"};
  }
  if (Status s = join_fluids(a, b); !s) return s;
  merge_components(a, b);
  const bool pump = type(a).kind == NodeKind::kPump || type(b).kind == NodeKind::kPump;
  if (free_links_.empty()) {
    free_links_.push_back(link_limit());
    grow_ahead(links_, links_.size() + 1, kMaxPipeLinks);
    grow_ahead(places_of_links_, links_.size() + 1, kMaxPipeLinks);
    links_.emplace_back();
    places_of_links_.emplace_back();
  }
  link = free_links_.back();
  free_links_.pop_back();
  links_[link].a = a;
  links_[link].b_and_flags = b << 1 | (one_way || pump ? Link::kOneWay : 0);
  places_of_links_[link] = {};
  hook(link, a);
  hook(link, b);
  ++components_[component_of(a)].links;
  ++link_count_;
  ++work_;
  build_digest_ += link_digest(links_[link]);
  return Done{};
}

void PipeGraph::drop_link(Slot link) {
  const Slot a = links_[link].a;
  const Slot b = links_[link].b();
  build_digest_ -= link_digest(links_[link]);
  unhook(link, a);
  unhook(link, b);
  links_[link] = {};
  grow_ahead(free_links_, free_links_.size() + 1, kMaxPipeLinks);
  free_links_.push_back(link);
  --link_count_;
  ++work_;
  const std::uint32_t number = component_of(a);
  --components_[number].links;
  components_[number].pending = true;
  std::vector<Slot>& lost = lost_links_[number];
  lost.push_back(a);
  lost.push_back(b);
}

void PipeGraph::hook(Slot link, Slot node) {
  const Slot next = ends_[node].first_link;
  LinkPlace& place = places_of_links_[link];
  (links_[link].a == node ? place.next_a : place.next_b) = next;
  if (next != kNoSlot) {
    LinkPlace& after = places_of_links_[next];
    (links_[next].a == node ? after.previous_a : after.previous_b) = link;
  }
  ends_[node].first_link = link;
  ++ends_[node].degree;
}

void PipeGraph::unhook(Slot link, Slot node) {
  const LinkPlace& place = places_of_links_[link];
  const bool is_a = links_[link].a == node;
  const Slot next = is_a ? place.next_a : place.next_b;
  const Slot previous = is_a ? place.previous_a : place.previous_b;
  if (previous == kNoSlot) {
    ends_[node].first_link = next;
  } else {
    LinkPlace& before = places_of_links_[previous];
    (links_[previous].a == node ? before.next_a : before.next_b) = next;
  }
  if (next != kNoSlot) {
    LinkPlace& after = places_of_links_[next];
    (links_[next].a == node ? after.previous_a : after.previous_b) = previous;
  }
  --ends_[node].degree;
}

Slot PipeGraph::link_between(Slot a, Slot b) const {
  const Slot shorter = degree(a) <= degree(b) ? a : b;
  const Slot longer = shorter == a ? b : a;
  Slot found = first_link(shorter);
  while (found != kNoSlot && links_[found].other(shorter) != longer) {
    found = next_link(found, shorter);
  }
  return found;
}

Status PipeGraph::find_link(std::string_view from, std::string_view to, Slot& link) const {
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  if (Status s = find_node(from, a); !s) return s;
  if (Status s = find_node(to, b); !s) return s;
  link = a == b ? kNoSlot : link_between(a, b);
  if (link != kNoSlot) return Done{};
  return Error{"'" + std::string(from) + "' and '" + std::string(to) + "' are not linked"};
}

// Which fluid a set of linked nodes has must not depend on the order of its links. So a side that
// holds something, or has a port, says which; and of two free sides the choice is one that comes to
// the same in whatever order it is made: water gives way to any other, and of two others the one
// stays whose name comes first in the alphabet.
Status PipeGraph::join_fluids(Slot a, Slot b) {
  if (component_at(a).fluid == component_at(b).fluid) return Done{};
  for (const Slot node : {a, b}) {
    if (component_at(node).pending) settle(component_of(node));  // what hangs there, exactly
  }
  const Component& left = component_at(a);
  const Component& right = component_at(b);
  const std::string& left_name = fluids_.name(left.fluid);
  const std::string& right_name = fluids_.name(right.fluid);
  if (left.claimed() && right.claimed()) {
    return Error{
        "'" + std::string(name(a)) + "' belongs to " + left_name + " and '" + std::string(name(b)) +
        "' to " + right_name +
        ": different fluids never mix; empty one side, with all that it is linked to, first"};
  }
  const bool left_first =
      right.fluid == kWaterFluid || (left.fluid != kWaterFluid && left_name < right_name);
  const bool takes_left = left.claimed() || (!right.claimed() && left_first);
  if (takes_left)
    set_fluid(component_of(b), left.fluid);
  else
    set_fluid(component_of(a), right.fluid);
  return Done{};
}

void PipeGraph::set_fluid(std::uint32_t number, Fluid fluid) {
  Component& component = components_[number];
  fluids_.acquire(fluid);
  fluids_digest_ += component.weight * (fluids_.share(fluid) - fluids_.share(component.fluid));
  fluids_.release(component.fluid);
  component.fluid = fluid;
}

}  // namespace sluice::sim
