// The vertical half of the vector kernels of cellular water. Included by
// server/sim/kernels_vector.cpp once for each vector unit; never by anything else.
#include <cstddef>
#include <cstdint>

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_VERTICAL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_VERTICAL_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_VERTICAL_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_VERTICAL_INL_H
#endif

#include <hwy/highway.h>

#include "server/sim/models/cellular/kernels_vector_sideways-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

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
    const Vec low = hn::LoadU(d, lower + i);
    // Most lie in air: nothing falls where no water is above, nor rises out of what is not over
    // full.
    const Vec most = hn::Max(up, hn::Sub(low, rule.full));
    if (hn::AllFalse(d, hn::Gt(most, hn::Zero(d)))) return;
    Vec differs = hn::Zero(d);
    const Vec settled = settle<kUniform>(rule, low, up, differs);
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

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
