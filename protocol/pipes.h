// Pipe networks as both ends of a connection know them.
//
// A network is cut into *sections*: the nodes that lie in one chunk of cells, up to 256 in each,
// and those that have no place. What a section is made of (nodes, links, ports) is its *plan*; what
// moves is one row of numbers beside it:
//
//   values = [ amount of node 0, 1, ... | flow class of link 0, 1, ... | state of port 0, 1, ... ]
//
// A link stands in the section of its first node and may name a node of another one, which a mirror
// need not hold. Links and ports beyond the first 4,096 of a section stand in further *blocks*,
// sections of their own whose links and ports name the nodes of block 0.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "protocol/base/pipes.h"
#include "protocol/chunk.h"
#include "protocol/limits.h"

namespace sluice::protocol {

/// A section's name, the same for as long as it exists.
struct PipeKey {
  static constexpr std::int32_t kNoPlace = std::numeric_limits<std::int32_t>::min();

  ChunkCoord coord{kNoPlace, kNoPlace, kNoPlace};  // of its chunk
  std::uint32_t part = 0;                          // block << 16 | which of the chunk's sections

  friend auto operator<=>(const PipeKey&, const PipeKey&) = default;
  [[nodiscard]] bool placed() const { return coord != ChunkCoord{kNoPlace, kNoPlace, kNoPlace}; }
  [[nodiscard]] std::uint32_t block() const { return part >> 16; }
  /// The section that holds the nodes.
  [[nodiscard]] PipeKey nodes() const { return {coord, part & 0xffffU}; }
};

struct PipeNode {
  std::uint8_t index = 0;  // in its section; nodes stand in rising order, with gaps
  NodeKind kind = NodeKind::kPipe;
  bool open = true;  // false: a closed valve
  std::string name;
  std::string fluid;
  std::int32_t capacity = 1;    // units
  std::int32_t height = 0;      // level units over which the capacity spreads
  std::int32_t base = 0;        // level of its bottom
  std::int32_t throughput = 0;  // units a tick; 0: no limit
  std::int32_t rate = 0;        // of a pump, units a tick
  Vec3 at;                      // where the section is placed

  friend bool operator==(const PipeNode&, const PipeNode&) = default;
};

struct PipeRef {
  PipeKey section;  // block 0
  std::uint8_t index = 0;

  friend auto operator<=>(const PipeRef&, const PipeRef&) = default;
};

struct PipeLink {
  std::uint8_t from = 0;  // index of a node of this section
  PipeRef to;
  bool one_way = false;

  friend bool operator==(const PipeLink&, const PipeLink&) = default;
};

struct PipePort {
  std::uint8_t node = 0;  // index of a node of this section
  PortKind kind = PortKind::kOpen;
  Vec3 cell;
  std::int32_t rate = 0;  // units a tick

  friend bool operator==(const PipePort&, const PipePort&) = default;
};

struct PipePlan {
  std::vector<PipeNode> nodes;
  std::vector<PipeLink> links;
  std::vector<PipePort> ports;

  friend bool operator==(const PipePlan&, const PipePlan&) = default;
  [[nodiscard]] std::size_t value_count() const {
    return nodes.size() + links.size() + ports.size();
  }
};

/// A flow, roughly, in one byte: its sign, its power of two, and one more bit. 0 is no flow; 1 and
/// 3 are flows of 1 and 2 units, 4 of 3, 5 of 4 or 5, 6 of 6 or 7, 7 of 8 to 11 ...
constexpr std::int32_t flow_class(std::int64_t flow) {
  const bool forward = flow >= 0;
  std::uint64_t size =
      forward ? static_cast<std::uint64_t>(flow) : ~static_cast<std::uint64_t>(flow) + 1;
  if (size > INT32_MAX) size = INT32_MAX;
  if (size == 0) return 0;
  const int power = static_cast<int>(std::bit_width(size)) - 1;
  const int half = power == 0 ? 0 : static_cast<int>(size >> (power - 1) & 1);
  const std::int32_t number = 2 * power + half + 1;
  return forward ? number : -number;
}

/// The middle of a class. Any number is safe to give.
constexpr std::int64_t flow_of_class(std::int32_t number) {
  if (number == 0) return 0;
  const std::int64_t size = number < 0 ? -std::int64_t{number} : std::int64_t{number};
  if (size > 62) return number < 0 ? -std::int64_t{INT32_MAX} : std::int64_t{INT32_MAX};
  const std::int64_t power = (size - 1) / 2;
  const std::int64_t half = (std::int64_t{1} << power) / 2;
  const std::int64_t middle = (std::int64_t{1} << power) + (size - 1) % 2 * half + half / 2;
  return number < 0 ? -middle : middle;
}

/// What a port shows: its state, and what it moved (into the node positive) as a class.
constexpr std::int32_t port_value(PortState state, std::int64_t moved) {
  return flow_class(moved) * 4 + static_cast<std::int32_t>(state);
}
constexpr PortState state_of_port(std::int32_t value) {
  return static_cast<PortState>(static_cast<std::uint32_t>(value) & 3U);
}
constexpr std::int32_t class_of_port(std::int32_t value) {
  return value >> 2;
}

/// A section as a mirror holds it.
struct PipeSection {
  PipePlan plan;
  std::vector<std::uint8_t> plan_bytes;  // as they came; part of the checksum
  std::vector<std::int32_t> values;      // plan.value_count() of them

  [[nodiscard]] std::int32_t amount(std::size_t node) const { return values[node]; }
  [[nodiscard]] std::int32_t flow(std::size_t link) const {
    return values[plan.nodes.size() + link];
  }
  [[nodiscard]] std::int32_t port(std::size_t port) const {
    return values[plan.nodes.size() + plan.links.size() + port];
  }
};

}  // namespace sluice::protocol
