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
constexpr std::size_t kBlocksAPiece = 16;

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

PackedFlow pack_flow(std::int64_t flow) {
  const auto size = static_cast<std::uint64_t>(flow < 0 ? -flow : flow);
  const int shift = std::max(0, static_cast<int>(std::bit_width(size)) - (kMantissaBits + 1));
  // As in a floating-point number, but in integers: below 2^11 the number itself; beyond, the
  // leading bit is implied by the exponent.
  const std::uint64_t packed = (static_cast<std::uint64_t>(shift) << kMantissaBits) + (size >> shift);
  return static_cast<PackedFlow>(flow < 0 ? -static_cast<std::int64_t>(packed)
                                          : static_cast<std::int64_t>(packed));
}

std::int64_t unpack_flow(PackedFlow packed) {
  const auto size = static_cast<std::uint32_t>(packed < 0 ? -packed : packed);
  constexpr std::uint32_t kLeading = 1U << kMantissaBits;
  std::int64_t flow = size;
  if (size >= 2 * kLeading) {
    const std::uint32_t shift = size / kLeading - 1;
    flow = static_cast<std::int64_t>(size - shift * kLeading) << shift;
  }
  return packed < 0 ? -flow : flow;
}

PackedConductance pack_conductance(std::uint64_t conductance) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(conductance)) - kMantissaBits);
  return static_cast<PackedConductance>(static_cast<std::uint64_t>(shift) << kMantissaBits |
                                        conductance >> shift);
}

namespace {

/// What a link would pass, from a to b: positive, from b to a: negative.
inline std::int32_t flow_over(const Link& link, const Node& a, const Node& b,
                              const PipeTypeRow* types) {
  const Level difference = level_of(a, types[a.type()]) - level_of(b, types[b.type()]);
  const bool forward = difference > 0;
  const auto size = static_cast<std::uint64_t>(forward ? difference : -difference);
  const std::uint64_t passes = multiply_high(size, expand_conductance(link.conductance));
  const auto held = static_cast<std::uint64_t>(forward ? a.amount : b.amount);
  const auto flow = static_cast<std::int32_t>(std::min(passes, held));
  if (forward) return flow;
  return link.one_way() ? 0 : -flow;
}

}  // namespace

void PipeNetwork::wish(Executor& executor) {
  for_pieces(awake_blocks_.size(), executor, [&](std::size_t, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) wish_in_block(awake_blocks_[i]);
  });
  // A link between two blocks changes nodes of both: one thread for all of those.
  for (const std::uint32_t block : awake_blocks_) {
    for (const Slot link : blocks_[block].cross_links) wish_over(links_[link]);
  }
}

void PipeNetwork::wish_in_block(std::uint32_t block) {
  const Slot end = std::min<Slot>((block + 1) * kBlockNodes, slot_limit());
  for (Slot node = block * kBlockNodes; node < end; ++node) {
    nodes_[node].in = 0;
    nodes_[node].out = 0;
  }
  const Block& own = blocks_[block];
  for (Slot i = own.first_link; i < own.end_link; ++i) {
    Link& link = links_[i];
    if (link.used() && block_of(link.b()) == block) wish_over(link);
  }
  for (const Slot i : own.extra_links) {
    if (block_of(links_[i].b()) == block) wish_over(links_[i]);
  }
}

void PipeNetwork::wish_over(Link& link) {
  Node& a = nodes_[link.a];
  Node& b = nodes_[link.b()];
  const std::int32_t flow = flow_over(link, a, b, types_.data());
  link.flow = pack_flow(flow);
  const auto forward = static_cast<std::uint32_t>(std::max(flow, 0));
  const auto back = static_cast<std::uint32_t>(std::max(-flow, 0));
  add_saturating(a.out, forward);
  add_saturating(b.in, forward);
  add_saturating(b.out, back);
  add_saturating(a.in, back);
}

std::int32_t PipeNetwork::wish_of(const Link& link) const {
  const Node& a = nodes_[link.a];
  const Node& b = nodes_[link.b()];
  if (a.is(kFlagConduit) || b.is(kFlagConduit)) return 0;
  return flow_over(link, a, b, types_.data());
}

void PipeNetwork::collect_limited(Executor& executor) {
  constexpr std::size_t kPieceBlocks = kBlocksAPiece;
  const std::size_t pieces = (awake_blocks_.size() + kPieceBlocks - 1) / kPieceBlocks;
  std::vector<std::vector<Slot>> limited(pieces);
  std::vector<std::vector<Slot>> crests(pieces);
  const PipeTypeRow* types = types_.data();
  for_pieces(awake_blocks_.size(), executor,
             [&](std::size_t piece, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const Slot end = std::min<Slot>((awake_blocks_[i] + 1) * kBlockNodes, slot_limit());
      for (Slot slot = awake_blocks_[i] * kBlockNodes; slot < end; ++slot) {
        const Node& node = nodes_[slot];
        const PipeTypeRow& row = types[node.type()];
        const auto amount = static_cast<std::uint32_t>(node.amount);
        const std::uint32_t room = row.capacity - amount;
        if (node.out > std::min(amount, row.throughput) ||
            node.in > std::min(room, row.throughput)) {
          limited[piece].push_back(slot);
        }
        if (node.is(kFlagCrest) && room == 0 && node.is(kFlagUsed)) crests[piece].push_back(slot);
      }
    }
  });
  limited_.clear();
  crests_.clear();
  for (const auto& found : limited) limited_.insert(limited_.end(), found.begin(), found.end());
  for (const auto& found : crests) crests_.insert(crests_.end(), found.begin(), found.end());
}

void PipeNetwork::move(Executor& executor) {
  const std::size_t pieces = (awake_blocks_.size() + kBlocksAPiece - 1) / kBlocksAPiece;
  std::vector<std::uint64_t> digests(pieces);
  const std::uint64_t* weights = names_.weights();
  for_pieces(awake_blocks_.size(), executor,
             [&](std::size_t piece, std::size_t from, std::size_t to) {
    std::uint64_t digest = 0;
    for (std::size_t i = from; i < to; ++i) {
      const Slot end = std::min<Slot>((awake_blocks_[i] + 1) * kBlockNodes, slot_limit());
      for (Slot slot = awake_blocks_[i] * kBlockNodes; slot < end; ++slot) {
        Node& node = nodes_[slot];
        const auto by = static_cast<std::int32_t>(node.in - node.out);
        node.amount += by;
        digest += weights[slot] * static_cast<std::uint64_t>(std::int64_t{by});
      }
    }
    digests[piece] = digest;
  });
  for (const std::uint64_t digest : digests) amounts_digest_ += digest;
}

}  // namespace sluice::sim
