#include "server/net/pipe_survey.h"

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
static_assert(static_cast<int>(protocol::PipeKind::kValve) ==
              static_cast<int>(sim::NodeKind::kValve));
static_assert(static_cast<int>(protocol::PipePortKind::kOpen) ==
              static_cast<int>(sim::PortKind::kOpen));
static_assert(static_cast<int>(protocol::PipePortState::kOutside) ==
              static_cast<int>(sim::PortState::kBeyond));

ChunkCoord coord_of(const ChunkShape& shape, Vec3 at) {
  return at == kNowhere ? protocol::PipeKey().coord : shape.chunk_of(at);
}

std::int32_t value_of(const sim::Port& port) {
  return protocol::port_value(static_cast<protocol::PipePortState>(port.state), port.moved);
}

/// The part of a list that stands in a block of it.
template <class List>
auto block_of(const List& list, std::size_t block, std::size_t most) {
  const std::size_t begin = std::min(list.size(), block * most);
  return std::span(list).subspan(begin, std::min(most, list.size() - begin));
}

}  // namespace

void PipeSurvey::clear() {
  *this = {};
}

void PipeSurvey::update(const sim::World& world, bool complete, PipeStates& changed) {
  const sim::PipeNetwork& pipes = world.pipes();
  if (!surveyed_ || version_ != pipes.version()) {
    rebuild(world, changed);
  } else if (!was_at_rest_ || !pipes.at_rest() || !world.changed_chunks().empty()) {
    // A port says that its cell became rock, so changed chunks count, too.
    pipes.for_each_active([this](sim::Slot slot) { touch(homes_[slot].section); });
    touch_ports(pipes);
    for (const std::uint32_t number : touched_) refresh(pipes, sections_[number], changed);
    touched_.clear();
  }
  was_at_rest_ = pipes.at_rest();
  if (!complete) return;
  for (const Section& section : sections_) {
    for (std::size_t block = 0; block < section.blocks.size(); ++block) {
      const auto part = section.key.part | static_cast<std::uint32_t>(block) << 16;
      changed[{section.key.coord, part}] = section.blocks[block];
    }
  }
}

void PipeSurvey::rebuild(const sim::World& world, PipeStates& changed) {
  const sim::PipeNetwork& pipes = world.pipes();
  settle(pipes, world.grid().shape());
  for (Section& section : sections_) {
    section.links.clear();
    section.ports.clear();
  }
  collect_links(pipes);
  collect_ports(pipes);
  for (std::uint32_t number = 0; number < sections_.size(); ++number) {
    if (sections_[number].names.empty()) continue;
    describe(world, sections_[number], changed);
    drop_if_empty(number);
  }
  version_ = pipes.version();
  surveyed_ = true;
}

// Homes for all nodes: those that stay first, so that who leaves makes room for who comes.
void PipeSurvey::settle(const sim::PipeNetwork& pipes, const ChunkShape& shape) {
  std::vector<Home> homes(pipes.slot_limit());
  std::vector<sim::Slot> newcomers;
  for (Section& section : sections_) {
    std::fill(section.slots.begin(), section.slots.end(), sim::kNoSlot);
  }
  for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
    if (!pipes.used(slot)) continue;
    const sim::NodeView node = pipes.node(slot);
    const Home home = known_home(slot, node.name, coord_of(shape, node.at));
    if (home.section == UINT32_MAX) {
      newcomers.push_back(slot);
      continue;
    }
    homes[slot] = home;
    sections_[home.section].slots[home.index] = slot;
  }
  homes_ = std::move(homes);
  for (Section& section : sections_) move_out(section);
  for (const sim::Slot slot : newcomers) {
    const sim::NodeView node = pipes.node(slot);
    move_in(slot, node.name, coord_of(shape, node.at));
  }
}

PipeSurvey::Home PipeSurvey::known_home(sim::Slot slot, std::string_view name,
                                        ChunkCoord coord) const {
  const auto fits = [&](Home home) {
    return home.section < sections_.size() && sections_[home.section].names[home.index] == name &&
           sections_[home.section].key.coord == coord;
  };
  // Most nodes are where they were; the network's rearranging is rare.
  if (slot < homes_.size() && homes_[slot].section != UINT32_MAX &&
      !sections_[homes_[slot].section].names.empty() && fits(homes_[slot])) {
    return homes_[slot];
  }
  const auto found = by_name_.find(name);
  return found != by_name_.end() && fits(found->second) ? found->second : Home{};
}

void PipeSurvey::move_out(Section& section) {
  for (std::size_t i = 0; i < section.names.size(); ++i) {
    if (section.names[i].empty() || section.slots[i] != sim::kNoSlot) continue;
    by_name_.erase(section.names[i]);
    section.names[i].clear();
    --section.count;
    with_room_[section.key.coord].insert(static_cast<std::uint32_t>(&section - sections_.data()));
  }
}

void PipeSurvey::move_in(sim::Slot slot, std::string_view name, ChunkCoord coord) {
  const std::uint32_t number = section_with_room(coord);
  Section& section = sections_[number];
  const auto free = std::find(section.names.begin(), section.names.end(), std::string());
  SLUICE_ASSERT(free != section.names.end());
  *free = name;
  const auto index = static_cast<std::size_t>(free - section.names.begin());
  section.slots[index] = slot;
  homes_[slot] = {number, static_cast<std::uint8_t>(index)};
  by_name_.insert_or_assign(*free, homes_[slot]);
  if (++section.count == protocol::kMaxSectionNodes) with_room_[coord].erase(number);
}

std::uint32_t PipeSurvey::section_with_room(ChunkCoord coord) {
  std::set<std::uint32_t>& candidates = with_room_[coord];
  if (!candidates.empty()) return *candidates.begin();
  std::set<std::uint32_t>& parts = parts_[coord];
  std::uint32_t part = 0;  // the lowest that is not taken
  for (const std::uint32_t taken : parts) {
    if (taken != part) break;
    ++part;
  }
  parts.insert(part);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(sections_.size()));
    sections_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Section& section = sections_[number];
  section.key = {coord, part};
  section.names.assign(protocol::kMaxSectionNodes, {});
  section.slots.assign(protocol::kMaxSectionNodes, sim::kNoSlot);
  candidates.insert(number);
  return number;
}

void PipeSurvey::collect_links(const sim::PipeNetwork& pipes) {
  for (sim::Slot slot = 0; slot < pipes.link_limit(); ++slot) {
    if (!pipes.link_used(slot)) continue;
    const sim::LinkView link = pipes.link_at(slot);
    const Home from = homes_[link.from];
    sections_[from.section].links.push_back({from.index, homes_[link.to], link.one_way, slot});
  }
  // The network's order changes when it is laid out anew; this one does not.
  for (Section& section : sections_) {
    std::sort(section.links.begin(), section.links.end(), [](const Link& a, const Link& b) {
      return std::tuple(a.from, a.to.section, a.to.index) <
             std::tuple(b.from, b.to.section, b.to.index);
    });
  }
}

void PipeSurvey::collect_ports(const sim::PipeNetwork& pipes) {
  std::size_t order = 0;
  pipes.for_each_port([&](sim::Slot node, Vec3 cell, const sim::Port& port) {
    const Home home = homes_[node];
    sections_[home.section].ports.push_back({home.index, cell,
                                             static_cast<protocol::PipePortKind>(port.kind),
                                             port.rate, order++, value_of(port)});
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

protocol::PipePlan PipeSurvey::plan_of(const sim::PipeNetwork& pipes, const Section& section,
                                       std::size_t block) const {
  protocol::PipePlan plan;
  for (std::size_t i = 0; block == 0 && i < section.slots.size(); ++i) {
    if (section.slots[i] == sim::kNoSlot) continue;
    const sim::NodeView node = pipes.node(section.slots[i]);
    plan.nodes.push_back({static_cast<std::uint8_t>(i), static_cast<protocol::PipeKind>(node.kind),
                          node.open, std::string(node.name), std::string(node.fluid), node.capacity,
                          node.height, node.base, node.throughput, node.rate, node.at});
  }
  for (const Link& link : block_of(section.links, block, protocol::kMaxSectionLinks)) {
    plan.links.push_back(
        {link.from, {sections_[link.to.section].key, link.to.index}, link.one_way});
  }
  for (const Port& port : block_of(section.ports, block, protocol::kMaxSectionPorts)) {
    plan.ports.push_back({port.node, port.kind, port.cell, port.rate});
  }
  return plan;
}

void PipeSurvey::read_values(const sim::PipeNetwork& pipes, const Section& section,
                             std::size_t block, std::vector<std::int32_t>& values) {
  values.clear();
  for (std::size_t i = 0; block == 0 && i < section.slots.size(); ++i) {
    if (section.slots[i] != sim::kNoSlot) values.push_back(pipes.amount(section.slots[i]));
  }
  for (const Link& link : block_of(section.links, block, protocol::kMaxSectionLinks)) {
    values.push_back(protocol::flow_class(pipes.link_at(link.slot).flow));
  }
  for (const Port& port : block_of(section.ports, block, protocol::kMaxSectionPorts)) {
    values.push_back(port.value);
  }
}

void PipeSurvey::describe(const sim::World& world, Section& section, PipeStates& changed) {
  const auto blocks_for = [](std::size_t count, std::size_t most) {
    return (count + most - 1) / most;
  };
  std::size_t count = std::max(blocks_for(section.links.size(), protocol::kMaxSectionLinks),
                               blocks_for(section.ports.size(), protocol::kMaxSectionPorts));
  if (section.count > 0) count = std::max<std::size_t>(count, 1);
  const auto key_of = [&](std::size_t block) {
    return PipeKey{section.key.coord, section.key.part | static_cast<std::uint32_t>(block) << 16};
  };
  for (std::size_t block = count; block < section.blocks.size(); ++block) {
    changed[key_of(block)] = nullptr;
  }
  section.blocks.resize(count);
  for (std::size_t block = 0; block < count; ++block) {
    auto plan = std::make_shared<protocol::Bytes>();
    protocol::encode_plan(key_of(block), world.grid().shape(),
                          plan_of(world.pipes(), section, block), *plan);
    std::shared_ptr<const PipeState>& state = section.blocks[block];
    PipeState now{std::move(plan), {}};
    read_values(world.pipes(), section, block, now.values);
    if (state != nullptr && *state->plan == *now.plan) {
      if (state->values == now.values) continue;
      now.plan = state->plan;
    }
    state = std::make_shared<const PipeState>(std::move(now));
    changed[key_of(block)] = state;
  }
}

// Its blocks are gone already: describe() saw to that.
void PipeSurvey::drop_if_empty(std::uint32_t number) {
  Section& section = sections_[number];
  if (section.count > 0) return;
  with_room_[section.key.coord].erase(number);
  if (with_room_[section.key.coord].empty()) with_room_.erase(section.key.coord);
  parts_[section.key.coord].erase(section.key.part);
  if (parts_[section.key.coord].empty()) parts_.erase(section.key.coord);
  section = {};
  free_.push_back(number);
}

void PipeSurvey::touch(std::uint32_t section) {
  if (sections_[section].touched) return;
  sections_[section].touched = true;
  touched_.push_back(section);
}

void PipeSurvey::touch_ports(const sim::PipeNetwork& pipes) {
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

void PipeSurvey::refresh(const sim::PipeNetwork& pipes, Section& section, PipeStates& changed) {
  section.touched = false;
  for (std::size_t block = 0; block < section.blocks.size(); ++block) {
    std::shared_ptr<const PipeState>& state = section.blocks[block];
    read_values(pipes, section, block, values_);
    if (values_ == state->values) continue;
    state = std::make_shared<const PipeState>(PipeState{state->plan, values_});
    const auto part = section.key.part | static_cast<std::uint32_t>(block) << 16;
    changed[{section.key.coord, part}] = state;
  }
}

}  // namespace sluice::net
