// The vector kernels: one source, compiled once for each vector unit that Highway knows here, the
// best one picked at run time. They compute the expressions of models/cellular_rule.h and
// kernels_scalar.cpp; a test holds them to the same bits. Integers only.
#include <array>
#include <vector>

#include "server/sim/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/sim/kernels_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Where there is no vector unit the portable kernels serve.
Kernels make_kernels() {
  return scalar_kernels();
}
#else

namespace hn = hwy::HWY_NAMESPACE;

// Every row of a chunk is a multiple of 16 cells, so no vector is ever partly filled.
using Tag = hn::CappedTag<std::int32_t, 16>;
using UnsignedTag = hn::Rebind<std::uint32_t, Tag>;
using Vec = hn::Vec<Tag>;
using UnsignedVec = hn::Vec<UnsignedTag>;

inline std::size_t lanes() {
  return hn::Lanes(Tag());
}

void digest_cells_vector(const Cell* HWY_RESTRICT cells, std::uint64_t* HWY_RESTRICT sums) {
  const hn::CappedTag<std::uint64_t, kDigestLanes> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const std::size_t n = hn::Lanes(d);
  const auto step = hn::Set(d, kDigestStep);
  for (std::size_t lane = 0; lane < kDigestLanes; lane += n) {
    auto key = hn::LoadU(d, kDigestKeys.data() + lane);
    auto sum = hn::Zero(d);
    for (std::size_t i = 2 * lane; i < kChunkCells; i += 2 * kDigestLanes) {
      const auto data =
          hn::BitCast(d, hn::LoadU(d32, reinterpret_cast<const std::uint32_t*>(cells + i)));
      const auto keyed = hn::Xor(data, key);
      const auto product =
          hn::MulEven(hn::BitCast(d32, keyed), hn::BitCast(d32, hn::ShiftRight<32>(keyed)));
      sum = hn::Add(sum, hn::Add(product, data));
      key = hn::Add(key, step);
    }
    hn::StoreU(sum, d, sums + lane);
  }
}

// The constants of a rule, spread over vectors.
struct VectorRule {
  explicit VectorRule(const CellularRule& rule)
      : full(hn::Set(Tag(), rule.full)),
        unsigned_full(hn::Set(UnsignedTag(), static_cast<std::uint32_t>(rule.full))),
        extra(hn::Set(Tag(), rule.extra)),
        span(hn::Set(Tag(), rule.full + rule.extra)),
        multiplier(hn::Set(Tag(), rule.mid_multiplier)),
        most(hn::Set(Tag(), kMaxCellUnits)),
        sideways_round(hn::Set(UnsignedTag(), static_cast<std::uint32_t>(rule.sideways_round))),
        shift(rule.mid_shift),
        sideways_shift(rule.sideways_shift),
        uniform(rule.uniform) {}
  Vec full;
  UnsignedVec unsigned_full;
  Vec extra;
  Vec span;
  Vec multiplier;
  Vec most;
  UnsignedVec sideways_round;
  int shift;
  int sideways_shift;
  bool uniform;
};

template <bool kUniform>
HWY_INLINE Vec lower_share_vector(const VectorRule& rule, Vec sum) {
  Vec lower = hn::Zero(Tag());
  if constexpr (kUniform) {
    lower = hn::Min(sum, rule.span);
  } else {
    const Vec over = hn::Min(hn::Sub(sum, rule.full), rule.span);
    const Vec part_filled =
        hn::Add(rule.full, hn::ShiftRightSame(hn::Mul(over, rule.multiplier), rule.shift));
    // Unsigned: two cells at their maximum and `extra` need 32 bits.
    const UnsignedVec doubled = hn::BitCast(UnsignedTag(), hn::Add(sum, rule.extra));
    const Vec both_full = hn::BitCast(Tag(), hn::ShiftRight<1>(doubled));
    lower = hn::Min(sum, hn::Max(part_filled, both_full));
  }
  return hn::Min(hn::Max(lower, hn::Sub(sum, rule.most)), rule.most);
}

// The fluxes over the faces between cells a and b, and the cells below them.
HWY_INLINE Vec sideways_flux_vector(const VectorRule& rule, Vec a, Vec b, Vec below_a,
                                    Vec below_b) {
  const Tag d;
  const UnsignedTag du;
  const auto to_b = hn::Gt(a, b);
  const Vec difference = hn::Sub(hn::Max(a, b), hn::Min(a, b));
  const UnsignedVec amount = hn::BitCast(du, difference);
  const UnsignedVec threefold = hn::Add(hn::Add(amount, amount), amount);
  const Vec wanted = hn::BitCast(
      d, hn::ShiftRightSame(hn::Add(threefold, rule.sideways_round), rule.sideways_shift));
  const Vec below = hn::IfThenElse(to_b, below_a, below_b);
  const UnsignedVec room =
      hn::Sub(rule.unsigned_full, hn::Min(rule.unsigned_full, hn::BitCast(du, below)));
  const Vec standing = hn::Sub(hn::Max(a, b), hn::BitCast(d, room));
  const Vec flux = hn::Max(hn::Min(wanted, standing), hn::Zero(d));
  // A negative value marks a solid cell; the sign of a | b says whether either is.
  const Vec both_open = hn::AndNot(hn::BroadcastSignBit(hn::Or(a, b)), flux);
  return hn::IfThenElse(to_b, both_open, hn::Neg(both_open));
}

HWY_INLINE bool any_set(Vec bits) {
  return !hn::AllTrue(Tag(), hn::Eq(bits, hn::Zero(Tag())));
}

// Fluxes as they are wanted, without those that are too small for this sweep; where that were any,
// `later` is not 0.
template <bool kFirst>
HWY_INLINE Vec large_enough(Vec flux, Vec least, Vec& later) {
  if constexpr (kFirst) return flux;
  const auto small = hn::Lt(hn::Abs(flux), least);
  later = hn::Or(later, hn::IfThenElseZero(small, flux));
  return hn::IfThenZeroElse(small, flux);
}

// The lowest bit that is set, and without it.
HWY_INLINE std::size_t lowest(std::uint64_t bits) {
  return hwy::Num0BitsBelowLS1Bit_Nonzero64(bits);
}

constexpr std::size_t kSegmentCells = static_cast<std::size_t>(kSegment);

// f(index of the first cell) for each vector of the given segments among so many cells.
template <std::size_t kCells, class F>
HWY_INLINE void for_each_vector(std::uint32_t segments, F&& f) {
  constexpr std::uint32_t kAll = ~std::uint32_t{0} >> (32 - kCells / kSegmentCells);
  if (segments == kAll) {
    for (std::size_t i = 0; i < kCells; i += lanes()) f(i);
    return;
  }
  for (std::uint64_t left = segments; left != 0; left &= left - 1) {
    const std::size_t first = lowest(left) * kSegmentCells;
    for (std::size_t i = 0; i < kSegmentCells; i += lanes()) f(first + i);
  }
}

template <std::size_t kCells>
HWY_INLINE void copy_segments(const Cell* HWY_RESTRICT from, std::uint32_t segments,
                              Cell* HWY_RESTRICT to) {
  for_each_vector<kCells>(
      segments, [&](std::size_t i) { hn::StoreU(hn::LoadU(Tag(), from + i), Tag(), to + i); });
}

// A line of cells has a face before each cell and one behind the last.
constexpr std::size_t kMostFaces = 64 + 2 * kOverread;
using Faces = std::array<std::int32_t, kMostFaces>;

// faces[k] becomes the flux into cell k of a row from the left, for the row's given segments: 0
// over the edge of those, the borders' at the row's ends.
template <bool kFirst, std::size_t kWidth>
HWY_INLINE void fluxes_in_x(const VectorRule& rule, std::uint32_t segments, const Cell* old,
                            const Cell* under, Vec least, Vec& later, Faces& faces) {
  const Tag d;
  Faces waiting;
  for_each_vector<kWidth>(segments, [&](std::size_t x) {
    const Vec flux = sideways_flux_vector(rule, hn::LoadU(d, old + x), hn::LoadU(d, old + x + 1),
                                          hn::LoadU(d, under + x), hn::LoadU(d, under + x + 1));
    Vec waits = hn::Zero(d);
    hn::StoreU(large_enough<kFirst>(flux, least, waits), d, faces.data() + x + 1);
    if constexpr (!kFirst) hn::StoreU(waits, d, waiting.data() + x);
  });
  for (std::uint64_t left = segments; left != 0; left &= left - 1) {
    const std::size_t segment = lowest(left);
    const std::size_t first = segment * kSegmentCells;
    if (segment == 0 || (segments >> (segment - 1) & 1U) == 0) faces[first] = 0;
    if ((segments >> (segment + 1) & 1U) != 0) continue;
    // The last face was made with a cell of no concern.
    faces[first + kSegmentCells] = 0;
    if constexpr (!kFirst) waiting[first + kSegmentCells - 1] = 0;
  }
  if constexpr (!kFirst) {
    for_each_vector<kWidth>(
        segments, [&](std::size_t x) { later = hn::Or(later, hn::LoadU(d, waiting.data() + x)); });
  }
}

// What one slab's flows became.
struct SlabFlows {
  Vec moved;
  Vec later;
};

// Everything of one slab of a side view: `old` is what it was, `under` what the slab below it was.
template <bool kFirst>
HWY_INLINE void flow_in_row(const VectorRule& rule, std::int32_t y, const Cell* HWY_RESTRICT old,
                            const Cell* under, const SidewaysInput& input, Cell* HWY_RESTRICT slab,
                            Cell* HWY_RESTRICT columns, SlabFlows& flows) {
  const Tag d;
  constexpr std::size_t kWidth = 64;
  const std::uint32_t segments = input.region.segments;
  alignas(64) Faces faces;
  fluxes_in_x<kFirst, kWidth>(rule, segments, old, under, hn::Set(d, input.least), flows.later,
                              faces);
  if ((segments & 1U) != 0) faces[0] = input.low_x[y];
  if ((segments >> (kWidth / kSegmentCells - 1) & 1U) != 0) faces[kWidth] = input.high_x[y];
  for_each_vector<kWidth>(segments, [&](std::size_t x) {
    const Vec in = hn::LoadU(d, faces.data() + x);
    const Vec out = hn::LoadU(d, faces.data() + x + 1);
    const Vec any = hn::Or(in, out);
    hn::StoreU(hn::Add(hn::LoadU(d, old + x), hn::Sub(in, out)), d, slab + x);
    hn::StoreU(hn::Or(hn::LoadU(d, columns + x), any), d, columns + x);
    flows.moved = hn::Or(flows.moved, any);
  });
}

// The same in 3D, where a segment is a row of x.
template <bool kFirst>
HWY_INLINE void flow_in_layer(const VectorRule& rule, std::int32_t y, const Cell* HWY_RESTRICT old,
                              const Cell* under, const SidewaysInput& input,
                              Cell* HWY_RESTRICT slab, Cell* HWY_RESTRICT columns,
                              SlabFlows& flows) {
  const Tag d;
  constexpr std::size_t kSide = kSegmentCells;
  const std::uint32_t segments = input.region.segments;
  const Vec least = hn::Set(d, input.least);
  alignas(64) Faces x_faces;
  alignas(64) std::array<std::int32_t, kSide> z_faces[2];
  const std::size_t borders = static_cast<std::size_t>(y) * kSide;
  for (std::uint64_t left = segments; left != 0; left &= left - 1) {
    const std::size_t z = lowest(left);
    const std::size_t row = z * kSide;
    fluxes_in_x<kFirst, kSide>(rule, 1, old + row, under + row, least, flows.later, x_faces);
    x_faces[0] = input.low_x[borders + z];
    x_faces[kSide] = input.high_x[borders + z];
    std::int32_t* const entering = z_faces[z & 1].data();
    std::int32_t* const leaving = z_faces[(z + 1) & 1].data();
    const bool after_edge = z == 0 || (segments >> (z - 1) & 1U) == 0;
    const bool before_edge = z + 1 == kSide || (segments >> (z + 1) & 1U) == 0;
    for (std::size_t x = 0; x < kSide; x += lanes()) {
      const std::size_t at = row + x;
      Vec z_in = hn::LoadU(d, entering + x);
      if (after_edge) z_in = z == 0 ? hn::LoadU(d, input.low_z + borders + x) : hn::Zero(d);
      Vec z_out = hn::Zero(d);
      if (!before_edge) {
        const Vec flux =
            sideways_flux_vector(rule, hn::LoadU(d, old + at), hn::LoadU(d, old + at + kSide),
                                 hn::LoadU(d, under + at), hn::LoadU(d, under + at + kSide));
        z_out = large_enough<kFirst>(flux, least, flows.later);
        hn::StoreU(z_out, d, leaving + x);
      } else if (z + 1 == kSide) {
        z_out = hn::LoadU(d, input.high_z + borders + x);
      }
      const Vec in = hn::LoadU(d, x_faces.data() + x);
      const Vec out = hn::LoadU(d, x_faces.data() + x + 1);
      const Vec gain = hn::Add(hn::Sub(in, out), hn::Sub(z_in, z_out));
      const Vec any = hn::Or(hn::Or(in, out), hn::Or(z_in, z_out));
      hn::StoreU(hn::Add(hn::LoadU(d, old + at), gain), d, slab + at);
      hn::StoreU(hn::Or(hn::LoadU(d, columns + at), any), d, columns + at);
      flows.moved = hn::Or(flows.moved, any);
    }
  }
}

template <bool kFirst, bool kSolid>
void sideways_slabs(const CellularRule& scalar_rule, const ChunkShape& shape,
                    Cell* HWY_RESTRICT cells, const SidewaysInput& input, PassChanges& changes) {
  const VectorRule rule(scalar_rule);
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  alignas(64) SlabBuffer buffers[2];
  std::int32_t before = -1;  // the slab whose old cells buffers[turn] holds
  int turn = 0;
  for (std::uint64_t left = input.region.slabs; left != 0; left &= left - 1) {
    const auto y = static_cast<std::int32_t>(lowest(left));
    Cell* const slab = cells + static_cast<std::size_t>(y) * slab_cells;
    const Cell* const under = y == 0            ? input.below
                              : before == y - 1 ? buffers[turn].data()
                                                : slab - slab_cells;
    turn ^= 1;
    Cell* const old = buffers[turn].data();
    copy_segments<kSolid ? kMaxSlab : 64>(slab, input.region.segments, old);
    SlabFlows flows = {hn::Zero(Tag()), hn::Zero(Tag())};
    Cell* const columns = changes.columns.data();
    if constexpr (kSolid) {
      flow_in_layer<kFirst>(rule, y, old, under, input, slab, columns, flows);
    } else {
      flow_in_row<kFirst>(rule, y, old, under, input, slab, columns, flows);
    }
    changes.slabs |= std::uint64_t{any_set(flows.moved)} << y;
    if constexpr (!kFirst) changes.later |= std::uint64_t{any_set(flows.later)} << y;
    before = y;
  }
}

void sideways_vector(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                     const SidewaysInput& input, PassChanges& changes) {
  const bool first = input.least <= 1;
  if (shape.depth() == 1) {
    (first ? sideways_slabs<true, false> : sideways_slabs<false, false>)(rule, shape, cells, input,
                                                                         changes);
  } else {
    (first ? sideways_slabs<true, true> : sideways_slabs<false, true>)(rule, shape, cells, input,
                                                                       changes);
  }
}

// Settles one vector of pairs: returns what the lower holds; `upper` becomes what is left.
template <bool kUniform>
HWY_INLINE Vec settle(const VectorRule& rule, Vec lower, Vec& upper, Vec& differs) {
  const Tag d;
  const Vec sum = hn::Add(lower, upper);
  const auto solid = hn::Lt(hn::Or(lower, upper), hn::Zero(d));
  const Vec settled = hn::IfThenElse(solid, lower, lower_share_vector<kUniform>(rule, sum));
  const Vec flow = hn::Sub(settled, lower);
  upper = hn::Sub(upper, flow);
  differs = hn::Or(differs, flow);
  return settled;
}

// Up the columns of one chunk, kGroup vectors side by side so that the chain from cell to cell in
// one does not stall the others. Returns the slabs that changed, as bits.
template <bool kUniform, std::size_t kGroup>
HWY_INLINE std::uint64_t settle_columns(const VectorRule& rule, std::size_t slab_cells,
                                        std::int32_t height, Cell* HWY_RESTRICT cells,
                                        std::int32_t* HWY_RESTRICT columns) {
  const Tag d;
  const std::size_t n = lanes();
  static_assert(kGroup == 1 || kGroup == 4);
  Vec lower0 = hn::LoadU(d, cells);
  Vec lower1 = kGroup == 4 ? hn::LoadU(d, cells + n) : lower0;
  Vec lower2 = kGroup == 4 ? hn::LoadU(d, cells + 2 * n) : lower0;
  Vec lower3 = kGroup == 4 ? hn::LoadU(d, cells + 3 * n) : lower0;
  Vec seen0 = hn::Zero(d);
  Vec seen1 = seen0;
  Vec seen2 = seen0;
  Vec seen3 = seen0;
  const auto one = [&](Cell* slab, const Cell* above, Vec& lower, Vec& seen, Vec& now) {
    Vec upper = hn::LoadU(d, above);
    Vec differs = hn::Zero(d);
    hn::StoreU(settle<kUniform>(rule, lower, upper, differs), d, slab);
    lower = upper;
    seen = hn::Or(seen, differs);
    now = hn::Or(now, differs);
  };
  std::uint64_t changed = 0;
  for (std::int32_t y = 0; y + 1 < height; ++y) {
    Cell* slab = cells + static_cast<std::size_t>(y) * slab_cells;
    const Cell* above = slab + slab_cells;
    Vec now = hn::Zero(d);
    one(slab, above, lower0, seen0, now);
    if constexpr (kGroup == 4) {
      one(slab + n, above + n, lower1, seen1, now);
      one(slab + 2 * n, above + 2 * n, lower2, seen2, now);
      one(slab + 3 * n, above + 3 * n, lower3, seen3, now);
    }
    changed |= (any_set(now) ? std::uint64_t{3} : std::uint64_t{0}) << y;
  }
  Cell* last = cells + static_cast<std::size_t>(height - 1) * slab_cells;
  const auto finish = [&](Vec lower, Vec seen, std::size_t at) {
    hn::StoreU(lower, d, last + at);
    hn::StoreU(hn::Or(hn::LoadU(d, columns + at), seen), d, columns + at);
  };
  finish(lower0, seen0, 0);
  if constexpr (kGroup == 4) {
    finish(lower1, seen1, n);
    finish(lower2, seen2, 2 * n);
    finish(lower3, seen3, 3 * n);
  }
  return changed;
}

template <bool kUniform>
bool settle_pair(const VectorRule& rule, std::uint32_t segments, Cell* HWY_RESTRICT lower,
                 Cell* HWY_RESTRICT upper, std::int32_t* HWY_RESTRICT columns) {
  const Tag d;
  Vec moved = hn::Zero(d);
  for_each_vector<kMaxSlab>(segments, [&](std::size_t i) {
    Vec up = hn::LoadU(d, upper + i);
    Vec differs = hn::Zero(d);
    const Vec settled = settle<kUniform>(rule, hn::LoadU(d, lower + i), up, differs);
    hn::StoreU(settled, d, lower + i);
    hn::StoreU(up, d, upper + i);
    hn::StoreU(hn::Or(hn::LoadU(d, columns + i), differs), d, columns + i);
    moved = hn::Or(moved, differs);
  });
  return any_set(moved);
}

// All slabs of the segments.
template <bool kUniform>
std::uint64_t settle_all(const VectorRule& rule, const ChunkShape& shape, std::uint32_t segments,
                         Cell* HWY_RESTRICT cells, std::int32_t* HWY_RESTRICT columns) {
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  const std::size_t group = 4 * lanes();
  const bool everywhere = segments == all_segments(shape);
  std::uint64_t changed = 0;
  std::size_t done = 0;
  for (; everywhere && done + group <= slab_cells; done += group) {
    changed |=
        settle_columns<kUniform, 4>(rule, slab_cells, shape.height(), cells + done, columns + done);
  }
  for_each_vector<kMaxSlab>(segments, [&](std::size_t at) {
    if (at < done) return;
    changed |=
        settle_columns<kUniform, 1>(rule, slab_cells, shape.height(), cells + at, columns + at);
  });
  return changed;
}

// All slabs at once where most have to be looked at; else one pair of slabs after the other.
template <bool kUniform>
void vertical_rule(const VectorRule& rule, const ChunkShape& shape, Cell* HWY_RESTRICT cells,
                   const ChunkRegion& region, PassChanges& changes) {
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  const std::uint64_t slabs = region.slabs;
  if (2 * hwy::PopCount(slabs) > static_cast<std::size_t>(shape.height())) {
    changes.slabs |=
        settle_all<kUniform>(rule, shape, region.segments, cells, changes.columns.data());
    return;
  }
  const std::uint64_t pairs = whole_chunk(shape).slabs >> 1;
  std::uint64_t left = (slabs | slabs >> 1) & pairs;  // pairs, by their lower slab
  while (left != 0) {
    const std::size_t y = lowest(left);
    left &= left - 1;
    Cell* const slab = cells + y * slab_cells;
    if (!settle_pair<kUniform>(rule, region.segments, slab, slab + slab_cells,
                               changes.columns.data())) {
      continue;
    }
    changes.slabs |= std::uint64_t{3} << y;
    left |= std::uint64_t{2} << y & pairs;
  }
}

void vertical_vector(const CellularRule& scalar_rule, const ChunkShape& shape, Cell* cells,
                     const ChunkRegion& region, PassChanges& changes) {
  const VectorRule rule(scalar_rule);
  if (rule.uniform) {
    vertical_rule<true>(rule, shape, cells, region, changes);
  } else {
    vertical_rule<false>(rule, shape, cells, region, changes);
  }
}

bool pair_vector(const CellularRule& scalar_rule, std::uint32_t segments, Cell* lower, Cell* upper,
                 PassChanges& changes) {
  const VectorRule rule(scalar_rule);
  return (rule.uniform ? settle_pair<true> : settle_pair<false>)(rule, segments, lower, upper,
                                                                 changes.columns.data());
}

Kernels make_kernels() {
  return {hwy::TargetName(HWY_TARGET), digest_cells_vector, sideways_vector, vertical_vector,
          pair_vector};
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::sim {

namespace {

HWY_EXPORT(make_kernels);

struct KernelSets {
  std::vector<Kernels> sets;
  std::size_t chosen = 0;
};

KernelSets& kernel_sets() {
  static KernelSets sets = [] {
    KernelSets made;
    made.sets.push_back(scalar_kernels());
    const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
    // Highway numbers better targets lower; they are listed from the plainest to the best.
    for (int bit = 62; bit >= 0; --bit) {
      const std::int64_t target = std::int64_t{1} << bit;
      if ((supported & target) == 0 || target == HWY_SCALAR || target == HWY_EMU128) continue;
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(target);
      made.sets.push_back(HWY_DYNAMIC_DISPATCH(make_kernels)());
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(supported);
    made.chosen = made.sets.size() - 1;
    return made;
  }();
  return sets;
}

}  // namespace

const Kernels& kernels() {
  const KernelSets& sets = kernel_sets();
  return sets.sets[sets.chosen];
}

std::span<const Kernels> all_kernels() {
  return kernel_sets().sets;
}

bool select_kernels(std::string_view name) {
  KernelSets& sets = kernel_sets();
  for (std::size_t i = 0; i < sets.sets.size(); ++i) {
    if (name == sets.sets[i].name) {
      sets.chosen = i;
      return true;
    }
  }
  return false;
}

}  // namespace sluice::sim
#endif  // HWY_ONCE
