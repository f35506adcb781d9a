#include "client_stub/pipe_facts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

using protocol::PipeNodeView;
using protocol::PipePort;
using protocol::PipeRef;

/// Nodes that are looked at for where a line's fluid should come from.
constexpr std::size_t kMostLookedAt = 5000;

struct Link {
  PipeRef from;
  PipeRef to;
  bool one_way = false;
};

/// Each node's links, both ways.
using Links = std::map<PipeRef, std::vector<Link>>;

Links links_of(const protocol::PipeMirror& pipes) {
  Links links;
  pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
    for (const protocol::PipeLink& link : section.plan.links) {
      const Link found{{key.nodes(), link.from}, link.to, link.one_way};
      links[found.from].push_back(found);
      links[found.to].push_back(found);
    }
  });
  return links;
}

PipeRef ref_of(const PipeNodeView& view) {
  return {view.section, view.node->index};
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.2f", value);
  std::string shown = text;
  while (shown.ends_with('0')) shown.pop_back();
  if (shown.ends_with('.')) shown.pop_back();
  return shown;
}

double level_of(const PipeNodeView& view) {
  return static_cast<double>(view.level) / kFull;
}

std::string about(std::int64_t flow) {
  return (std::abs(flow) < 4 ? "" : "about ") + std::to_string(flow) + " units a tick";
}

bool is_full(const PipeNodeView& view) {
  return view.amount >= view.node->capacity;
}

/// How high the water stands at a port's cell, in cells; nothing: there is none.
std::optional<double> head_at(const Known& known, Vec3 cell) {
  const std::int32_t units = known.mirror.cell(cell);
  if (units <= 0) return std::nullopt;
  const auto head = known.surfaces.head(cell.x, cell.y);
  return head ? *head : cell.y + std::min(1.0, units / double{kFull});
}

/// Why fluid does not come over the link to this end of it; empty: it could.
std::string obstacle(const Link& link, const PipeNodeView& to, const PipeNodeView& from) {
  const std::string& name = from.node->name;
  const bool leaves = link.from == ref_of(to);
  if (!to.node->open) return to.node->name + " is closed.";
  if (!from.node->open) return "The valve " + name + " is closed: open it.";
  if (from.node->kind == NodeKind::kPump && from.node->rate == 0) {
    return "The pump " + name + " is switched off: its rate is 0.";
  }
  if (leaves && from.node->kind == NodeKind::kPump) {
    return "The pump " + name + " draws from here; it gives over its other links.";
  }
  if (leaves && link.one_way) {
    return "The link to " + name + " is a check valve that opens only the other way.";
  }
  return "";
}

/// f(owner, port, value) for every port whose node's section is held.
template <class F>
void for_each_port(const protocol::PipeMirror& pipes, F&& f) {
  pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
    for (std::size_t i = 0; i < section.plan.ports.size(); ++i) {
      const PipePort& port = section.plan.ports[i];
      if (const auto owner = pipes.look({key.nodes(), port.node})) f(*owner, port, section.port(i));
    }
  });
}

/// What an empty line is fed by, when nothing that leads to it holds anything.
std::string why_unfed(const Known& known, const PipeNodeView& view,
                      const std::set<PipeRef>& reached) {
  std::string why;
  for_each_port(known.mirror.pipes(), [&](const PipeNodeView& owner, const PipePort& port,
                                          std::int32_t value) {
    if (!why.empty() || port.kind == PortKind::kOutlet || !reached.contains(ref_of(owner))) return;
    const bool own = ref_of(owner) == ref_of(view);
    why = (own ? std::string("It is fed by its own port. ")
               : "Its line is fed by " + owner.node->name + ". ") +
          why_port(known, owner, port, value);
  });
  if (!why.empty()) return why;
  if (reached.size() == 1) {
    return "Nothing leads to it: link it with a pipe that holds something, or give it an inlet.";
  }
  return "None of the " + std::to_string(reached.size() - 1) +
         " that lead to it holds anything or has an inlet.";
}

/// Where the fluid of an empty line should come from, and what it meets on its way.
std::string why_empty(const Known& known, const PipeNodeView& view) {
  const protocol::PipeMirror& pipes = known.mirror.pipes();
  const Links links = links_of(pipes);
  std::set<PipeRef> reached{ref_of(view)};
  std::vector<PipeNodeView> next{view};
  std::string blocked;
  std::optional<PipeNodeView> low;
  for (std::size_t i = 0; i < next.size() && reached.size() <= kMostLookedAt; ++i) {
    const PipeNodeView at = next[i];
    const auto around = links.find(ref_of(at));
    if (around == links.end()) continue;
    for (const Link& link : around->second) {
      const auto from = pipes.look(link.from == ref_of(at) ? link.to : link.from);
      if (!from || reached.contains(ref_of(*from))) continue;
      if (std::string why = obstacle(link, at, *from); !why.empty()) {
        if (blocked.empty()) blocked = std::move(why);
        continue;
      }
      const bool drawn = at.node->kind == NodeKind::kPump || from->node->kind == NodeKind::kPump;
      if (from->amount > 0 && (drawn || from->level > at.node->base)) {
        return "Fluid is on its way from " + from->node->name + ".";
      }
      if (from->amount > 0 && !low) low = from;
      reached.insert(ref_of(*from));
      next.push_back(*from);
    }
  }
  if (low) {
    return low->node->name + " holds " + std::to_string(low->amount) + " units, but stands at " +
           number(level_of(*low)) +
           ": a pipe gets only what stands higher than its bottom. A pump lifts it.";
  }
  return blocked.empty() ? why_unfed(known, view, reached) : blocked;
}

std::string why_pump(const Known& known, const PipeNodeView& view, std::int64_t out) {
  if (view.node->rate == 0) return "It is switched off: its rate is 0.";
  const protocol::PipeMirror& pipes = known.mirror.pipes();
  const Links links = links_of(pipes);
  std::vector<PipeNodeView> draws;
  if (const auto around = links.find(ref_of(view)); around != links.end()) {
    for (const Link& link : around->second) {
      if (link.to != ref_of(view)) continue;
      if (const auto from = pipes.look(link.from)) draws.push_back(*from);
    }
  }
  bool has_inlet = false;
  for_each_port(pipes, [&](const PipeNodeView& owner, const PipePort& port, std::int32_t) {
    has_inlet |= ref_of(owner) == ref_of(view) && port.kind != PortKind::kOutlet;
  });
  if (draws.empty() && !has_inlet) {
    return "No link ends in it: it draws over the links that end in it, and there is none.";
  }
  if (is_full(view) && out == 0) return "It is full, and what it should press into takes nothing.";
  for (const PipeNodeView& from : draws) {
    if (view.amount == 0 && !from.node->open) {
      return from.node->name + ", which it draws from, is closed.";
    }
  }
  const bool dry = std::all_of(draws.begin(), draws.end(),
                               [](const PipeNodeView& from) { return from.amount == 0; });
  if (!draws.empty() && dry && view.amount == 0) {
    return "What it draws from is empty: " + draws.front().node->name + ". " +
           why_empty(known, draws.front());
  }
  return "It draws up to " + std::to_string(view.node->rate) + " units a tick, to whatever height.";
}

std::string why_still(const Known& known, const PipeNodeView& view) {
  const protocol::PipeMirror& pipes = known.mirror.pipes();
  const Links links = links_of(pipes);
  const auto around = links.find(ref_of(view));
  if (around == links.end()) return "It is linked with nothing: what it holds stays.";
  for (const Link& link : around->second) {
    const auto other = pipes.look(link.from == ref_of(view) ? link.to : link.from);
    if (other && !other->node->open)
      return other->node->name + ", which it is linked with, is closed.";
  }
  return "It stands level with what it is linked with, or lower than its bottom.";
}

}  // namespace

std::string why_node(const Known& known, const PipeNodeView& view) {
  const protocol::PipeFlows flows = known.mirror.pipes().flows(view);
  if (view.node->kind == NodeKind::kPump) return why_pump(known, view, flows.out);
  if (!view.node->open) return "It is closed: nothing passes until it is opened.";
  if (view.amount == 0 && flows.in == 0) return why_empty(known, view);
  if (view.amount == 0) return "What comes in goes on in the same tick.";
  if (flows.in == 0 && flows.out == 0) {
    return is_full(view) ? "It is full, and nothing around it is lower." : why_still(known, view);
  }
  if (flows.out == 0) return "It fills up.";
  return flows.in == 0 ? "It runs dry." : "Fluid passes through it.";
}

std::string why_port(const Known& known, const PipeNodeView& owner, const PipePort& port,
                     std::int32_t value) {
  const PortState state = protocol::state_of_port(value);
  if (state == PortState::kBlocked) return "Its cell is rock: dig it out, and the port works.";
  if (state == PortState::kBeyond) {
    return "Its cell lies outside the world: there is nothing to take and nowhere to give.";
  }
  const std::int64_t moved = protocol::flow_of_class(protocol::class_of_port(value));
  if (moved > 0) return "Water goes from the cell into the pipe, " + about(moved) + ".";
  if (moved < 0) return "Water goes from the pipe into the cell, " + about(-moved) + ".";
  if (state == PortState::kRunning)
    return "It moves less than a unit a tick, or waits for its turn.";
  if (port.rate == 0) return "Its rate is 0: it may move nothing.";
  const bool dry = known.mirror.cell(port.cell) <= 0;
  const bool is_pump = owner.node->kind == NodeKind::kPump;
  const double level = level_of(owner);
  const auto head = head_at(known, port.cell);
  const std::string heights =
      head ? ": its cell's water stands at " + number(*head) + ", the pipe at " + number(level)
           : "";
  const std::string lower = "Water goes only to the lower side" + heights + ".";
  const bool takes = port.kind != PortKind::kOutlet;
  const bool gives = port.kind != PortKind::kInlet;
  if (takes && gives && head && std::abs(*head - level) < 0.1)
    return "Both sides stand equally high" + heights + ".";
  if (takes && !gives && dry) return "There is no water in its cell.";
  if (takes && head && is_full(owner))
    return "The pipe is full: nothing more goes in until some of it leaves.";
  if (gives && owner.amount == 0 && (dry || !takes))
    return "The pipe is empty. " +
           (takes ? std::string("So is the cell.") : why_empty(known, owner));
  if (takes && !gives && !is_pump && head && *head <= level + 0.01)
    return lower + " A lower base, or a pump, would draw it.";
  if (gives && !takes && !is_pump && head && level <= *head + 0.01)
    return lower + " A higher base, or a pump, would bring it out.";
  if (gives && !is_pump && dry && level <= port.cell.y) {
    return "The pipe's level, " + number(level) + ", is not above its cell's floor at " +
           std::to_string(port.cell.y) + ".";
  }
  if (gives && is_pump) return "The cell is as full as the pump can fill it.";
  return "What would move is too little for a unit a tick, or it waits for its turn" + heights +
         ".";
}

}  // namespace sluice::client
