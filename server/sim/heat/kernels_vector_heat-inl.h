// The vector kernels of heat. Included by kernels_vector.cpp once for each vector unit; never by
// anything else.
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

// What is true of energies, of the lower and the upper half of cells, as bits of each cell.
template <class W, class Test>
HWY_INLINE auto of_energies(W low, W high, Test&& test) {
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const auto bits = [&](W energy) { return hn::BitCast(d, hn::VecFromMask(d64, test(energy))); };
  return hn::ConcatEven(d, bits(high), bits(low));
}

// Full cells of water or ice whose energies are in the range.
template <class V>
struct FullCells {
  V water;
  V ice;
};

template <class V, class W>
HWY_INLINE FullCells<V> full_cells(const HeatRange& range, V cells, W low, W high) {
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const auto least = hn::Set(d64, range.least);
  const auto most = hn::Set(d64, range.most);
  const auto most_of_ice = hn::Set(d64, range.most_of_ice);
  const auto warm = of_energies(
      low, high, [&](W energy) { return hn::And(hn::Gt(energy, least), hn::Lt(energy, most)); });
  const auto cold = of_energies(low, high, [&](W energy) { return hn::Lt(energy, most_of_ice); });
  const auto water = hn::VecFromMask(d, hn::Eq(cells, hn::Set(d, kFull)));
  const auto ice = hn::VecFromMask(d, hn::Eq(cells, hn::Set(d, ice_of(kFull))));
  return {hn::And(water, warm), hn::And(ice, cold)};
}

std::int32_t read_heat_vector(const HeatCurve& curve, const HeatRows& rows,
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
  const auto least = hn::Set(d64, range.least + 1);
  auto count = zero;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t x = 0; x < rows.cells; x += hn::Lanes(d)) {
      const std::size_t i = row * rows.from_step + x;
      const auto low = hn::LoadU(d64, energies + i);
      const auto high = hn::LoadU(d64, energies + i + hn::Lanes(d64));
      const auto cell = hn::LoadU(d, cells + i);
      const auto full = full_cells(range, cell, low, high);
      // Water that is colder counts as ice.
      const auto colder =
          of_energies(low, high, [&](decltype(low) energy) { return hn::Lt(energy, least); });
      const auto is_full = hn::VecFromMask(d, hn::Eq(cell, hn::Set(d, kFull)));
      const auto ice = hn::Or(full.ice, hn::And(is_full, colder));
      // The lower halves of plain cells' heats say all.
      const auto heats = hn::ConcatEven(d, hn::BitCast(d, hn::ShiftRight<kDown>(high)),
                                        hn::BitCast(d, hn::ShiftRight<kDown>(low)));
      const auto of_water = hn::ShiftLeft<1>(hn::Max(hn::Sub(heats, melted), zero));
      const auto of_ice =
          hn::Add(hn::ShiftLeft<2>(hn::Min(hn::Sub(heats, frozen), zero)), hn::Set(d, 1));
      const auto either = hn::Or(full.water, ice);
      const auto found = hn::Or(hn::And(of_water, full.water), hn::And(of_ice, ice));
      const auto none = hn::AndNot(either, hn::Set(d, kNotPlain));
      hn::StoreU(hn::Or(found, none), d, plain + row * rows.to_step + x);
      count = hn::Sub(count, either);
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, count));
}

// What flows from `from` into `here`, both plain, where product_of(size) says parts * size >> 8.
template <class V, class Product>
HWY_INLINE V heat_into(V here, V from, Product&& product_of) {
  const HeatLanes d;
  const auto difference = hn::Sub(hn::ShiftRight<1>(from), hn::ShiftRight<1>(here));
  const auto size = hn::Max(hn::Sub(hn::Abs(difference), hn::Set(d, 1)), hn::Zero(d));
  const auto energy = product_of(size);
  const auto sign = hn::BroadcastSignBit(difference);
  const auto both = hn::Gt(hn::Min(here, from), hn::Set(d, kNotPlain));
  return hn::IfThenElseZero(both, hn::Sub(hn::Xor(energy, sign), sign));
}

// Parts of a face to the side, and to the end.
template <class V>
struct HeatParts {
  V sideways, down, up, ice, half_ice;
};

// Over a face to the side: the product is below 2^32.
template <class V>
HWY_INLINE V heat_beside(const HeatParts<V>& parts, V here, V from) {
  const HeatLanes d;
  const hn::RebindToUnsigned<HeatLanes> du;
  const auto ice = hn::TestBit(hn::Or(here, from), hn::Set(d, 1));
  const auto of_face = hn::IfThenElse(ice, parts.ice, parts.sideways);
  return heat_into(here, from, [&](V size) {
    return hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, hn::Mul(of_face, size))));
  });
}

// What flows from below into `above`. Adds to `left_out` what it leaves out.
template <class V>
HWY_INLINE V heat_rising(const HeatParts<V>& parts, V below, V above, V& left_out) {
  const HeatLanes d;
  const auto one = hn::Set(d, 1);
  const auto densest = hn::Set(d, kDensest << kLogFine);
  const auto away = [&](V plain) { return hn::Abs(hn::Sub(hn::ShiftRight<1>(plain), densest)); };
  const auto of_water = hn::IfThenElse(hn::Gt(away(below), away(above)), parts.up, parts.down);
  const auto of_ice =
      hn::IfThenElse(hn::TestBit(hn::And(below, above), one), parts.ice, parts.half_ice);
  const auto of_face = hn::IfThenElse(hn::TestBit(hn::Or(below, above), one), of_ice, of_water);
  const auto flux = heat_into(above, below, [&](V size) {
    const auto low = hn::And(size, hn::Set(d, 255));
    return hn::Add(hn::Mul(of_face, hn::ShiftRight<8>(size)),
                   hn::ShiftRight<8>(hn::Mul(of_face, low)));
  });
  const auto melting = hn::Or(hn::VecFromMask(d, hn::Eq(below, hn::Set(d, kMelting))),
                              hn::VecFromMask(d, hn::Eq(above, hn::Set(d, kMelting))));
  const auto beyond = hn::And(hn::And(melting, hn::Or(below, above)), one);
  left_out = hn::Or(left_out, beyond);
  return hn::IfThenElseZero(hn::Eq(beyond, hn::Zero(d)), flux);
}

template <class V>
HWY_INLINE void store_change(V change, std::int64_t* to) {
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const hn::Half<HeatLanes> half;
  hn::StoreU(hn::PromoteTo(d64, hn::LowerHalf(half, change)), d64, to);
  hn::StoreU(hn::PromoteTo(d64, hn::UpperHalf(half, change)), d64, to + hn::Lanes(d64));
}

// Each face between two rows is looked at once: what came over it is kept until the next row.
template <bool kSolid>
HeatFluxesFound heat_fluxes_vector(const HeatFluxInput& input, const HeatPlane& plane,
                                   std::int64_t* change) {
  const HeatLanes d;
  const auto width = static_cast<std::size_t>(input.shape.width());
  const auto depth = static_cast<std::size_t>(input.shape.depth());
  const auto height = static_cast<std::size_t>(input.shape.height());
  const HeatParts<hn::Vec<HeatLanes>> parts = {hn::Set(d, input.sideways), hn::Set(d, input.down),
                                               hn::Set(d, input.up), hn::Set(d, input.ice),
                                               hn::Set(d, 2 * input.ice)};
  HWY_ALIGN std::int32_t rising[256];   // from below, of a slab
  HWY_ALIGN std::int32_t backward[64];  // from the front, of a row
  auto any = hn::Zero(d);
  auto left_out = hn::Zero(d);
  const auto load = [&](const std::int32_t* from) { return hn::LoadU(d, from); };
  for (std::size_t z = 0; z < depth; ++z) {
    const std::int32_t* const row = plane.plain.data() + plane.first + z * plane.stride;
    for (std::size_t x = 0; x < width; x += hn::Lanes(d)) {
      const auto flux = heat_rising(parts, load(row + x - plane.layer), load(row + x), left_out);
      any = hn::Or(any, flux);
      hn::StoreU(flux, d, rising + z * width + x);
    }
  }
  for (std::size_t y = 0; y < height; ++y) {
    const std::int32_t* const slab = plane.plain.data() + plane.first + y * plane.layer;
    for (std::size_t x = 0; kSolid && x < width; x += hn::Lanes(d)) {
      const auto flux = heat_beside(parts, load(slab + x), load(slab + x - plane.stride));
      any = hn::Or(any, flux);
      hn::StoreU(flux, d, backward + x);
    }
    for (std::size_t z = 0; z < depth; ++z) {
      const std::int32_t* const row = slab + z * plane.stride;
      for (std::size_t x = 0; x < width; x += hn::Lanes(d)) {
        const auto here = load(row + x);
        const auto left = heat_beside(parts, here, load(row + x - 1));
        const auto right = heat_beside(parts, here, load(row + x + 1));
        const auto up = heat_rising(parts, here, load(row + x + plane.layer), left_out);
        any = hn::Or(any, hn::Or(left, hn::Or(right, up)));
        auto sum = hn::Add(left, right);
        sum = hn::Add(sum, hn::Sub(load(rising + z * width + x), up));
        hn::StoreU(up, d, rising + z * width + x);
        if constexpr (kSolid) {
          const auto back = heat_beside(parts, load(row + x + plane.stride), here);
          any = hn::Or(any, back);
          sum = hn::Add(sum, hn::Sub(load(backward + x), back));
          hn::StoreU(back, d, backward + x);
        }
        store_change(sum, change);
        change += hn::Lanes(d);
      }
    }
  }
  const auto found = [&](auto v) { return !hn::AllTrue(d, hn::Eq(v, hn::Zero(d))); };
  return {found(any), found(left_out)};
}

HeatFluxesFound heat_fluxes_vector(const HeatFluxInput& input, const HeatPlane& plane,
                                   std::int64_t* change) {
  return input.shape.depth() > 1 ? heat_fluxes_vector<true>(input, plane, change)
                                 : heat_fluxes_vector<false>(input, plane, change);
}

// Energies of a chunk, to which `change` is added first where they may be written to.
template <class Energy>
HWY_INLINE std::uint64_t add_and_look(const HeatRange& range, const Cell* HWY_RESTRICT cells,
                                      const std::int64_t* HWY_RESTRICT change,
                                      Energy* HWY_RESTRICT energies) {
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const auto thinnest = hn::Set(d, kThinnestIce + 1);
  std::uint64_t groups = 0;
  for (std::size_t group = 0; group < kChunkCells / 64; ++group) {
    auto any = hn::Zero(d);
    for (std::size_t i = 64 * group; i < 64 * (group + 1); i += hn::Lanes(d)) {
      auto low = hn::LoadU(d64, energies + i);
      auto high = hn::LoadU(d64, energies + i + hn::Lanes(d64));
      if constexpr (!std::is_const_v<Energy>) {
        low = hn::Add(low, hn::LoadU(d64, change + i));
        high = hn::Add(high, hn::LoadU(d64, change + i + hn::Lanes(d64)));
        hn::StoreU(low, d64, energies + i);
        hn::StoreU(high, d64, energies + i + hn::Lanes(d64));
      }
      const auto cell = hn::LoadU(d, cells + i);
      const auto holds = hn::Or(hn::Gt(cell, hn::Zero(d)), hn::Lt(cell, thinnest));
      const auto full = full_cells(range, cell, low, high);
      any = hn::Or(any, hn::AndNot(hn::Or(full.water, full.ice), hn::VecFromMask(d, holds)));
    }
    if (!hn::AllTrue(d, hn::Eq(any, hn::Zero(d)))) groups |= std::uint64_t{1} << group;
  }
  return groups;
}

std::uint64_t add_heat_vector(const HeatRange& range, const Cell* cells, const std::int64_t* change,
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
