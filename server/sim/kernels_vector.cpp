// The vector kernels: one source, compiled once for each vector unit that Highway knows here, the
// best one picked at run time. They compute the expressions of models/cellular_rule.h and
// kernels_scalar.cpp; a test holds them to the same bits. Integers only.
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
        shift(rule.mid_shift),
        uniform(rule.uniform) {}
  Vec full;
  UnsignedVec unsigned_full;
  Vec extra;
  Vec span;
  Vec multiplier;
  Vec most;
  int shift;
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
  const Vec wanted =
      hn::BitCast(d, hn::ShiftRight<3>(hn::Add(threefold, hn::Set(du, std::uint32_t{2}))));
  const Vec below = hn::IfThenElse(to_b, below_a, below_b);
  const UnsignedVec room =
      hn::Sub(rule.unsigned_full, hn::Min(rule.unsigned_full, hn::BitCast(du, below)));
  const Vec standing = hn::Sub(hn::Max(a, b), hn::BitCast(d, room));
  const Vec flux = hn::Max(hn::Min(wanted, standing), hn::Zero(d));
  // A negative value marks a solid cell; the sign of a | b says whether either is.
  const Vec both_open = hn::AndNot(hn::BroadcastSignBit(hn::Or(a, b)), flux);
  return hn::IfThenElse(to_b, both_open, hn::Neg(both_open));
}

HWY_INLINE std::int32_t largest_of(Vec flows) {
  return hn::GetLane(hn::MaxOfLanes(Tag(), flows));
}

HWY_INLINE bool any_set(Vec bits) {
  return !hn::AllTrue(Tag(), hn::Eq(bits, hn::Zero(Tag())));
}

void copy_slab(const Cell* HWY_RESTRICT from, std::size_t count, Cell* HWY_RESTRICT to) {
  for (std::size_t i = 0; i < count; i += lanes()) {
    hn::StoreU(hn::LoadU(Tag(), from + i), Tag(), to + i);
  }
}

// Adds the differences of the fluxes before and behind each of `count` cells to `slab`.
HWY_INLINE void apply_fluxes(std::size_t count, const Cell* HWY_RESTRICT old,
                             const std::int32_t* entering, const std::int32_t* leaving,
                             Cell* HWY_RESTRICT slab, Cell* HWY_RESTRICT columns, Vec& moved,
                             Vec& largest) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += lanes()) {
    const Vec before = hn::LoadU(d, old + i);
    const Vec in = hn::LoadU(d, entering + i);
    const Vec out = hn::LoadU(d, leaving + i);
    const Vec after = hn::Add(before, hn::Sub(in, out));
    const Vec differs = hn::Xor(before, after);
    hn::StoreU(after, d, slab + i);
    hn::StoreU(hn::Or(hn::LoadU(d, columns + i), differs), d, columns + i);
    moved = hn::Or(moved, differs);
    largest = hn::Max(largest, hn::Max(hn::Abs(in), hn::Abs(out)));
  }
}

void note_slab(bool moved, std::int32_t y, const ChunkShape& shape, PassChanges& changes) {
  if (moved && y == 0) changes.bottom = true;
  if (moved && y + 1 == shape.height()) changes.top = true;
}

void sideways_x_vector(const CellularRule& scalar_rule, const ChunkShape& shape,
                       Cell* HWY_RESTRICT cells, const Cell* HWY_RESTRICT below,
                       const std::int32_t* HWY_RESTRICT low, const std::int32_t* HWY_RESTRICT high,
                       PassChanges& changes) {
  const Tag d;
  const VectorRule rule(scalar_rule);
  const auto width = static_cast<std::size_t>(shape.width());
  const auto depth = static_cast<std::size_t>(shape.depth());
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  alignas(64) SlabBuffer buffers[2] = {};
  alignas(64) std::array<std::int32_t, 64 + 2 * kOverread> faces{};
  copy_slab(below, slab_cells, buffers[0].data());
  Vec largest = hn::Set(d, changes.largest_flow);
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    Cell* slab = cells + static_cast<std::size_t>(y) * slab_cells;
    const Cell* under = buffers[y & 1].data();
    Cell* old = buffers[(y + 1) & 1].data();
    copy_slab(slab, slab_cells, old);
    Vec moved = hn::Zero(d);
    for (std::size_t z = 0; z < depth; ++z) {
      const std::size_t row = z * width;
      // faces[k] is the flux into cell k from the left; the row's last sum reads one cell of the
      // next row, and its face is then replaced by the border's.
      for (std::size_t x = 0; x < width; x += lanes()) {
        const Vec flux =
            sideways_flux_vector(rule, hn::LoadU(d, old + row + x), hn::LoadU(d, old + row + x + 1),
                                 hn::LoadU(d, under + row + x), hn::LoadU(d, under + row + x + 1));
        hn::StoreU(flux, d, faces.data() + x + 1);
      }
      const std::size_t border = static_cast<std::size_t>(y) * depth + z;
      faces[0] = low[border];
      faces[width] = high[border];
      apply_fluxes(width, old + row, faces.data(), faces.data() + 1, slab + row,
                   changes.columns.data() + row, moved, largest);
    }
    note_slab(any_set(moved), y, shape, changes);
  }
  changes.largest_flow = largest_of(largest);
}

void sideways_z_vector(const CellularRule& scalar_rule, const ChunkShape& shape,
                       Cell* HWY_RESTRICT cells, const Cell* HWY_RESTRICT below,
                       const std::int32_t* HWY_RESTRICT low, const std::int32_t* HWY_RESTRICT high,
                       PassChanges& changes) {
  const Tag d;
  const VectorRule rule(scalar_rule);
  const auto width = static_cast<std::size_t>(shape.width());
  const auto depth = static_cast<std::size_t>(shape.depth());
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  alignas(64) SlabBuffer buffers[2] = {};
  alignas(64) std::array<std::int32_t, 64> faces[2] = {};
  copy_slab(below, slab_cells, buffers[0].data());
  Vec largest = hn::Set(d, changes.largest_flow);
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    Cell* slab = cells + static_cast<std::size_t>(y) * slab_cells;
    const Cell* under = buffers[y & 1].data();
    Cell* old = buffers[(y + 1) & 1].data();
    copy_slab(slab, slab_cells, old);
    Vec moved = hn::Zero(d);
    const std::size_t border = static_cast<std::size_t>(y) * width;
    copy_slab(low + border, width, faces[0].data());
    for (std::size_t z = 0; z < depth; ++z) {
      const std::size_t row = z * width;
      const std::int32_t* entering = faces[z & 1].data();
      std::int32_t* leaving = faces[(z + 1) & 1].data();
      if (z + 1 == depth) {
        copy_slab(high + border, width, leaving);
      } else {
        for (std::size_t x = row; x < row + width; x += lanes()) {
          const Vec flux =
              sideways_flux_vector(rule, hn::LoadU(d, old + x), hn::LoadU(d, old + x + width),
                                   hn::LoadU(d, under + x), hn::LoadU(d, under + x + width));
          hn::StoreU(flux, d, leaving + (x - row));
        }
      }
      apply_fluxes(width, old + row, entering, leaving, slab + row, changes.columns.data() + row,
                   moved, largest);
    }
    note_slab(any_set(moved), y, shape, changes);
  }
  changes.largest_flow = largest_of(largest);
}

// Settles one vector of pairs: returns what the lower holds; `upper` becomes what is left.
template <bool kUniform>
HWY_INLINE Vec settle(const VectorRule& rule, Vec lower, Vec& upper, Vec& differs, Vec& largest) {
  const Tag d;
  const Vec sum = hn::Add(lower, upper);
  const auto solid = hn::Lt(hn::Or(lower, upper), hn::Zero(d));
  const Vec settled = hn::IfThenElse(solid, lower, lower_share_vector<kUniform>(rule, sum));
  const Vec flow = hn::Sub(settled, lower);
  upper = hn::Sub(upper, flow);
  differs = hn::Or(differs, flow);
  largest = hn::Max(largest, hn::Abs(flow));
  return settled;
}

// Up the columns of one chunk, kGroup vectors side by side so that the chain from cell to cell in
// one does not stall the others.
template <bool kUniform, std::size_t kGroup>
HWY_INLINE void settle_columns(const VectorRule& rule, std::size_t slab_cells, std::int32_t height,
                               Cell* HWY_RESTRICT cells, std::int32_t* HWY_RESTRICT columns,
                               Vec& bottom, Vec& top, Vec& largest) {
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
    hn::StoreU(settle<kUniform>(rule, lower, upper, differs, largest), d, slab);
    lower = upper;
    seen = hn::Or(seen, differs);
    now = hn::Or(now, differs);
  };
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
    if (y == 0) bottom = hn::Or(bottom, now);
    if (y + 2 == height) top = hn::Or(top, now);
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
}

template <bool kUniform>
void vertical_rule(const VectorRule& rule, const ChunkShape& shape, Cell* HWY_RESTRICT cells,
                   PassChanges& changes) {
  const Tag d;
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  const std::size_t group = 4 * lanes();
  Vec bottom = hn::Zero(d);
  Vec top = hn::Zero(d);
  Vec largest = hn::Set(d, changes.largest_flow);
  std::size_t at = 0;
  for (; at + group <= slab_cells; at += group) {
    settle_columns<kUniform, 4>(rule, slab_cells, shape.height(), cells + at,
                                changes.columns.data() + at, bottom, top, largest);
  }
  for (; at < slab_cells; at += lanes()) {
    settle_columns<kUniform, 1>(rule, slab_cells, shape.height(), cells + at,
                                changes.columns.data() + at, bottom, top, largest);
  }
  changes.largest_flow = largest_of(largest);
  changes.bottom = changes.bottom || any_set(bottom);
  changes.top = changes.top || any_set(top);
}

void vertical_vector(const CellularRule& scalar_rule, const ChunkShape& shape, Cell* cells,
                     PassChanges& changes) {
  const VectorRule rule(scalar_rule);
  if (rule.uniform) {
    vertical_rule<true>(rule, shape, cells, changes);
  } else {
    vertical_rule<false>(rule, shape, cells, changes);
  }
}

bool pair_vector(const CellularRule& scalar_rule, std::int32_t count, Cell* HWY_RESTRICT lower,
                 Cell* HWY_RESTRICT upper, PassChanges& changes) {
  const Tag d;
  const VectorRule rule(scalar_rule);
  Vec moved = hn::Zero(d);
  Vec largest = hn::Set(d, changes.largest_flow);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); i += lanes()) {
    const Vec low = hn::LoadU(d, lower + i);
    Vec up = hn::LoadU(d, upper + i);
    Vec differs = hn::Zero(d);
    const Vec settled = rule.uniform ? settle<true>(rule, low, up, differs, largest)
                                     : settle<false>(rule, low, up, differs, largest);
    hn::StoreU(settled, d, lower + i);
    hn::StoreU(up, d, upper + i);
    Cell* columns = changes.columns.data() + i;
    hn::StoreU(hn::Or(hn::LoadU(d, columns), differs), d, columns);
    moved = hn::Or(moved, differs);
  }
  changes.largest_flow = largest_of(largest);
  return any_set(moved);
}

Kernels make_kernels() {
  return {hwy::TargetName(HWY_TARGET), digest_cells_vector, sideways_x_vector,
          sideways_z_vector,           vertical_vector,     pair_vector};
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
