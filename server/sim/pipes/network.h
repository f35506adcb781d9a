// Pipe networks: nodes (pipes, tanks, pumps, valves) that hold fluid, links that pass it on, and
// ports to the grid. pipes.md says what they do and why; here is who does it:
//
//   graph.h    what is built and what it holds: nodes, links, names, editing, digest
//   layout.h   where it lies in memory and what is awake; saves work, never changes a result
//   step.h     what one tick needs, and its parts
//   network.h  the three together: what a world has
//   image.h    the canonical form, for snapshots and comparison
//
// No result depends on slots, names or the order in which things were built.
//
// A copy is a whole network of its own, and as cheap as copying its arrays: it may be made while
// nothing changes the network, and then be read by another thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/digest.h"
#include "server/sim/executor.h"
#include "server/sim/pipes/cells.h"
#include "server/sim/pipes/commands.h"
#include "server/sim/pipes/graph.h"
#include "server/sim/pipes/layout.h"
#include "server/sim/pipes/step.h"

namespace sluice::sim {

struct PipesImage;

/// Of the rules by which pipes move fluid and agree on it, and of their digest; rises with every
/// change of results. Snapshots with pipes bear it.
inline constexpr std::uint16_t kPipesVersion = 3;

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

/// What one tick moved over the border between pipes and grid.
struct PipesAdvance {
  std::int64_t into_pipes = 0;  // units, less those that left
};

class PipeNetwork {
 public:
  /// Nodes in a block (layout.h): a power of two, for tests that want many blocks of few nodes.
  explicit PipeNetwork(Slot block_nodes = PipeLayout::kBlockNodes) : layout_(block_nodes) {}

  // Building. Each returns an empty text, or why nothing was changed. Amounts that come or go are
  // the caller's to count.

  Status add(const PipeFields& fields, NodeKind kind, std::int32_t rate, bool open);
  /// `spilled` is what the node held.
  Status remove(std::string_view name, Vec3& at, std::int32_t& spilled);
  Status upgrade(const UpgradePipe& command, std::optional<std::int32_t> base = {});
  Status link(std::string_view from, std::string_view to, bool one_way);
  Status unlink(std::string_view from, std::string_view to);
  Status set_valve(std::string_view name, bool open);
  Status set_pump(std::string_view name, std::int32_t rate);
  Status add_port(const AddPort& command);
  Status remove_port(std::string_view node, Vec3 cell);
  /// Lays the network out in memory along its links. Never changes a result; called when much was
  /// built at once.
  void arrange();
  /// For the end of a tick's commands: arranges when they built much of the network.
  void arrange_if_rebuilt();
  /// Another size of blocks; never changes a result.
  void set_block_nodes(Slot block_nodes);
  /// For tests.
  void set_limits(const PipeLimits& limits) { graph_.set_limits(limits); }

  // What a command costs (cost.cpp): nodes and links that it may touch, at the most. Known at once,
  // without a walk, and a function of the networks and of the tick's commands so far, so that every
  // replay counts the same. What it wakes costs as much as before it fell asleep, and is not
  // counted. Little for a command that names what is not there.

  [[nodiscard]] std::int64_t cost_of(const PipeFields& added) const;  // of any kind
  [[nodiscard]] std::int64_t cost_of(const RemovePipe& command) const;
  [[nodiscard]] std::int64_t cost_of(const UpgradePipe& command) const;
  [[nodiscard]] std::int64_t cost_of(const UpgradePipeAndBase& command) const;
  [[nodiscard]] std::int64_t cost_of(const LinkPipes& command) const;
  [[nodiscard]] std::int64_t cost_of(const UnlinkPipes& command) const;
  [[nodiscard]] std::int64_t cost_of(const SetValve& command) const;
  [[nodiscard]] std::int64_t cost_of(const SetPump& command) const;
  [[nodiscard]] std::int64_t cost_of(const AddPort& command) const;
  [[nodiscard]] std::int64_t cost_of(const RemovePort& command) const;

  PipesAdvance tick(std::uint64_t tick_number, bool sleep, PortCells& cells, Executor& executor);

  // Looking. Slots from 0 to slot_limit() - 1, of which some are not used.

  [[nodiscard]] bool empty() const { return node_count() == 0; }
  [[nodiscard]] std::int64_t node_count() const { return graph_.node_count(); }
  [[nodiscard]] std::int64_t link_count() const { return graph_.link_count(); }
  [[nodiscard]] std::int64_t port_count() const {
    return static_cast<std::int64_t>(graph_.ports().size());
  }
  [[nodiscard]] Slot slot_limit() const { return graph_.node_limit(); }
  [[nodiscard]] bool used(Slot slot) const { return graph_.used(slot); }
  [[nodiscard]] NodeView node(Slot slot) const;
  [[nodiscard]] std::optional<Slot> find(std::string_view name) const;
  /// What node() says of the amount, at less cost.
  [[nodiscard]] std::int32_t amount(Slot slot) const { return graph_.node(slot).amount; }
  /// As slot_limit(), used() and node(), for links.
  [[nodiscard]] Slot link_limit() const { return graph_.link_limit(); }
  [[nodiscard]] bool link_used(Slot slot) const { return graph_.link(slot).used(); }
  [[nodiscard]] LinkView link_at(Slot slot) const {
    const Link& link = graph_.link(slot);
    return {link.a, link.b(), link.one_way(), slot < step_.flows.size() ? step_.flows[slot] : 0};
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
    for (const auto& [key, port] : graph_.ports()) f(key.first, key.second, port);
  }
  /// f(Slot) for every node whose amount or flow may have changed in the last tick.
  template <class F>
  void for_each_active(F&& f) const {
    for (const std::uint32_t block : layout_.awake_blocks()) {
      const Slot end = layout_.end_node(block, graph_);
      for (Slot slot = layout_.first_node(block); slot < end; ++slot) {
        if (used(slot)) f(slot);
      }
    }
  }
  /// Grows with every change but amounts and flows: nodes, links, ports, valves, measures, slots.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  [[nodiscard]] std::int64_t units() const { return graph_.units(); }
  /// The last tick changed nothing, and no port waits; so nothing will move in the next one, unless
  /// something else changes the cells at ports. After a tick, a matter of what there was before it:
  /// not of who slept, nor of whether the network was saved and restored in between.
  [[nodiscard]] bool at_rest() const { return !layout_.any_awake() && !step_.ports_wait; }
  /// 0 for an empty network.
  [[nodiscard]] Digest digest() const { return graph_.digest(); }
  /// From scratch: equal to digest() at all times.
  [[nodiscard]] Digest recompute_digest() const { return graph_.recompute_digest(); }
  /// Asserts what must hold at all times: amounts within their capacities, sums, lists, digests.
  void check() const { graph_.check(); }
  /// Bytes in memory, names included or not.
  [[nodiscard]] std::size_t bytes(bool with_names) const;
  /// Nodes, links and ports looked at so far, in building and in ticks: what tests of growth count.
  [[nodiscard]] std::int64_t work() const { return graph_.work() + layout_.work() + step_.work; }

  [[nodiscard]] const PipeGraph& graph() const { return graph_; }
  [[nodiscard]] PipesImage image() const;
  [[nodiscard]] Status load(const PipesImage& image);

 private:
  [[nodiscard]] std::int64_t cost_of_rousing(Slot node) const;
  [[nodiscard]] std::int64_t cost_of_waking(Slot node) const;
  void edited(Slot node);
  void drop_link(Slot link);
  void settle();

  PipeGraph graph_;
  PipeLayout layout_;
  PipeStep step_;
  std::uint64_t version_ = 0;
};

}  // namespace sluice::sim
