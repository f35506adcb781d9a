#include "server/sim/models/hydro/open_body.h"

#include <algorithm>
#include <numeric>

namespace sluice::sim::hydro {

namespace {

/// Where each number goes that is counted, if they are to stand one after the other.
std::vector<std::size_t> starts_of(std::vector<std::size_t> counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::size_t{0});
  return counts;
}

/// list[i] = list[order[i]] of before.
template <class T>
void put_in_order(const std::vector<std::int32_t>& order, std::vector<T>& list) {
  std::vector<T> sorted;
  sorted.reserve(list.size());
  for (const std::int32_t from : order) sorted.push_back(list[static_cast<std::size_t>(from)]);
  list = std::move(sorted);
}

}  // namespace

OpenBody::OpenBody(std::size_t new_number, bool solid)
    : number(new_number), ways_of_run(solid ? 4 : 2) {
  ways.for_each_list([](auto& list) { list.push_back(0); });
}

std::size_t OpenBody::kind_of(std::size_t way) const {
  const auto next = std::upper_bound(kind_from.begin() + 1, kind_from.end(), way);
  return static_cast<std::size_t>(next - kind_from.begin()) - 1;
}

OpenTick OpenBody::tick(bool solid) {
  OpenTick tick;
  tick.level = runs.level.data();
  tick.base = runs.base.data();
  tick.least = runs.least.data();
  tick.most = runs.most.data();
  tick.lead = runs.lead.data();
  tick.friction = runs.friction.data();
  for (std::size_t i = 0; i < ways_of_run; ++i) tick.ends[i] = runs.ends[i].data();
  tick.low = ways.low.data();
  tick.high = ways.high.data();
  tick.sill_cell = ways.sill_cell.data();
  tick.top_cell = ways.top_cell.data();
  tick.flow = ways.flow.data();
  tick.carry = ways.carry.data();
  tick.moved = ways.moved.data();
  tick.way_lead = ways.lead.data();
  tick.lowest = lowest;
  tick.head_shift = head_shift;
  tick.most_conductance = most_conductance(solid);
  tick.target_friction = target_friction;
  static_assert(kRunsFree == 1 << 2);
  tick.friction_shift = edges.empty() ? 1 : 3;
  return tick;
}

std::int32_t OpenBody::add_run(const Run& run, std::int32_t id, const HydroRunState& state) {
  const Level base = run.base();
  runs.level.push_back(run.level());
  runs.base.push_back(base);
  runs.least.push_back(run.wet() ? base : base - 1);
  runs.most.push_back(0);
  runs.lead.push_back(0);
  runs.friction.push_back(state.friction);
  runs.id.push_back(id);
  runs.contacts.push_back(0);
  for (std::size_t i = 0; i < ways_of_run; ++i) runs.ends[i].push_back(end_of_way(kNoWay, false));
  see(run.x, run.z);
  lowest_base = std::min(lowest_base, base);
  lowest = std::min(lowest, run.level());
  highest = std::max(highest, run.level());
  return static_cast<std::int32_t>(run_count()) - 1;
}

bool OpenBody::add_way(std::int32_t low, std::int32_t high, const Link& link, std::int32_t id,
                       const HydroLinkState& state) {
  const auto way = static_cast<std::int32_t>(way_count());
  const Q16 lead = Way::lead_of(state.flow, state.carry);
  ways.low.push_back(low);
  ways.high.push_back(high);
  ways.sill_cell.push_back(link.sill_cell);
  ways.top_cell.push_back(link.top_cell);
  ways.flow.push_back(state.flow);
  ways.carry.push_back(state.carry);
  ways.moved.push_back(0);
  ways.lead.push_back(lead);
  ways.link.push_back(id);
  ways.along_z.push_back(link.along_z ? 1 : 0);
  rushes = rushes || absolute(state.flow) >= kMostSmallFlow;
  bool few = true;
  for (const bool is_high : {false, true}) {
    const auto run = static_cast<std::size_t>(is_high ? high : low);
    runs.lead[run] += is_high ? lead : -lead;
    if (runs.level[run] > runs.base[run]) {
      runs.least[run] = std::max(runs.least[run], link.sill());
    }
    std::uint8_t& contacts = runs.contacts[run];
    if (contacts < ways_of_run) runs.ends[contacts][run] = end_of_way(way, is_high);
    few = few && ++contacts <= ways_of_run;
  }
  return few;
}

void OpenBody::sort(const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> numbers(run_count());
  for (std::size_t i = 0; i < order.size(); ++i) {
    numbers[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  }
  runs.for_each_list([&order](auto& list) { put_in_order(order, list); });
  sorted_runs = run_count();
  const auto renumber = [&numbers](std::int32_t& run) {
    run = numbers[static_cast<std::size_t>(run)];
  };
  for (Edge& edge : edges) renumber(edge.run);
  for (std::size_t w = 1; w < way_count(); ++w) {
    renumber(ways.low[w]);
    renumber(ways.high[w]);
  }
  sort_ways();
}

// By lower ends, and of those by kind; ends are told of it.
void OpenBody::sort_ways() {
  const std::size_t count = way_count();
  std::vector<std::size_t> next(run_count(), 0);
  for (std::size_t w = 1; w < count; ++w) ++next[static_cast<std::size_t>(ways.low[w])];
  next = starts_of(std::move(next));
  std::vector<std::int32_t> by_low(count - 1);
  for (std::size_t w = 1; w < count; ++w) {
    by_low[next[static_cast<std::size_t>(ways.low[w])]++] = static_cast<std::int32_t>(w);
  }
  const auto kind = [this](std::int32_t way) {
    const auto w = static_cast<std::size_t>(way);
    const Level base = runs.base[static_cast<std::size_t>(ways.low[w])];
    const bool even = base == runs.base[static_cast<std::size_t>(ways.high[w])] &&
                      base == Level{ways.sill_cell[w]} * kFull;
    return std::size_t{even ? kEvenX : kUnevenX} + ways.along_z[w];
  };
  std::vector<std::size_t> kinds(kKinds, 0);
  for (const std::int32_t way : by_low) ++kinds[kind(way)];
  kinds = starts_of(std::move(kinds));
  for (std::size_t i = 0; i < kKinds; ++i) kind_from[i] = 1 + kinds[i];
  kind_from[kKinds] = count;
  std::vector<std::int32_t> order(count, kNoWay);
  for (const std::int32_t way : by_low) order[1 + kinds[kind(way)]++] = way;
  ways.for_each_list([&order](auto& list) { put_in_order(order, list); });
  for (std::size_t i = 0; i < ways_of_run; ++i) {
    std::fill(runs.ends[i].begin(), runs.ends[i].end(), end_of_way(kNoWay, false));
  }
  std::vector<std::uint8_t> placed(run_count(), 0);
  for (std::size_t w = 1; w < count; ++w) {
    for (const bool is_high : {false, true}) {
      const auto run = static_cast<std::size_t>(is_high ? ways.high[w] : ways.low[w]);
      runs.ends[placed[run]++][run] = end_of_way(static_cast<std::int32_t>(w), is_high);
    }
  }
}

}  // namespace sluice::sim::hydro
