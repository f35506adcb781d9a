// Running conduits: what one side offers and what the other takes are brought to one sum, and all
// of it goes through in this tick.
#include <map>
#include <numeric>

#include "server/sim/pipes/conduit_parts.h"
#include "server/sim/pipes/share.h"

namespace sluice::sim {

namespace {

/// Rounds in which both sides' shares are brought to one sum before the tick goes without.
constexpr int kBalanceRounds = 16;

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

void show_flow(const PipeGraph& graph, Slot link, Slot from, std::int64_t flow, PipeStep& step) {
  step.flows[link] = static_cast<std::int32_t>(graph.link(link).a == from ? flow : -flow);
}

/// An outer node cannot give, or take, more than it has beside its other flows; what several
/// openings lead to is divided by their number.
void bound_offers(const PipeGraph& graph, PipeStep& step) {
  std::map<Slot, std::int64_t> supplied;  // openings at which a node supplies
  std::map<Slot, std::int64_t> received;
  for (const Conduit& conduit : step.conduits.found) {
    for (const Opening& opening : conduit.suppliers) ++supplied[opening.outer];
    for (const Opening& opening : conduit.receivers) ++received[opening.outer];
  }
  const auto bound = [&](Opening& opening, std::int64_t most, std::int64_t taken,
                         std::int64_t openings) {
    most = std::min<std::int64_t>(most, graph.type(opening.outer).throughput);
    opening.flow = std::min(opening.flow, std::max<std::int64_t>(most - taken, 0) / openings);
  };
  for (Conduit& conduit : step.conduits.found) {
    for (Opening& opening : conduit.suppliers) {
      bound(opening, graph.node(opening.outer).amount, step.traffic[opening.outer].out,
            supplied[opening.outer]);
    }
    for (Opening& opening : conduit.receivers) {
      bound(opening, graph.room(opening.outer), step.traffic[opening.outer].in,
            received[opening.outer]);
    }
  }
}

void pass_through(const PipeGraph& graph, const Conduit& conduit, PipeStep& step) {
  std::vector<Traffic>& traffic = step.traffic;
  const auto passes = [](const Opening& opening) { return opening.flow > 0; };
  if (std::any_of(conduit.suppliers.begin(), conduit.suppliers.end(), passes)) {
    for (const Slot node : conduit.inner) step.set(node, PipeStep::kPasses, true);
  }
  for (const Opening& opening : conduit.suppliers) {
    traffic[opening.outer].out += static_cast<std::uint32_t>(opening.flow);
    show_flow(graph, opening.link, opening.outer, opening.flow, step);
  }
  std::map<Slot, std::uint32_t> kept;  // by inner nodes, to fill them
  for (const Opening& opening : conduit.receivers) {
    const auto flow = static_cast<std::uint32_t>(opening.flow);
    traffic[opening.inner].in += flow;
    if (opening.link == kNoSlot) {
      kept[opening.inner] = flow;
      continue;
    }
    traffic[opening.outer].in += flow;
    show_flow(graph, opening.link, opening.inner, opening.flow, step);
  }
  // What passes each inner node, to be shown: gathered from the receivers up to the suppliers.
  for (std::size_t i = conduit.inner.size(); i-- > 0;) {
    const Slot node = conduit.inner[i];
    traffic[node].out = traffic[node].in;
    const Slot link = conduit.towards_supplier[i];
    const Slot before = graph.link(link).other(node);
    if (!step.is(before, PipeStep::kConduit)) continue;  // an opening
    show_flow(graph, link, before, traffic[node].in, step);
    traffic[before].in += traffic[node].in;
  }
  for (const auto& [node, flow] : kept) traffic[node].out -= flow;
}

}  // namespace

void run_conduits(const PipeGraph& graph, PipeStep& step) {
  bound_offers(graph, step);  // all before any passes: a node may lie beside several conduits
  for (Conduit& conduit : step.conduits.found) {
    std::vector<std::int64_t> offered;
    std::vector<std::int64_t> wanted;
    for (const Opening& opening : conduit.suppliers) offered.push_back(opening.flow);
    for (const Opening& opening : conduit.receivers) wanted.push_back(opening.flow);
    const Matched matched = match(offered, wanted, conduit.throughput);
    for (std::size_t i = 0; i < offered.size(); ++i) conduit.suppliers[i].flow = matched.given[i];
    for (std::size_t i = 0; i < wanted.size(); ++i) conduit.receivers[i].flow = matched.taken[i];
    pass_through(graph, conduit, step);
  }
  for (const Slot node : step.conduits.recounted) step.set(node, PipeStep::kConduit, false);
}

}  // namespace sluice::sim
