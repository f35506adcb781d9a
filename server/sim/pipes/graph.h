// The graph of all pipe networks of a world: what is built and what it holds. Nodes, links, ports,
// names, fluids; building and taking down; digest. It knows nothing of ticks (step.h), nor of what
// saves work (layout.h).
//
//   graph.cpp        nodes, valves, pumps, ports
//   graph_links.cpp  links, and which fluid two sides agree on
//   components.cpp   what hangs together
//   digest.cpp       digests, checks, memory
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/pipes.h"
#include "protocol/base/result.h"
#include "server/sim/digest.h"
#include "server/sim/pipes/commands.h"
#include "server/sim/pipes/fluids.h"
#include "server/sim/pipes/names.h"
#include "server/sim/pipes/node.h"
#include "server/sim/pipes/types.h"

namespace sluice::sim {

struct Port {
  PortKind kind = PortKind::kOpen;
  std::int32_t rate = 0;  // units a tick
  /// Ticks in which its rate came to something and others took what there was, since it last moved
  /// anything: who waited longest has the first turn.
  std::int32_t waited = 0;

  // Of the last tick; shown, and part of no digest.
  std::int32_t moved = 0;  // into the node positive, into the cell negative
  PortState state = PortState::kIdle;

  // The layout's: whether it is taken in this tick, and where it is listed.
  bool due = false;
  bool listed = false;
  Vec3 region;
};

/// What a world holds of pipes at the most. Tests set less.
struct PipeLimits {
  std::int64_t nodes = kMaxPipes;
  std::int64_t links = kMaxPipeLinks;
  std::int64_t ports = kMaxPorts;
  std::int64_t fluids = kMaxFluids;  // water among them
};

/// A *component*: all nodes that hang together by links, whether these are open, closed or one-way.
/// Nothing of one has any influence on another, and all of it belongs to one fluid.
struct Component {
  std::int64_t units = 0;    // that it holds
  std::uint64_t weight = 0;  // sum of its names' weights
  std::uint32_t nodes = 0;   // 0: the number is free
  std::uint32_t links = 0;
  std::uint32_t ports = 0;
  Slot member = kNoSlot;  // any of its nodes
  Fluid fluid = kWaterFluid;
  /// Links were taken away since settle_components(): it may be several by now.
  bool pending = false;
  /// And a part of it went to another component meanwhile.
  bool scattered = false;

  [[nodiscard]] std::int64_t size() const { return std::int64_t{nodes} + links; }
  /// Its fluid is not free to become another.
  [[nodiscard]] bool claimed() const { return units > 0 || ports > 0; }
};

class PipeGraph {
 public:
  using PortKey = std::pair<Slot, Vec3>;
  using Ports = std::map<PortKey, Port>;

  // Looking. Slots from 0 to node_limit() - 1, of which some are not used.

  [[nodiscard]] std::int64_t node_count() const { return node_count_; }
  [[nodiscard]] std::int64_t link_count() const { return link_count_; }
  [[nodiscard]] Slot node_limit() const { return static_cast<Slot>(nodes_.size()); }
  [[nodiscard]] Slot link_limit() const { return static_cast<Slot>(links_.size()); }
  /// Of the node that is made next.
  [[nodiscard]] Slot next_node() const {
    return free_nodes_.empty() ? node_limit() : free_nodes_.back();
  }
  [[nodiscard]] bool used(Slot node) const { return nodes_[node].is(kFlagUsed); }
  [[nodiscard]] const Node& node(Slot slot) const { return nodes_[slot]; }
  [[nodiscard]] const Link& link(Slot slot) const { return links_[slot]; }
  [[nodiscard]] const PipeTypeRow& type(Slot node) const { return types_[nodes_[node].type()]; }
  [[nodiscard]] const PipeTypeRow* types() const { return types_.data(); }
  [[nodiscard]] Level level(Slot node) const { return level_of(nodes_[node], type(node)); }
  [[nodiscard]] std::int32_t room(Slot node) const {
    return static_cast<std::int32_t>(type(node).capacity) - nodes_[node].amount;
  }
  [[nodiscard]] bool full(Slot node) const { return room(node) == 0; }
  [[nodiscard]] bool empty(Slot node) const { return nodes_[node].amount == 0; }
  [[nodiscard]] std::uint32_t degree(Slot node) const { return ends_[node].degree; }
  [[nodiscard]] Slot first_link(Slot node) const { return ends_[node].first_link; }
  /// The link after `link` in the list of `node`.
  [[nodiscard]] Slot next_link(Slot link, Slot node) const {
    return links_[link].a == node ? places_of_links_[link].next_a : places_of_links_[link].next_b;
  }
  /// f(Slot link) for each link of a node; f may take that link away.
  template <class F>
  void for_links_of(Slot node, F&& f) const {
    for (Slot i = first_link(node); i != kNoSlot;) {
      const Slot next = next_link(i, node);
      f(i);
      i = next;
    }
  }
  [[nodiscard]] Vec3 place(Slot node) const { return places_.empty() ? kNowhere : places_[node]; }
  [[nodiscard]] std::string_view name(Slot node) const { return names_.name(node); }
  [[nodiscard]] const std::uint64_t* weights() const { return names_.weights(); }
  /// kNoSlot where there is none.
  [[nodiscard]] Slot find(std::string_view name) const { return names_.find(name); }
  [[nodiscard]] Slot link_between(Slot a, Slot b) const;
  [[nodiscard]] std::int32_t pump_rate(Slot node) const;
  [[nodiscard]] const std::map<Slot, std::int32_t>& pump_rates() const { return pump_rates_; }
  [[nodiscard]] const Ports& ports() const { return ports_; }
  [[nodiscard]] Ports& ports() { return ports_; }
  [[nodiscard]] std::int64_t units() const { return units_; }
  [[nodiscard]] const PipeLimits& limits() const { return limits_; }
  void set_limits(const PipeLimits& limits) { limits_ = limits; }

  // Components, by number.

  [[nodiscard]] std::uint32_t component_limit() const {
    return static_cast<std::uint32_t>(components_.size());
  }
  [[nodiscard]] std::uint32_t component_of(Slot node) const { return ends_[node].component; }
  [[nodiscard]] const Component& component(std::uint32_t number) const {
    return components_[number];
  }
  [[nodiscard]] const Component& component_at(Slot node) const {
    return components_[component_of(node)];
  }
  [[nodiscard]] const std::string& fluid_name(Slot node) const {
    return fluids_.name(component_at(node).fluid);
  }
  [[nodiscard]] bool is_water(Slot node) const { return component_at(node).fluid == kWaterFluid; }
  /// Finds out which components fell apart. Returns the nodes that left one for
  /// another since the last call, where not all of it went with them.
  std::vector<Slot> settle_components();

  // Building. Each returns an empty text, or why nothing was changed; `node` and `link` are what
  // was made or changed.

  [[nodiscard]] Status add(const PipeFields& fields, NodeKind kind, std::int32_t rate, bool open,
                           Slot& node);
  /// Without a base the node keeps the one it has.
  [[nodiscard]] Status upgrade(const UpgradePipe& command, std::optional<std::int32_t> base,
                               Slot& node);
  [[nodiscard]] Status set_valve(std::string_view name, bool open, Slot& node);
  [[nodiscard]] Status set_pump(std::string_view name, std::int32_t rate, Slot& node);
  [[nodiscard]] Status add_port(const AddPort& command, Slot& node);
  [[nodiscard]] Status make_link(std::string_view from, std::string_view to, bool one_way,
                                 Slot& link);
  [[nodiscard]] Status find_node(std::string_view name, Slot& node) const;
  [[nodiscard]] Status find_link(std::string_view from, std::string_view to, Slot& link) const;
  [[nodiscard]] Status find_port(std::string_view name, Vec3 cell, PortKey& port) const;
  void drop_link(Slot link);
  void drop_port(const PortKey& port);
  void set_waited(const PortKey& key, Port& port, std::int32_t ticks);
  /// Without links and ports.
  void drop_node(Slot node);

  // For the layout and the step.

  void set_large(Slot link, bool large) { links_[link].set_large(large); }
  void set_crest(Slot node, bool crest) { nodes_[node].set(kFlagCrest, crest); }
  void change_amount(Slot node, std::int32_t by) {
    nodes_[node].amount += by;
    components_[component_of(node)].units += by;
    units_ += by;
    amounts_digest_ += names_.weight(node) * static_cast<std::uint64_t>(std::int64_t{by});
  }
  /// For many changes at once that stay within components; what they add to the digest is told
  /// afterwards.
  [[nodiscard]] Node* nodes_to_move() { return nodes_.data(); }
  void count_moved(std::uint64_t digest) { amounts_digest_ += digest; }
  /// Node i becomes to_node[i], link i to_link[i]; kNoSlot for what is not used. Returns the new
  /// numbers of the components. None may be pending.
  std::vector<std::uint32_t> move(const std::vector<Slot>& to_node,
                                  const std::vector<Slot>& to_link);

  // Digest and memory.

  /// 0 where there is nothing.
  [[nodiscard]] Digest digest() const;
  /// From scratch: equal to digest() at all times.
  [[nodiscard]] Digest recompute_digest() const;
  /// Asserts what must hold at all times: amounts within their capacities, sums, lists, digests.
  void check() const;
  /// Without names and places, or with them.
  [[nodiscard]] std::size_t bytes(bool with_names) const;
  /// Nodes and links that building has looked at so far.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  /// What a number of nodes have together.
  struct Sum {
    std::int64_t units = 0;
    std::uint64_t weight = 0;
    std::uint64_t ends = 0;  // of links
    std::uint32_t nodes = 0;
    std::uint32_t ports = 0;
  };
  class Searches;

  // graph.cpp
  Slot make_node(std::string_view name);
  void set_type(Slot node, const PipeType& type);
  [[nodiscard]] bool has_port(Slot node) const;

  // graph_links.cpp
  void hook(Slot link, Slot node);
  void unhook(Slot link, Slot node);
  [[nodiscard]] Status join_fluids(Slot a, Slot b);
  void set_fluid(std::uint32_t component, Fluid fluid);

  // components.cpp
  [[nodiscard]] std::uint32_t make_component(Fluid fluid);
  void free_if_empty(std::uint32_t number);
  void merge_components(Slot a, Slot b);
  [[nodiscard]] Sum relabel_from(Slot start, std::uint32_t to);
  void count_in(Slot node, Sum& sum) const;
  void take_out(std::uint32_t component, const Sum& sum);
  void put_in(std::uint32_t component, const Sum& sum);
  void find_member(std::uint32_t component);
  void settle(std::uint32_t component);
  void part(std::uint32_t component, const std::vector<Slot>& nodes);
  std::vector<std::uint32_t> renumber_components();

  // digest.cpp
  [[nodiscard]] Digest build_digest(Slot node) const;
  [[nodiscard]] Digest link_digest(const Link& link) const;
  [[nodiscard]] Digest port_digest(Slot node, Vec3 cell, const Port& port) const;

  std::vector<Node> nodes_;
  std::vector<NodeEnds> ends_;  // beside nodes_
  std::vector<Link> links_;
  std::vector<LinkPlace> places_of_links_;  // beside links_
  std::vector<Slot> free_nodes_;
  std::vector<Slot> free_links_;
  PipeTypes types_;
  PipeNames names_;
  PipeFluids fluids_;
  std::vector<Vec3> places_;  // by slot; empty while no node has a place
  std::map<Slot, std::int32_t> pump_rates_;
  Ports ports_;
  std::int64_t node_count_ = 0;
  std::int64_t link_count_ = 0;
  PipeLimits limits_;

  // Derived.
  std::vector<Component> components_;
  std::vector<std::uint32_t> free_components_;
  std::vector<Slot> parted_;  // for settle_components()
  /// Of pending components: the two ends of each link that went. Each part has one of them.
  std::map<std::uint32_t, std::vector<Slot>> lost_links_;
  std::vector<std::uint32_t> searched_by_;  // by node, all 0 between two searches
  std::vector<Slot> queue_;                 // of one search
  std::int64_t units_ = 0;
  std::uint64_t amounts_digest_ = 0;  // sum of weight * amount
  std::uint64_t build_digest_ = 0;    // sum over nodes, links and ports
  std::uint64_t fluids_digest_ = 0;   // sum of weight * the fluid's share
  std::int64_t work_ = 0;
};

}  // namespace sluice::sim
