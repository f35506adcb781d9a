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

// What flows over the faces between cells a and b.
struct FaceFlows {
  Vec size;
  Vec back;  // every bit, where it flows from b to a

  HWY_INLINE Vec towards_b() const { return hn::Sub(hn::Xor(size, back), back); }
};

// Of cells of `most` units over `below`: see standing_units.
HWY_INLINE Vec standing_vector(const VectorRule& rule, Vec most, Vec below) {
  const UnsignedVec room =
      hn::Sub(rule.unsigned_full, hn::Min(rule.unsigned_full, hn::BitCast(UnsignedTag(), below)));
  return hn::Sub(most, hn::BitCast(Tag(), room));
}

HWY_INLINE FaceFlows sideways_flows(const VectorRule& rule, Vec a, Vec b, Vec below_a,
                                    Vec below_b) {
  const Tag d;
  const UnsignedTag du;
  const auto back = hn::Gt(b, a);
  const Vec most = hn::Max(a, b);
  const Vec difference = hn::Sub(most, hn::Min(a, b));
  const UnsignedVec amount = hn::BitCast(du, difference);
  const UnsignedVec threefold = hn::Add(hn::Add(amount, amount), amount);
  const Vec wanted = hn::BitCast(
      d, hn::ShiftRightSame(hn::Add(threefold, rule.sideways_round), rule.sideways_shift));
  const Vec below = hn::IfThenElse(back, below_b, below_a);
  const Vec standing = standing_vector(rule, most, below);
  const Vec size = hn::Max(hn::Min(wanted, standing), hn::Zero(d));
  // A negative value marks a solid cell; the sign of a | b says whether either is.
  return {hn::AndNot(hn::BroadcastSignBit(hn::Or(a, b)), size), hn::VecFromMask(d, back)};
}

HWY_INLINE bool any_set(Vec bits) {
  return !hn::AllTrue(Tag(), hn::Eq(bits, hn::Zero(Tag())));
}

// Flows as they are wanted, without those that are too small for this sweep; where that were any,
// `later` is not 0.
template <bool kFirst>
HWY_INLINE FaceFlows large_enough(FaceFlows flows, Vec least, Vec& later) {
  if constexpr (kFirst) return flows;
  const auto small = hn::Lt(flows.size, least);
  later = hn::Or(later, hn::IfThenElseZero(small, flows.size));
  return {hn::IfThenZeroElse(small, flows.size), flows.back};
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

// A row's fluxes in x, vector by vector from its left end: what flows in from the left of a vector
// is what flowed out of the vector before it. They stay in registers; written down and read again a
// cell further, each load would have waited for two stores.
class RowFluxes {
 public:
  // `low` and `high` are the fluxes over the row's ends.
  HWY_INLINE RowFluxes(std::int32_t low, std::int32_t high)
      : up_(hn::SetTableIndices(Tag(), one_up().data())),
        low_(hn::Set(Tag(), low)),
        high_(hn::Set(Tag(), high)),
        carry_(low_) {}

  // Of a segment that the one before it does not touch: nothing flows into it, but over the border.
  HWY_INLINE void begin(bool at_border) { carry_ = at_border ? low_ : hn::Zero(Tag()); }

  // The fluxes into the cells of the next vector from their left; `out`, those out of them to their
  // right. Where `ends` is true the last of them is none of this row's: 0, or that over the border.
  template <bool kFirst>
  HWY_INLINE Vec next(FaceFlows wanted, Vec least, bool ends, bool at_border, Vec& out,
                      Vec& later) {
    const Tag d;
    const auto last = hn::Not(hn::FirstN(d, lanes() - 1));
    if (ends) wanted.size = hn::IfThenZeroElse(last, wanted.size);
    out = large_enough<kFirst>(wanted, least, later).towards_b();
    if (ends && at_border) out = hn::IfThenElse(last, high_, out);
    const Vec in = hn::IfThenElse(hn::FirstN(d, 1), carry_, hn::TableLookupLanes(out, up_));
    carry_ = hn::Reverse(d, out);
    return in;
  }

 private:
  // The lane before each; of the first, itself.
  static constexpr std::array<std::int32_t, 16> one_up() {
    std::array<std::int32_t, 16> lane{};
    for (std::int32_t i = 1; i < 16; ++i) lane[static_cast<std::size_t>(i)] = i - 1;
    return lane;
  }

  decltype(hn::SetTableIndices(Tag(), static_cast<const std::int32_t*>(nullptr))) up_;
  Vec low_;
  Vec high_;
  Vec carry_;
};

HWY_INLINE FaceFlows flow_to_next(const VectorRule& rule, const Cell* cells, const Cell* under,
                                  std::size_t next) {
  const Tag d;
  return sideways_flows(rule, hn::LoadU(d, cells), hn::LoadU(d, cells + next), hn::LoadU(d, under),
                        hn::LoadU(d, under + next));
}

// Of a segment: whether no cell holds water.
HWY_INLINE bool is_dry(const Cell* cells) {
  const Tag d;
  auto wet = hn::Gt(hn::LoadU(d, cells), hn::Zero(d));
  for (std::size_t i = lanes(); i < kSegmentCells; i += lanes()) {
    wet = hn::Or(wet, hn::Gt(hn::LoadU(d, cells + i), hn::Zero(d)));
  }
  return hn::AllFalse(d, wet);
}

HWY_INLINE bool are_zero(const std::int32_t* fluxes) {
  Vec any = hn::LoadU(Tag(), fluxes);
  for (std::size_t i = lanes(); i < kSegmentCells; i += lanes()) {
    any = hn::Or(any, hn::LoadU(Tag(), fluxes + i));
  }
  return !any_set(any);
}

HWY_INLINE void copy_segment(const Cell* HWY_RESTRICT from, Cell* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < kSegmentCells; i += lanes()) {
    hn::StoreU(hn::LoadU(Tag(), from + i), Tag(), to + i);
  }
}

// What one slab's flows became.
struct SlabFlows {
  Vec moved;
  Vec later;
};

// Everything of one slab of a side view, in place; `under` is what the slab below it was. `old`
// becomes what it was itself.
template <bool kFirst>
HWY_INLINE void flow_in_row(const VectorRule& rule, std::int32_t y, const Cell* under,
                            const SidewaysInput& input, Cell* slab, Cell* HWY_RESTRICT old,
                            Cell* HWY_RESTRICT columns, SlabFlows& flows) {
  const Tag d;
  constexpr std::size_t kLastSegment = 64 / kSegmentCells - 1;
  const std::uint32_t segments = input.region.segments;
  const Vec least = hn::Set(d, input.least);
  RowFluxes row(input.low_x[y], input.high_x[y]);
  for (std::uint64_t left = segments; left != 0; left &= left - 1) {
    const std::size_t segment = lowest(left);
    const bool ends = (segments >> (segment + 1) & 1U) == 0;
    // Most rows of a region lie in air: where water is neither in the segment nor beside it,
    // nothing flows.
    const std::size_t first = segment * kSegmentCells;
    const bool begins = segment == 0 || (segments >> (segment - 1) & 1U) == 0;
    const bool enters = begins ? segment == 0 && input.low_x[y] != 0 : old[first - 1] > 0;
    const bool leaves =
        ends ? segment == kLastSegment && input.high_x[y] != 0 : slab[first + kSegmentCells] > 0;
    if (!enters && !leaves && is_dry(slab + first)) {
      copy_segment(slab + first, old + first);
      row.begin(false);
      continue;
    }
    if (begins) row.begin(segment == 0);
    for (std::size_t i = 0; i < kSegmentCells; i += lanes()) {
      const std::size_t x = first + i;
      const bool last = ends && i + lanes() == kSegmentCells;
      Vec out = hn::Zero(d);
      const Vec in = row.next<kFirst>(flow_to_next(rule, slab + x, under + x, 1), least, last,
                                      segment == kLastSegment, out, flows.later);
      const Vec before = hn::LoadU(d, slab + x);
      const Vec any = hn::Or(in, out);
      hn::StoreU(before, d, old + x);
      hn::StoreU(hn::Add(before, hn::Sub(in, out)), d, slab + x);
      hn::StoreU(hn::Or(hn::LoadU(d, columns + x), any), d, columns + x);
      flows.moved = hn::Or(flows.moved, any);
    }
  }
}

// What the slab below one of a 3D world was, before its own flows. Rows that these left alone are
// copied when they are asked for: most are not.
struct SlabUnder {
  const Cell* cells;
  Cell* copy = nullptr;  // the same, where some rows are still to be copied
  const Cell* slab = nullptr;
  std::uint32_t there = ~std::uint32_t{0};  // rows, as bits

  // With those rows, at least.
  HWY_INLINE const Cell* with(std::uint32_t rows) const {
    for (std::uint32_t left = rows & ~there; left != 0; left &= left - 1) {
      const std::size_t first = lowest(left) * kSegmentCells;
      copy_segment(slab + first, copy + first);
    }
    return cells;
  }
};

// Rows of a slab of a 3D world in which something could flow: most of a region lie in air. Where
// water is neither in a row nor beside it, nothing flows, but over the borders.
HWY_INLINE std::uint32_t rows_to_look_at(const SidewaysInput& input, std::size_t borders,
                                         const Cell* slab) {
  const std::uint32_t segments = input.region.segments;
  std::uint32_t wet = 0;
  for (std::uint32_t left = segments; left != 0; left &= left - 1) {
    const std::size_t z = lowest(left);
    wet |= std::uint32_t{!is_dry(slab + z * kSegmentCells)} << z;
  }
  std::uint32_t rows = wet | wet << 1 | wet >> 1;
  if (!input.over_borders) return rows & segments;
  for (std::size_t z = 0; z < kSegmentCells; ++z) {
    const bool comes = (input.low_x[borders + z] | input.high_x[borders + z]) != 0;
    rows |= std::uint32_t{comes} << z;
  }
  rows |= std::uint32_t{!are_zero(input.low_z + borders)};
  rows |= std::uint32_t{!are_zero(input.high_z + borders)} << (kSegmentCells - 1);
  return rows & segments;
}

// Everything of one slab of a 3D world, where a segment is a row of x, in place. Returns the rows
// of `old` that became what they were.
template <bool kFirst>
HWY_INLINE std::uint32_t flow_in_layer(const VectorRule& rule, std::int32_t y,
                                       const SlabUnder& below, const SidewaysInput& input,
                                       Cell* slab, Cell* HWY_RESTRICT old,
                                       Cell* HWY_RESTRICT columns, SlabFlows& flows) {
  const Tag d;
  constexpr std::size_t kSide = kSegmentCells;
  const std::size_t borders = static_cast<std::size_t>(y) * kSide;
  const std::uint32_t segments = input.region.segments;
  const std::uint32_t rows = rows_to_look_at(input, borders, slab);
  if (rows == 0) return 0;
  const Cell* const under = below.with((rows | rows << 1) & segments);
  const Vec least = hn::Set(d, input.least);
  alignas(64) std::array<std::int32_t, kSide> z_faces;  // between the row before and this one
  for (std::uint32_t left = rows; left != 0; left &= left - 1) {
    const std::size_t z = lowest(left);
    const bool from_before = z > 0 && (rows >> (z - 1) & 1U) != 0;
    const bool before_edge = z + 1 == kSide || (segments >> (z + 1) & 1U) == 0;
    RowFluxes row(input.low_x[borders + z], input.high_x[borders + z]);
    for (std::size_t x = 0; x < kSide; x += lanes()) {
      const std::size_t at = z * kSide + x;
      Vec z_in = hn::Zero(d);
      if (from_before) z_in = hn::LoadU(d, z_faces.data() + x);
      if (z == 0) z_in = hn::LoadU(d, input.low_z + borders + x);
      Vec z_out = hn::Zero(d);
      if (!before_edge) {
        const FaceFlows wanted = flow_to_next(rule, slab + at, under + at, kSide);
        z_out = large_enough<kFirst>(wanted, least, flows.later).towards_b();
        hn::StoreU(z_out, d, z_faces.data() + x);
      } else if (z + 1 == kSide) {
        z_out = hn::LoadU(d, input.high_z + borders + x);
      }
      Vec out = hn::Zero(d);
      const Vec in = row.next<kFirst>(flow_to_next(rule, slab + at, under + at, 1), least,
                                      x + lanes() == kSide, true, out, flows.later);
      const Vec before = hn::LoadU(d, slab + at);
      const Vec gain = hn::Add(hn::Sub(in, out), hn::Sub(z_in, z_out));
      const Vec any = hn::Or(hn::Or(in, out), hn::Or(z_in, z_out));
      hn::StoreU(before, d, old + at);
      hn::StoreU(hn::Add(before, gain), d, slab + at);
      hn::StoreU(hn::Or(hn::LoadU(d, columns + at), any), d, columns + at);
      flows.moved = hn::Or(flows.moved, any);
    }
  }
  return rows;
}

bool faces_vector(const CellularRule& scalar_rule, const FaceCells& cells, std::int32_t least,
                  std::int32_t* flux, bool& waits) {
  const Tag d;
  // Where no water is, nothing flows; most of the borders of a region lie in air or rock.
  if (is_dry(cells.from) && is_dry(cells.to)) return false;
  const VectorRule rule(scalar_rule);
  Vec any = hn::Zero(d);
  Vec later = any;
  for (std::size_t i = 0; i < kSegmentCells; i += lanes()) {
    const FaceFlows wanted =
        sideways_flows(rule, hn::LoadU(d, cells.from + i), hn::LoadU(d, cells.to + i),
                       hn::LoadU(d, cells.from_under + i), hn::LoadU(d, cells.to_under + i));
    const Vec amount = large_enough<false>(wanted, hn::Set(d, least), later).towards_b();
    hn::StoreU(amount, d, flux + i);
    any = hn::Or(any, amount);
  }
  waits = waits || any_set(later);
  return any_set(any);
}

bool stands_vector(const CellularRule& scalar_rule, const ChunkShape& shape, const Cell* cells,
                   const Cell* below, const ChunkRegion& region) {
  const Tag d;
  const VectorRule rule(scalar_rule);
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  for (std::uint64_t left = region.slabs; left != 0; left &= left - 1) {
    const std::size_t y = lowest(left);
    const Cell* const slab = cells + y * slab_cells;
    const Cell* const under = y == 0 ? below : slab - slab_cells;
    Vec most = hn::Zero(d);
    for_each_vector<kMaxSlab>(region.segments, [&](std::size_t i) {
      most = hn::Max(most, standing_vector(rule, hn::LoadU(d, slab + i), hn::LoadU(d, under + i)));
    });
    if (!hn::AllFalse(d, hn::Gt(most, hn::Zero(d)))) return true;
  }
  return false;
}

template <bool kFirst, bool kSolid>
void sideways_slabs(const CellularRule& scalar_rule, const ChunkShape& shape,
                    Cell* HWY_RESTRICT cells, const SidewaysInput& input, PassChanges& changes) {
  const VectorRule rule(scalar_rule);
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  alignas(64) SlabBuffer buffers[2];
  std::int32_t before = -1;  // the slab of which buffers[turn] holds old cells
  std::uint32_t there = 0;   // in 3D, these rows of it
  int turn = 0;
  for (std::uint64_t left = input.region.slabs; left != 0; left &= left - 1) {
    const auto y = static_cast<std::int32_t>(lowest(left));
    Cell* const slab = cells + static_cast<std::size_t>(y) * slab_cells;
    SlabUnder under = {y == 0 ? input.below : slab - slab_cells};
    if (before >= 0 && before == y - 1) {
      under = {buffers[turn].data(), buffers[turn].data(), slab - slab_cells, there};
    }
    turn ^= 1;
    Cell* const old = buffers[turn].data();
    SlabFlows flows = {hn::Zero(Tag()), hn::Zero(Tag())};
    Cell* const columns = changes.columns.data();
    before = y;
    if constexpr (kSolid) {
      there = flow_in_layer<kFirst>(rule, y, under, input, slab, old, columns, flows);
      if (there == 0) {
        before = -1;
        continue;
      }
    } else {
      flow_in_row<kFirst>(rule, y, under.cells, input, slab, old, columns, flows);
    }
    changes.slabs |= std::uint64_t{any_set(flows.moved)} << y;
    if constexpr (!kFirst) changes.later |= std::uint64_t{any_set(flows.later)} << y;
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
