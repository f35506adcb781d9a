// Building and taking down.
#include "server/sim/pipes/network.h"

#include <algorithm>

#include "server/sim/assert.h"
#include "server/sim/pipes/conduit.h"

namespace sluice::sim {

namespace {

std::string out_of_range(const char* field, std::int64_t value, std::int64_t low,
                         std::int64_t high) {
  return std::string(field) + " " + std::to_string(value) +
         " is out of range; allowed: " + std::to_string(low) + " to " + std::to_string(high);
}

bool within(std::int64_t value, std::int64_t low, std::int64_t high) {
  return low <= value && value <= high;
}

/// Empty when the numbers of a pipe are possible.
std::string measure_problem(std::int32_t capacity, std::int32_t height, std::int32_t throughput) {
  if (!within(capacity, 1, kMaxPipeCapacity)) {
    return out_of_range("capacity", capacity, 1, kMaxPipeCapacity);
  }
  if (!within(height, 1, kMaxPipeHeight)) return out_of_range("height", height, 1, kMaxPipeHeight);
  if (!within(throughput, 0, INT32_MAX))
    return out_of_range("throughput", throughput, 0, INT32_MAX);
  return {};
}

std::string field_problem(const PipeFields& fields) {
  if (!valid_pipe_name(fields.name)) {
    return "name '" + fields.name + "' is no pipe's name; allowed: 1 to " +
           std::to_string(kMaxPipeNameBytes) + " letters, digits and _ - . : / # @ +";
  }
  if (!valid_pipe_name(fields.fluid)) {
    return "fluid '" + fields.fluid + "' is no fluid's name; allowed: 1 to " +
           std::to_string(kMaxPipeNameBytes) + " letters, digits and _ - . : / # @ +";
  }
  if (std::string p = measure_problem(fields.capacity, fields.height, fields.throughput);
      !p.empty()) {
    return p;
  }
  if (!within(fields.base, -kMaxPipeBase, kMaxPipeBase)) {
    return out_of_range("base", fields.base, -kMaxPipeBase, kMaxPipeBase);
  }
  if (!within(fields.amount, 0, fields.capacity)) {
    return "amount " + std::to_string(fields.amount) + " does not fit a capacity of " +
           std::to_string(fields.capacity);
  }
  return {};
}

}  // namespace

PipeNetwork::PipeNetwork() {
  fluids_.emplace_back("water");
}
PipeNetwork::~PipeNetwork() = default;
PipeNetwork::PipeNetwork(PipeNetwork&&) noexcept = default;
PipeNetwork& PipeNetwork::operator=(PipeNetwork&&) noexcept = default;

std::string PipeNetwork::add(const PipeFields& fields, NodeKind kind, std::int32_t rate,
                             bool open) {
  if (std::string problem = field_problem(fields); !problem.empty()) return problem;
  if (!within(rate, 0, kMaxPipeCapacity)) return out_of_range("rate", rate, 0, kMaxPipeCapacity);
  if (names_.find(fields.name) != kNoSlot) {
    return "there is a pipe, pump or valve '" + fields.name + "' already";
  }
  if (node_count_ >= kMaxPipes) {
    return "a world holds at most " + std::to_string(kMaxPipes) + " pipes";
  }
  const bool new_fluid = std::find(fluids_.begin(), fluids_.end(), fields.fluid) == fluids_.end();
  if (new_fluid && fluids_.size() >= static_cast<std::size_t>(kMaxFluids)) {
    return "a world holds at most " + std::to_string(kMaxFluids) + " fluids";
  }
  const Slot slot = make_node(fields.name);
  Node& node = nodes_[slot];
  node.base = fields.base;
  node.type_and_flags = types_.acquire({kind, fluid_number(fields.fluid), fields.capacity,
                                        fields.height, fields.throughput})
                            << kFlagBits |
                        kFlagUsed | (open ? kFlagOpen : 0U);
  if (kind == NodeKind::kPump) pump_rates_[slot] = rate;
  if (fields.at != kNowhere) {
    if (places_.empty()) places_.resize(nodes_.size(), kNowhere);
    places_[slot] = fields.at;
  }
  build_digest_ += build_digest(slot);
  change_amount(slot, fields.amount);
  edited(slot);
  return {};
}

Slot PipeNetwork::make_node(std::string_view name) {
  if (free_nodes_.empty()) {
    const auto slot = static_cast<Slot>(nodes_.size());
    if (slot % kBlockNodes == 0) {
      blocks_.emplace_back();
      blocks_.back().island = block_of(slot);
      island_awake_.push_back(0);
    }
    nodes_.emplace_back();
    if (!places_.empty()) places_.push_back(kNowhere);
    free_nodes_.push_back(slot);
  }
  const Slot slot = free_nodes_.back();
  free_nodes_.pop_back();
  nodes_[slot] = Node{};
  names_.set(slot, name);
  ++node_count_;
  return slot;
}

Slot PipeNetwork::slot_of(std::string_view name, std::string& problem) const {
  const Slot slot = names_.find(name);
  if (slot == kNoSlot && problem.empty()) {
    problem = "there is no pipe, pump or valve '" + std::string(name) + "'";
  }
  return slot;
}

std::string PipeNetwork::remove(std::string_view name, Vec3& at, std::int32_t& spilled) {
  std::string problem;
  const Slot slot = slot_of(name, problem);
  if (slot == kNoSlot) return problem;
  Node& node = nodes_[slot];
  const bool water = type(slot).fluid == 0;  // other fluids are not the grid's
  at = water ? place(slot) : kNowhere;
  spilled = node.amount;
  while (node.first_link != kNoSlot) drop_link(node.first_link);
  for (auto port = ports_.lower_bound({slot, kNowhere});
       port != ports_.end() && port->first.first == slot; port = ports_.erase(port)) {
    build_digest_ -= port_digest(slot, port->first.second, port->second);
  }
  change_amount(slot, -node.amount);
  build_digest_ -= build_digest(slot);
  edited(slot);
  types_.release(node.type());
  pump_rates_.erase(slot);
  if (!places_.empty()) places_[slot] = kNowhere;
  names_.clear(slot);
  node = Node{};
  free_nodes_.push_back(slot);
  --node_count_;
  return {};
}

std::string PipeNetwork::upgrade(const UpgradePipe& command) {
  std::string problem;
  const Slot slot = slot_of(command.name, problem);
  if (slot == kNoSlot) return problem;
  if (command.throughput < -1) {
    return out_of_range("throughput", command.throughput, -1, INT32_MAX);
  }
  PipeType type = this->type(slot).type();
  if (command.capacity != 0) type.capacity = command.capacity;
  if (command.height != 0) type.height = command.height;
  if (command.throughput != 0) type.throughput = std::max(command.throughput, 0);
  problem = measure_problem(type.capacity, type.height, type.throughput);
  if (!problem.empty()) return problem;
  if (type.capacity < nodes_[slot].amount) {
    return "'" + command.name + "' holds " + std::to_string(nodes_[slot].amount) +
           " units, which a capacity of " + std::to_string(type.capacity) + " does not hold";
  }
  set_type(slot, type);
  return {};
}

void PipeNetwork::set_type(Slot node, const PipeType& type) {
  build_digest_ -= build_digest(node);
  const std::uint32_t before = nodes_[node].type();
  constexpr std::uint32_t kFlags = (1U << kFlagBits) - 1;
  nodes_[node].type_and_flags =
      types_.acquire(type) << kFlagBits | (nodes_[node].type_and_flags & kFlags);
  types_.release(before);
  build_digest_ += build_digest(node);
  edited(node);
}

std::string PipeNetwork::link(std::string_view from, std::string_view to, bool one_way) {
  std::string problem;
  const Slot a = slot_of(from, problem);
  const Slot b = slot_of(to, problem);
  if (!problem.empty()) return problem;
  if (a == b) return "'" + std::string(from) + "' cannot be linked to itself";
  if (link_between(a, b) != kNoSlot) {
    return "'" + std::string(from) + "' and '" + std::string(to) + "' are linked already";
  }
  if (link_count_ >= kMaxPipeLinks) {
    return "a world holds at most " + std::to_string(kMaxPipeLinks) + " links";
  }
  if (problem = join_fluids(a, b); !problem.empty()) return problem;
  const bool pump = type(a).kind == NodeKind::kPump || type(b).kind == NodeKind::kPump;
  make_link(a, b, one_way || pump);
  return {};
}

std::string PipeNetwork::join_fluids(Slot a, Slot b) {
  const Fluid fluid_a = type(a).fluid;
  const Fluid fluid_b = type(b).fluid;
  if (fluid_a == fluid_b) return {};
  // A side takes the other's fluid if it holds nothing, and no port of it asks for water.
  const auto takes = [&](const std::vector<Slot>& side, Fluid fluid) {
    const bool free = std::all_of(side.begin(), side.end(), [&](Slot node) {
      const auto port = ports_.lower_bound({node, kNowhere});
      const bool has_port = port != ports_.end() && port->first.first == node;
      return nodes_[node].amount == 0 && (!has_port || fluid == 0);
    });
    if (!free) return false;
    for (const Slot node : side) {
      PipeType changed = type(node).type();
      changed.fluid = fluid;
      set_type(node, changed);
    }
    return true;
  };
  if (takes(connected_to(b), fluid_a) || takes(connected_to(a), fluid_b)) return {};
  return "'" + names_.name(a) + "' belongs to " + fluids_[fluid_a] + " and '" + names_.name(b) +
         "' to " + fluids_[fluid_b] +
         ": different fluids never mix; empty one side, with all that it is linked to, first";
}

std::vector<Slot> PipeNetwork::connected_to(Slot node) const {
  std::vector<Slot> found = {node};
  std::vector<bool> seen(nodes_.size());
  seen[node] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for_links_of(found[i], [&](Slot link) {
      const Slot other = links_[link].other(found[i]);
      if (seen[other]) return;
      seen[other] = true;
      found.push_back(other);
    });
  }
  return found;
}

Fluid PipeNetwork::fluid_number(std::string_view name) {
  const auto number =
      static_cast<std::size_t>(std::find(fluids_.begin(), fluids_.end(), name) - fluids_.begin());
  if (number == fluids_.size()) fluids_.emplace_back(name);
  return static_cast<Fluid>(number);
}

std::string PipeNetwork::unlink(std::string_view from, std::string_view to) {
  std::string problem;
  const Slot a = slot_of(from, problem);
  const Slot b = slot_of(to, problem);
  if (!problem.empty()) return problem;
  const Slot found = link_between(a, b);
  if (found == kNoSlot) {
    return "'" + std::string(from) + "' and '" + std::string(to) + "' are not linked";
  }
  drop_link(found);
  return {};
}

std::string PipeNetwork::set_valve(std::string_view name, bool open) {
  std::string problem;
  const Slot slot = slot_of(name, problem);
  if (slot == kNoSlot) return problem;
  if (type(slot).kind != NodeKind::kValve) return "'" + std::string(name) + "' is no valve";
  build_digest_ -= build_digest(slot);
  nodes_[slot].set(kFlagOpen, open);
  build_digest_ += build_digest(slot);
  edited(slot);
  return {};
}

std::string PipeNetwork::set_pump(std::string_view name, std::int32_t rate) {
  std::string problem;
  const Slot slot = slot_of(name, problem);
  if (slot == kNoSlot) return problem;
  if (type(slot).kind != NodeKind::kPump) return "'" + std::string(name) + "' is no pump";
  if (!within(rate, 0, kMaxPipeCapacity)) return out_of_range("rate", rate, 0, kMaxPipeCapacity);
  build_digest_ -= build_digest(slot);
  pump_rates_[slot] = rate;
  build_digest_ += build_digest(slot);
  edited(slot);
  return {};
}

std::string PipeNetwork::add_port(const AddPort& command) {
  std::string problem;
  const Slot slot = slot_of(command.node, problem);
  if (slot == kNoSlot) return problem;
  if (!within(command.rate, 1, kMaxPourUnits)) {
    return out_of_range("rate", command.rate, 1, kMaxPourUnits);
  }
  if (command.cell == kNowhere) return "a port needs a cell";
  if (ports_.contains({slot, command.cell})) {
    return "'" + command.node + "' has a port at " + to_string(command.cell) + " already";
  }
  if (ports_.size() >= static_cast<std::size_t>(kMaxPorts)) {
    return "a world holds at most " + std::to_string(kMaxPorts) + " ports";
  }
  if (type(slot).fluid != 0) {
    return "'" + command.node + "' belongs to " + fluids_[type(slot).fluid] +
           ", but the grid holds water";
  }
  Port port;
  port.kind = command.kind;
  port.rate = command.rate;
  ports_[{slot, command.cell}] = port;
  build_digest_ += port_digest(slot, command.cell, port);
  edited(slot);
  return {};
}

std::string PipeNetwork::remove_port(std::string_view node, Vec3 cell) {
  std::string problem;
  const Slot slot = slot_of(node, problem);
  if (slot == kNoSlot) return problem;
  const auto port = ports_.find({slot, cell});
  if (port == ports_.end()) {
    return "'" + std::string(node) + "' has no port at " + to_string(cell);
  }
  build_digest_ -= port_digest(slot, cell, port->second);
  ports_.erase(port);
  edited(slot);
  return {};
}

// Bounds for the time being: what touches links may touch them all.
std::int64_t PipeNetwork::cost_of(const PipeFields& /*added*/) const {
  return 1;
}
std::int64_t PipeNetwork::cost_of(const RemovePipe& /*command*/) const {
  return everything();
}
std::int64_t PipeNetwork::cost_of(const UpgradePipe& /*command*/) const {
  return everything();
}
std::int64_t PipeNetwork::cost_of(const LinkPipes& /*command*/) const {
  return everything();
}
std::int64_t PipeNetwork::cost_of(const UnlinkPipes& /*command*/) const {
  return everything();
}
std::int64_t PipeNetwork::cost_of(const SetValve& /*command*/) const {
  return everything();
}
std::int64_t PipeNetwork::cost_of(const SetPump& /*command*/) const {
  return 1;
}
std::int64_t PipeNetwork::cost_of(const AddPort& /*command*/) const {
  return 1;
}
std::int64_t PipeNetwork::cost_of(const RemovePort& /*command*/) const {
  return 1;
}

Slot PipeNetwork::link_between(Slot a, Slot b) const {
  // Both lists in step, so that a leaf of a large star is found by its own short one.
  Slot i = nodes_[a].first_link;
  Slot j = nodes_[b].first_link;
  while (i != kNoSlot && j != kNoSlot) {
    if (links_[i].other(a) == b) return i;
    if (links_[j].other(b) == a) return j;
    i = links_[i].next(a);
    j = links_[j].next(b);
  }
  return kNoSlot;
}

Slot PipeNetwork::make_link(Slot from, Slot to, bool one_way) {
  std::vector<Slot>& own = blocks_[block_of(from)].free_links;
  std::vector<Slot>& free = own.empty() ? free_links_ : own;
  const bool extra = own.empty();
  if (free.empty()) {
    free.push_back(static_cast<Slot>(links_.size()));
    links_.emplace_back();
    conductances_.emplace_back();
  }
  const Slot slot = free.back();
  free.pop_back();
  Link& link = links_[slot];
  link = Link{};
  link.a = from;
  link.b_and_flags = to << 1 | (one_way ? Link::kOneWay : 0);
  conductances_[slot] = 0;
  link.next_a = nodes_[from].first_link;
  nodes_[from].first_link = slot;
  link.next_b = nodes_[to].first_link;
  nodes_[to].first_link = slot;
  if (extra) blocks_[block_of(from)].extra_links.push_back(slot);
  register_link(slot);
  ++link_count_;
  build_digest_ += link_digest(link);
  edited(from);
  edited(to);
  return slot;
}

void PipeNetwork::drop_link(Slot slot) {
  Link& link = links_[slot];
  edited(link.a);
  edited(link.b());
  build_digest_ -= link_digest(link);
  unregister_link(slot);
  unhook(slot, link.a);
  unhook(slot, link.b());
  Block& block = blocks_[block_of(link.a)];
  if (slot >= block.first_link && slot < block.end_link) {
    block.free_links.push_back(slot);
  } else {
    block.extra_links.erase(std::find(block.extra_links.begin(), block.extra_links.end(), slot));
    free_links_.push_back(slot);
  }
  link = Link{};
  --link_count_;
}

void PipeNetwork::unhook(Slot slot, Slot node) {
  const Slot next = links_[slot].next(node);
  Slot* before = &nodes_[node].first_link;
  while (*before != slot) {
    Link& link = links_[*before];
    before = link.a == node ? &link.next_a : &link.next_b;
  }
  *before = next;
}

void PipeNetwork::edited(Slot node) {
  edited_.push_back(node);
  wake(node);
  ++version_;
  ++edits_;
}

void PipeNetwork::change_amount(Slot node, std::int32_t by) {
  nodes_[node].amount += by;
  units_ += by;
  amounts_digest_ += names_.weight(node) * static_cast<std::uint64_t>(std::int64_t{by});
}

Vec3 PipeNetwork::place(Slot node) const {
  return places_.empty() ? kNowhere : places_[node];
}

}  // namespace sluice::sim
