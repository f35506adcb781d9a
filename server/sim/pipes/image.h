// The canonical form of pipe networks: what a snapshot holds and a comparison compares. Nodes stand
// in the order of their names, links and ports in that of their ends, so that two networks with the
// same content have the same image, whatever way they were built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/pipes/commands.h"
#include "server/sim/pipes/types.h"

namespace sluice::sim {

struct PipesImage {
  struct Node {
    PipeFields fields;
    NodeKind kind = NodeKind::kPipe;
    bool open = true;
    std::int32_t rate = 0;

    template <class Self, class Visitor>
    static void visit_state(Self& self, Visitor& v) {
      PipeFields::visit_state(self.fields, v);
      v.field("kind", self.kind);
      v.field("open", self.open);
      v.field("rate", self.rate);
    }
  };
  struct Link {
    std::uint32_t from = 0;  // places in `nodes`
    std::uint32_t to = 0;
    bool one_way = false;

    template <class Self, class Visitor>
    static void visit_state(Self& self, Visitor& v) {
      v.field("from", self.from);
      v.field("to", self.to);
      v.field("one_way", self.one_way);
    }
  };
  struct Port {
    std::uint32_t node = 0;
    Vec3 cell;
    PortKind kind = PortKind::kOpen;
    std::int32_t rate = 0;
    std::int32_t waited = 0;

    template <class Self, class Visitor>
    static void visit_state(Self& self, Visitor& v) {
      v.field("node", self.node);
      v.field("cell", self.cell);
      v.choice("kind", self.kind, kPortKindNames);
      v.field("rate", self.rate);
      v.field("waited", self.waited);
    }
  };

  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Port> ports;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("nodes", self.nodes);
    v.field("links", self.links);
    v.field("ports", self.ports);
  }
};

class PipeGraph;

/// What ticks change of a graph: as long as nothing is built, the rest of it stays as it is.
struct PipesContents {
  std::vector<std::int32_t> amounts;  // by slot
  std::vector<std::int32_t> waited;   // of the ports, in their order

  [[nodiscard]] static PipesContents of(const PipeGraph& graph);
};

/// `contents` may be those of another tick, between which nothing was built.
[[nodiscard]] PipesImage image_of(const PipeGraph& graph, const PipesContents& contents);

}  // namespace sluice::sim
