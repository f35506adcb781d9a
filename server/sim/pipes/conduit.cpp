// Finding full pipes that pass on what they get: lines under pressure, and siphons. A line under
// pressure is a connected set of full pipes (to a sixteenth), one of which a higher neighbour would
// fill further. A siphon is a line of full pipes over a crest that lies above both its ends.
//
// All that a conduit takes it gives in the same tick, but for what fills its pipes to the brim.
// conduit_flow.cpp says how much that is.
#include <algorithm>

#include "server/sim/grow_ahead.h"
#include "server/sim/pipes/conduit_parts.h"

namespace sluice::sim {

namespace {

/// Pipes of the longest siphon.
constexpr std::size_t kLongestSiphon = 1024;

/// A pipe with less room than this part of its capacity passes pressure on.
constexpr std::uint32_t kBrimPart = 16;

/// Finds all conduits of one tick.
class Finder {
 public:
  Finder(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step)
      : graph_(graph), layout_(layout), step_(step) {}

  void find_siphons() {
    std::vector<Slot> seen;
    for (const Slot crest : step_.crests) {
      // All crests of a line see the same line, so it is walked once.
      if (step_.is(crest, PipeStep::kSeen) || !graph_.full(crest) || !passes_on(crest)) continue;
      Line line = walk_line(crest);
      seen.insert(seen.end(), line.pipes.begin(), line.pipes.end());
      if (!line.closed && line.pipes.size() <= kLongestSiphon) make_siphon(std::move(line));
    }
    for (const Slot node : seen) step_.set(node, PipeStep::kSeen, false);
    std::sort(step_.conduits.siphon_ends.begin(), step_.conduits.siphon_ends.end());
  }

  void find_lines_under_pressure() {
    for (const Slot node : step_.limited) {
      if (passes_pressure(node) && step_.traffic[node].in > 0) find_pressure(node);
    }
  }

 private:
  /// Full pipes in a row, from one that is not full, or not in the row, to another.
  struct Line {
    std::vector<Slot> pipes;
    Opening ends[2];
    bool usable_towards[2] = {true, true};  // the whole line: towards ends[0], towards ends[1]
    bool closed = false;                    // it leads back to itself
  };

  [[nodiscard]] bool passes_on(Slot node) const {
    return graph_.type(node).kind != NodeKind::kPump && !step_.is(node, PipeStep::kConduit);
  }

  [[nodiscard]] bool passes_pressure(Slot node) const {
    // A pipe under flow is never full to the last unit at a tick's start.
    const bool brimming =
        graph_.room(node) <= static_cast<std::int32_t>(graph_.type(node).capacity / kBrimPart);
    const std::vector<Slot>& ends = step_.conduits.siphon_ends;
    return brimming && passes_on(node) && !std::binary_search(ends.begin(), ends.end(), node);
  }

  Line walk_line(Slot crest) {
    Line line;
    const auto take = [&](Slot node) {
      line.pipes.push_back(node);
      step_.set(node, PipeStep::kSeen, true);
      step_.work += 2;
    };
    take(crest);
    Slot way = graph_.first_link(crest);
    for (int side = 0; side < 2; ++side) {
      Slot node = crest;
      Slot link = way;
      for (;;) {
        const Slot next = graph_.link(link).other(node);
        line.usable_towards[side] &= usable(graph_, layout_, link, node);
        line.usable_towards[1 - side] &= usable(graph_, layout_, link, next);
        line.ends[side] = {link, next, node, 0, 0, layout_.conductance(link)};
        if (next == crest) line.closed = true;
        if (line.closed) return line;
        if (graph_.degree(next) != 2 || !graph_.full(next) || !passes_on(next)) break;
        take(next);
        const Slot first = graph_.first_link(next);
        link = first == link ? graph_.next_link(first, next) : first;
        node = next;
      }
      way = graph_.next_link(way, crest);
    }
    return line;
  }

  void make_siphon(Line line) {
    const Opening* ends = line.ends;
    if (ends[0].outer == ends[1].outer) return;
    const int high = graph_.level(ends[0].outer) >= graph_.level(ends[1].outer) ? 0 : 1;
    const Slot upper = ends[high].outer;
    const Slot lower = ends[1 - high].outer;
    const Level head = graph_.level(upper);
    std::int32_t top = INT32_MIN;
    for (const Slot pipe : line.pipes) top = std::max(top, graph_.node(pipe).base);
    const bool above = (Level{top} << kLevelFraction) >= head;
    const auto links = static_cast<std::uint32_t>(line.pipes.size() + 1);
    if (!above || !line.usable_towards[1 - high] || graph_.empty(upper) || graph_.full(lower) ||
        flow_along(apart(head, graph_.level(lower)), layout_.conductance(ends[high].link), links) ==
            0) {
      return;
    }
    for (const Slot pipe : line.pipes) step_.set(pipe, PipeStep::kConduit, true);
    for (const Opening& end : line.ends) step_.conduits.siphon_ends.push_back(end.outer);
    Conduit conduit;
    conduit.siphon = true;
    conduit.inner = std::move(line.pipes);
    step_.conduits.found.push_back(std::move(conduit));
  }

  void find_pressure(Slot start) {
    // All full pipes that hang together, and the highest level that presses on them.
    std::vector<Slot> found = {start};
    step_.set(start, PipeStep::kConduit, true);
    Level highest = graph_.level(start);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Slot node = found[i];
      graph_.for_links_of(node, [&](Slot link) {
        const Slot other = graph_.link(link).other(node);
        if (layout_.conductance(link) == 0) return;
        if (passes_pressure(other)) {
          step_.set(other, PipeStep::kConduit, true);
          highest = std::max(highest, graph_.level(other));
          found.push_back(other);
        } else if (usable(graph_, layout_, link, other) && !graph_.empty(other)) {
          highest = std::max(highest, graph_.level(other));
        }
      });
      step_.work += 1 + graph_.degree(node);
    }
    // Those that stand as high as that press; the others pass on.
    for (const Slot node : found) {
      step_.set(node, PipeStep::kConduit, graph_.level(node) < highest);
    }
    for (const Slot first : found) {
      if (step_.is(first, PipeStep::kConduit) && !step_.is(first, PipeStep::kSeen)) {
        gather(first);
      }
    }
    for (const Slot node : found) step_.set(node, PipeStep::kSeen, false);
  }

  /// All that hangs together of what passes on.
  void gather(Slot first) {
    Conduit conduit;
    conduit.inner.push_back(first);
    step_.set(first, PipeStep::kSeen, true);
    for (std::size_t i = 0; i < conduit.inner.size(); ++i) {
      const Slot node = conduit.inner[i];
      graph_.for_links_of(node, [&](Slot link) {
        const Slot other = graph_.link(link).other(node);
        if (layout_.conductance(link) == 0 || !step_.is(other, PipeStep::kConduit) ||
            step_.is(other, PipeStep::kSeen)) {
          return;
        }
        step_.set(other, PipeStep::kSeen, true);
        conduit.inner.push_back(other);
      });
      step_.work += 1 + graph_.degree(node);
    }
    step_.conduits.found.push_back(std::move(conduit));
  }

  const PipeGraph& graph_;
  const PipeLayout& layout_;
  PipeStep& step_;
};

}  // namespace

void find_conduits(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step) {
  ConduitSearch& search = step.conduits;
  search.found.clear();
  search.siphon_ends.clear();
  search.recounted.clear();
  Finder finder(graph, layout, step);
  finder.find_siphons();
  finder.find_lines_under_pressure();
  if (search.found.empty()) return;
  grow_ahead(search.distances, graph.node_limit(), kMaxPipes);
  search.distances.resize(graph.node_limit());
  for (Conduit& conduit : search.found) {
    for (const Slot node : conduit.inner) {
      graph.for_links_of(
          node, [&](Slot link) { search.recounted.push_back(graph.link(link).other(node)); });
      search.recounted.push_back(node);
    }
    measure_conduit(graph, layout, step, conduit);
  }
  std::sort(search.recounted.begin(), search.recounted.end());
  search.recounted.erase(std::unique(search.recounted.begin(), search.recounted.end()),
                         search.recounted.end());
  for (const Slot node : search.recounted) recount(graph, layout, node, step);
}

}  // namespace sluice::sim
