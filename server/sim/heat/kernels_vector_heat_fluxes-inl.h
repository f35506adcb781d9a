// The vector kernel of heat's fluxes. Included by kernels_vector.cpp once for each vector unit,
// after kernels_vector_heat-inl.h; never by anything else.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "server/sim/heat/kernels.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_HEAT_FLUXES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_HEAT_FLUXES_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_HEAT_FLUXES_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_HEAT_FLUXES_INL_H
#endif

#include <hwy/highway.h>

#include "server/sim/heat/kernels_vector_heat-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

using HeatV = hn::Vec<HeatLanes>;

// As many cells of a plane as there are lanes. `units`: of planes that have them.
struct HeatCells {
  HeatV plain;
  HeatV units;
};

// Parts of a face to the side, and to the end.
struct HeatParts {
  HeatV sideways, down, up, ice, half_ice;
};

// What flows over faces, all lanes at once; flux.h has the rule.
template <bool kUnits>
struct HeatFaces {
  HeatParts parts;

  // Into `here`, over a face to the side.
  HWY_INLINE HeatV beside(HeatCells here, HeatCells from) const {
    const HeatLanes d;
    const auto ice = hn::TestBit(hn::Or(here.plain, from.plain), hn::Set(d, 1));
    const auto of_face = hn::IfThenElse(ice, parts.ice, parts.sideways);
    return where_both_plain(here, from, conducted<true>(of_face, here, from));
  }
  // From below into `above`. Adds to `left_out` what it leaves out.
  HWY_INLINE HeatV rising(HeatCells below, HeatCells above, HeatV& left_out) const {
    const HeatLanes d;
    const auto one = hn::Set(d, 1);
    const auto both = hn::And(below.plain, above.plain);
    const auto either = hn::Or(below.plain, above.plain);
    const auto of_ice = hn::IfThenElse(hn::TestBit(both, one), parts.ice, parts.half_ice);
    const auto of_face =
        hn::IfThenElse(hn::TestBit(either, one), of_ice, parts_of_water(below, above));
    const auto flux = where_both_plain(below, above, conducted<false>(of_face, above, below));
    const auto melting = hn::Or(hn::VecFromMask(d, hn::Eq(below.plain, hn::Set(d, kMelting))),
                                hn::VecFromMask(d, hn::Eq(above.plain, hn::Set(d, kMelting))));
    const auto beyond = hn::And(hn::And(melting, either), one);
    left_out = hn::Or(left_out, beyond);
    return hn::IfThenElseZero(hn::Eq(beyond, hn::Zero(d)), flux);
  }
  // Between cells that are all ice, or all water above 0 degrees.
  HWY_INLINE HeatV between_ice(HeatCells here, HeatCells from) const {
    return conducted<true>(parts.ice, here, from);
  }
  HWY_INLINE HeatV beside_in_water(HeatCells here, HeatCells from) const {
    return conducted<true>(parts.sideways, here, from);
  }
  HWY_INLINE HeatV rising_in_water(HeatCells below, HeatCells above) const {
    return conducted<false>(parts_of_water(below, above), above, below);
  }
  // Into `here`. kSmall: `of_face` times a temperature is below 2^32.
  template <bool kSmall>
  static HWY_INLINE HeatV conducted(HeatV of_face, HeatCells here, HeatCells from) {
    const HeatLanes d;
    const auto difference = hn::Sub(hn::ShiftRight<1>(from.plain), hn::ShiftRight<1>(here.plain));
    const auto size = hn::Max(hn::Sub(hn::Abs(difference), hn::Set(d, 1)), hn::Zero(d));
    const auto energy = product<kSmall>(of_face, size, here, from);
    const auto sign = hn::BroadcastSignBit(difference);
    return hn::Sub(hn::Xor(energy, sign), sign);
  }

 private:
  static HWY_INLINE HeatV where_both_plain(HeatCells a, HeatCells b, HeatV flux) {
    const HeatLanes d;
    return hn::IfThenElseZero(hn::Gt(hn::Min(a.plain, b.plain), hn::Set(d, kByRule)), flux);
  }
  HWY_INLINE HeatV parts_of_water(HeatCells below, HeatCells above) const {
    const HeatLanes d;
    const auto densest = hn::Set(d, 2 * (kDensest << kLogFine));
    const auto away = [&](HeatV plain) { return hn::Abs(hn::Sub(plain, densest)); };
    return hn::IfThenElse(hn::Gt(away(below.plain), away(above.plain)), parts.up, parts.down);
  }
  template <bool kSmall>
  static HWY_INLINE HeatV product(HeatV of_face, HeatV size, HeatCells a, HeatCells b) {
    const HeatLanes d;
    const hn::RebindToUnsigned<HeatLanes> du;
    if constexpr (kUnits) {
      return product_shifted<20>(hn::Mul(of_face, hn::Min(a.units, b.units)), size);
    } else if constexpr (kSmall) {
      return hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, hn::Mul(of_face, size))));
    } else {
      const auto low = hn::And(size, hn::Set(d, 255));
      return hn::Add(hn::Mul(of_face, hn::ShiftRight<8>(size)),
                     hn::ShiftRight<8>(hn::Mul(of_face, low)));
    }
  }
};

// Of 64 bits, of all lanes.
HWY_INLINE std::int64_t sum_of_energies(HeatV v) {
  const HeatEnergyLanes d64;
  const hn::Half<HeatLanes> half;
  const auto low = hn::PromoteTo(d64, hn::LowerHalf(half, v));
  const auto high = hn::PromoteTo(d64, hn::UpperHalf(half, v));
  return hn::GetLane(hn::SumOfLanes(d64, hn::Add(low, high)));
}

template <bool kUnits>
HWY_INLINE HeatOfAir heat_of_air(std::int32_t parts, std::int32_t air, std::size_t count,
                                 const std::int32_t* HWY_RESTRICT plain,
                                 const std::int32_t* HWY_RESTRICT units,
                                 std::int32_t* HWY_RESTRICT change) {
  const HeatLanes d;
  const auto zero = hn::Zero(d);
  // As of a cell; that it is water says nothing here.
  const auto outside = hn::Set(d, 2 * air);
  const auto of_face = hn::Set(d, parts);
  HeatOfAir all;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const HeatCells here = {hn::LoadU(d, plain + i), kUnits ? hn::LoadU(d, units + i) : zero};
    const auto energy =
        HeatFaces<kUnits>::template conducted<false>(of_face, {outside, here.units}, here);
    hn::StoreU(hn::Sub(hn::LoadU(d, change + i), energy), d, change + i);
    all.given += sum_of_energies(hn::Max(energy, zero));
    all.taken -= sum_of_energies(hn::Min(energy, zero));
  }
  return all;
}

HeatOfAir meet_air_vector(std::int32_t parts, std::int32_t air, std::size_t count,
                          const std::int32_t* plain, const std::int32_t* units,
                          std::int32_t* change) {
  return units == nullptr ? heat_of_air<false>(parts, air, count, plain, units, change)
                          : heat_of_air<true>(parts, air, count, plain, units, change);
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

// Finds the fluxes of a chunk row by row; rows are where they begin in the plane. Each face between
// two rows is looked at once: what came over it is kept until the next row.
template <bool kSolid, bool kUnits>
class HeatRowFluxes {
 public:
  HWY_INLINE HeatRowFluxes(const HeatFluxInput& input, const HeatPlane& plane)
      : faces_{{hn::Set(d, input.sideways), hn::Set(d, input.down), hn::Set(d, input.up),
                hn::Set(d, input.ice), hn::Set(d, 2 * input.ice)}},
        plane_(plane),
        width_(static_cast<std::size_t>(input.shape.width())) {}

  // Over the faces under the lowest layer.
  HWY_INLINE void begin(std::size_t row, std::int32_t* rising) {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      const auto below = cells(row + x - plane_.layer);
      const auto flux = faces_.rising(below, cells(row + x), left_out_);
      any_ = hn::Or(any_, flux);
      hn::StoreU(flux, d, rising + x);
    }
  }
  // Over the faces in front of a slab.
  HWY_INLINE void begin_slab(std::size_t row, std::int32_t* backward) {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      const auto flux = faces_.beside(cells(row + x), cells(row + x - plane_.stride));
      any_ = hn::Or(any_, flux);
      hn::StoreU(flux, d, backward + x);
    }
  }
  // Of a row of a kind; so is the one behind it, and the one above unless that is empty.
  template <HeatRow kKind, bool kSurface = false>
  HWY_INLINE void run(std::size_t row, std::int32_t* rising, std::int32_t* backward,
                      std::int32_t* change) {
    for (std::size_t x = 0; x < width_; x += hn::Lanes(d)) {
      const auto here = cells(row + x);
      const auto left = beside<kKind>(here, cells(row + x - 1));
      const auto right = beside<kKind>(here, cells(row + x + 1));
      auto up = hn::Zero(d);
      if constexpr (!kSurface) up = upwards<kKind>(here, cells(row + x + plane_.layer));
      any_ = hn::Or(any_, hn::Or(left, hn::Or(right, up)));
      auto sum = hn::Add(left, right);
      sum = hn::Add(sum, hn::Sub(hn::LoadU(d, rising + x), up));
      hn::StoreU(up, d, rising + x);
      if constexpr (kSolid) {
        const auto back = beside<kKind>(cells(row + x + plane_.stride), here);
        any_ = hn::Or(any_, back);
        sum = hn::Add(sum, hn::Sub(hn::LoadU(d, backward + x), back));
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

  HWY_INLINE HeatCells cells(std::size_t at) const {
    const auto plain = hn::LoadU(d, plane_.plain.data() + at);
    return {plain, kUnits ? hn::LoadU(d, plane_.units.data() + at) : plain};
  }
  static HWY_INLINE bool is_set(HeatV v) { return !hn::AllTrue(d, hn::Eq(v, hn::Zero(d))); }
  static HWY_INLINE bool take(HeatV& v) {
    const bool found = is_set(v);
    v = hn::Zero(d);
    return found;
  }
  template <HeatRow kKind>
  HWY_INLINE HeatV beside(HeatCells here, HeatCells from) const {
    if constexpr (kKind == HeatRow::kWater) return faces_.beside_in_water(here, from);
    if constexpr (kKind == HeatRow::kIce) return faces_.between_ice(here, from);
    return faces_.beside(here, from);
  }
  // Into the one above.
  template <HeatRow kKind>
  HWY_INLINE HeatV upwards(HeatCells below, HeatCells above) {
    if constexpr (kKind == HeatRow::kWater) return faces_.rising_in_water(below, above);
    if constexpr (kKind == HeatRow::kIce) return faces_.between_ice(above, below);
    const auto none = hn::Eq(above.plain, hn::Set(d, kNoHeat));
    const auto surface = hn::AndNot(hn::Eq(below.plain, hn::Set(d, kNoHeat)), none);
    surface_ = hn::Or(surface_, hn::VecFromMask(d, surface));
    return faces_.rising(below, above, left_out_);
  }

  HeatFaces<kUnits> faces_;
  const HeatPlane& plane_;
  std::size_t width_;
  HeatV any_ = hn::Zero(d);
  HeatV left_out_ = hn::Zero(d);
  HeatV surface_ = hn::Zero(d);
};

template <bool kSolid, bool kUnits>
HeatFluxesFound heat_fluxes_of(const HeatFluxInput& input, const HeatPlane& plane,
                               std::int32_t* change) {
  const auto width = static_cast<std::size_t>(input.shape.width());
  const auto depth = static_cast<std::size_t>(input.shape.depth());
  const auto height = static_cast<std::size_t>(input.shape.height());
  const auto kind_of = [&](std::size_t row, bool inside) {
    return kind_of_row(plane.plain.data() + row, width, inside);
  };
  HWY_ALIGN std::int32_t rising[256];   // from below, of a slab
  HWY_ALIGN std::int32_t backward[64];  // from the front, of a row
  std::array<HeatRow, 17> kinds;        // of a slab's rows, and of the one behind
  std::array<HeatRow, 16> kinds_above;
  HeatRowFluxes<kSolid, kUnits> fluxes(input, plane);
  HeatFluxesFound found;
  std::size_t slab = plane.first;
  for (std::size_t z = 0; z < depth; ++z) {
    kinds_above[z] = kind_of(slab + z * plane.stride, true);
    fluxes.begin(slab + z * plane.stride, rising + z * width);
  }
  found.left_out = fluxes.take_left_out() ? 1 : 0;
  for (std::size_t y = 0; y < height; ++y, slab += plane.layer) {
    std::copy_n(kinds_above.begin(), depth, kinds.begin());
    if (kSolid) kinds[depth] = kind_of(slab + depth * plane.stride, false);
    if (kSolid) fluxes.begin_slab(slab, backward);
    for (std::size_t z = 0; z < depth; ++z, change += width) {
      const std::size_t row = slab + z * plane.stride;
      kinds_above[z] = kind_of(row + plane.layer, y + 1 < height);
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
  const bool solid = input.shape.depth() > 1;
  if (plane.has_units) {
    return solid ? heat_fluxes_of<true, true>(input, plane, change)
                 : heat_fluxes_of<false, true>(input, plane, change);
  }
  return solid ? heat_fluxes_of<true, false>(input, plane, change)
               : heat_fluxes_of<false, false>(input, plane, change);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
