// The commands that build and run pipe networks; rows of the manifest in
// server/sim/commands/commands.h.
//
// `v.optional` is a field that a script may leave out; it then keeps the default given here. In
// bytes, digests and comparisons it is a field like any other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "protocol/base/pipes.h"
#include "server/sim/limits.h"

namespace sluice::sim {

/// What a pipe is made as; pumps and valves have the same and more.
struct PipeFields {
  std::string name;
  std::string fluid = "water";
  std::int32_t capacity = kDefaultPipeCapacity;  // units
  std::int32_t height = kDefaultPipeHeight;      // level units over which the capacity spreads
  std::int32_t base = 0;                         // level of its bottom
  std::int32_t amount = 0;                       // units
  std::int32_t throughput = 0;                   // units a tick in, and out; 0: no limit
  Vec3 at = kNowhere;                            // its cell, or kNowhere

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.optional("fluid", self.fluid);
    v.optional("capacity", self.capacity);
    v.optional("height", self.height);
    v.optional("base", self.base);
    v.optional("amount", self.amount);
    v.optional("throughput", self.throughput);
    v.optional("at", self.at);
  }
};

/// Adds a pipe or a tank. What it holds at the start counts as sourced.
struct AddPipe : PipeFields {
  static constexpr std::uint16_t kOpcode = 8;
  static constexpr std::string_view kName = "add_pipe";
};

/// Adds a pump: a pipe that first draws up to `rate` units a tick over the links that end in it.
struct AddPump : PipeFields {
  static constexpr std::uint16_t kOpcode = 9;
  static constexpr std::string_view kName = "add_pump";
  std::int32_t rate = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    PipeFields::visit_state(self, v);
    v.field("rate", self.rate);
  }
};

/// Adds a valve: a pipe whose links pass nothing while it is closed.
struct AddValve : PipeFields {
  static constexpr std::uint16_t kOpcode = 10;
  static constexpr std::string_view kName = "add_valve";
  bool open = true;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    PipeFields::visit_state(self, v);
    v.optional("open", self.open);
  }
};

/// Removes a pipe, pump or valve with its links and ports. What it holds spills into its cell, and
/// counts as drained where it has none, or where the cell takes no water.
struct RemovePipe {
  static constexpr std::uint16_t kOpcode = 11;
  static constexpr std::string_view kName = "remove_pipe";
  std::string name;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
  }
};

/// Builds a pipe, pump or valve into another tier where it stands; what it holds stays. 0 keeps a
/// number as it is; a throughput of -1 lifts the limit.
struct UpgradePipe {
  static constexpr std::uint16_t kOpcode = 12;
  static constexpr std::string_view kName = "upgrade_pipe";
  std::string name;
  std::int32_t capacity = 0;
  std::int32_t height = 0;
  std::int32_t throughput = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.optional("capacity", self.capacity);
    v.optional("height", self.height);
    v.optional("throughput", self.throughput);
  }
};

/// The same, and sets its base: a row of its own, so that recordings from before upgrades could do
/// that are read as they are. In scripts it has the same name.
struct UpgradePipeAndBase {
  static constexpr std::uint16_t kOpcode = 29;
  static constexpr std::string_view kName = "upgrade_pipe";
  static constexpr const char* kWithKey = "base";
  std::string name;
  std::int32_t base = 0;
  std::int32_t capacity = 0;
  std::int32_t height = 0;
  std::int32_t throughput = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.field("base", self.base);
    v.optional("capacity", self.capacity);
    v.optional("height", self.height);
    v.optional("throughput", self.throughput);
  }
};

/// Joins two nodes. One way: from `from` to `to` only (a check valve); a pump's links always are.
struct LinkPipes {
  static constexpr std::uint16_t kOpcode = 13;
  static constexpr std::string_view kName = "link";
  std::string from;
  std::string to;
  bool one_way = false;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("from", self.from);
    v.field("to", self.to);
    v.optional("one_way", self.one_way);
  }
};

/// Takes the link between two nodes away, whichever way round it was made.
struct UnlinkPipes {
  static constexpr std::uint16_t kOpcode = 14;
  static constexpr std::string_view kName = "unlink";
  std::string from;
  std::string to;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("from", self.from);
    v.field("to", self.to);
  }
};

struct SetValve {
  static constexpr std::uint16_t kOpcode = 15;
  static constexpr std::string_view kName = "set_valve";
  std::string name;
  bool open = true;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.field("open", self.open);
  }
};

struct SetPump {
  static constexpr std::uint16_t kOpcode = 16;
  static constexpr std::string_view kName = "set_pump";
  std::string name;
  std::int32_t rate = 0;  // units a tick; 0 stops it

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.field("rate", self.rate);
  }
};

/// Joins a node to a grid cell. One port of a node in a cell.
struct AddPort {
  static constexpr std::uint16_t kOpcode = 17;
  static constexpr std::string_view kName = "add_port";
  std::string node;
  Vec3 cell;
  PortKind kind = PortKind::kOpen;
  std::int32_t rate = 0;  // units a tick

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("node", self.node);
    v.field("cell", self.cell);
    v.choice("kind", self.kind, kPortKindNames);
    v.field("rate", self.rate);
  }
};

struct RemovePort {
  static constexpr std::uint16_t kOpcode = 18;
  static constexpr std::string_view kName = "remove_port";
  std::string node;
  Vec3 cell;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("node", self.node);
    v.field("cell", self.cell);
  }
};

}  // namespace sluice::sim
