#include "server/net/pipe_sections.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/pipe_codec.h"

namespace sluice::net {

namespace {

using protocol::PipeKey;

// Parts of one place, and blocks of one part, have 16 bits each.
static_assert(kMaxPipes / protocol::kMaxSectionNodes <= 0xffff);
static_assert(sim::kMaxPipeLinks / protocol::kMaxSectionLinks <= 0xffff);
static_assert(sim::kMaxPorts / protocol::kMaxSectionPorts <= 0xffff);
static_assert(PipeKey::kNoPlace == kNowhere.x);

std::int32_t value_of(const sim::Port& port) {
  return protocol::port_value(port.state, port.moved);
}

/// The part of a list that stands in a block of it.
template <class List>
auto block_of(const List& list, std::size_t block, std::size_t most) {
  const std::size_t begin = std::min(list.size(), block * most);
  return std::span(list).subspan(begin, std::min(most, list.size() - begin));
}

}  // namespace

void PipeSections::clear() {
  *this = {};
}

void PipeSections::update(const sim::World& world, bool complete, PipeStates& changed) {
  const sim::PipeNetwork& pipes = world.pipes();
  if (!built_ || version_ != pipes.version()) {
    rebuild(world, changed);
  } else if (!was_at_rest_ || !pipes.at_rest() || !world.changed_chunks().empty()) {
    // A port says that its cell became rock, so changed chunks count, too.
    pipes.for_each_active([this](sim::Slot slot) { touch(homes_.of(slot).section); });
    touch_ports(pipes);
    for (const std::uint32_t number : touched_) refresh(pipes, number, changed);
    touched_.clear();
  }
  was_at_rest_ = pipes.at_rest();
  if (!complete) return;
  for (std::uint32_t number = 0; number < sections_.size(); ++number) {
    const auto& blocks = sections_[number].blocks;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      changed[key_of(number, block)] = blocks[block];
    }
  }
}

void PipeSections::rebuild(const sim::World& world, PipeStates& changed) {
  const sim::PipeNetwork& pipes = world.pipes();
  homes_.update(pipes, world.grid().shape());
  sections_.resize(homes_.section_limit());
  for (Section& section : sections_) {
    section.links.clear();
    section.ports.clear();
  }
  collect_links(pipes);
  collect_ports(pipes);
  for (std::uint32_t number = 0; number < sections_.size(); ++number) {
    if (!homes_.used(number)) continue;
    describe(world, number, changed);
    if (homes_.free_if_empty(number)) sections_[number] = {};
  }
  version_ = pipes.version();
  built_ = true;
}

void PipeSections::collect_links(const sim::PipeNetwork& pipes) {
  for (sim::Slot slot = 0; slot < pipes.link_limit(); ++slot) {
    if (!pipes.link_used(slot)) continue;
    const sim::LinkView link = pipes.link_at(slot);
    const PipeHome from = homes_.of(link.from);
    sections_[from.section].links.push_back({from.index, homes_.of(link.to), link.one_way, slot});
  }
  // The network's order changes when it is laid out anew; this one does not.
  for (Section& section : sections_) {
    std::sort(section.links.begin(), section.links.end(), [](const Link& a, const Link& b) {
      return std::tuple(a.from, a.to.section, a.to.index) <
             std::tuple(b.from, b.to.section, b.to.index);
    });
  }
}

void PipeSections::collect_ports(const sim::PipeNetwork& pipes) {
  std::size_t order = 0;
  pipes.for_each_port([&](sim::Slot node, Vec3 cell, const sim::Port& port) {
    const PipeHome home = homes_.of(node);
    sections_[home.section].ports.push_back(
        {home.index, cell, port.kind, port.rate, order++, value_of(port)});
  });
  port_places_.assign(order, {});
  for (std::uint32_t number = 0; number < sections_.size(); ++number) {
    std::vector<Port>& ports = sections_[number].ports;
    std::sort(ports.begin(), ports.end(), [](const Port& a, const Port& b) {
      return std::tuple(a.node, a.cell) < std::tuple(b.node, b.cell);
    });
    for (std::size_t i = 0; i < ports.size(); ++i) port_places_[ports[i].order] = {number, i};
  }
}

PipeKey PipeSections::key_of(std::uint32_t number, std::size_t block) const {
  const PipeKey& first = homes_.section(number).key;
  return {first.coord, first.part | static_cast<std::uint32_t>(block) << 16};
}

protocol::PipePlan PipeSections::plan_of(const sim::PipeNetwork& pipes, std::uint32_t number,
                                         std::size_t block) const {
  protocol::PipePlan plan;
  const Section& section = sections_[number];
  const std::vector<sim::Slot>& slots = homes_.section(number).slots;
  for (std::size_t i = 0; block == 0 && i < slots.size(); ++i) {
    if (slots[i] == sim::kNoSlot) continue;
    const sim::NodeView node = pipes.node(slots[i]);
    plan.nodes.push_back({static_cast<std::uint8_t>(i), node.kind, node.open,
                          std::string(node.name), std::string(node.fluid), node.capacity,
                          node.height, node.base, node.throughput, node.rate, node.at});
  }
  for (const Link& link : block_of(section.links, block, protocol::kMaxSectionLinks)) {
    plan.links.push_back(
        {link.from, {homes_.section(link.to.section).key, link.to.index}, link.one_way});
  }
  for (const Port& port : block_of(section.ports, block, protocol::kMaxSectionPorts)) {
    plan.ports.push_back({port.node, port.kind, port.cell, port.rate});
  }
  return plan;
}

void PipeSections::read_values(const sim::PipeNetwork& pipes, std::uint32_t number,
                               std::size_t block, std::vector<std::int32_t>& values) const {
  values.clear();
  const Section& section = sections_[number];
  const std::vector<sim::Slot>& slots = homes_.section(number).slots;
  for (std::size_t i = 0; block == 0 && i < slots.size(); ++i) {
    if (slots[i] != sim::kNoSlot) values.push_back(pipes.amount(slots[i]));
  }
  for (const Link& link : block_of(section.links, block, protocol::kMaxSectionLinks)) {
    values.push_back(protocol::flow_class(pipes.link_at(link.slot).flow));
  }
  for (const Port& port : block_of(section.ports, block, protocol::kMaxSectionPorts)) {
    values.push_back(port.value);
  }
}

// One that has no nodes any more has no links and no ports, so it has no blocks.
std::size_t PipeSections::blocks_of(std::uint32_t number) const {
  const auto blocks_for = [](std::size_t count, std::size_t most) {
    return (count + most - 1) / most;
  };
  const Section& section = sections_[number];
  return std::max({blocks_for(section.links.size(), protocol::kMaxSectionLinks),
                   blocks_for(section.ports.size(), protocol::kMaxSectionPorts),
                   std::size_t{homes_.section(number).count > 0 ? 1U : 0U}});
}

void PipeSections::describe(const sim::World& world, std::uint32_t number, PipeStates& changed) {
  Section& section = sections_[number];
  const std::size_t count = blocks_of(number);
  for (std::size_t block = count; block < section.blocks.size(); ++block) {
    changed[key_of(number, block)] = nullptr;
  }
  section.blocks.resize(count);
  for (std::size_t block = 0; block < count; ++block) {
    const PipeKey key = key_of(number, block);
    auto plan = std::make_shared<protocol::Bytes>();
    protocol::encode_plan(key, world.grid().shape(), plan_of(world.pipes(), number, block), *plan);
    std::shared_ptr<const PipeState>& state = section.blocks[block];
    PipeState now{std::move(plan), {}};
    read_values(world.pipes(), number, block, now.values);
    if (state != nullptr && *state->plan == *now.plan) {
      if (state->values == now.values) continue;
      now.plan = state->plan;
    }
    state = std::make_shared<const PipeState>(std::move(now));
    changed[key] = state;
  }
}

void PipeSections::touch(std::uint32_t number) {
  if (std::exchange(sections_[number].touched, true)) return;
  touched_.push_back(number);
}

void PipeSections::touch_ports(const sim::PipeNetwork& pipes) {
  std::size_t order = 0;
  pipes.for_each_port([&](sim::Slot, Vec3, const sim::Port& port) {
    const PortPlace place = port_places_[order++];
    std::int32_t& value = sections_[place.section].ports[place.place].value;
    const std::int32_t now = value_of(port);
    if (value == now) return;
    value = now;
    touch(place.section);
  });
}

void PipeSections::refresh(const sim::PipeNetwork& pipes, std::uint32_t number,
                           PipeStates& changed) {
  Section& section = sections_[number];
  section.touched = false;
  for (std::size_t block = 0; block < section.blocks.size(); ++block) {
    std::shared_ptr<const PipeState>& state = section.blocks[block];
    read_values(pipes, number, block, values_);
    if (values_ == state->values) continue;
    state = std::make_shared<const PipeState>(PipeState{state->plan, values_});
    changed[key_of(number, block)] = state;
  }
}

}  // namespace sluice::net
