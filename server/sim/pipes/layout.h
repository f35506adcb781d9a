// Where a network's nodes and links lie, and what of it is awake: all that saves work. Nothing here
// may change a result, so nothing here is stored.
//
// Nodes lie in *blocks*, which are worked on in parallel. An *island* is a set of blocks that links
// connect, or did since the network was laid out: never less than what can influence each other,
// so that a tick may take an island and leave the others. *Components* (graph.h) wake and sleep:
// one in which a tick changed nothing would stand as it is in every tick to come, until a command
// or a port changes it. An island is worked on when any of its components is awake; those of it
// that sleep are gone through as well, and stay as they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "protocol/base/cell.h"
#include "server/sim/pipes/graph.h"

namespace sluice::sim {

class PortCells;

class PipeLayout {
 public:
  /// The largest block: what its nodes are to its links fits the first cache.
  static constexpr Slot kBlockNodes = 2048;

  struct Block {
    /// Its inner links: those between two of its nodes. At first they are the slots from
    /// `first_link` to `end_link`, as arrange() laid them out, but for some that hold other links.
    /// Once an inner link came or any link went (`listed`), they are those in `links`.
    Slot first_link = 0;
    Slot end_link = 0;
    bool listed = false;
    std::vector<Slot> links;
    /// From one of its nodes to another block, or of a node with many links.
    std::vector<Slot> shared;
    std::uint32_t island = 0;  // a block on the way to the island's first
    // Of an island's first block: how many blocks there are in all, and whether the last tick went
    // through them or the next one will.
    std::uint32_t island_blocks = 1;
    bool roused = false;
    /// All its nodes belong to the component of this one; kNoSlot where that is not known.
    Slot speaker = kNoSlot;
  };

  /// A power of two up to kBlockNodes.
  explicit PipeLayout(Slot block_nodes = kBlockNodes) { set_block_nodes(block_nodes); }
  /// To be followed by arrange().
  void set_block_nodes(Slot block_nodes);
  [[nodiscard]] Slot block_nodes() const { return Slot{1} << shift_; }

  [[nodiscard]] std::uint32_t block_of(Slot node) const { return node >> shift_; }
  [[nodiscard]] const Block& block(std::uint32_t number) const { return blocks_[number]; }
  [[nodiscard]] Slot first_node(std::uint32_t block) const { return block << shift_; }
  [[nodiscard]] Slot end_node(std::uint32_t block, const PipeGraph& graph) const {
    return std::min((block + 1) << shift_, graph.node_limit());
  }
  [[nodiscard]] PackedConductance conductance(Slot link) const { return conductances_[link]; }
  [[nodiscard]] const PackedConductance* conductances() const { return conductances_.data(); }
  /// f(Slot link) for the links of a block's nodes among themselves, and some that are not: which
  /// are unused, shared or large.
  template <class F>
  void for_inner_links(const Block& block, F&& f) const {
    if (block.listed) {
      for (const Slot link : block.links) f(link);
    } else {
      for (Slot link = block.first_link; link < block.end_link; ++link) f(link);
    }
  }
  /// Whether for_inner_links() means that link.
  [[nodiscard]] bool inner(const Link& link) const {
    return link.used() && !link.large() && block_of(link.a) == block_of(link.b());
  }

  // The graph was changed.

  void node_made(const PipeGraph& graph, Slot node);
  /// Before it goes.
  void node_dropped(const PipeGraph& graph, Slot node);
  /// A node of a component that fell off another.
  void parted(const PipeGraph& graph, Slot node);
  /// Coefficients of its links will be made anew, its ports be looked at, its component wakes.
  void edited(const PipeGraph& graph, Slot node);
  void link_made(const PipeGraph& graph, Slot link);
  /// Before it goes.
  void link_dropped(const PipeGraph& graph, Slot link);
  void port_dropped(const PipeGraph::PortKey& key, const Port& port);
  /// Brings everything up to date with the edits.
  void refresh(PipeGraph& graph);
  /// Lays everything out along the links.
  void arrange(PipeGraph& graph);
  /// Edits since the last call.
  [[nodiscard]] std::int64_t take_edits() { return std::exchange(edits_, 0); }

  // Sleep.

  void wake(std::uint32_t component);
  /// Unless it holds nothing: then nothing can happen in it.
  void wake_if_it_holds(const PipeGraph& graph, Slot node) {
    if (graph.component_at(node).units == 0) return;
    wake(graph.component_of(node));
    blocks_[island_of(block_of(node))].roused = true;
  }
  [[nodiscard]] bool any_awake() const { return !awake_.empty(); }
  /// Nodes that the next tick goes through when a node there is woken, and else would not.
  [[nodiscard]] std::int64_t nodes_to_rouse(Slot node) const;
  /// Whether the two lie in different islands.
  [[nodiscard]] bool apart(Slot a, Slot b) const {
    return first_of_island(block_of(a)) != first_of_island(block_of(b));
  }
  /// Their numbers.
  [[nodiscard]] const std::vector<std::uint32_t>& awake_components() const { return awake_; }
  /// Those in which the tick did something, instead of all that were awake.
  void set_awake(const std::vector<std::uint32_t>& components);
  /// Lets those sleep that were woken by an edit and are gone since, or hold nothing any more.
  void forget_empty(const PipeGraph& graph);
  /// Blocks of the islands in which something is awake, or all.
  void collect_awake_blocks(const PipeGraph& graph, bool all);
  [[nodiscard]] const std::vector<std::uint32_t>& awake_blocks() const { return awake_blocks_; }
  /// Remembers that all nodes of a block belong to one component.
  void speak_for(std::uint32_t block, Slot node) { blocks_[block].speaker = node; }

  // Ports (port_sleep.cpp). One that had nothing to do sleeps until its node's island wakes, or its
  // cell's region changes.

  /// Keys of the ports to be looked at in this tick, each once.
  [[nodiscard]] std::vector<PipeGraph::Ports::value_type*> take_due_ports(PipeGraph& graph,
                                                                          PortCells& cells,
                                                                          bool all);
  /// Again in the next tick.
  void keep_due(const PipeGraph::PortKey& key);
  void port_made(const PipeGraph::PortKey& key) { unlisted_ports_.push_back(key); }

  [[nodiscard]] std::size_t bytes() const;
  /// Nodes and links looked at so far.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  void list_links(const PipeGraph& graph, Block& block);
  void register_link(const PipeGraph& graph, Slot link);
  void unregister_link(const PipeGraph& graph, Slot link);
  std::uint32_t island_of(std::uint32_t block);
  [[nodiscard]] std::uint32_t first_of_island(std::uint32_t block) const;
  void join_islands(std::uint32_t block, std::uint32_t other);
  void refresh_links_of(PipeGraph& graph, Slot node);
  [[nodiscard]] bool nothing_to_do_in(const Block& block, const PipeGraph& graph) const;
  void register_all_links(const PipeGraph& graph);
  void find_speakers(const PipeGraph& graph);
  void list_all_ports(PipeGraph& graph);
  void index_ports(PipeGraph& graph, const PortCells& cells);

  int shift_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> listed_at_;         // by link: in its block's list
  std::vector<PackedConductance> conductances_;  // by link
  enum Awake : std::uint8_t {
    kAsleep = 0,
    kWoken = 1,   // by an edit or a port
    kActive = 2,  // did something in the last tick: its flows are still to be shown as nothing
  };
  std::vector<Awake> is_awake_;              // by component
  std::vector<std::uint32_t> awake_;         // components
  std::vector<std::uint32_t> awake_blocks_;  // of this tick
  std::vector<Slot> edited_;                 // since refresh()
  std::int64_t edits_ = 0;

  std::map<Vec3, std::set<PipeGraph::PortKey>> ports_by_region_;
  std::vector<PipeGraph::PortKey> unlisted_ports_;
  std::vector<PipeGraph::PortKey> waiting_ports_;  // have something to do
  std::vector<Slot> port_nodes_;                   // edited
  std::int64_t work_ = 0;
};

}  // namespace sluice::sim
