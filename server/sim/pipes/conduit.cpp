// Full pipes that pass on what they get: lines under pressure, and siphons. A line under pressure
// is a connected set of full pipes (to a sixteenth), one of which a higher neighbour wishes to fill
// further. A siphon is a line of full pipes over a crest that lies above both its ends.
//
// All that a conduit takes it gives in the same tick, but for what fills its pipes to the brim.
// What flows follows from the levels at its mouths and the number of links between them, as it
// would along a slope.
#include "server/sim/pipes/conduit.h"

#include <algorithm>
#include <numeric>

#include "server/sim/pipes/share.h"

namespace sluice::sim {

namespace {

/// Pipes of the longest siphon.
constexpr std::size_t kLongestSiphon = 1024;

/// A pipe with less room than this part of its capacity passes pressure on.
constexpr std::uint32_t kBrimPart = 16;

/// Rounds in which both sides' shares are brought to one sum before the tick goes without.
constexpr int kBalanceRounds = 16;

/// Of two levels; their difference alone may pass the range of a Level when doubled.
std::uint64_t apart(Level a, Level b) {
  return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
               : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

/// What flows over `links` links in a row, all like one of this conductance, under this difference.
std::int64_t flow_along(std::uint64_t difference, PackedConductance conductance,
                        std::uint32_t links) {
  const std::uint64_t flow = multiply_high(difference / links, expand_conductance(conductance));
  return static_cast<std::int64_t>(std::min<std::uint64_t>(flow, kMaxPipeCapacity));
}

}  // namespace

bool PipeNetwork::usable(Slot link, Slot from) const {
  return conductances_[link] != 0 && (!links_[link].one_way() || links_[link].a == from);
}

bool PipeNetwork::passes_on(Slot node) const {
  return type(node).kind != NodeKind::kPump && !nodes_[node].is(kFlagConduit);
}

bool PipeNetwork::passes_pressure(Slot node) const {
  // A pipe under flow is never full to the last unit at a tick's start.
  const bool brimming = room(node) <= static_cast<std::int32_t>(type(node).capacity / kBrimPart);
  return brimming && passes_on(node) &&
         !std::binary_search(siphon_ends_.begin(), siphon_ends_.end(), node);
}

void PipeNetwork::find_conduits() {
  conduits_.clear();
  siphon_ends_.clear();
  for (const Slot crest : crests_) {
    if (full(crest) && passes_on(crest)) find_siphon(crest);
  }
  std::sort(siphon_ends_.begin(), siphon_ends_.end());
  for (const Slot slot : limited_) {
    if (passes_pressure(slot) && nodes_[slot].in > 0) find_pressure(slot);
  }
  recounted_.clear();
  for (Conduit& conduit : conduits_) {
    for (const Slot slot : conduit.inner) {
      for_links_of(slot, [&](Slot link) { recounted_.push_back(links_[link].other(slot)); });
      recounted_.push_back(slot);
    }
    measure(conduit);
  }
  std::sort(recounted_.begin(), recounted_.end());
  recounted_.erase(std::unique(recounted_.begin(), recounted_.end()), recounted_.end());
  for (const Slot slot : recounted_) recount(slot);
}

void PipeNetwork::find_siphon(Slot crest) {
  Conduit conduit;
  conduit.siphon = true;
  conduit.inner.push_back(crest);
  Mouth ends[2];
  bool usable_towards[2] = {true, true};  // the whole line: towards ends[0], towards ends[1]
  Slot way = nodes_[crest].first_link;
  for (int side = 0; side < 2; ++side) {
    Slot node = crest;
    Slot link = way;
    for (;;) {
      const Slot next = links_[link].other(node);
      usable_towards[side] &= usable(link, node);
      usable_towards[1 - side] &= usable(link, next);
      ends[side] = {link, next, node, 0, 0, conductances_[link]};
      const Slot first = nodes_[next].first_link;
      const Slot second = links_[first].next(next);
      const bool in_line = second != kNoSlot && links_[second].next(next) == kNoSlot;
      if (!in_line || !full(next) || !passes_on(next)) break;
      if (next == crest || conduit.inner.size() >= kLongestSiphon) return;
      conduit.inner.push_back(next);
      node = next;
      link = first == link ? second : first;
    }
    way = links_[way].next(crest);
  }
  if (ends[0].outer == ends[1].outer) return;
  const int high = level(ends[0].outer) >= level(ends[1].outer) ? 0 : 1;
  const Level head = level(ends[high].outer);
  const std::uint64_t difference = apart(head, level(ends[1 - high].outer));
  std::int32_t top = nodes_[crest].base;
  for (const Slot slot : conduit.inner) top = std::max(top, nodes_[slot].base);
  const bool above = (Level{top} << kLevelFraction) >= head;
  const auto links = static_cast<std::uint32_t>(conduit.inner.size() + 1);
  if (!above || !usable_towards[1 - high] || nodes_[ends[high].outer].amount == 0 ||
      room(ends[1 - high].outer) == 0 ||
      flow_along(difference, conductances_[ends[high].link], links) == 0) {
    return;
  }
  for (const Slot slot : conduit.inner) nodes_[slot].set(kFlagConduit, true);
  for (const Mouth& end : ends) siphon_ends_.push_back(end.outer);
  conduits_.push_back(std::move(conduit));
}

void PipeNetwork::find_pressure(Slot start) {
  // All full pipes that hang together, and the highest level that presses on them.
  std::vector<Slot> found = {start};
  nodes_[start].set(kFlagConduit, true);
  Level highest = level(start);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Slot node = found[i];
    for_links_of(node, [&](Slot slot) {
      const Slot other = links_[slot].other(node);
      if (conductances_[slot] == 0) return;
      if (passes_pressure(other)) {
        nodes_[other].set(kFlagConduit, true);
        highest = std::max(highest, level(other));
        found.push_back(other);
      } else if (usable(slot, other) && nodes_[other].amount > 0) {
        highest = std::max(highest, level(other));
      }
    });
  }
  // Those that stand as high as that press; the others pass on.
  for (const Slot node : found) nodes_[node].set(kFlagConduit, level(node) < highest);
  for (const Slot first : found) {
    if (!nodes_[first].is(kFlagConduit) || nodes_[first].is(kFlagLimited)) continue;
    Conduit conduit;
    conduit.inner.push_back(first);
    nodes_[first].set(kFlagLimited, true);  // seen; limit() uses the flag for itself later
    for (std::size_t i = 0; i < conduit.inner.size(); ++i) {
      const Slot node = conduit.inner[i];
      for_links_of(node, [&](Slot slot) {
        const Slot other = links_[slot].other(node);
        if (conductances_[slot] == 0 || !nodes_[other].is(kFlagConduit) ||
            nodes_[other].is(kFlagLimited)) {
          return;
        }
        nodes_[other].set(kFlagLimited, true);
        conduit.inner.push_back(other);
      });
    }
    conduits_.push_back(std::move(conduit));
  }
  for (const Slot node : found) nodes_[node].set(kFlagLimited, false);
}

void PipeNetwork::measure(Conduit& conduit) {
  std::vector<Mouth> mouths;
  for (const Slot node : conduit.inner) {
    nodes_[node].in = 0;   // until recount(): links from the suppliers, 0 where not reached
    nodes_[node].out = 0;  // links from the receivers
    for_links_of(node, [&](Slot link) {
      const Slot other = links_[link].other(node);
      if (conductances_[link] == 0 || nodes_[other].is(kFlagConduit)) return;
      mouths.push_back({link, other, node, 0, 0, conductances_[link]});
    });
  }
  for (const Slot node : conduit.inner) {
    if (room(node) > 0) mouths.push_back({kNoSlot, node, node, 0, 0, best_conductance(node)});
  }
  const Level head = balance(mouths);
  for (const Mouth& mouth : mouths) {
    const Level outer = level(mouth.outer);
    if (outer > head && supplies(mouth)) conduit.suppliers.push_back(mouth);
    if (outer < head && receives(mouth)) conduit.receivers.push_back(mouth);
  }
  measure_distances(conduit);
  const auto flow_at = [&](Mouth& mouth) {
    // The head lies half-way between the two sides, hence twice the slope from here to there.
    mouth.flow = flow_along(2 * apart(level(mouth.outer), head), mouth.conductance, mouth.distance);
  };
  for (Mouth& mouth : conduit.suppliers) flow_at(mouth);
  for (Mouth& mouth : conduit.receivers) flow_at(mouth);
  if (conduit.siphon) return;
  // A pipe that would give more from its own level than the pressure brings runs empty freely.
  for (const Mouth& mouth : conduit.receivers) {
    const Level own = level(mouth.inner);
    const Level outer = level(mouth.outer);
    if (own > outer && flow_along(apart(own, outer), mouth.conductance, 1) > mouth.flow) {
      nodes_[mouth.inner].set(kFlagConduit, false);
    }
  }
  const auto gone = [&](const Mouth& mouth) { return !nodes_[mouth.inner].is(kFlagConduit); };
  std::erase_if(conduit.suppliers, gone);
  std::erase_if(conduit.receivers, gone);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < conduit.inner.size(); ++i) {
    if (!nodes_[conduit.inner[i]].is(kFlagConduit)) continue;
    conduit.inner[kept] = conduit.inner[i];
    conduit.towards_supplier[kept++] = conduit.towards_supplier[i];
  }
  conduit.inner.resize(kept);
  conduit.towards_supplier.resize(kept);
}

bool PipeNetwork::supplies(const Mouth& mouth) const {
  return mouth.link != kNoSlot && usable(mouth.link, mouth.outer) && nodes_[mouth.outer].amount > 0;
}

bool PipeNetwork::receives(const Mouth& mouth) const {
  return room(mouth.outer) > 0 && (mouth.link == kNoSlot || usable(mouth.link, mouth.inner));
}

PackedConductance PipeNetwork::best_conductance(Slot node) const {
  PackedConductance best = 0;
  for_links_of(node, [&](Slot link) {
    if (expand_conductance(conductances_[link]) > expand_conductance(best)) {
      best = conductances_[link];
    }
  });
  return best;
}

Level PipeNetwork::balance(const std::vector<Mouth>& mouths) const {
  if (mouths.empty()) return 0;
  Level low = level(mouths.front().outer);
  Level high = low;
  for (const Mouth& mouth : mouths) {
    low = std::min(low, level(mouth.outer));
    high = std::max(high, level(mouth.outer));
  }
  // What would come in, less what would go out, falls as the head rises.
  const auto surplus = [&](Level head) {
    std::int64_t sum = 0;
    for (const Mouth& mouth : mouths) {
      const Level outer = level(mouth.outer);
      if (outer > head && supplies(mouth)) {
        sum += flow_along(apart(outer, head), mouth.conductance, 1);
      } else if (outer < head && receives(mouth)) {
        sum -= flow_along(apart(head, outer), mouth.conductance, 1);
      }
    }
    return sum;
  };
  // Between the highest head with a surplus and the lowest with a lack lies the middle.
  const auto border = [&](auto&& below) {
    Level from = low;
    Level to = high;
    while (from < to) {
      const Level middle = from + (to - from) / 2;
      if (below(middle))
        from = middle + 1;
      else
        to = middle;
    }
    return from;
  };
  const Level first = border([&](Level head) { return surplus(head) > 0; });
  const Level last = border([&](Level head) { return surplus(head) >= 0; });
  return first + (last - first) / 2;
}

void PipeNetwork::measure_distances(Conduit& conduit) {
  // From the suppliers, in the direction of flow; the inner nodes are put into that order.
  std::vector<Slot> reached;
  std::vector<Slot> towards_supplier;
  for (const Mouth& mouth : conduit.suppliers) {
    if (nodes_[mouth.inner].in != 0) continue;
    nodes_[mouth.inner].in = 1;
    reached.push_back(mouth.inner);
    towards_supplier.push_back(mouth.link);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Slot node = reached[i];
    for_links_of(node, [&](Slot link) {
      const Slot other = links_[link].other(node);
      if (!usable(link, node) || !nodes_[other].is(kFlagConduit) || nodes_[other].in != 0) return;
      nodes_[other].in = nodes_[node].in + 1;
      reached.push_back(other);
      towards_supplier.push_back(link);
    });
  }
  std::erase_if(conduit.receivers, [&](const Mouth& mouth) { return nodes_[mouth.inner].in == 0; });
  std::vector<Slot> back;
  for (const Mouth& mouth : conduit.receivers) {
    if (nodes_[mouth.inner].out != 0) continue;
    nodes_[mouth.inner].out = 1;
    back.push_back(mouth.inner);
  }
  for (std::size_t i = 0; i < back.size(); ++i) {
    const Slot node = back[i];
    for_links_of(node, [&](Slot link) {
      const Slot other = links_[link].other(node);
      if (!usable(link, other) || !nodes_[other].is(kFlagConduit) || nodes_[other].out != 0) return;
      nodes_[other].out = nodes_[node].out + 1;
      back.push_back(other);
    });
  }
  std::erase_if(conduit.suppliers,
                [&](const Mouth& mouth) { return nodes_[mouth.inner].out == 0; });
  for (Mouth& mouth : conduit.suppliers) mouth.distance = nodes_[mouth.inner].out + 1;
  for (Mouth& mouth : conduit.receivers) mouth.distance = nodes_[mouth.inner].in + 1;
  std::uint32_t shortest = UINT32_MAX;
  for (const Slot node : reached) {
    if (nodes_[node].out != 0) shortest = std::min(shortest, nodes_[node].in + nodes_[node].out);
  }
  conduit.throughput = kMaxPipeCapacity;
  for (const Slot node : reached) {
    if (nodes_[node].out == 0 || nodes_[node].in + nodes_[node].out != shortest) continue;
    conduit.throughput = std::min<std::int64_t>(conduit.throughput, type(node).throughput);
  }
  conduit.inner = std::move(reached);
  conduit.towards_supplier = std::move(towards_supplier);
}

void PipeNetwork::run_conduits() {
  // All offers before any transfer: a node may lie at the mouths of several conduits.
  std::map<Slot, std::int64_t> supplied;  // mouths at which a node supplies
  std::map<Slot, std::int64_t> received;
  for (const Conduit& conduit : conduits_) {
    for (const Mouth& mouth : conduit.suppliers) ++supplied[mouth.outer];
    for (const Mouth& mouth : conduit.receivers) ++received[mouth.outer];
  }
  for (Conduit& conduit : conduits_) {
    for (Mouth& mouth : conduit.suppliers) {
      const Node& outer = nodes_[mouth.outer];
      const std::int64_t most = std::min<std::int64_t>(outer.amount, type(mouth.outer).throughput);
      mouth.flow =
          std::min(mouth.flow, std::max<std::int64_t>(most - outer.out, 0) / supplied[mouth.outer]);
    }
    for (Mouth& mouth : conduit.receivers) {
      const Node& outer = nodes_[mouth.outer];
      const std::int64_t most =
          std::min<std::int64_t>(room(mouth.outer), type(mouth.outer).throughput);
      mouth.flow =
          std::min(mouth.flow, std::max<std::int64_t>(most - outer.in, 0) / received[mouth.outer]);
    }
  }
  for (Conduit& conduit : conduits_) transfer(conduit);
  for (const Slot slot : recounted_) nodes_[slot].set(kFlagConduit, false);
}

namespace {

struct Matched {
  std::vector<std::int64_t> given;
  std::vector<std::int64_t> taken;
};

/// Shares of both sides with the same sum, `most` at most.
Matched match(const std::vector<std::int64_t>& offered, const std::vector<std::int64_t>& wanted,
              std::int64_t most) {
  const auto sum = [](const std::vector<std::int64_t>& list) {
    return std::accumulate(list.begin(), list.end(), std::int64_t{0});
  };
  std::int64_t total = std::min({sum(offered), sum(wanted), most});
  for (int round = 0; round < kBalanceRounds && total > 0; ++round) {
    Matched matched = {share_out(total, offered, offered), {}};
    matched.taken = share_out(sum(matched.given), wanted, wanted);
    if (sum(matched.given) == sum(matched.taken)) return matched;
    total = sum(matched.taken);
  }
  return {std::vector<std::int64_t>(offered.size()), std::vector<std::int64_t>(wanted.size())};
}

}  // namespace

void PipeNetwork::transfer(Conduit& conduit) {
  std::vector<std::int64_t> offered;
  std::vector<std::int64_t> wanted;
  for (const Mouth& mouth : conduit.suppliers) offered.push_back(mouth.flow);
  for (const Mouth& mouth : conduit.receivers) wanted.push_back(mouth.flow);
  const Matched matched = match(offered, wanted, conduit.throughput);
  for (std::size_t i = 0; i < offered.size(); ++i) conduit.suppliers[i].flow = matched.given[i];
  for (std::size_t i = 0; i < wanted.size(); ++i) conduit.receivers[i].flow = matched.taken[i];
  apply(conduit);
}

void PipeNetwork::apply(const Conduit& conduit) {
  for (const Mouth& mouth : conduit.suppliers) {
    nodes_[mouth.outer].out += static_cast<std::uint32_t>(mouth.flow);
    show_flow(mouth.link, mouth.outer, mouth.flow);
  }
  std::map<Slot, std::uint32_t> kept;  // by inner nodes, to fill them
  for (const Mouth& mouth : conduit.receivers) {
    const auto flow = static_cast<std::uint32_t>(mouth.flow);
    nodes_[mouth.inner].in += flow;
    if (mouth.link == kNoSlot) {
      kept[mouth.inner] = flow;
      continue;
    }
    nodes_[mouth.outer].in += flow;
    show_flow(mouth.link, mouth.inner, mouth.flow);
  }
  // What passes each inner node, to be shown: gathered from the receivers up to the suppliers.
  for (std::size_t i = conduit.inner.size(); i-- > 0;) {
    const Slot node = conduit.inner[i];
    nodes_[node].out = nodes_[node].in;
    const Slot link = conduit.towards_supplier[i];
    const Slot before = links_[link].other(node);
    if (!nodes_[before].is(kFlagConduit)) continue;  // a mouth
    show_flow(link, before, nodes_[node].in);
    nodes_[before].in += nodes_[node].in;
  }
  for (const auto& [node, flow] : kept) nodes_[node].out -= flow;
}

void PipeNetwork::show_flow(Slot slot, Slot from, std::int64_t flow) {
  Link& link = links_[slot];
  link.flow = static_cast<std::int32_t>(link.a == from ? flow : -flow);
}

}  // namespace sluice::sim
