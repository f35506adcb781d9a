// Ports: what goes between nodes and grid cells. All demands are taken from the state before; where
// several ports meet at a node or in a cell and want more than there is, or fits, they share it in
// proportion, rounded down.
#include <algorithm>

#include "server/sim/int_math.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

namespace {

/// An outlet presses water into a cell up to twice its fill: enough to come out under deep water,
/// and no way to hide a tank in one cell.
constexpr std::int32_t kMostInCell = 2 * kFull;

std::int32_t room_for_outlets(Cell water, WaterMeasure measure) {
  return std::max(0, std::min(kMostInCell, measure.cell_max) - water);
}

struct PortDemand {
  Slot node = kNoSlot;
  Vec3 cell;
  Port* port = nullptr;
  std::int64_t units = 0;  // into the node positive, into the cell negative
};

struct Sums {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

/// What is left of a demand when `most` is there for all that sum up to `demanded`.
std::int64_t limited(std::int64_t units, std::int64_t demanded, std::int64_t most) {
  return demanded > most ? units * most / demanded : units;
}

/// What a port would move if nobody else wanted anything: into the node positive.
std::int64_t port_demand(const PipeGraph& graph, const PipeGraph::PortKey& key, Cell water,
                         const Port& port, WaterMeasure measure) {
  const auto& [node, at] = key;
  const std::int32_t rate = std::max(port.rate, measure.quantum);
  const std::int32_t cell_room = room_for_outlets(water, measure);
  const std::int32_t held = graph.node(node).amount;
  switch (port.kind) {
    case PortKind::kInlet:
      return std::min({rate, water, graph.room(node)});
    case PortKind::kOutlet:
      return -std::min({rate, held, cell_room});
    case PortKind::kOpen:
      break;
  }
  // The level of the cell's water in the node's terms: one level unit a unit of water.
  const Level own = graph.level(node);
  constexpr std::int64_t kHighest = std::int64_t{2} * kMaxPipeBase;  // above every node
  const Level cell = std::min(std::int64_t{at.y} * kFull + water, kHighest) << kLevelFraction;
  const bool enters = cell > own;
  const auto difference = static_cast<std::uint64_t>(enters ? cell - own : own - cell);
  constexpr std::uint64_t kCellRise = std::uint64_t{1} << kLevelFraction;
  const std::uint64_t levels = difference / (kCellRise + graph.type(node).unit_rise());
  const auto units = static_cast<std::int32_t>(std::min(levels, static_cast<std::uint64_t>(rate)));
  if (enters) return std::min({units, water, graph.room(node)});
  return -std::min({units, held, cell_room});
}

PortState state_over(Cell cell) {
  if (cell == kOutside) return PortState::kBeyond;
  return is_open(cell) ? PortState::kIdle : PortState::kBlocked;
}

/// By the scarcer of the two ends; what both shorten keeps to the shorter.
std::int64_t shared(const PipeGraph& graph, const PortDemand& demand, const Sums& node,
                    const Sums& cell, Cell water, WaterMeasure measure) {
  if (demand.units > 0) {
    return std::min(limited(demand.units, node.in, graph.room(demand.node)),
                    limited(demand.units, cell.out, water));
  }
  return -std::min(limited(-demand.units, node.out, graph.node(demand.node).amount),
                   limited(-demand.units, cell.in, room_for_outlets(water, measure)));
}

}  // namespace

void run_ports(std::uint64_t tick_number, bool all, PipeGraph& graph, PipeLayout& layout,
               PortCells& cells, PipeStep& step) {
  const WaterMeasure measure = cells.measure();
  const std::int32_t quantum = measure.quantum;
  std::vector<PortDemand> demands;
  std::map<Slot, Sums> at_node;
  std::map<Vec3, Sums> at_cell;
  for (PipeGraph::Ports::value_type* due : layout.take_due_ports(graph, cells, all)) {
    const auto& [slot, at] = due->first;
    Port& port = due->second;
    const Cell cell = cells.cell(at);
    port.moved = 0;
    port.state = state_over(cell);
    if (port.state != PortState::kIdle) continue;
    const std::int64_t possible = port_demand(graph, due->first, cell, port, measure);
    if (possible / quantum == 0) continue;
    layout.keep_due(due->first);  // others may leave it something in the next tick
    // One that waits for its rate to add up to a quantum is not at rest.
    if (quantum > 1) step.ports_wait = true;
    const std::int64_t most = due_in_tick(port.rate, tick_number, quantum);
    const std::int64_t units = std::clamp(possible, -most, most);
    if (units == 0) continue;
    demands.push_back({slot, at, &port, units});
    (units > 0 ? at_node[slot].in : at_node[slot].out) += units > 0 ? units : -units;
    (units > 0 ? at_cell[at].out : at_cell[at].in) += units > 0 ? units : -units;
  }
  for (PortDemand& demand : demands) {
    demand.units = shared(graph, demand, at_node[demand.node], at_cell[demand.cell],
                          cells.cell(demand.cell), measure);
  }
  for (const PortDemand& demand : demands) {
    const auto units = static_cast<std::int32_t>(demand.units / quantum * quantum);
    if (units == 0) continue;
    demand.port->moved = units;
    demand.port->state = PortState::kRunning;
    cells.add(demand.cell, -units);
    layout.wake(graph.component_of(demand.node));
    graph.change_amount(demand.node, units);
    step.parcels.push_back({demand.node, kNoSlot, std::max(units, 0), std::max(-units, 0)});
  }
}

}  // namespace sluice::sim
