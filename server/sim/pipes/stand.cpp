// What has come to stand. An island in which nothing moved in a tick is looked at in that tick, the
// still parts of others every sixteenth: bodies are levelled (level.cpp), what is left above a sill
// or a check valve falls, and an island in which there is nothing left to do goes to sleep.
#include <algorithm>
#include <limits>

#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

/// Ticks from one look at the still parts of moving islands to the next.
constexpr std::uint64_t kLookEvery = 16;

}  // namespace

void PipeNetwork::level_what_stands(std::uint64_t tick_number) {
  std::vector<std::uint8_t> busy(blocks_.size());  // by island
  bool all_busy = true;
  for (const std::uint32_t block : awake_blocks_) {
    if (block_moved_[block] != 0) busy[island_of(block)] = 1;
  }
  for (const std::uint32_t block : awake_blocks_) all_busy &= busy[island_of(block)] != 0;
  if (all_busy && tick_number % kLookEvery != 0) return;
  for (const std::vector<Slot>& body : standing_bodies()) {
    if (level_body(body)) busy[island_of(block_of(body.front()))] = 1;
  }
  if (let_fall(busy)) return;  // what fell may fall on: another look, before anything sleeps
  for (const std::uint32_t block : awake_blocks_) {
    const std::uint32_t island = island_of(block);
    if (island_awake_[island] == 0 || busy[island] != 0) continue;
    island_awake_[island] = 0;
    --awake_islands_;
  }
}

bool PipeNetwork::let_fall(const std::vector<std::uint8_t>& busy) {
  // Fluid that no body holds together and that is too little for a flow: it goes over the links
  // that are best for both their nodes, as much as lowers the energy most. Links that are equally
  // good share what a node has; where it does not divide, the next best have their turn.
  std::vector<Slot> candidates;
  const auto look_at = [&](Slot slot) {
    if (links_[slot].used() && fall_gain(slot) > 0) candidates.push_back(slot);
  };
  for (const std::uint32_t block : awake_blocks_) {
    if (busy[island_of(block)] != 0) continue;
    for (Slot i = blocks_[block].first_link; i < blocks_[block].end_link; ++i) look_at(i);
    for (const Slot i : blocks_[block].extra_links) look_at(i);
  }
  std::vector<Fall> falls;
  while (!candidates.empty() && falls.empty()) {
    std::map<Slot, Best> best;
    find_best_falls(candidates, best);
    std::vector<Slot> others;
    for (const Slot slot : candidates) {
      const Link& link = links_[slot];
      const std::int64_t gain = fall_gain(slot);
      if (best[link.a].gain != gain || best[link.b()].gain != gain) {
        others.push_back(slot);
        continue;
      }
      const std::int32_t units = fall_units(slot, best[link.a].links, best[link.b()].links);
      if (units > 0) falls.push_back({slot, level(link.a) > level(link.b()) ? units : -units});
    }
    candidates = std::move(others);
  }
  for (const Fall& fall : falls) {
    change_amount(links_[fall.link].a, -fall.units);
    change_amount(links_[fall.link].b(), fall.units);
  }
  return !falls.empty();
}

std::int64_t PipeNetwork::fall_gain(Slot slot) const {
  const Link& link = links_[slot];
  const Slot donor = level(link.a) > level(link.b()) ? link.a : link.b();
  const Slot receiver = link.other(donor);
  if (!usable(slot, donor) || nodes_[donor].amount == 0 || full(receiver)) return 0;
  const std::uint64_t rise = type(donor).unit_rise() / 2 + type(receiver).unit_rise() / 2 + 2;
  return level(donor) - level(receiver) - static_cast<std::int64_t>(rise);
}

void PipeNetwork::find_best_falls(const std::vector<Slot>& candidates,
                                  std::map<Slot, Best>& best) const {
  for (const Slot slot : candidates) {
    const std::int64_t gain = fall_gain(slot);
    for (const Slot node : {links_[slot].a, links_[slot].b()}) {
      Best& so_far = best[node];
      if (gain > so_far.gain) so_far = {gain, 0};
      if (gain == so_far.gain) ++so_far.links;
    }
  }
}

std::int32_t PipeNetwork::fall_units(Slot slot, std::uint32_t links_a,
                                     std::uint32_t links_b) const {
  const Link& link = links_[slot];
  const bool forward = level(link.a) > level(link.b());
  const Slot donor = forward ? link.a : link.b();
  const Slot receiver = link.other(donor);
  const std::uint32_t at_donor = forward ? links_a : links_b;
  const std::uint32_t at_receiver = forward ? links_b : links_a;
  const auto difference = static_cast<std::uint64_t>(level(donor) - level(receiver));
  constexpr std::uint64_t kTooMuch = std::numeric_limits<std::uint64_t>::max() / 4;
  const std::uint64_t donor_rise = type(donor).unit_rise();
  const std::uint64_t receiver_rise = type(receiver).unit_rise();
  if (donor_rise > kTooMuch / at_donor || receiver_rise > kTooMuch / at_receiver) return 0;
  const std::uint64_t rise = donor_rise * at_donor + receiver_rise * at_receiver;
  if (2 * difference <= rise) return 0;
  const std::uint64_t units = std::max<std::uint64_t>(difference / rise, 1);
  const auto held = static_cast<std::uint64_t>(nodes_[donor].amount) / at_donor;
  const auto fits = static_cast<std::uint64_t>(room(receiver)) / at_receiver;
  return static_cast<std::int32_t>(std::min({units, held, fits}));
}

}  // namespace sluice::sim
