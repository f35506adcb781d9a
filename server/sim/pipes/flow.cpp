// Flows over links. Every link's wish is computed from the state before the tick, so that no order
// can matter; where a node has neither the fluid nor the room for all that is wished of it,
// limit.cpp shares out what there is. Then all amounts change at once.
#include <algorithm>
#include <bit>

#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

namespace {

constexpr int kMantissaBits = 10;

/// Blocks that one piece of work covers: enough to be worth a worker's while.
constexpr std::size_t kBlocksAPiece = 4;

template <class F>
void for_pieces(std::size_t blocks, Executor& executor, F&& f) {
  const std::size_t pieces = (blocks + kBlocksAPiece - 1) / kBlocksAPiece;
  executor.run(pieces, [&](std::size_t piece) {
    f(piece, piece * kBlocksAPiece, std::min(blocks, (piece + 1) * kBlocksAPiece));
  });
}

void add_saturating(std::uint32_t& sum, std::uint32_t more) {
  sum += more;
  if (sum < more) sum = UINT32_MAX;
}

}  // namespace

PackedConductance pack_conductance(std::uint64_t conductance) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(conductance)) - kMantissaBits);
  return static_cast<PackedConductance>(static_cast<std::uint64_t>(shift) << kMantissaBits |
                                        conductance >> shift);
}

namespace {

/// What a node can give over one link in a tick.
inline std::int32_t held_by(const Node& node) {
  return std::min(node.amount, kLargestFlow);
}

/// What a link would pass: `units` from a to b, or back where `back` is all ones instead of 0.
/// Without branches, because no processor guesses which of two ends stands higher.
struct Wish {
  std::int64_t units;
  std::int64_t back;
  [[nodiscard]] std::int32_t flow() const {
    return static_cast<std::int32_t>((units ^ back) - back);
  }
};

inline Wish wish_between(PackedConductance conductance, std::uint32_t b_and_flags, Level level_a,
                         Level level_b, std::int32_t held_a, std::int32_t held_b) {
  const Level difference = level_a - level_b;
  const Level back = difference >> 63;
  const auto size = static_cast<std::uint64_t>((difference ^ back) - back);
  const std::uint64_t passes = multiply_high(size, expand_conductance(conductance));
  const auto held = static_cast<std::uint64_t>(back != 0 ? held_b : held_a);
  const std::int64_t refused = back & -static_cast<std::int64_t>(b_and_flags & Link::kOneWay);
  return {static_cast<std::int64_t>(std::min(passes, held)) & ~refused, back};
}

}  // namespace

void PipeNetwork::wish(Executor& executor) {
  limited_.clear();
  crests_.clear();
  std::vector<Noticed> noticed((awake_blocks_.size() + kBlocksAPiece - 1) / kBlocksAPiece);
  for_pieces(awake_blocks_.size(), executor,
             [&](std::size_t piece, std::size_t from, std::size_t to) {
               for (std::size_t i = from; i < to; ++i)
                 wish_in_block(awake_blocks_[i], noticed[piece]);
             });
  // A link between two blocks changes nodes of both: one thread for all of those.
  Noticed shared;
  for (const std::uint32_t block : awake_blocks_) {
    for (const Slot link : blocks_[block].shared_links) wish_over(link);
  }
  for (const std::uint32_t block : awake_blocks_) {
    for (const Slot link : blocks_[block].shared_links) {
      notice(links_[link].a, shared);
      notice(links_[link].b(), shared);
    }
  }
  noticed.push_back(std::move(shared));
  for (const Noticed& one : noticed) {
    limited_.insert(limited_.end(), one.limited.begin(), one.limited.end());
    crests_.insert(crests_.end(), one.crests.begin(), one.crests.end());
  }
  for (std::vector<Slot>* found : {&limited_, &crests_}) {
    std::sort(found->begin(), found->end());
    found->erase(std::unique(found->begin(), found->end()), found->end());
  }
}

inline void PipeNetwork::notice(Slot slot, Noticed& noticed) const {
  const Node& node = nodes_[slot];
  const PipeTypeRow& row = types_[node.type()];
  const auto amount = static_cast<std::uint32_t>(node.amount);
  const std::uint32_t room = row.capacity - amount;
  if (node.out > std::min(amount, row.throughput) || node.in > std::min(room, row.throughput)) {
    noticed.limited.push_back(slot);
  }
  if (room == 0 && node.is(kFlagCrest)) noticed.crests.push_back(slot);
}

void PipeNetwork::wish_in_block(std::uint32_t block, Noticed& noticed) {
  // What the block's nodes are to its links, kept small enough for the first cache.
  Level levels[kBlockNodes];
  std::int32_t amounts[kBlockNodes];
  std::uint64_t sums[kBlockNodes];  // out in the lower half, in in the upper
  const Slot first = block * kBlockNodes;
  const Slot count = std::min<Slot>(kBlockNodes, slot_limit() - first);
  const PipeTypeRow* types = types_.data();
  Node* nodes = nodes_.data() + first;
  for (Slot i = 0; i < count; ++i) {
    levels[i] = level_of(nodes[i], types[nodes[i].type()]);
    amounts[i] = held_by(nodes[i]);
    sums[i] = 0;
  }
  const auto wish_inside = [&](Slot i) {
    Link& link = links_[i];
    const Slot b = (link.b_and_flags >> 1) - first;
    if (b >= kBlockNodes) return;  // not used, shared with another block, or large
    const Slot a = link.a - first;
    const Wish wish = wish_between(conductances_[i], link.b_and_flags, levels[a], levels[b],
                                   amounts[a], amounts[b]);
    link.flow = wish.flow();
    const int half = static_cast<int>(wish.back) & 32;
    sums[a] += static_cast<std::uint64_t>(wish.units) << half;
    sums[b] += static_cast<std::uint64_t>(wish.units) << (32 - half);
  };
  const Block& own = blocks_[block];
  for (Slot i = own.first_link; i < own.end_link; ++i) wish_inside(i);
  for (const Slot i : own.extra_links) wish_inside(i);
  for (Slot i = 0; i < count; ++i) {
    Node& node = nodes[i];
    node.out = static_cast<std::uint32_t>(sums[i]);
    node.in = static_cast<std::uint32_t>(sums[i] >> 32);
    notice(first + i, noticed);
  }
}

void PipeNetwork::wish_over(Slot slot) {
  Link& link = links_[slot];
  link.flow = wish_of(slot);
  const auto along = static_cast<std::uint32_t>(std::max(link.flow, 0));
  const auto against = static_cast<std::uint32_t>(std::max(-link.flow, 0));
  add_saturating(nodes_[link.a].out, along);
  add_saturating(nodes_[link.b()].in, along);
  add_saturating(nodes_[link.b()].out, against);
  add_saturating(nodes_[link.a].in, against);
}

std::int32_t PipeNetwork::wish_of(Slot slot) const {
  const Link& link = links_[slot];
  const Node& a = nodes_[link.a];
  const Node& b = nodes_[link.b()];
  if (a.is(kFlagConduit) || b.is(kFlagConduit)) return 0;
  return wish_between(conductances_[slot], link.b_and_flags, level(link.a), level(link.b()),
                      held_by(a), held_by(b))
      .flow();
}

void PipeNetwork::move(Executor& executor) {
  const std::size_t pieces = (awake_blocks_.size() + kBlocksAPiece - 1) / kBlocksAPiece;
  std::vector<std::uint64_t> digests(pieces);
  block_moved_.resize(blocks_.size());
  const std::uint64_t* weights = names_.weights();
  for_pieces(
      awake_blocks_.size(), executor, [&](std::size_t piece, std::size_t from, std::size_t to) {
        std::uint64_t digest = 0;
        for (std::size_t i = from; i < to; ++i) {
          std::uint32_t moved = 0;
          const Slot end = std::min<Slot>((awake_blocks_[i] + 1) * kBlockNodes, slot_limit());
          for (Slot slot = awake_blocks_[i] * kBlockNodes; slot < end; ++slot) {
            Node& node = nodes_[slot];
            const auto by = static_cast<std::int32_t>(node.in - node.out);
            node.amount += by;
            moved |= node.in | node.out;
            digest += weights[slot] * static_cast<std::uint64_t>(std::int64_t{by});
          }
          block_moved_[awake_blocks_[i]] = moved != 0 ? 1 : 0;
        }
        digests[piece] = digest;
      });
  for (const std::uint64_t digest : digests) amounts_digest_ += digest;
}

}  // namespace sluice::sim
