// How a pipe network lies in memory: nodes and links in arrays, addressed by slots. What every tick
// reads lies apart from what only building and searching read; what many nodes share (capacity,
// height ...) is stored once, as a type.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/sim/int_math.h"
#include "server/sim/limits.h"
#include "server/sim/pipes/types.h"

namespace sluice::sim {

/// Index of a node or link. Slots are reused, and change when the network is rearranged; no result
/// depends on them.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = UINT32_MAX;

/// Levels, and differences of levels, with 32 fractional bits.
using Level = std::int64_t;
inline constexpr int kLevelFraction = 32;

/// Bits of Node::type_and_flags; the upper ones are the type.
enum NodeFlag : std::uint32_t {
  kFlagUsed = 1,   // the slot holds a node
  kFlagOpen = 2,   // passes fluid: every node but a closed valve
  kFlagCrest = 4,  // in a line, not below either neighbour and above one: may be a siphon's top
};
inline constexpr int kFlagBits = 8;

struct Node {
  std::int32_t amount = 0;
  std::int32_t base = 0;
  std::uint32_t type_and_flags = 0;

  [[nodiscard]] std::uint32_t type() const { return type_and_flags >> kFlagBits; }
  [[nodiscard]] bool is(NodeFlag flag) const { return (type_and_flags & flag) != 0; }
  void set(NodeFlag flag, bool on) {
    type_and_flags = on ? type_and_flags | flag : type_and_flags & ~std::uint32_t{flag};
  }
};
static_assert(sizeof(Node) == 12);

/// What building and searching want of a node.
struct NodeEnds {
  Slot first_link = kNoSlot;
  std::uint32_t degree = 0;     // links
  std::uint32_t component = 0;  // number of what hangs together with it (components.cpp)
};
static_assert(sizeof(NodeEnds) == 12);

/// A conductance in 16 bits: what flows a tick is level difference * expand_conductance() / 2^64.
using PackedConductance = std::uint16_t;
/// Rounds down, so that no flow grows past what keeps the energy falling.
PackedConductance pack_conductance(std::uint64_t conductance);
inline std::uint64_t expand_conductance(PackedConductance packed) {
  return std::uint64_t{packed & 0x3ffU} << (packed >> 10);
}

/// The most that one link passes in a tick, in units.
inline constexpr std::int32_t kLargestFlow = 1 << 26;
/// Links whose flows are added up without a look at overflow.
inline constexpr std::uint32_t kMostAddedUp = 63;
static_assert(std::uint64_t{kLargestFlow} * kMostAddedUp <= UINT32_MAX);

struct Link {
  Slot a = kNoSlot;  // from
  std::uint32_t b_and_flags = UINT32_MAX;

  /// Below b, so that b needs one shift; a large one's b seems to lie in no block.
  static constexpr std::uint32_t kOneWay = 1;
  /// One of its nodes has more links than kMostAddedUp.
  static constexpr std::uint32_t kLarge = 1U << 31;
  [[nodiscard]] bool used() const { return a != kNoSlot; }
  [[nodiscard]] Slot b() const { return (b_and_flags & ~kLarge) >> 1; }
  void set_b(Slot b) { b_and_flags = b << 1 | (b_and_flags & (kOneWay | kLarge)); }
  [[nodiscard]] bool large() const { return (b_and_flags & kLarge) != 0; }
  void set_large(bool on) { b_and_flags = on ? b_and_flags | kLarge : b_and_flags & ~kLarge; }
  [[nodiscard]] bool one_way() const { return (b_and_flags & kOneWay) != 0; }
  [[nodiscard]] Slot other(Slot node) const { return node == a ? b() : a; }
};
static_assert(sizeof(Link) == 8);
static_assert(kMaxPipes < 1 << 30 && kMaxPipeLinks < INT32_MAX);

/// A link's place in the lists of its two nodes, which are linked both ways: to leave a hub of
/// 100,000 links costs no more than to leave a pipe of two.
struct LinkPlace {
  Slot next_a = kNoSlot;
  Slot next_b = kNoSlot;
  Slot previous_a = kNoSlot;
  Slot previous_b = kNoSlot;
};

/// Where a node's fluid stands.
inline Level level_of(const Node& node, const PipeTypeRow& type) {
  return static_cast<Level>(
      (static_cast<std::uint64_t>(std::int64_t{node.base}) << kLevelFraction) +
      (static_cast<std::uint64_t>(node.amount) * type.slope >> type.shift));
}

}  // namespace sluice::sim
