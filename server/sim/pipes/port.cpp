// Ports: what goes between nodes and grid cells. All wishes are taken from the state before; where
// several ports meet at a node or in a cell and want more than there is, or fits, they share it in
// proportion, rounded down.
#include <algorithm>

#include "server/sim/int_math.h"
#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

/// An outlet presses water into a cell up to twice its fill: enough to come out under deep water,
/// and no way to hide a tank in one cell.
constexpr std::int32_t kMostInCell = 2 * kFull;

std::int32_t room_for_outlets(Cell water, WaterMeasure measure) {
  return std::max(0, std::min(kMostInCell, measure.cell_max) - water);
}

struct PortWish {
  Slot node = kNoSlot;
  Vec3 cell;
  Port* port = nullptr;
  std::int64_t units = 0;  // into the node positive, into the cell negative
};

struct Sums {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

/// What is left of a wish when `most` is there for all that sum up to `wished`.
std::int64_t limited(std::int64_t units, std::int64_t wished, std::int64_t most) {
  return wished > most ? units * most / wished : units;
}

}  // namespace

void PipeNetwork::run_ports(std::uint64_t tick_number, PortCells& cells) {
  const WaterMeasure measure = cells.measure();
  const std::int32_t quantum = measure.quantum;
  ports_moved_ = false;
  std::vector<PortWish> wishes;
  std::map<Slot, Sums> at_node;
  std::map<Vec3, Sums> at_cell;
  for (auto& [key, port] : ports_) {
    const auto& [slot, at] = key;
    const Cell cell = cells.cell(at);
    port.moved = 0;
    port.state = cell == kOutside ? PortState::kBeyond
                 : is_open(cell)  ? PortState::kIdle
                                  : PortState::kBlocked;
    if (port.state != PortState::kIdle) continue;
    const std::int64_t possible = port_wish(slot, at, cell, port, measure);
    if (possible / quantum == 0) continue;
    // One that waits for its rate to add up to a quantum is not at rest.
    if (quantum > 1) ports_moved_ = true;
    const std::int64_t due = due_in_tick(port.rate, tick_number, quantum);
    const std::int64_t units = std::clamp(possible, -due, due);
    if (units == 0) continue;
    wishes.push_back({slot, at, &port, units});
    (units > 0 ? at_node[slot].in : at_node[slot].out) += units > 0 ? units : -units;
    (units > 0 ? at_cell[at].out : at_cell[at].in) += units > 0 ? units : -units;
  }
  for (PortWish& wish : wishes) {
    const Sums& node = at_node[wish.node];
    const Sums& cell = at_cell[wish.cell];
    const Cell water = cells.cell(wish.cell);
    // By the scarcer of the two ends; a wish that both shorten keeps to the shorter.
    wish.units = wish.units > 0
                     ? std::min(limited(wish.units, node.in, room(wish.node)),
                                limited(wish.units, cell.out, water))
                     : -std::min(limited(-wish.units, node.out, nodes_[wish.node].amount),
                                 limited(-wish.units, cell.in, room_for_outlets(water, measure)));
  }
  for (const PortWish& wish : wishes) {
    const auto units = static_cast<std::int32_t>(wish.units / quantum * quantum);
    if (units == 0) continue;
    wish.port->moved = units;
    wish.port->state = PortState::kRunning;
    ports_moved_ = true;
    cells.add(wish.cell, -units);
    change_amount(wish.node, units);
    wake(wish.node);
    parcels_.push_back({wish.node, kNoSlot, std::max(units, 0), std::max(-units, 0)});
  }
}

std::int64_t PipeNetwork::port_wish(Slot node, Vec3 at, Cell water, const Port& port,
                                    WaterMeasure measure) const {
  const std::int32_t rate = std::max(port.rate, measure.quantum);
  const std::int32_t cell_room = room_for_outlets(water, measure);
  switch (port.kind) {
    case PortKind::kInlet:
      return std::min({rate, water, room(node)});
    case PortKind::kOutlet:
      return -std::min({rate, nodes_[node].amount, cell_room});
    case PortKind::kOpen:
      break;
  }
  // The level of the cell's water in the node's terms: one level unit a unit of water.
  const Level own = level(node);
  constexpr std::int64_t kHighest = std::int64_t{2} * kMaxPipeBase;  // above every node
  const Level cell = std::min(std::int64_t{at.y} * kFull + water, kHighest) << kLevelFraction;
  const bool enters = cell > own;
  const auto difference = static_cast<std::uint64_t>(enters ? cell - own : own - cell);
  constexpr std::uint64_t kCellRise = std::uint64_t{1} << kLevelFraction;
  const std::uint64_t levels = difference / (kCellRise + type(node).unit_rise());
  const auto units = static_cast<std::int32_t>(std::min(levels, static_cast<std::uint64_t>(rate)));
  if (enters) return std::min({units, water, room(node)});
  return -std::min({units, nodes_[node].amount, cell_room});
}

}  // namespace sluice::sim
