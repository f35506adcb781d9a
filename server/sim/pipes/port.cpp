// Ports: what goes between nodes and grid cells. Water goes from the higher head to the lower one,
// or, at a pump, wherever the port leads. Demands are taken from the state before; where several
// ports meet at a node or in a cell and want more than there is, or fits, they share it in
// proportion, rounded down: a unit that would have to be split stays with its donor. (Where water
// moves in parts of several units, ports take turns: port_parts.cpp.)
#include <algorithm>
#include <tuple>

#include "server/sim/int_math.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

bool pumps(const PipeGraph& graph, Slot node) {
  return graph.type(node).kind == NodeKind::kPump;
}

namespace {

/// A pump presses water into a cell up to twice its fill, and further as high as the world is: it
/// comes out under deep water, and hides no tank in one cell.
constexpr std::int32_t kMostInCell = 2 * kFull;

struct PortDemand {
  PortEntry* entry = nullptr;
  std::int32_t possible = 0;  // if nobody else wanted anything; into the node positive
  std::int32_t units = 0;
  std::int32_t cell_limit = 0;  // what the cell has, or has room for
  std::int64_t head = 0;        // up to which it gives
};

struct Sums {
  std::int32_t ports = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t room = 0;  // of a cell
};

/// What is left of a demand when `most` is there for all that sum up to `demanded`.
std::int64_t limited(std::int64_t units, std::int64_t demanded, std::int64_t most) {
  return demanded > most ? units * most / demanded : units;
}

/// The demands of one tick's ports, and how they share.
class PortRound {
 public:
  PortRound(PipeGraph& graph, PortCells& cells)
      : graph_(graph), cells_(cells), cell_max_(cells.measure().cell_max) {}

  /// False where the port could move nothing even if it were alone.
  bool add(PortEntry& entry) {
    PortDemand demand;
    demand.entry = &entry;
    demand.possible = measure(demand, 1, 1);
    if (demand.possible == 0) return false;
    demands_.push_back(demand);
    ++at_node_[node(demand)].ports;
    ++at_cell_[cell(demand)].ports;
    return true;
  }

  std::vector<PortDemand>& demands() { return demands_; }

  std::vector<PortDemand>& share() {
    for (PortDemand& demand : demands_) {
      demand.units = measure(demand, at_node_[node(demand)].ports, at_cell_[cell(demand)].ports);
      Sums& at_node = at_node_[node(demand)];
      Sums& at_cell = at_cell_[cell(demand)];
      (demand.units > 0 ? at_node.in : at_node.out) += std::abs(demand.units);
      (demand.units > 0 ? at_cell.out : at_cell.in) += std::abs(demand.units);
      at_cell.room = std::max<std::int64_t>(at_cell.room, demand.cell_limit);
    }
    for (PortDemand& demand : demands_) demand.units = shared(demand);
    return demands_;
  }

 private:
  static Slot node(const PortDemand& demand) { return demand.entry->first.first; }
  static Vec3 cell(const PortDemand& demand) { return demand.entry->first.second; }

  /// Half-way towards equal heads, if so many ports do the same at the node and in the cell: no
  /// more than what keeps the energy falling (pipes.md).
  std::int32_t measure(PortDemand& demand, std::int32_t at_node, std::int32_t at_cell) {
    const Slot slot = node(demand);
    const Vec3 at = cell(demand);
    const Port& port = demand.entry->second;
    const Cell water = cells_.cell(at);
    const std::int32_t held = graph_.node(slot).amount;
    const bool takes = port.kind != PortKind::kOutlet;
    const bool gives = port.kind != PortKind::kInlet;
    if (pumps(graph_, slot) && port.kind != PortKind::kOpen) {
      const std::int64_t most = std::max<std::int64_t>(std::min(kMostInCell, cell_max_),
                                                       cells_.most_at(at, cells_.highest_head()));
      demand.cell_limit = takes ? water : room(water, most);
      demand.head = cells_.highest_head();
      if (takes) return std::min({port.rate, water, graph_.room(slot)});
      return -std::min({port.rate, held, demand.cell_limit});
    }
    const PortCells::Head head = cells_.head(at);
    const Level own = graph_.level(slot);
    constexpr std::int64_t kHighest = std::int64_t{2} * kMaxPipeBase;  // above every node
    const Level level = std::min(head.level, kHighest) << kLevelFraction;
    const bool enters = level > own;
    if (level == own || !(enters ? takes : gives)) return 0;
    const auto difference = static_cast<std::uint64_t>(enters ? level - own : own - level);
    const std::uint64_t cell_rise = static_cast<std::uint64_t>(head.unit_rise) << kLevelFraction;
    const std::uint64_t rise =
        per_unit(cell_rise, at_cell) + per_unit(graph_.type(slot).unit_rise(), at_node);
    const std::uint64_t levels = std::min<std::uint64_t>(difference / rise, kMaxPourUnits);
    const std::int32_t units = std::min(static_cast<std::int32_t>(levels), port.rate);
    if (enters) {
      demand.cell_limit = water;
      return std::min({units, water, graph_.room(slot)});
    }
    demand.head = own >> kLevelFraction;
    demand.cell_limit = room(water, cells_.most_at(at, demand.head));
    return -std::min({units, held, demand.cell_limit});
  }

  static std::uint64_t per_unit(std::uint64_t rise, std::int32_t ports) {
    const auto count = static_cast<std::uint64_t>(ports);
    return rise > (std::uint64_t{1} << 62) / count ? std::uint64_t{1} << 62 : rise * count;
  }

  /// Of a cell for one tick. Where water comes to lie on surfaces far above a full one, what room
  /// there is in the nearest row tells nothing: as much as the cell holds may pass it.
  [[nodiscard]] std::int32_t room(Cell water, std::int64_t most) const {
    if (cells_.measure().spreads && water == cell_max_ && most > water) return cell_max_;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(most - water, 0, kMaxPourUnits));
  }

  /// By the scarcer of the two ends.
  std::int32_t shared(const PortDemand& demand) {
    const Sums& at_node = at_node_[node(demand)];
    const Sums& at_cell = at_cell_[cell(demand)];
    if (demand.units > 0) {
      return static_cast<std::int32_t>(
          std::min(limited(demand.units, at_node.in, graph_.room(node(demand))),
                   limited(demand.units, at_cell.out, cells_.cell(cell(demand)))));
    }
    return -static_cast<std::int32_t>(
        std::min(limited(-demand.units, at_node.out, graph_.node(node(demand)).amount),
                 limited(-demand.units, at_cell.in, at_cell.room)));
  }

  PipeGraph& graph_;
  PortCells& cells_;
  std::int32_t cell_max_;
  std::vector<PortDemand> demands_;
  std::map<Slot, Sums> at_node_;
  std::map<Vec3, Sums> at_cell_;
};

/// Ports of several cells may give to one surface, where each leaves less room to the next: they
/// stand in the order of their cells, and another one begins in each tick. Where water spreads over
/// whole bodies, they stand by how high and how much they give, which a mirror does not change.
void give_in_turn(std::uint64_t tick_number, std::vector<PortDemand*>& gives,
                  const PipeGraph& graph, PortCells& cells) {
  if (gives.empty()) return;
  const bool spreads = cells.measure().spreads;
  const auto key = [&](const PortDemand* demand) {
    const auto& [node, at] = demand->entry->first;
    const std::int64_t head = spreads ? demand->head : 0;
    const std::int32_t units = spreads ? demand->units : 0;
    return std::tuple(head, units, at, graph.place(node), graph.name(node));
  };
  std::sort(gives.begin(), gives.end(),
            [&](const PortDemand* a, const PortDemand* b) { return key(a) < key(b); });
  const auto first = static_cast<std::ptrdiff_t>(tick_number % gives.size());
  std::rotate(gives.begin(), gives.begin() + first, gives.end());
  for (PortDemand* demand : gives) {
    demand->units = -cells.give(demand->entry->first.second, -demand->units, demand->head);
  }
}

PortState state_over(Cell cell) {
  if (cell == kOutside) return PortState::kBeyond;
  return is_open(cell) ? PortState::kIdle : PortState::kBlocked;
}

}  // namespace

void count_port(PortEntry& entry, std::int32_t units, PipeGraph& graph, PipeLayout& layout,
                PipeStep& step) {
  const Slot node = entry.first.first;
  entry.second.moved = units;
  if (units == 0) return;
  entry.second.state = PortState::kRunning;
  layout.wake(graph.component_of(node));
  step.parcels.push_back({node, kNoSlot, std::max(units, 0), std::max(-units, 0)});
}

void run_ports(std::uint64_t tick_number, bool all, PipeGraph& graph, PipeLayout& layout,
               PortCells& cells, PipeStep& step) {
  std::vector<PortEntry*> due;
  for (PortEntry* entry : layout.take_due_ports(graph, cells, all)) {
    entry->second.moved = 0;
    entry->second.state = state_over(cells.cell(entry->first.second));
    if (entry->second.state == PortState::kIdle) {
      due.push_back(entry);
    } else {
      graph.set_waited(entry->first, entry->second, 0);
    }
  }
  if (cells.measure().quantum > 1) {
    run_ports_in_parts(tick_number, due, graph, layout, cells, step);
    return;
  }
  PortRound round(graph, cells);
  for (PortEntry* entry : due) {
    // Others may leave it something in the next tick.
    if (round.add(*entry)) layout.keep_due(entry->first);
  }
  std::vector<PortDemand*> gives;
  for (PortDemand& demand : round.share()) {
    if (demand.units > 0) cells.add(demand.entry->first.second, -demand.units);
    if (demand.units < 0) gives.push_back(&demand);
  }
  give_in_turn(tick_number, gives, graph, cells);
  for (const PortDemand& demand : round.demands()) {
    if (demand.units == 0) continue;
    graph.change_amount(demand.entry->first.first, demand.units);
    count_port(*demand.entry, demand.units, graph, layout, step);
  }
}

}  // namespace sluice::sim
