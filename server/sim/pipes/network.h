// Pipe networks: nodes (pipes, tanks, pumps, valves) that hold fluid, links that pass it on, and
// ports to the grid. pipes.md says what they do and why; here is who does it:
//
//   network.cpp   building and taking down
//   view.cpp      what others may look at
//   arrange.cpp   the order in memory, islands, sleep
//   tick.cpp      a tick: ports, pumps, flows, levelling, sleep
//   flow.cpp      flows over links, each from the state before the tick
//   limit.cpp     nodes of which more is wished than they hold, or have room for
//   conduit.cpp   full pipes that pass on what they get: pressure lines and siphons
//   pump.cpp, port.cpp
//   stand.cpp     what has come to stand: sleep, falls over sills and check valves
//   level.cpp     bodies that stand are levelled exactly, by body.h's arithmetic
//   image.h       the canonical form, for snapshots, digests and comparison
//
// No result depends on slots, names or the order in which things were built.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/sim/cell.h"
#include "server/sim/digest.h"
#include "server/sim/executor.h"
#include "server/sim/pipes/commands.h"
#include "server/sim/pipes/names.h"
#include "server/sim/pipes/node.h"
#include "server/sim/pipes/types.h"
#include "server/sim/result.h"

namespace sluice::sim {

struct PipesImage;

/// What a port did in the last tick.
enum class PortState : std::uint8_t {
  kIdle = 0,     // nothing to move: no water or fluid, no room, equal levels
  kRunning = 1,  // moved something
  kBlocked = 2,  // its cell is rock
  kBeyond = 3,   // its cell lies outside the world
};
[[nodiscard]] std::string_view port_state_name(PortState state);
[[nodiscard]] std::string_view node_kind_name(NodeKind kind);

/// A node to look at. Texts stay valid until the network is changed.
struct NodeView {
  std::string_view name;
  std::string_view fluid;
  NodeKind kind = NodeKind::kPipe;
  bool open = true;             // a valve that is not closed, and everything else
  std::int32_t capacity = 0;    // units
  std::int32_t height = 0;      // level units
  std::int32_t base = 0;        // level units
  std::int32_t throughput = 0;  // units a tick; 0: no limit
  std::int32_t rate = 0;        // of a pump, units a tick
  Vec3 at = kNowhere;
  std::int32_t amount = 0;       // units
  std::int64_t level_units = 0;  // base + amount * height / capacity, rounded down
  std::int64_t inflow = 0;       // units of the last tick, over links, pumps and ports
  std::int64_t outflow = 0;
};

struct LinkView {
  Slot from = kNoSlot;
  Slot to = kNoSlot;
  bool one_way = false;
  std::int32_t flow = 0;  // units of the last tick, from -> to
};

/// What it moved and did is shown, and part of no digest.
struct Port {
  PortKind kind = PortKind::kOpen;
  std::int32_t rate = 0;   // units a tick
  std::int32_t moved = 0;  // in the last tick: into the node positive, into the cell negative
  PortState state = PortState::kIdle;
};

/// The cells that ports reach: what a network needs of the grid.
class PortCells {
 public:
  virtual ~PortCells() = default;
  /// kOutside beyond the world.
  [[nodiscard]] virtual Cell cell(Vec3 at) const = 0;
  /// What the cells hold at the most, and in which parts.
  [[nodiscard]] virtual WaterMeasure measure() const { return {}; }
  /// Adds units (takes them when negative) to an open cell that has them, or room for them.
  virtual void add(Vec3 at, std::int32_t units) = 0;
};

/// What one tick moved over the border between pipes and grid.
struct PipesAdvance {
  std::int64_t into_pipes = 0;  // units, less those that left
};

class PipeNetwork {
 public:
  PipeNetwork();
  ~PipeNetwork();
  PipeNetwork(PipeNetwork&&) noexcept;
  PipeNetwork& operator=(PipeNetwork&&) noexcept;

  // Building. Each returns an empty text, or why nothing was changed. Amounts that come or go are
  // the caller's to count.

  std::string add(const PipeFields& fields, NodeKind kind, std::int32_t rate, bool open);
  /// `spilled` is what the node held.
  std::string remove(std::string_view name, Vec3& at, std::int32_t& spilled);
  std::string upgrade(const UpgradePipe& command);
  std::string link(std::string_view from, std::string_view to, bool one_way);
  std::string unlink(std::string_view from, std::string_view to);
  std::string set_valve(std::string_view name, bool open);
  std::string set_pump(std::string_view name, std::int32_t rate);
  std::string add_port(const AddPort& command);
  std::string remove_port(std::string_view node, Vec3 cell);
  /// Lays the network out in memory along its links. Never changes a result; called when much was
  /// built at once.
  void arrange();
  /// For the end of a tick's commands: arranges when they built much of the network.
  void arrange_if_rebuilt();

  // What a command costs: nodes and links that it may touch, at the most. Known at once, without a
  // walk, and a function of the networks and of the tick's commands so far, so that every replay
  // counts the same. 1 for a command that will be refused.

  [[nodiscard]] std::int64_t cost_of(const PipeFields& added) const;  // of any kind
  [[nodiscard]] std::int64_t cost_of(const RemovePipe& command) const;
  [[nodiscard]] std::int64_t cost_of(const UpgradePipe& command) const;
  [[nodiscard]] std::int64_t cost_of(const LinkPipes& command) const;
  [[nodiscard]] std::int64_t cost_of(const UnlinkPipes& command) const;
  [[nodiscard]] std::int64_t cost_of(const SetValve& command) const;
  [[nodiscard]] std::int64_t cost_of(const SetPump& command) const;
  [[nodiscard]] std::int64_t cost_of(const AddPort& command) const;
  [[nodiscard]] std::int64_t cost_of(const RemovePort& command) const;

  PipesAdvance tick(std::uint64_t tick_number, bool sleep, PortCells& cells, Executor& executor);

  // Looking. Slots from 0 to slot_limit() - 1, of which some are not used.

  [[nodiscard]] bool empty() const { return node_count_ == 0; }
  [[nodiscard]] std::int64_t node_count() const { return node_count_; }
  [[nodiscard]] std::int64_t link_count() const { return link_count_; }
  [[nodiscard]] Slot slot_limit() const { return static_cast<Slot>(nodes_.size()); }
  [[nodiscard]] bool used(Slot slot) const { return nodes_[slot].is(kFlagUsed); }
  [[nodiscard]] NodeView node(Slot slot) const;
  [[nodiscard]] std::optional<Slot> find(std::string_view name) const;
  /// What node() says of the amount, at less cost.
  [[nodiscard]] std::int32_t amount(Slot slot) const { return nodes_[slot].amount; }
  /// As slot_limit(), used() and node(), for links.
  [[nodiscard]] Slot link_limit() const { return static_cast<Slot>(links_.size()); }
  [[nodiscard]] bool link_used(Slot slot) const { return links_[slot].used(); }
  [[nodiscard]] LinkView link_at(Slot slot) const {
    const Link& link = links_[slot];
    return {link.a, link.b(), link.one_way(), link.flow};
  }
  /// f(LinkView), in no order that means anything.
  template <class F>
  void for_each_link(F&& f) const {
    for (Slot slot = 0; slot < link_limit(); ++slot) {
      if (link_used(slot)) f(link_at(slot));
    }
  }
  /// f(Slot node, Vec3 cell, const Port&), in an order that depends on slots.
  template <class F>
  void for_each_port(F&& f) const {
    for (const auto& [key, port] : ports_) f(key.first, key.second, port);
  }
  /// f(Slot) for every node whose amount or flow may have changed in the last tick.
  template <class F>
  void for_each_active(F&& f) const {
    for (const std::uint32_t block : shown_blocks_) {
      const Slot end = std::min<Slot>((block + 1) * kBlockNodes, slot_limit());
      for (Slot slot = block * kBlockNodes; slot < end; ++slot) {
        if (used(slot)) f(slot);
      }
    }
  }
  /// Grows with every change but amounts and flows: nodes, links, ports, valves, measures, slots.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  [[nodiscard]] std::int64_t units() const { return units_; }
  /// Nothing will move in the next tick.
  [[nodiscard]] bool at_rest() const { return awake_islands_ == 0 && !ports_moved_; }
  /// 0 for an empty network.
  [[nodiscard]] Digest digest() const;
  /// From scratch: equal to digest() at all times.
  [[nodiscard]] Digest recompute_digest() const;
  /// Asserts what must hold at all times: amounts within their capacities, sums, lists, digests.
  void check() const;
  /// Bytes in memory, names included or not.
  [[nodiscard]] std::size_t bytes(bool with_names) const;

  [[nodiscard]] PipesImage image() const;
  [[nodiscard]] Status load(const PipesImage& image);

 private:
  /// Nodes that lie together, and the links whose first node is among them.
  struct Block {
    Slot first_link = 0;  // links laid out by arrange(): first_link to end_link
    Slot end_link = 0;
    std::vector<Slot> free_links;    // unused ones among them
    std::vector<Slot> extra_links;   // made since
    std::vector<Slot> shared_links;  // links to another block, or of a large degree
    std::uint32_t island = 0;        // a block on the way to the island's first
  };
  /// A parcel of fluid that went over something else than the flow pass, to be shown.
  struct Parcel {
    Slot node = kNoSlot;
    Slot link = kNoSlot;  // by which it came in, if by one
    std::int64_t in = 0;
    std::int64_t out = 0;
  };
  /// Nodes that a tick has to look at once more.
  struct Noticed {
    std::vector<Slot> limited;
    std::vector<Slot> crests;  // full ones
  };
  /// A node of which more is wished than it can do.
  struct Limit {
    Slot node = kNoSlot;
    std::uint64_t wished_out = 0;
    std::uint64_t wished_in = 0;  // after the donors' limits
    std::uint64_t most_out = 0;
    std::uint64_t most_in = 0;
  };
  /// The links of a node over which most energy would be lost.
  struct Best {
    std::int64_t gain = 0;
    std::uint32_t links = 0;  // that gain so much
  };
  struct Fall {
    Slot link = kNoSlot;
    std::int32_t units = 0;  // from a to b
  };
  struct Mouth;  // conduit.h
  struct Conduit;

  static constexpr Slot kBlockNodes = 2048;
  static std::uint32_t block_of(Slot node) { return node / kBlockNodes; }
  [[nodiscard]] const PipeTypeRow& type(Slot node) const { return types_[nodes_[node].type()]; }
  [[nodiscard]] Level level(Slot node) const { return level_of(nodes_[node], type(node)); }
  [[nodiscard]] std::int32_t room(Slot node) const {
    return static_cast<std::int32_t>(type(node).capacity) - nodes_[node].amount;
  }
  [[nodiscard]] bool full(Slot node) const { return room(node) == 0; }
  /// f(Slot link) for each link of a node; the list may change only after f returned.
  template <class F>
  void for_links_of(Slot node, F&& f) const {
    for (Slot i = nodes_[node].first_link; i != kNoSlot;) {
      const Slot next = links_[i].next(node);
      f(i);
      i = next;
    }
  }

  // Building (network.cpp).
  [[nodiscard]] Slot slot_of(std::string_view name, std::string& problem) const;
  Slot make_node(std::string_view name);
  Slot make_link(Slot from, Slot to, bool one_way);
  void drop_link(Slot link);
  void unhook(Slot link, Slot node);
  [[nodiscard]] Slot link_between(Slot a, Slot b) const;
  void set_type(Slot node, const PipeType& type);
  [[nodiscard]] std::string join_fluids(Slot a, Slot b);
  [[nodiscard]] std::vector<Slot> connected_to(Slot node) const;
  Fluid fluid_number(std::string_view name);
  void edited(Slot node);
  void change_amount(Slot node, std::int32_t by);
  [[nodiscard]] std::int64_t everything() const { return 1 + node_count_ + link_count_; }
  [[nodiscard]] Vec3 place(Slot node) const;
  [[nodiscard]] Digest build_digest(Slot node) const;
  [[nodiscard]] Digest link_digest(const Link& link) const;
  [[nodiscard]] Digest port_digest(Slot node, Vec3 cell, const Port& port) const;

  // Order in memory, islands, sleep (arrange.cpp).
  [[nodiscard]] std::vector<Slot> order_along_links() const;
  void order_tree(Slot start, std::size_t from, std::vector<Slot>& order) const;
  void move_nodes(const std::vector<Slot>& to);
  void lay_out_links();
  void register_link(Slot link);
  void unregister_link(Slot link);
  std::uint32_t island_of(std::uint32_t block);
  void wake(Slot node) { wake_island(block_of(node)); }
  void wake_island(std::uint32_t block);
  void collect_awake_blocks(bool all);
  void refresh_edited();
  void refresh_links_of(Slot node, std::map<Slot, std::uint32_t>& degrees);
  [[nodiscard]] bool crest(Slot node) const;

  // A tick, in the order of its parts.
  void run_ports(std::uint64_t tick_number, PortCells& cells);  // port.cpp
  void run_pumps(bool all_awake);                               // pump.cpp
  void wish(Executor& executor);                                // flow.cpp
  void wish_in_block(std::uint32_t block, Noticed& noticed);
  void wish_over(Slot link);
  void notice(Slot slot, Noticed& noticed) const;
  void find_conduits();                               // conduit.cpp
  void limit();                                       // limit.cpp
  void run_conduits();                                // conduit.cpp
  void move(Executor& executor);                      // flow.cpp
  void level_what_stands(std::uint64_t tick_number);  // stand.cpp, level.cpp
  void show_parcels();

  [[nodiscard]] std::int64_t port_wish(Slot node, Vec3 at, Cell water, const Port& port,
                                       WaterMeasure measure) const;
  [[nodiscard]] std::int32_t wish_of(Slot link) const;
  [[nodiscard]] std::int32_t limited_wish(Slot link) const;
  void recount(Slot node);
  [[nodiscard]] const Limit* limit_of(Slot node) const;

  [[nodiscard]] bool usable(Slot link, Slot from) const;
  [[nodiscard]] bool passes_on(Slot node) const;
  [[nodiscard]] bool passes_pressure(Slot node) const;
  void find_siphon(Slot crest);
  void find_pressure(Slot start);
  void measure(Conduit& conduit);
  [[nodiscard]] bool supplies(const Mouth& mouth) const;
  [[nodiscard]] bool receives(const Mouth& mouth) const;
  [[nodiscard]] PackedConductance best_conductance(Slot node) const;
  [[nodiscard]] Level balance(const std::vector<Mouth>& mouths) const;
  void measure_distances(Conduit& conduit);
  void transfer(Conduit& conduit);
  void apply(const Conduit& conduit);
  void show_flow(Slot link, Slot from, std::int64_t flow);

  [[nodiscard]] bool moved_in_last_tick(Slot node) const {
    return nodes_[node].in != 0 || nodes_[node].out != 0;
  }
  [[nodiscard]] std::vector<std::vector<Slot>> standing_bodies() const;
  bool level_body(const std::vector<Slot>& body);
  bool spread_over(const std::vector<Slot>& body, const std::vector<std::int32_t>& amounts);
  bool let_fall(const std::vector<std::uint8_t>& busy);
  [[nodiscard]] std::int64_t fall_gain(Slot link) const;
  [[nodiscard]] std::int32_t fall_units(Slot link, std::uint32_t links_a,
                                        std::uint32_t links_b) const;
  void find_best_falls(const std::vector<Slot>& candidates, std::map<Slot, Best>& best) const;
  [[nodiscard]] bool one_water(Slot link) const;

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<PackedConductance> conductances_;  // beside links_
  std::vector<Slot> free_nodes_;
  std::vector<Slot> free_links_;  // that no block lays claim to
  PipeTypes types_;
  PipeNames names_;
  std::vector<std::string> fluids_;
  std::vector<Vec3> places_;  // by slot; empty while no node has a place
  std::map<Slot, std::int32_t> pump_rates_;
  std::map<std::pair<Slot, Vec3>, Port> ports_;
  std::int64_t node_count_ = 0;
  std::int64_t link_count_ = 0;

  // Derived.
  std::vector<Block> blocks_;
  std::vector<std::uint8_t> island_awake_;  // by the island's first block
  std::int64_t awake_islands_ = 0;
  std::vector<std::uint32_t> awake_blocks_;  // of this tick
  std::vector<std::uint32_t> shown_blocks_;  // of the last tick, for for_each_active()
  std::vector<Slot> edited_;                 // since the last tick
  std::int64_t edits_ = 0;                   // since the last arrange_if_rebuilt()
  std::uint64_t version_ = 0;
  std::int64_t units_ = 0;
  std::uint64_t amounts_digest_ = 0;  // sum of weight * amount
  std::uint64_t build_digest_ = 0;    // sum over nodes, links and ports
  bool ports_moved_ = false;

  std::vector<std::uint8_t> block_moved_;  // in the last tick; of awake blocks

  // Of one tick.
  std::vector<Parcel> parcels_;
  std::vector<Limit> limits_;
  std::vector<Slot> limited_;
  std::vector<Slot> crests_;  // full ones
  std::vector<Conduit> conduits_;
  std::vector<Slot> siphon_ends_;
  std::vector<Slot> recounted_;
};

}  // namespace sluice::sim
