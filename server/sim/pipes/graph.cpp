// Nodes, valves, pumps and ports: building and taking down.
#include "server/sim/pipes/graph.h"

#include <algorithm>

#include "protocol/base/assert.h"
#include "server/sim/grow_ahead.h"
#include "server/sim/range.h"

namespace sluice::sim {

namespace {

Error at_most(std::int64_t most, const char* what) {
  return Error{"a world holds at most " + std::to_string(most) + " " + what};
}

Status check_measure(std::int32_t capacity, std::int32_t height, std::int32_t throughput) {
  if (Status s = check_range("capacity", capacity, 1, kMaxPipeCapacity); !s) return s;
  if (Status s = check_range("height", height, 1, kMaxPipeHeight); !s) return s;
  if (Status s = check_range("throughput", throughput, 0, INT32_MAX); !s) return s;
  return Done{};
}

Status check_name(const char* field, const std::string& name, const char* whose) {
  if (valid_pipe_name(name)) return Done{};
  return Error{std::string(field) + " " + quoted_pipe_name(name) + " is no " + whose +
               " name; allowed: 1 to " + std::to_string(kMaxPipeNameBytes) +
               " letters, digits and _ - . : / # @ +"};
}

Status check_base(std::int32_t base) {
  return check_range("base", base, -kMaxPipeBase, kMaxPipeBase);
}

Status check_field(const PipeFields& fields) {
  if (Status s = check_name("name", fields.name, "pipe's"); !s) return s;
  if (Status s = check_name("fluid", fields.fluid, "fluid's"); !s) return s;
  if (Status s = check_measure(fields.capacity, fields.height, fields.throughput); !s) return s;
  if (Status s = check_base(fields.base); !s) return s;
  if (fields.amount < 0 || fields.amount > fields.capacity) {
    return Error{"amount " + std::to_string(fields.amount) + " does not fit a capacity of " +
                 std::to_string(fields.capacity)};
  }
  return Done{};
}

}  // namespace

Status PipeGraph::find_node(std::string_view name, Slot& node) const {
  node = names_.find(name);
  if (node != kNoSlot) return Done{};
  return Error{"there is no pipe, pump or valve " + quoted_pipe_name(name)};
}

Status PipeGraph::add(const PipeFields& fields, NodeKind kind, std::int32_t rate, bool open,
                      Slot& node) {
  if (Status s = check_field(fields); !s) return s;
  if (Status s = check_range("rate", rate, 0, kMaxPipeCapacity); !s) return s;
  if (names_.find(fields.name) != kNoSlot) {
    return Error{"there is a pipe, pump or valve '" + fields.name + "' already"};
  }
  if (node_count_ >= limits_.nodes) return at_most(limits_.nodes, "pipes");
  if (!fluids_.known(fields.fluid) && fluids_.count() >= limits_.fluids) {
    return at_most(limits_.fluids, "fluids");
  }
  node = make_node(fields.name);
  nodes_[node].base = fields.base;
  nodes_[node].type_and_flags =
      types_.acquire({kind, fields.capacity, fields.height, fields.throughput}) << kFlagBits |
      kFlagUsed | (open ? kFlagOpen : 0U);
  if (kind == NodeKind::kPump) pump_rates_[node] = rate;
  if (fields.at != kNowhere) {
    if (places_.empty()) {
      grow_ahead(places_, nodes_.size(), kMaxPipes);
      places_.resize(nodes_.size(), kNowhere);
    }
    places_[node] = fields.at;
  }
  const Fluid fluid = fluids_.acquire(fields.fluid);
  const std::uint32_t component = make_component(fluid);
  fluids_.release(fluid);  // the component holds it now
  ends_[node].component = component;
  components_[component].member = node;
  components_[component].nodes = 1;
  components_[component].weight = names_.weight(node);
  fluids_digest_ += names_.weight(node) * fluids_.share(fluid);
  build_digest_ += build_digest(node);
  change_amount(node, fields.amount);
  return Done{};
}

Slot PipeGraph::make_node(std::string_view name) {
  if (free_nodes_.empty()) {
    free_nodes_.push_back(node_limit());
    const std::size_t count = nodes_.size() + 1;
    grow_ahead(nodes_, count, kMaxPipes);
    grow_ahead(ends_, count, kMaxPipes);
    nodes_.emplace_back();
    ends_.emplace_back();
    if (!places_.empty()) {
      grow_ahead(places_, count, kMaxPipes);
      places_.push_back(kNowhere);
    }
  }
  const Slot slot = free_nodes_.back();
  free_nodes_.pop_back();
  names_.set(slot, name);
  ++node_count_;
  ++work_;
  return slot;
}

void PipeGraph::drop_node(Slot node) {
  SLUICE_ASSERT(ends_[node].degree == 0 && !has_port(node));
  const std::uint32_t component = component_of(node);
  fluids_digest_ -= names_.weight(node) * fluids_.share(components_[component].fluid);
  change_amount(node, -nodes_[node].amount);
  build_digest_ -= build_digest(node);
  Sum sum;
  count_in(node, sum);
  take_out(component, sum);
  types_.release(nodes_[node].type());
  pump_rates_.erase(node);
  if (!places_.empty()) places_[node] = kNowhere;
  names_.clear(node);
  nodes_[node] = {};
  ends_[node] = {};
  grow_ahead(free_nodes_, free_nodes_.size() + 1, kMaxPipes);
  free_nodes_.push_back(node);
  --node_count_;
  if (components_[component].member == node) find_member(component);
  free_if_empty(component);
}

Status PipeGraph::upgrade(const UpgradePipe& command, std::optional<std::int32_t> base,
                          Slot& node) {
  if (Status s = find_node(command.name, node); !s) return s;
  if (Status s = check_range("throughput", command.throughput, -1, INT32_MAX); !s) return s;
  if (Status s = check_base(base.value_or(0)); !s) return s;
  PipeType type = this->type(node).type();
  if (command.capacity != 0) type.capacity = command.capacity;
  if (command.height != 0) type.height = command.height;
  if (command.throughput != 0) type.throughput = std::max(command.throughput, 0);
  if (Status s = check_measure(type.capacity, type.height, type.throughput); !s) return s;
  if (type.capacity < nodes_[node].amount) {
    return Error{"'" + command.name + "' holds " + std::to_string(nodes_[node].amount) +
                 " units, which a capacity of " + std::to_string(type.capacity) + " does not hold"};
  }
  build_digest_ -= build_digest(node);
  set_type(node, type);
  if (base) nodes_[node].base = *base;
  build_digest_ += build_digest(node);
  return Done{};
}

void PipeGraph::set_type(Slot node, const PipeType& type) {
  const std::uint32_t before = nodes_[node].type();
  constexpr std::uint32_t kFlags = (1U << kFlagBits) - 1;
  nodes_[node].type_and_flags =
      types_.acquire(type) << kFlagBits | (nodes_[node].type_and_flags & kFlags);
  types_.release(before);
}

Status PipeGraph::set_valve(std::string_view name, bool open, Slot& node) {
  if (Status s = find_node(name, node); !s) return s;
  if (type(node).kind != NodeKind::kValve) return Error{"'" + std::string(name) + "' is no valve"};
  build_digest_ -= build_digest(node);
  nodes_[node].set(kFlagOpen, open);
  build_digest_ += build_digest(node);
  return Done{};
}

Status PipeGraph::set_pump(std::string_view name, std::int32_t rate, Slot& node) {
  if (Status s = find_node(name, node); !s) return s;
  if (type(node).kind != NodeKind::kPump) return Error{"'" + std::string(name) + "' is no pump"};
  if (Status s = check_range("rate", rate, 0, kMaxPipeCapacity); !s) return s;
  build_digest_ -= build_digest(node);
  pump_rates_[node] = rate;
  build_digest_ += build_digest(node);
  return Done{};
}

std::int32_t PipeGraph::pump_rate(Slot node) const {
  const auto rate = pump_rates_.find(node);
  return rate == pump_rates_.end() ? 0 : rate->second;
}

bool PipeGraph::has_port(Slot node) const {
  const auto port = ports_.lower_bound({node, kNowhere});
  return port != ports_.end() && port->first.first == node;
}

Status PipeGraph::add_port(const AddPort& command, Slot& node) {
  if (Status s = find_node(command.node, node); !s) return s;
  if (Status s = check_range("rate", command.rate, 1, kMaxPourUnits); !s) return s;
  if (command.cell == kNowhere) return Error{"a port needs a cell"};
  if (ports_.contains({node, command.cell})) {
    return Error{"'" + command.node + "' has a port at " + to_string(command.cell) + " already"};
  }
  if (static_cast<std::int64_t>(ports_.size()) >= limits_.ports) {
    return at_most(limits_.ports, "ports");
  }
  if (!is_water(node)) {
    return Error{"'" + command.node + "' belongs to " + fluid_name(node) +
                 ", but the grid holds water"};
  }
  Port port;
  port.kind = command.kind;
  port.rate = command.rate;
  ports_[{node, command.cell}] = port;
  ++components_[component_of(node)].ports;
  build_digest_ += port_digest(node, command.cell, port);
  return Done{};
}

Status PipeGraph::find_port(std::string_view name, Vec3 cell, PortKey& port) const {
  Slot node = kNoSlot;
  if (Status s = find_node(name, node); !s) return s;
  port = {node, cell};
  if (ports_.contains(port)) return Done{};
  return Error{"'" + std::string(name) + "' has no port at " + to_string(cell)};
}

void PipeGraph::drop_port(const PortKey& port) {
  const auto found = ports_.find(port);
  build_digest_ -= port_digest(port.first, port.second, found->second);
  ports_.erase(found);
  --components_[component_of(port.first)].ports;
}

void PipeGraph::set_waited(const PortKey& key, Port& port, std::int32_t ticks) {
  if (port.waited == ticks) return;
  build_digest_ -= port_digest(key.first, key.second, port);
  port.waited = ticks;
  build_digest_ += port_digest(key.first, key.second, port);
}

std::vector<std::uint32_t> PipeGraph::move(const std::vector<Slot>& to_node,
                                           const std::vector<Slot>& to_link) {
  const auto count = static_cast<std::size_t>(node_count_);
  const auto moved = [&](Slot link) { return link == kNoSlot ? kNoSlot : to_link[link]; };
  std::vector<Node> nodes(count);
  std::vector<NodeEnds> ends(count);
  std::vector<Vec3> places(places_.empty() ? 0 : count, kNowhere);
  for (Slot slot = 0; slot < node_limit(); ++slot) {
    if (!used(slot)) continue;
    nodes[to_node[slot]] = nodes_[slot];
    ends[to_node[slot]] = ends_[slot];
    ends[to_node[slot]].first_link = moved(ends_[slot].first_link);
    if (!places_.empty()) places[to_node[slot]] = places_[slot];
  }
  std::vector<Link> links(static_cast<std::size_t>(link_count_));
  std::vector<LinkPlace> places_of_links(links.size());
  for (Slot slot = 0; slot < link_limit(); ++slot) {
    if (!links_[slot].used()) continue;
    Link& link = links[to_link[slot]];
    link = links_[slot];
    link.a = to_node[links_[slot].a];
    link.set_b(to_node[links_[slot].b()]);
    const LinkPlace& place = places_of_links_[slot];
    places_of_links[to_link[slot]] = {moved(place.next_a), moved(place.next_b),
                                      moved(place.previous_a), moved(place.previous_b)};
  }
  nodes_ = std::move(nodes);
  ends_ = std::move(ends);
  places_ = std::move(places);
  links_ = std::move(links);
  places_of_links_ = std::move(places_of_links);
  for (std::vector<Slot>* free : {&free_nodes_, &free_links_}) std::vector<Slot>().swap(*free);
  std::map<Slot, std::int32_t> rates;
  for (const auto& [slot, rate] : pump_rates_) rates[to_node[slot]] = rate;
  pump_rates_ = std::move(rates);
  Ports ports;
  for (const auto& [key, port] : ports_) ports[{to_node[key.first], key.second}] = port;
  ports_ = std::move(ports);
  names_.move(to_node, count);
  for (Component& component : components_) {
    if (component.nodes > 0) component.member = to_node[component.member];
  }
  searched_by_ = {};
  queue_ = {};
  return renumber_components();
}

}  // namespace sluice::sim
