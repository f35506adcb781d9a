// The vector kernels of heat. Included by kernels_vector.cpp once for each vector unit; never by
// anything else.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "server/sim/heat/kernels.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_HEAT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_HEAT_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_HEAT_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_HEAT_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

// A row of a chunk has at least so many cells.
using HeatLanes = hn::CappedTag<std::int32_t, 16>;
using HeatEnergyLanes = hn::Repartition<std::int64_t, HeatLanes>;

using HeatMask = hn::Mask<HeatLanes>;

// Energies of as many cells as there are lanes: their lower halves, and where those say all. Of a
// full cell they always do.
template <class V>
struct HeatEnergies {
  V low;
  HeatMask whole;

  // Those of a range, which may not be empty.
  HWY_INLINE HeatMask in(HeatMask cells, std::int64_t first, std::int64_t end) const {
    const HeatLanes d;
    const hn::RebindToUnsigned<HeatLanes> du;
    const auto from_first = hn::Sub(low, hn::Set(d, static_cast<std::int32_t>(first)));
    const auto size = hn::Set(du, static_cast<std::uint32_t>(end - first));
    return hn::And(cells, hn::RebindMask(d, hn::Lt(hn::BitCast(du, from_first), size)));
  }
};

template <class W>
HWY_INLINE auto energies_of(W low, W high) {
  const HeatLanes d;
  const auto upper = hn::ConcatOdd(d, hn::BitCast(d, high), hn::BitCast(d, low));
  const auto lower = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
  return HeatEnergies<hn::Vec<HeatLanes>>{lower, hn::Eq(upper, hn::Zero(d))};
}

// Cells that hold water or ice.
template <class V>
HWY_INLINE HeatMask holding_cells(V cells) {
  const HeatLanes d;
  return hn::Or(hn::Gt(cells, hn::Zero(d)), hn::Lt(cells, hn::Set(d, kThinnestIce + 1)));
}

HeatCellsRead read_heat_vector(const HeatCurve& curve, const HeatRows& rows,
                               const Cell* HWY_RESTRICT cells,
                               const std::int64_t* HWY_RESTRICT energies,
                               std::int32_t* HWY_RESTRICT plain) {
  constexpr int kDown = 12 - kLogFine;  // energy of a full cell to 1/65536 degree
  static_assert(kFull == 1 << 12);
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const HeatRange range = plain_range(curve);
  const auto zero = hn::Zero(d);
  const auto melted = hn::Set(d, static_cast<std::int32_t>(curve.melted() << kLogFine));
  const auto frozen = hn::Set(d, static_cast<std::int32_t>(curve.frozen() << kLogFine));
  HeatCellsRead count;
  std::int32_t* to = plain;
  for (std::size_t row = 0, in_layer = 0; row < rows.rows * rows.layers; ++row) {
    for (std::size_t x = 0; x < rows.cells; x += hn::Lanes(d)) {
      const std::size_t i = row * rows.from_step + x;
      const auto cell = hn::LoadU(d, cells + i);
      const auto energy =
          energies_of(hn::LoadU(d64, energies + i), hn::LoadU(d64, energies + i + hn::Lanes(d64)));
      const auto is_full = hn::And(energy.whole, hn::Eq(cell, hn::Set(d, kFull)));
      const auto is_ice = hn::And(energy.whole, hn::Eq(cell, hn::Set(d, ice_of(kFull))));
      const auto water = energy.in(is_full, range.least + 1, range.most);
      // Water that is colder counts as ice.
      const auto ice =
          hn::Or(energy.in(is_ice, 0, range.most_of_ice), energy.in(is_full, 0, range.least + 1));
      const auto heat = hn::ShiftRight<kDown>(energy.low);
      const auto of_water = hn::ShiftLeft<1>(hn::Max(hn::Sub(heat, melted), zero));
      const auto of_ice =
          hn::Add(hn::ShiftLeft<2>(hn::Min(hn::Sub(heat, frozen), zero)), hn::Set(d, 1));
      const auto holds = holding_cells(cell);
      const auto other = hn::IfThenElse(holds, hn::Set(d, kByRule), hn::Set(d, kNoHeat));
      const auto found = hn::IfThenElse(ice, of_ice, hn::IfThenElse(water, of_water, other));
      hn::StoreU(found, d, to + x);
      const auto is_plain = hn::Or(water, ice);
      count.plain += static_cast<std::int32_t>(hn::CountTrue(d, is_plain));
      count.by_rule += static_cast<std::int32_t>(hn::CountTrue(d, hn::AndNot(is_plain, holds)));
    }
    to += rows.to_step;
    if (++in_layer < rows.rows) continue;
    in_layer = 0;
    to = plain += rows.to_layer;
  }
  return count;
}

// Parts of a face to the side, and to the end.
template <class V>
struct HeatParts {
  V sideways, down, up, ice, half_ice;
};

// What flows from `from` into `here`, where product_of(size) says parts * size >> 8.
template <class V, class Product>
HWY_INLINE V heat_of_difference(V difference, Product&& product_of) {
  const HeatLanes d;
  const auto size = hn::Max(hn::Sub(hn::Abs(difference), hn::Set(d, 1)), hn::Zero(d));
  const auto energy = product_of(size);
  const auto sign = hn::BroadcastSignBit(difference);
  return hn::Sub(hn::Xor(energy, sign), sign);
}

// Difference of temperatures of 1/65536 degree.
template <class V>
HWY_INLINE V heat_difference(V from, V here) {
  return hn::Sub(hn::ShiftRight<1>(from), hn::ShiftRight<1>(here));
}

template <class V>
HWY_INLINE V heat_where_both_plain(V a, V b, V flux) {
  const HeatLanes d;
  return hn::IfThenElseZero(hn::Gt(hn::Min(a, b), hn::Set(d, kByRule)), flux);
}

// Over a face to the side: the product is below 2^32.
template <class V>
HWY_INLINE V heat_beside(const HeatParts<V>& parts, V here, V from) {
  const HeatLanes d;
  const hn::RebindToUnsigned<HeatLanes> du;
  const auto ice = hn::TestBit(hn::Or(here, from), hn::Set(d, 1));
  const auto of_face = hn::IfThenElse(ice, parts.ice, parts.sideways);
  const auto flux = heat_of_difference(heat_difference(from, here), [&](V size) {
    return hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, hn::Mul(of_face, size))));
  });
  return heat_where_both_plain(here, from, flux);
}

template <class V>
HWY_INLINE V heat_up(V of_face, V below, V above) {
  const HeatLanes d;
  return heat_of_difference(heat_difference(below, above), [&](V size) {
    const auto low = hn::And(size, hn::Set(d, 255));
    return hn::Add(hn::Mul(of_face, hn::ShiftRight<8>(size)),
                   hn::ShiftRight<8>(hn::Mul(of_face, low)));
  });
}

template <class V>
HWY_INLINE V heat_parts_of_water(const HeatParts<V>& parts, V below, V above) {
  const HeatLanes d;
  const auto densest = hn::Set(d, 2 * (kDensest << kLogFine));
  const auto away = [&](V plain) { return hn::Abs(hn::Sub(plain, densest)); };
  return hn::IfThenElse(hn::Gt(away(below), away(above)), parts.up, parts.down);
}

// What flows from below into `above`. Adds to `left_out` what it leaves out.
template <class V>
HWY_INLINE V heat_rising(const HeatParts<V>& parts, V below, V above, V& left_out) {
  const HeatLanes d;
  const auto one = hn::Set(d, 1);
  const auto of_ice =
      hn::IfThenElse(hn::TestBit(hn::And(below, above), one), parts.ice, parts.half_ice);
  const auto of_face = hn::IfThenElse(hn::TestBit(hn::Or(below, above), one), of_ice,
                                      heat_parts_of_water(parts, below, above));
  const auto flux = heat_where_both_plain(below, above, heat_up(of_face, below, above));
  const auto melting = hn::Or(hn::VecFromMask(d, hn::Eq(below, hn::Set(d, kMelting))),
                              hn::VecFromMask(d, hn::Eq(above, hn::Set(d, kMelting))));
  const auto beyond = hn::And(hn::And(melting, hn::Or(below, above)), one);
  left_out = hn::Or(left_out, beyond);
  return hn::IfThenElseZero(hn::Eq(beyond, hn::Zero(d)), flux);
}

// Over a face between two cells of one kind (HeatRow), where the product is below 2^32.
template <class V>
HWY_INLINE V heat_of_alike(V of_face, V here, V from) {
  const HeatLanes d;
  const hn::RebindToUnsigned<HeatLanes> du;
  return heat_of_difference(hn::ShiftRight<1>(hn::Sub(from, here)), [&](V size) {
    return hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, hn::Mul(of_face, size))));
  });
}

// What a row of a plane holds, with the two cells beside it: nothing but water above 0 degrees, or
// ice. An empty row has kNoHeat alone, whatever is beside it.
enum class HeatRow : std::uint8_t { kEmpty, kWater, kIce, kAny };

// Rows around the chunk, which are not `inside`, have no cells beside them.
HWY_INLINE HeatRow kind_of_row(const std::int32_t* row, std::size_t width, bool inside) {
  const HeatLanes d;
  const auto one = hn::Set(d, 1);
  auto least = hn::LoadU(d, row);
  auto most = least;
  auto some = least;  // bits
  auto all = least;
  for (std::size_t x = hn::Lanes(d); x < width; x += hn::Lanes(d)) {
    const auto here = hn::LoadU(d, row + x);
    least = hn::Min(least, here);
    most = hn::Max(most, here);
    some = hn::Or(some, here);
    all = hn::And(all, here);
  }
  const std::int32_t before = row[inside ? -1 : 0];
  const std::int32_t after = row[inside ? width : 0];
  if (std::min(before, after) > kMelting && ((before | after) & 1) == 0 &&
      hn::AllTrue(d, hn::Gt(least, hn::Set(d, kMelting))) &&
      hn::AllTrue(d, hn::Eq(hn::And(some, one), hn::Zero(d)))) {
    return HeatRow::kWater;
  }
  // What is not plain is even.
  if ((before & after & 1) != 0 && hn::AllTrue(d, hn::Eq(hn::And(all, one), one))) {
    return HeatRow::kIce;
  }
  return hn::AllTrue(d, hn::Eq(most, hn::Set(d, kNoHeat))) ? HeatRow::kEmpty : HeatRow::kAny;
}

// Finds the fluxes of a chunk row by row. Each face between two rows is looked at once: what came
// over it is kept until the next row.
template <bool kSolid>
class HeatRowFluxes {
 public:
  using V = hn::Vec<HeatLanes>;

  HWY_INLINE HeatRowFluxes(const HeatFluxInput& input, const HeatPlane& plane)
      : parts_{hn::Set(d, input.sideways), hn::Set(d, input.down), hn::Set(d, input.up),
               hn::Set(d, input.ice), hn::Set(d, 2 * input.ice)},
        width_(static_cast<std::size_t>(input.shape.width())),
        stride_(plane.stride),
        layer_(plane.layer) {}

  // Over the faces under the lowest layer.
  HWY_INLINE void begin(const std::int32_t* row, std::int32_t* rising) {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      const auto flux = heat_rising(parts_, load(row + x - layer_), load(row + x), left_out_);
      any_ = hn::Or(any_, flux);
      hn::StoreU(flux, d, rising + x);
    }
  }
  // Over the faces in front of a slab.
  HWY_INLINE void begin_slab(const std::int32_t* row, std::int32_t* backward) {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      const auto flux = heat_beside(parts_, load(row + x), load(row + x - stride_));
      any_ = hn::Or(any_, flux);
      hn::StoreU(flux, d, backward + x);
    }
  }
  // Of a row of a kind; so is the one behind it, and the one above unless that is empty.
  template <HeatRow kKind, bool kSurface = false>
  HWY_INLINE void run(const std::int32_t* row, std::int32_t* rising, std::int32_t* backward,
                      std::int32_t* change) {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      const auto here = load(row + x);
      const auto left = beside<kKind>(here, load(row + x - 1));
      const auto right = beside<kKind>(here, load(row + x + 1));
      auto up = hn::Zero(d);
      if constexpr (!kSurface) up = upwards<kKind>(here, load(row + x + layer_));
      any_ = hn::Or(any_, hn::Or(left, hn::Or(right, up)));
      auto sum = hn::Add(left, right);
      sum = hn::Add(sum, hn::Sub(load(rising + x), up));
      hn::StoreU(up, d, rising + x);
      if constexpr (kSolid) {
        const auto back = beside<kKind>(load(row + x + stride_), here);
        any_ = hn::Or(any_, back);
        sum = hn::Add(sum, hn::Sub(load(backward + x), back));
        hn::StoreU(back, d, backward + x);
      }
      hn::StoreU(sum, d, change + x);
    }
    if constexpr (kSurface) surface_ = hn::Set(d, 1);
  }
  // Of an empty row: nothing flows over any of its faces.
  HWY_INLINE void pass(std::int32_t* rising, std::int32_t* backward, std::int32_t* change) const {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      hn::StoreU(hn::Zero(d), d, rising + x);
      if constexpr (kSolid) hn::StoreU(hn::Zero(d), d, backward + x);
      hn::StoreU(hn::Zero(d), d, change + x);
    }
  }
  [[nodiscard]] HWY_INLINE bool any() const { return is_set(any_); }
  // Since the last call: whether any face was left out, and any surface was met.
  [[nodiscard]] HWY_INLINE bool take_left_out() { return take(left_out_); }
  [[nodiscard]] HWY_INLINE bool take_surface() { return take(surface_); }

 private:
  static constexpr HeatLanes d{};

  static HWY_INLINE V load(const std::int32_t* from) { return hn::LoadU(d, from); }
  static HWY_INLINE bool is_set(V v) { return !hn::AllTrue(d, hn::Eq(v, hn::Zero(d))); }
  static HWY_INLINE bool take(V& v) {
    const bool found = is_set(v);
    v = hn::Zero(d);
    return found;
  }
  template <HeatRow kKind>
  HWY_INLINE V beside(V here, V from) const {
    if constexpr (kKind == HeatRow::kWater) return heat_of_alike(parts_.sideways, here, from);
    if constexpr (kKind == HeatRow::kIce) return heat_of_alike(parts_.ice, here, from);
    return heat_beside(parts_, here, from);
  }
  // Into the one above.
  template <HeatRow kKind>
  HWY_INLINE V upwards(V below, V above) {
    if constexpr (kKind == HeatRow::kIce) return heat_of_alike(parts_.ice, above, below);
    if constexpr (kKind == HeatRow::kWater) {
      return heat_up(heat_parts_of_water(parts_, below, above), below, above);
    }
    const auto none = hn::Eq(above, hn::Set(d, kNoHeat));
    const auto surface = hn::AndNot(hn::Eq(below, hn::Set(d, kNoHeat)), none);
    surface_ = hn::Or(surface_, hn::VecFromMask(d, surface));
    return heat_rising(parts_, below, above, left_out_);
  }

  HeatParts<V> parts_;
  std::size_t width_;
  std::size_t stride_;
  std::size_t layer_;
  V any_ = hn::Zero(d);
  V left_out_ = hn::Zero(d);
  V surface_ = hn::Zero(d);
};

template <bool kSolid>
HeatFluxesFound heat_fluxes_vector(const HeatFluxInput& input, const HeatPlane& plane,
                                   std::int32_t* change) {
  const auto width = static_cast<std::size_t>(input.shape.width());
  const auto depth = static_cast<std::size_t>(input.shape.depth());
  const auto height = static_cast<std::size_t>(input.shape.height());
  HWY_ALIGN std::int32_t rising[256];   // from below, of a slab
  HWY_ALIGN std::int32_t backward[64];  // from the front, of a row
  std::array<HeatRow, 17> kinds;        // of a slab's rows, and of the one behind
  std::array<HeatRow, 16> kinds_above;
  HeatRowFluxes<kSolid> fluxes(input, plane);
  HeatFluxesFound found;
  const std::int32_t* slab = plane.plain.data() + plane.first;
  for (std::size_t z = 0; z < depth; ++z) {
    kinds_above[z] = kind_of_row(slab + z * plane.stride, width, true);
    fluxes.begin(slab + z * plane.stride, rising + z * width);
  }
  found.left_out = fluxes.take_left_out() ? 1 : 0;
  for (std::size_t y = 0; y < height; ++y, slab += plane.layer) {
    std::copy_n(kinds_above.begin(), depth, kinds.begin());
    if (kSolid) kinds[depth] = kind_of_row(slab + depth * plane.stride, width, false);
    if (kSolid) fluxes.begin_slab(slab, backward);
    for (std::size_t z = 0; z < depth; ++z, change += width) {
      const std::int32_t* const row = slab + z * plane.stride;
      kinds_above[z] = kind_of_row(row + plane.layer, width, y + 1 < height);
      const HeatRow kind = kinds[z];
      const HeatRow above = kinds_above[z];
      const bool alike = !kSolid || kinds[z + 1] == kind;
      std::int32_t* const from_below = rising + z * width;
      if (kind == HeatRow::kEmpty) {
        fluxes.pass(from_below, backward, change);
      } else if (kind == HeatRow::kWater && alike && above == kind) {
        fluxes.template run<HeatRow::kWater>(row, from_below, backward, change);
      } else if (kind == HeatRow::kIce && alike && above == kind) {
        fluxes.template run<HeatRow::kIce>(row, from_below, backward, change);
      } else if (kind == HeatRow::kIce && alike && above == HeatRow::kEmpty) {
        fluxes.template run<HeatRow::kIce, true>(row, from_below, backward, change);
      } else {
        fluxes.template run<HeatRow::kAny>(row, from_below, backward, change);
      }
    }
    found.surfaces |= std::uint64_t{fluxes.take_surface()} << y;
    const bool left_out = fluxes.take_left_out();
    if (y + 1 < height) found.left_out |= std::uint64_t{left_out} << (y + 1);
    found.left_out_above = left_out;
  }
  found.any = fluxes.any();
  return found;
}

HeatFluxesFound heat_fluxes_vector(const HeatFluxInput& input, const HeatPlane& plane,
                                   std::int32_t* change) {
  return input.shape.depth() > 1 ? heat_fluxes_vector<true>(input, plane, change)
                                 : heat_fluxes_vector<false>(input, plane, change);
}

// Energies of a chunk, to which `change` is added first where they may be written to.
template <class Energy>
HWY_INLINE std::uint64_t add_and_look(const HeatRange& range, const Cell* HWY_RESTRICT cells,
                                      const std::int32_t* HWY_RESTRICT change,
                                      Energy* HWY_RESTRICT energies) {
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const hn::Half<HeatLanes> half;
  std::uint64_t groups = 0;
  for (std::size_t group = 0; group < kChunkCells / 64; ++group) {
    auto any = hn::FirstN(d, 0);
    for (std::size_t i = 64 * group; i < 64 * (group + 1); i += hn::Lanes(d)) {
      auto low = hn::LoadU(d64, energies + i);
      auto high = hn::LoadU(d64, energies + i + hn::Lanes(d64));
      if constexpr (!std::is_const_v<Energy>) {
        low = hn::Add(low, hn::PromoteTo(d64, hn::LoadU(half, change + i)));
        high = hn::Add(high, hn::PromoteTo(d64, hn::LoadU(half, change + i + hn::Lanes(half))));
        hn::StoreU(low, d64, energies + i);
        hn::StoreU(high, d64, energies + i + hn::Lanes(d64));
      }
      const auto cell = hn::LoadU(d, cells + i);
      const auto energy = energies_of(low, high);
      const auto is_full = hn::And(energy.whole, hn::Eq(cell, hn::Set(d, kFull)));
      const auto is_ice = hn::And(energy.whole, hn::Eq(cell, hn::Set(d, ice_of(kFull))));
      const auto lasts = hn::Or(energy.in(is_full, range.least + 1, range.most),
                                energy.in(is_ice, 0, range.most_of_ice));
      any = hn::Or(any, hn::AndNot(lasts, holding_cells(cell)));
    }
    if (!hn::AllFalse(d, any)) groups |= std::uint64_t{1} << group;
  }
  return groups;
}

std::uint64_t add_heat_vector(const HeatRange& range, const Cell* cells, const std::int32_t* change,
                              std::int64_t* energies) {
  return add_and_look(range, cells, change, energies);
}

std::uint64_t other_cells_vector(const HeatRange& range, const Cell* cells,
                                 const std::int64_t* energies) {
  return add_and_look(range, cells, nullptr, energies);
}

std::uint64_t digest_heat_vector(const std::int64_t* HWY_RESTRICT energies) {
  const hn::Repartition<std::uint64_t, HeatLanes> d;
  const hn::Repartition<std::uint32_t, HeatLanes> d32;
  const auto n = static_cast<std::uint64_t>(hn::Lanes(d));
  HWY_ALIGN std::uint64_t keys[16];
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = kHeatDigestKey + i * kHeatDigestStep;
  auto key = hn::Load(d, keys);
  auto sum = hn::Zero(d);
  const auto step = hn::Set(d, n * kHeatDigestStep);
  for (std::size_t i = 0; i < kChunkCells; i += hn::Lanes(d)) {
    const auto data =
        hn::BitCast(d, hn::LoadU(d32, reinterpret_cast<const std::uint32_t*>(energies + i)));
    const auto keyed = hn::Xor(data, key);
    const auto product =
        hn::MulEven(hn::BitCast(d32, keyed), hn::BitCast(d32, hn::ShiftRight<32>(keyed)));
    sum = hn::Add(sum, hn::Add(product, data));
    key = hn::Add(key, step);
  }
  hn::Store(sum, d, keys);
  std::uint64_t all = 0;
  for (std::uint64_t i = 0; i < n; ++i) all += keys[i];
  return all;
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
