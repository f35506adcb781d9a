// Pipe networks: nodes (pipes, tanks, pumps, valves) that hold fluid, links that pass it on, and
// ports to the grid. pipes.md says what they do and why; here is who does it:
//
//   network.cpp   building and taking down, and what others may look at
//   arrange.cpp   the order in memory, islands, sleep
//   tick.cpp      a tick: ports, pumps, flows, levelling, sleep
//   flow.cpp      flows over links, each from the state before the tick
//   limit.cpp     nodes of which more is wished than they hold, or have room for
//   conduit.cpp   full pipes that pass on what they get: pressure lines and siphons
//   pump.cpp, port.cpp
//   level.cpp     a network that has come to stand is levelled exactly
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
  kOutside = 3,  // its cell lies outside the world
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
  std::int64_t flow = 0;  // units of the last tick, from -> to; large ones rounded to 10 bits
};

struct Port {
  PortKind kind = PortKind::kOpen;
  std::int32_t rate = 0;   // units a tick
  std::int32_t moved = 0;  // in the last tick: into the node positive, into the cell negative
  PortState state = PortState::kIdle;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("kind", self.kind);
    v.field("rate", self.rate);
    v.field("moved", self.moved);
    v.field("state", self.state);
  }
};

/// The cells that ports reach: what a network needs of the grid.
class PortCells {
 public:
  virtual ~PortCells() = default;
  /// kOutside beyond the world.
  [[nodiscard]] virtual Cell cell(Vec3 at) const = 0;
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

  PipesAdvance tick(std::uint64_t tick_number, bool sleep, PortCells& cells, Executor& executor);

  // Looking. Slots from 0 to slot_limit() - 1, of which some are not used.

  [[nodiscard]] bool empty() const { return node_count_ == 0; }
  [[nodiscard]] std::int64_t node_count() const { return node_count_; }
  [[nodiscard]] std::int64_t link_count() const { return link_count_; }
  [[nodiscard]] Slot slot_limit() const { return static_cast<Slot>(nodes_.size()); }
  [[nodiscard]] bool used(Slot slot) const { return nodes_[slot].is(kFlagUsed); }
  [[nodiscard]] NodeView node(Slot slot) const;
  [[nodiscard]] std::optional<Slot> find(std::string_view name) const;
  /// f(LinkView), in no order that means anything.
  template <class F>
  void for_each_link(F&& f) const {
    for (const Link& link : links_) {
      if (link.used()) f(LinkView{link.a, link.b(), link.one_way(), unpack_flow(link.flow)});
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
  /// Bytes in memory, names included or not.
  [[nodiscard]] std::size_t bytes(bool with_names) const;

  [[nodiscard]] PipesImage image() const;
  [[nodiscard]] Status load(const PipesImage& image);

 private:
  static constexpr Slot kBlockNodes = 256;

  friend class PipeTick;

  std::vector<Node> nodes_;
  std::vector<Link> links_;
};

}  // namespace sluice::sim
