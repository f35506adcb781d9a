// What a conduit would pass. It follows from the levels at its openings and the number of links
// between them, as it would along a slope.
#include "server/sim/pipes/conduit_parts.h"

namespace sluice::sim {

namespace {

class Measuring {
 public:
  Measuring(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step, Conduit& conduit)
      : graph_(graph), layout_(layout), step_(step), conduit_(conduit) {}

  void run() {
    const std::vector<Opening> openings = find_openings();
    const Level head = balance(openings);
    for (const Opening& opening : openings) {
      const Level outer = graph_.level(opening.outer);
      if (outer > head && supplies(opening)) conduit_.suppliers.push_back(opening);
      if (outer < head && receives(opening)) conduit_.receivers.push_back(opening);
    }
    measure_distances();
    for (std::vector<Opening>* side : {&conduit_.suppliers, &conduit_.receivers}) {
      for (Opening& opening : *side) {
        // The head lies half-way between the two sides, hence twice the slope from here to there.
        opening.flow = flow_along(2 * apart(graph_.level(opening.outer), head),
                                  opening.conductance, opening.distance);
      }
    }
    if (!conduit_.siphon) let_free_ones_go();
  }

 private:
  [[nodiscard]] std::vector<Opening> find_openings() {
    std::vector<Opening> openings;
    for (const Slot node : conduit_.inner) {
      graph_.for_links_of(node, [&](Slot link) {
        const Slot other = graph_.link(link).other(node);
        if (layout_.conductance(link) == 0 || step_.is(other, PipeStep::kConduit)) return;
        openings.push_back({link, other, node, 0, 0, layout_.conductance(link)});
      });
      step_.work += 1 + graph_.degree(node);
    }
    for (const Slot node : conduit_.inner) {
      if (!graph_.full(node)) openings.push_back({kNoSlot, node, node, 0, 0, best_of(node)});
    }
    return openings;
  }

  [[nodiscard]] PackedConductance best_of(Slot node) const {
    PackedConductance best = 0;
    graph_.for_links_of(node, [&](Slot link) {
      const PackedConductance one = layout_.conductance(link);
      if (expand_conductance(one) > expand_conductance(best)) best = one;
    });
    return best;
  }

  [[nodiscard]] bool supplies(const Opening& opening) const {
    return opening.link != kNoSlot && usable(graph_, layout_, opening.link, opening.outer) &&
           !graph_.empty(opening.outer);
  }

  [[nodiscard]] bool receives(const Opening& opening) const {
    return !graph_.full(opening.outer) &&
           (opening.link == kNoSlot || usable(graph_, layout_, opening.link, opening.inner));
  }

  /// What would come in with that head, less what would go out; it falls as the head rises.
  [[nodiscard]] std::int64_t surplus(const std::vector<Opening>& openings, Level head) const {
    std::int64_t sum = 0;
    for (const Opening& opening : openings) {
      const Level outer = graph_.level(opening.outer);
      if (outer > head && supplies(opening)) {
        sum += flow_along(apart(outer, head), opening.conductance, 1);
      } else if (outer < head && receives(opening)) {
        sum -= flow_along(apart(head, outer), opening.conductance, 1);
      }
    }
    return sum;
  }

  /// The head at which as much comes in as goes out.
  [[nodiscard]] Level balance(const std::vector<Opening>& openings) const {
    if (openings.empty()) return 0;
    Level low = graph_.level(openings.front().outer);
    Level high = low;
    for (const Opening& opening : openings) {
      low = std::min(low, graph_.level(opening.outer));
      high = std::max(high, graph_.level(opening.outer));
    }
    // Between the highest head with a surplus and the lowest with a lack lies the middle.
    const auto border = [&](auto&& below) {
      Level from = low;
      Level to = high;
      while (from < to) {
        const Level middle = from + (to - from) / 2;
        if (below(surplus(openings, middle)))
          from = middle + 1;
        else
          to = middle;
      }
      return from;
    };
    const Level first = border([](std::int64_t sum) { return sum > 0; });
    const Level last = border([](std::int64_t sum) { return sum >= 0; });
    return first + (last - first) / 2;
  }

  void measure_distances() {
    std::vector<Slot> towards_supplier;
    std::vector<Slot> reached = reach_from_suppliers(towards_supplier);
    auto& distances = step_.conduits.distances;
    std::erase_if(conduit_.receivers, [&](const Opening& opening) {
      return distances[opening.inner].from_supplier == 0;
    });
    reach_from_receivers();
    std::erase_if(conduit_.suppliers, [&](const Opening& opening) {
      return distances[opening.inner].from_receiver == 0;
    });
    for (Opening& opening : conduit_.suppliers) {
      opening.distance = distances[opening.inner].from_receiver + 1;
    }
    for (Opening& opening : conduit_.receivers) {
      opening.distance = distances[opening.inner].from_supplier + 1;
    }
    measure_throughput(reached);
    for (const Slot node : conduit_.inner) distances[node] = {};
    conduit_.inner = std::move(reached);
    conduit_.towards_supplier = std::move(towards_supplier);
  }

  /// In the direction of flow, in the order of distance.
  std::vector<Slot> reach_from_suppliers(std::vector<Slot>& towards_supplier) {
    auto& distances = step_.conduits.distances;
    std::vector<Slot> reached;
    for (const Opening& opening : conduit_.suppliers) {
      if (distances[opening.inner].from_supplier != 0) continue;
      distances[opening.inner].from_supplier = 1;
      reached.push_back(opening.inner);
      towards_supplier.push_back(opening.link);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const Slot node = reached[i];
      graph_.for_links_of(node, [&](Slot link) {
        const Slot other = graph_.link(link).other(node);
        if (!usable(graph_, layout_, link, node) || !step_.is(other, PipeStep::kConduit) ||
            distances[other].from_supplier != 0) {
          return;
        }
        distances[other].from_supplier = distances[node].from_supplier + 1;
        reached.push_back(other);
        towards_supplier.push_back(link);
      });
      step_.work += 1 + graph_.degree(node);
    }
    return reached;
  }

  void reach_from_receivers() {
    auto& distances = step_.conduits.distances;
    std::vector<Slot> reached;
    for (const Opening& opening : conduit_.receivers) {
      if (distances[opening.inner].from_receiver != 0) continue;
      distances[opening.inner].from_receiver = 1;
      reached.push_back(opening.inner);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const Slot node = reached[i];
      graph_.for_links_of(node, [&](Slot link) {
        const Slot other = graph_.link(link).other(node);
        if (!usable(graph_, layout_, link, other) || !step_.is(other, PipeStep::kConduit) ||
            distances[other].from_receiver != 0) {
          return;
        }
        distances[other].from_receiver = distances[node].from_receiver + 1;
        reached.push_back(other);
      });
      step_.work += 1 + graph_.degree(node);
    }
  }

  /// What the pipes on the shortest way let pass.
  void measure_throughput(const std::vector<Slot>& reached) {
    const auto length = [&](Slot node) {
      const ConduitSearch::Distance& distance = step_.conduits.distances[node];
      return distance.from_receiver == 0 ? UINT32_MAX
                                         : distance.from_supplier + distance.from_receiver;
    };
    std::uint32_t shortest = UINT32_MAX;
    for (const Slot node : reached) shortest = std::min(shortest, length(node));
    conduit_.throughput = kMaxPipeCapacity;
    for (const Slot node : reached) {
      if (length(node) != shortest || shortest == UINT32_MAX) continue;
      conduit_.throughput =
          std::min<std::int64_t>(conduit_.throughput, graph_.type(node).throughput);
    }
  }

  /// A pipe that would give more from its own level than the pressure brings runs empty freely.
  void let_free_ones_go() {
    for (const Opening& opening : conduit_.receivers) {
      const Level own = graph_.level(opening.inner);
      const Level outer = graph_.level(opening.outer);
      if (own > outer && flow_along(apart(own, outer), opening.conductance, 1) > opening.flow) {
        step_.set(opening.inner, PipeStep::kConduit, false);
      }
    }
    const auto gone = [&](Slot node) { return !step_.is(node, PipeStep::kConduit); };
    const auto leads_to_one_gone = [&](const Opening& opening) { return gone(opening.inner); };
    std::erase_if(conduit_.suppliers, leads_to_one_gone);
    std::erase_if(conduit_.receivers, leads_to_one_gone);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < conduit_.inner.size(); ++i) {
      if (gone(conduit_.inner[i])) continue;
      conduit_.inner[kept] = conduit_.inner[i];
      conduit_.towards_supplier[kept++] = conduit_.towards_supplier[i];
    }
    conduit_.inner.resize(kept);
    conduit_.towards_supplier.resize(kept);
  }

  const PipeGraph& graph_;
  const PipeLayout& layout_;
  PipeStep& step_;
  Conduit& conduit_;
};

}  // namespace

void measure_conduit(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step,
                     Conduit& conduit) {
  Measuring(graph, layout, step, conduit).run();
}

}  // namespace sluice::sim
