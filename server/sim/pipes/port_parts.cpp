// Ports of worlds whose water moves in parts of several units. They take turns, a part each, in the
// state as the ones before left it: who waited longest first, then by cell, then by the node's
// place. A part leaves its body from the top and comes to lie at the lowest place, so what counts
// is where it was and where it comes to be.
#include <algorithm>
#include <tuple>

#include "server/sim/int_math.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

namespace {

/// Parts that one port moves in a tick at the most are those of a cell.
constexpr std::int32_t kMostUnits = kFull;

struct Turn {
  PortEntry* entry = nullptr;
  std::int32_t parts = 0;  // that its rate comes to
  std::int32_t left = 0;
  std::int32_t moved = 0;  // units, into the node positive
};

class PortTurns {
 public:
  PortTurns(PipeGraph& graph, PortCells& cells)
      : graph_(graph), cells_(cells), quantum_(cells.measure().quantum) {}

  /// Whether a part could go over the port as things are: 1 into the node, -1 into the cell, 0 not.
  int way(const PortEntry& entry) {
    if (entry.second.kind != PortKind::kOutlet && can_take(entry)) return 1;
    return entry.second.kind != PortKind::kInlet && can_give(entry) ? -1 : 0;
  }

  bool move_part(Turn& turn) {
    const int direction = way(*turn.entry);
    if (direction == 0) return false;
    const auto& [node, at] = turn.entry->first;
    const Vec3 place = *(direction > 0 ? cells_.giver(at) : cells_.taker(at));
    cells_.add(place, -direction * quantum_);
    graph_.change_amount(node, direction * quantum_);
    turn.moved += direction * quantum_;
    --turn.left;
    return true;
  }

 private:
  /// The middle of a part that lies at `bottom`.
  [[nodiscard]] Level part_level(std::int64_t bottom) const {
    constexpr std::int64_t kHighest = std::int64_t{2} * kMaxPipeBase;
    return std::min(bottom + quantum_ / 2, kHighest) << kLevelFraction;
  }
  /// How far half a part lifts the node: it holds one, or has room for one.
  [[nodiscard]] Level half_rise(Slot node) const {
    const auto half = static_cast<std::uint64_t>(quantum_ / 2);
    return static_cast<Level>(half * graph_.type(node).unit_rise());
  }

  bool can_take(const PortEntry& entry) {
    const auto& [node, at] = entry.first;
    if (graph_.room(node) < quantum_) return false;
    const std::optional<Vec3> from = cells_.giver(at);
    if (!from || cells_.cell(*from) < quantum_) return false;
    if (pumps(graph_, node) && entry.second.kind != PortKind::kOpen) return true;
    const std::int64_t bottom = std::int64_t{from->y} * kFull + cells_.cell(*from) - quantum_;
    return part_level(bottom) > graph_.level(node) + half_rise(node);
  }

  bool can_give(const PortEntry& entry) {
    const auto& [node, at] = entry.first;
    if (graph_.node(node).amount < quantum_) return false;
    const std::optional<Vec3> to = cells_.taker(at);
    if (!to || !is_open(cells_.cell(*to)) || cells_.cell(*to) > kFull - quantum_) return false;
    if (pumps(graph_, node) && entry.second.kind != PortKind::kOpen) return true;
    const std::int64_t bottom = std::int64_t{to->y} * kFull + cells_.cell(*to);
    return graph_.level(node) - half_rise(node) > part_level(bottom);
  }

  PipeGraph& graph_;
  PortCells& cells_;
  std::int32_t quantum_;
};

}  // namespace

void run_ports_in_parts(std::uint64_t tick_number, const std::vector<PortEntry*>& due,
                        PipeGraph& graph, PipeLayout& layout, PortCells& cells, PipeStep& step) {
  const std::int32_t quantum = cells.measure().quantum;
  PortTurns ports(graph, cells);
  std::vector<Turn> turns;
  for (PortEntry* entry : due) {
    if (ports.way(*entry) == 0) {
      graph.set_waited(entry->first, entry->second, 0);
      continue;
    }
    layout.keep_due(entry->first);
    step.ports_wait = true;  // for its turn, or for its rate to add up to a part
    const std::int32_t units =
        std::min(due_in_tick(entry->second.rate, tick_number, quantum), kMostUnits);
    if (units > 0) turns.push_back({entry, units / quantum, units / quantum, 0});
  }
  const auto key = [&](const Turn& turn) {
    const auto& [node, at] = turn.entry->first;
    return std::tuple(-turn.entry->second.waited, at, graph.place(node), graph.name(node));
  };
  std::sort(turns.begin(), turns.end(),
            [&](const Turn& a, const Turn& b) { return key(a) < key(b); });
  for (bool moved = true; moved;) {
    moved = false;
    for (Turn& turn : turns) moved = (turn.left > 0 && ports.move_part(turn)) || moved;
  }
  for (Turn& turn : turns) {
    Port& port = turn.entry->second;
    const bool waits = turn.left == turn.parts;
    graph.set_waited(turn.entry->first, port, waits ? std::min(port.waited + 1, 1 << 20) : 0);
    count_port(*turn.entry, turn.moved, graph, layout, step);
  }
}

}  // namespace sluice::sim
