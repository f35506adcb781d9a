// One tick of pipe networks: what it needs, in arrays of its own, and its parts, in the order in
// which network_tick.cpp calls them. Each part reads the state before it and writes sums, so that
// no order of nodes, links or blocks can matter.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/executor.h"
#include "server/sim/pipes/cells.h"
#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/graph.h"
#include "server/sim/pipes/layout.h"

namespace sluice::sim {

/// What a node gets and gives over its links: as demanded at first, then as it flows. Both stop at
/// UINT32_MAX instead of wrapping.
struct Traffic {
  std::uint32_t in = 0;
  std::uint32_t out = 0;

  [[nodiscard]] bool any() const { return (in | out) != 0; }
};

/// A parcel of fluid that went over something else than a level's slope: a pump or a port.
struct Parcel {
  Slot node = kNoSlot;
  Slot link = kNoSlot;  // by which it came in, if by one
  std::int64_t in = 0;
  std::int64_t out = 0;
};

/// A node of which more is demanded than it can do.
struct Limit {
  Slot node = kNoSlot;
  std::uint64_t demanded_out = 0;
  std::uint64_t demanded_in = 0;  // after the donors' limits
  std::uint64_t most_out = 0;
  std::uint64_t most_in = 0;
};

struct PipeStep {
  // Shown until the next tick.
  std::vector<Traffic> traffic;     // by node
  std::vector<std::int32_t> flows;  // by link, units from a to b

  /// What is known of a node for the time of one tick.
  enum Mark : std::uint8_t {
    kConduit = 1,  // full, and passes on what it gets
    kLimited = 2,  // more was demanded than there is, or fits
    kSeen = 4,     // by the search under way
    kPasses = 8,   // of a conduit that passed something
  };
  std::vector<std::uint8_t> marks;  // by node; all 0 between two ticks
  std::vector<Parcel> parcels;
  std::vector<Slot> limited;  // nodes, in order
  std::vector<Slot> crests;   // full ones, in order
  std::vector<Limit> limits;  // in the order of nodes
  ConduitSearch conduits;
  std::vector<std::uint8_t> block_moved;  // of awake blocks
  bool ports_wait = false;                // for their rate to add up to a quantum
  std::int64_t work = 0;                  // nodes and links looked at so far

  [[nodiscard]] bool is(Slot node, Mark mark) const { return (marks[node] & mark) != 0; }
  /// Whether anything of the node is under way. What a conduit passes is shown on one way through
  /// it, whichever of several comes first in memory: so all of the conduit moves.
  [[nodiscard]] bool moves(Slot node) const { return traffic[node].any() || is(node, kPasses); }
  void set(Slot node, Mark mark, bool on) {
    marks[node] = static_cast<std::uint8_t>(on ? marks[node] | mark : marks[node] & ~mark);
  }
  /// For a tick of that graph.
  void begin(const PipeGraph& graph);
};

/// port.cpp, port_parts.cpp: between grid cells and nodes.
void run_ports(std::uint64_t tick_number, bool all, PipeGraph& graph, PipeLayout& layout,
               PortCells& cells, PipeStep& step);
/// A port that the tick under way looks at.
using PortEntry = PipeGraph::Ports::value_type;
/// port_parts.cpp: where water moves in parts of several units, ports take turns.
void run_ports_in_parts(std::uint64_t tick_number, const std::vector<PortEntry*>& due,
                        PipeGraph& graph, PipeLayout& layout, PortCells& cells, PipeStep& step);
/// What a port moved, into the node positive.
void count_port(PortEntry& entry, std::int32_t units, PipeGraph& graph, PipeLayout& layout,
                PipeStep& step);
/// A pump's ports know no heads.
[[nodiscard]] bool pumps(const PipeGraph& graph, Slot node);
/// pump.cpp: pumps draw up to their rates, whatever the levels.
void run_pumps(PipeGraph& graph, const PipeLayout& layout, PipeStep& step);
/// flow.cpp: what each link would pass, from the levels as they are now.
void find_demands(const PipeGraph& graph, const PipeLayout& layout, Executor& executor,
                  PipeStep& step);
/// conduit.cpp, pressure.cpp: full pipes that pass on what they get.
void find_conduits(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step);
/// limit.cpp: too little is shared out in proportion.
void limit_demands(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step);
/// conduit_flow.cpp
void run_conduits(const PipeGraph& graph, PipeStep& step);
/// flow.cpp: all amounts change at once.
void move_fluid(PipeGraph& graph, const PipeLayout& layout, Executor& executor, PipeStep& step);
/// flow.cpp: what pumps and ports moved counts as traffic, too.
void show_parcels(const PipeLayout& layout, PipeStep& step);
/// stand.cpp, level.cpp: levels what has come to stand, and decides who sleeps.
void level_what_stands(std::uint64_t tick_number, bool sleep, PipeGraph& graph, PipeLayout& layout,
                       PipeStep& step);

// What several parts share.

/// Whether a link could pass anything from that end.
[[nodiscard]] inline bool usable(const PipeGraph& graph, const PipeLayout& layout, Slot link,
                                 Slot from) {
  return layout.conductance(link) != 0 &&
         (!graph.link(link).one_way() || graph.link(link).a == from);
}
/// What a link would pass, from a to b, when nobody is short of anything (flow.cpp).
[[nodiscard]] std::int32_t demand_over(const PipeGraph& graph, const PipeLayout& layout,
                                       const PipeStep& step, Slot link);
/// Counts a node's demands anew (flow.cpp).
void recount(const PipeGraph& graph, const PipeLayout& layout, Slot node, PipeStep& step);
/// level.cpp: brings a body to its least energy; false where it stands so already.
bool level_body(const std::vector<Slot>& body, const PipeLayout& layout, PipeGraph& graph);
/// level.cpp: whether fluid stands under one surface at both ends of a link.
[[nodiscard]] bool one_surface(const PipeGraph& graph, const PipeLayout& layout, Slot link);

}  // namespace sluice::sim
