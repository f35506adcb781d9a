// Pipe networks drawn from a seed, and ways to build and run the same one differently.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/sim/commands/commands.h"
#include "server/sim/pipes/image.h"
#include "server/sim/pipes/network.h"
#include "server/sim/spec.h"
#include "tests/support/dice.h"

namespace sluice::tests {

struct NetworkKind {
  std::int32_t nodes = 30;  // at most
  bool pumps = true;
  bool valves = true;
  bool one_way = true;
  bool ports = false;
  bool limits = true;  // some with a throughput
  bool alike = true;   // some networks of equal nodes
  // Most nodes are full or nearly so, with many ways between them, some one-way.
  bool brimming = false;
};

/// Cells for ports, each holding some water; beyond them is the outside.
class TestCells final : public sim::PortCells {
 public:
  static constexpr std::int32_t kSide = 4;
  explicit TestCells(std::uint64_t seed) {
    Dice dice(seed);
    for (Cell& cell : cells_) {
      cell = dice.chance(20) ? kRock : dice.roll(0, 2 * kFull);
    }
  }
  [[nodiscard]] Cell cell(Vec3 at) const override {
    return inside(at) ? cells_[index(at)] : kOutside;
  }
  void add(Vec3 at, std::int32_t units) override { cells_[index(at)] += units; }
  [[nodiscard]] std::int64_t water() const {
    std::int64_t sum = 0;
    for (const Cell cell : cells_) sum += water_of(cell);
    return sum;
  }
  [[nodiscard]] const auto& all() const { return cells_; }

 private:
  static bool inside(Vec3 at) {
    return at.x >= 0 && at.x < kSide && at.y >= 0 && at.y < kSide && at.z == 0;
  }
  static std::size_t index(Vec3 at) { return static_cast<std::size_t>(at.y * kSide + at.x); }
  std::array<Cell, kSide * kSide> cells_{};
};

struct NetworkPlan {
  std::vector<sim::PipeNode> nodes;
  std::vector<sim::PipeLink> links;
  std::vector<sim::PipePort> ports;
};

inline NetworkPlan random_network(std::uint64_t seed, NetworkKind kind) {
  Dice dice(seed);
  NetworkPlan plan;
  const std::int32_t count = dice.roll(2, kind.nodes);
  const bool uniform = kind.alike && dice.chance(30);  // all alike: as many ties as can be
  const std::int32_t tall = dice.chance(30) ? 200000 : 10000;
  for (std::int32_t i = 0; i < count; ++i) {
    sim::PipeNode node;
    node.fields.name = "n" + std::to_string(i);
    node.fields.capacity = uniform ? 5000 : dice.roll(1, dice.chance(30) ? 50 : 20000);
    node.fields.height = uniform ? 10000 : dice.roll(1, tall);
    node.fields.base = uniform || dice.chance(40) ? 0 : dice.roll(-10000, 10000);
    const std::int32_t fill = dice.roll(0, 9);
    node.fields.amount = fill < 3   ? 0
                         : fill < 5 ? node.fields.capacity
                                    : dice.roll(0, node.fields.capacity);
    if (kind.brimming && dice.chance(80)) {
      node.fields.amount = node.fields.capacity - dice.roll(0, node.fields.capacity / 32);
    }
    if (kind.limits && dice.chance(10)) node.fields.throughput = dice.roll(1, 500);
    if (kind.pumps && dice.chance(15)) {
      node.kind = NodeKind::kPump;
      node.rate = dice.roll(0, 700);
    } else if (kind.valves && dice.chance(15)) {
      node.kind = NodeKind::kValve;
      node.open = dice.chance(70);
    }
    plan.nodes.push_back(node);
  }
  const auto join = [&](std::int32_t a, std::int32_t b) {
    const auto same = [&](const sim::PipeLink& link) {
      const std::string& x = plan.nodes[static_cast<std::size_t>(a)].fields.name;
      const std::string& y = plan.nodes[static_cast<std::size_t>(b)].fields.name;
      return (link.from == x && link.to == y) || (link.from == y && link.to == x);
    };
    if (a == b || std::any_of(plan.links.begin(), plan.links.end(), same)) return;
    plan.links.push_back({plan.nodes[static_cast<std::size_t>(a)].fields.name,
                          plan.nodes[static_cast<std::size_t>(b)].fields.name,
                          kind.one_way && dice.chance(kind.brimming ? 40 : 10)});
  };
  const std::int32_t shape = dice.roll(0, 3);  // a line, a star, or branches; then more links
  for (std::int32_t i = 1; i < count; ++i) {
    if (dice.chance(95)) join(i, shape == 0 ? i - 1 : shape == 1 ? 0 : dice.roll(0, i - 1));
  }
  const std::int32_t more = !kind.brimming && dice.chance(50) ? 0 : dice.roll(0, count);
  for (std::int32_t i = 0; i < more; ++i) {
    const std::int32_t a = dice.roll(0, count - 1);
    join(a, dice.roll(0, count - 1));
  }
  for (std::int32_t i = 0; kind.ports && i < dice.roll(0, 6); ++i) {
    sim::PipePort port;
    port.node = plan.nodes[static_cast<std::size_t>(dice.roll(0, count - 1))].fields.name;
    const std::int32_t x = dice.roll(-1, TestCells::kSide);
    port.cell = {x, dice.roll(0, TestCells::kSide), 0};
    port.kind = static_cast<PortKind>(dice.roll(0, 2));
    port.rate = dice.roll(1, 3000);
    const bool taken = std::any_of(plan.ports.begin(), plan.ports.end(), [&](const auto& other) {
      return other.node == port.node && other.cell == port.cell;
    });
    if (!taken) plan.ports.push_back(port);
  }
  return plan;
}

template <class T>
void shuffle(std::vector<T>& list, Dice& dice) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[dice.next() % i]);
  }
}

/// The same network with other names, given in another order.
inline NetworkPlan disguised(NetworkPlan plan, std::uint64_t seed,
                             std::map<std::string, std::string>& new_names) {
  Dice dice(seed);
  for (sim::PipeNode& node : plan.nodes) {
    new_names[node.fields.name] = "x" + std::to_string(dice.next());
    node.fields.name = new_names[node.fields.name];
  }
  for (sim::PipeLink& link : plan.links) {
    link.from = new_names[link.from];
    link.to = new_names[link.to];
    const auto pump = [&](const std::string& name) {
      return std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const sim::PipeNode& node) {
        return node.fields.name == name && node.kind == NodeKind::kPump;
      });
    };
    // Which end of a link between two pipes comes first says nothing.
    if (!link.one_way && !pump(link.from) && !pump(link.to) && dice.chance(50)) {
      std::swap(link.from, link.to);
    }
  }
  for (sim::PipePort& port : plan.ports) port.node = new_names[port.node];
  shuffle(plan.nodes, dice);
  shuffle(plan.links, dice);
  shuffle(plan.ports, dice);
  return plan;
}

/// Several networks that have nothing to do with each other, one and all in one plan; their nodes
/// lie between each other's in memory. `each` are the same ones for themselves.
inline NetworkPlan random_networks(std::uint64_t seed, NetworkKind kind,
                                   std::vector<NetworkPlan>& each) {
  Dice dice(seed ^ 0x5e7e7a1U);
  NetworkPlan all;
  const std::int32_t count = dice.roll(2, 7);
  for (std::int32_t i = 0; i < count; ++i) {
    NetworkPlan plan = random_network(dice.next(), kind);
    const auto renamed = [&](const std::string& name) { return std::to_string(i) + "." + name; };
    const bool still = dice.chance(30);  // asleep from the beginning
    for (sim::PipeNode& node : plan.nodes) {
      node.fields.name = renamed(node.fields.name);
      if (still) node.fields.amount = 0;
    }
    for (sim::PipeLink& link : plan.links) {
      link = {renamed(link.from), renamed(link.to), link.one_way};
    }
    for (sim::PipePort& port : plan.ports) port.node = renamed(port.node);
    all.nodes.insert(all.nodes.end(), plan.nodes.begin(), plan.nodes.end());
    all.links.insert(all.links.end(), plan.links.begin(), plan.links.end());
    all.ports.insert(all.ports.end(), plan.ports.begin(), plan.ports.end());
    each.push_back(std::move(plan));
  }
  shuffle(all.nodes, dice);
  shuffle(all.links, dice);
  return all;
}

/// A command for networks like those of random_networks(); some cannot apply.
inline sim::Command random_network_command(Dice& dice, Vec3 size, bool joined) {
  const auto name = [&] {
    const std::string network = std::to_string(dice.roll(0, 7));
    return network + ".n" + std::to_string(dice.roll(0, 11));
  };
  const std::string first = name();
  const std::string second = name();
  const std::int32_t x = dice.roll(-1, size.x);
  const Vec3 cell = {x, dice.roll(0, size.y - 1), dice.roll(0, size.z - 1)};
  switch (dice.roll(0, 10)) {
    case 0:
    case 1: {
      sim::AddPipe add;
      add.name = first;
      add.fluid = dice.chance(15) ? "oil" : "water";
      add.amount = dice.chance(40) ? 0 : dice.roll(0, 20000);
      if (joined && dice.chance(30) && cell.x >= 0 && cell.x < size.x) add.at = cell;
      return {add};
    }
    case 2:
      return {sim::RemovePipe{first}};
    case 3:
    case 4:
      return {sim::LinkPipes{first, second, dice.chance(20)}};
    case 5:
      return {sim::UnlinkPipes{first, second}};
    case 6:
      return {sim::SetValve{first, dice.chance(50)}};
    case 7:
      return {sim::SetPump{first, dice.roll(0, 500)}};
    case 8: {
      const sim::UpgradePipe upgrade{first, dice.roll(0, 30000), dice.roll(0, 9999), 0};
      if (upgrade.capacity % 2 == 0) return {upgrade};
      return {sim::UpgradePipeAndBase{first, 3 * upgrade.height - 9999, upgrade.capacity,
                                      upgrade.height, 0}};
    }
    default:
      if (!joined) return {sim::LinkPipes{first, second, false}};
      if (dice.chance(30)) return {sim::RemovePort{first, cell}};
      return {sim::AddPort{first, cell, static_cast<PortKind>(dice.roll(0, 2)), dice.roll(1, 999)}};
  }
}

/// Empty, or what the network refused.
inline std::string build(const NetworkPlan& plan, sim::PipeNetwork& network) {
  for (const sim::PipeNode& node : plan.nodes) {
    if (Status s = network.add(node.fields, node.kind, node.rate, node.open); !s) return s.error();
  }
  for (const sim::PipeLink& link : plan.links) {
    if (Status s = network.link(link.from, link.to, link.one_way); !s) return s.error();
  }
  for (const sim::PipePort& port : plan.ports) {
    if (Status s = network.add_port(port); !s) return s.error();
  }
  return {};
}

/// Amounts by name.
inline std::map<std::string, std::int32_t> amounts_of(const sim::PipeNetwork& network) {
  std::map<std::string, std::int32_t> amounts;
  for (sim::Slot slot = 0; slot < network.slot_limit(); ++slot) {
    if (!network.used(slot)) continue;
    const sim::NodeView view = network.node(slot);
    amounts[std::string(view.name)] = view.amount;
  }
  return amounts;
}

inline std::int32_t amount_of(const sim::PipeNetwork& network, const std::string& name) {
  return network.node(network.find(name).value()).amount;
}

/// Potential energy, in level units times units.
inline long double energy_of(const sim::PipeNetwork& network) {
  long double energy = 0;
  for (sim::Slot slot = 0; slot < network.slot_limit(); ++slot) {
    if (!network.used(slot)) continue;
    const sim::NodeView view = network.node(slot);
    const auto amount = static_cast<long double>(view.amount);
    energy += amount * static_cast<long double>(view.base) +
              amount * amount * static_cast<long double>(view.height) /
                  (2 * static_cast<long double>(view.capacity));
  }
  return energy;
}

}  // namespace sluice::tests
