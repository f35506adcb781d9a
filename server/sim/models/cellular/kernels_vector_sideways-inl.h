// The sideways half of the vector kernels of cellular water, and what both halves share. Included
// by kernels_vector_vertical-inl.h once for each vector unit; never by anything else.
#include <array>
#include <cstddef>
#include <cstdint>

#include "server/sim/models/cellular/kernels.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_SIDEWAYS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_SIDEWAYS_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_SIDEWAYS_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_SIDEWAYS_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

// Every row of a chunk is a multiple of 16 cells, so no vector is ever partly filled.
using Tag = hn::CappedTag<std::int32_t, 16>;
using UnsignedTag = hn::Rebind<std::uint32_t, Tag>;
using Vec = hn::Vec<Tag>;
using UnsignedVec = hn::Vec<UnsignedTag>;

inline std::size_t lanes() {
  return hn::Lanes(Tag());
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

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the toggle
