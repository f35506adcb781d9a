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

using HeatMask = hn::Mask<HeatLanes>;

// From the energy of a full cell to 1/256 of that of a unit.
constexpr int kLogFullHeat = 12 - kLogFine;
static_assert(kFull == 1 << 12);

// Energies of as many cells as there are lanes: their lower halves, and where those say all. Of a
// plain cell they always do.
template <class V>
struct HeatEnergies {
  V low;
  HeatMask whole;

  HWY_INLINE HeatMask below(V end) const {
    const hn::RebindToUnsigned<HeatLanes> du;
    const auto is_below = hn::Lt(hn::BitCast(du, low), hn::BitCast(du, end));
    return hn::And(whole, hn::RebindMask(HeatLanes(), is_below));
  }
};

template <class W>
HWY_INLINE auto energies_of(W low, W high) {
  const HeatLanes d;
  const auto upper = hn::ConcatOdd(d, hn::BitCast(d, high), hn::BitCast(d, low));
  const auto lower = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
  return HeatEnergies<hn::Vec<HeatLanes>>{lower, hn::Eq(upper, hn::Zero(d))};
}

HWY_INLINE auto load_energies(const std::int64_t* from) {
  const HeatEnergyLanes d;
  return energies_of(hn::LoadU(d, from), hn::LoadU(d, from + hn::Lanes(d)));
}

template <class V>
HWY_INLINE HeatMask cells_of_ice(V cells) {
  return hn::Lt(cells, hn::Set(HeatLanes(), kThinnestIce + 1));
}

// Cells that hold water or ice.
template <class V>
HWY_INLINE HeatMask holding_cells(V cells) {
  return hn::Or(hn::Gt(cells, hn::Zero(HeatLanes())), cells_of_ice(cells));
}

// Of those that hold something.
template <class V>
HWY_INLINE V units_in(V cells, HeatMask ice) {
  return hn::IfThenElse(ice, hn::Sub(hn::Set(HeatLanes(), kIceBase), cells), cells);
}

// Visits as many cells at once as there are lanes: visit(index, where they go).
template <class Visit>
HWY_INLINE void for_each_cells(const HeatRows& rows, Visit&& visit) {
  const HeatLanes d;
  std::size_t from = 0;
  std::size_t layer = 0;
  for (std::size_t i = 0; i < rows.layers; ++i, layer += rows.to_layer) {
    std::size_t to = layer;
    for (std::size_t j = 0; j < rows.rows; ++j, from += rows.from_step, to += rows.to_step) {
      for (std::size_t x = 0; x < rows.cells; x += hn::Lanes(d)) visit(from + x, to + x);
    }
  }
}

// The plain ones of those that hold something, where the heat of a unit is `heat` times 1/256. Adds
// to `all` how many are plain.
template <class V>
HWY_INLINE V plain_cells(const HeatCurve& curve, V heat, HeatMask holds, HeatMask plain,
                         HeatMask ice, HeatCellsRead& all) {
  const HeatLanes d;
  const auto zero = hn::Zero(d);
  const auto melted = hn::Set(d, static_cast<std::int32_t>(curve.melted() << kLogFine));
  const auto frozen = hn::Set(d, static_cast<std::int32_t>(curve.frozen() << kLogFine));
  const auto of_water = hn::ShiftLeft<1>(hn::Max(hn::Sub(heat, melted), zero));
  const auto of_ice =
      hn::Add(hn::ShiftLeft<2>(hn::Min(hn::Sub(heat, frozen), zero)), hn::Set(d, 1));
  const auto other = hn::IfThenElse(holds, hn::Set(d, kByRule), hn::Set(d, kNoHeat));
  all.plain += static_cast<std::int32_t>(hn::CountTrue(d, plain));
  all.by_rule += static_cast<std::int32_t>(hn::CountTrue(d, hn::AndNot(plain, holds)));
  return hn::IfThenElse(plain, hn::IfThenElse(ice, of_ice, of_water), other);
}

HeatCellsRead read_heat_vector(const HeatCurve& curve, const HeatRows& rows,
                               const Cell* HWY_RESTRICT cells,
                               const std::int64_t* HWY_RESTRICT energies,
                               std::int32_t* HWY_RESTRICT plain) {
  const HeatLanes d;
  const auto of_full = [&](std::int64_t heat) {
    return hn::Set(d, static_cast<std::int32_t>(heat * kFull));
  };
  const auto frozen = of_full(curve.frozen());
  const auto melted = of_full(curve.melted());
  const auto boils = of_full(curve.boils());
  HeatCellsRead all;
  for_each_cells(rows, [&](std::size_t from, std::size_t to) {
    const auto cell = hn::LoadU(d, cells + from);
    const auto energy = load_energies(energies + from);
    const auto is_full = hn::Eq(cell, hn::Set(d, kFull));
    const auto is_ice = hn::Eq(cell, hn::Set(d, ice_of(kFull)));
    const auto water = hn::And(is_full, energy.below(boils));
    const auto ice = hn::And(is_ice, energy.below(melted));
    // Water that is colder counts as ice.
    const auto cold = hn::Or(ice, energy.below(frozen));
    const auto heat = hn::ShiftRight<kLogFullHeat>(energy.low);
    hn::StoreU(plain_cells(curve, heat, holding_cells(cell), hn::Or(water, ice), cold, all), d,
               plain + to);
  });
  return all;
}

// (a * b) >> kDown of numbers of 32 bits, neither of which is negative as one of 64.
template <int kDown, class V>
HWY_INLINE V product_shifted(V a, V b) {
  const HeatLanes d;
  const hn::RebindToUnsigned<HeatLanes> du;
  const hn::Repartition<std::uint64_t, HeatLanes> d64;
  const auto upper = [&](V v) { return hn::BitCast(du, hn::ShiftRight<32>(hn::BitCast(d64, v))); };
  const auto even = hn::MulEven(hn::BitCast(du, a), hn::BitCast(du, b));
  const auto odd = hn::MulEven(upper(a), upper(b));
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32 - kDown>(odd)),
                     hn::BitCast(d, hn::ShiftRight<kDown>(even)));
}

// energy * 256 / units, rounded down, in two steps that each fit.
template <class V>
HWY_INLINE V heat_of_units(V energy, V units) {
  const HeatLanes d;
  const hn::RebindToUnsigned<HeatLanes> du;
  // At one depth water under pressure holds the same.
  const std::int32_t first = hn::GetLane(units);
  const auto of_units = hn::AllTrue(d, hn::Eq(units, hn::Set(d, first)))
                            ? hn::Set(du, heat_reciprocals()[first])
                            : hn::GatherIndex(du, heat_reciprocals(), units);
  const auto reciprocal = hn::BitCast(d, of_units);
  // The product is the quotient, or one more.
  const auto divide = [&](V all, V& rest) {
    const auto quotient = product_shifted<31>(all, reciprocal);
    rest = hn::Sub(all, hn::Mul(quotient, units));
    const auto over = hn::BroadcastSignBit(rest);
    rest = hn::Add(rest, hn::And(over, units));
    return hn::Add(quotient, over);
  };
  auto rest = hn::Zero(d);
  const auto whole = divide(energy, rest);
  const auto parts = divide(hn::ShiftLeft<kLogFine>(rest), rest);
  return hn::Add(hn::ShiftLeft<kLogFine>(whole), parts);
}

HeatCellsRead read_heat_units_vector(const HeatCurve& curve, const HeatRows& rows,
                                     const Cell* HWY_RESTRICT cells,
                                     const std::int64_t* HWY_RESTRICT energies,
                                     std::int32_t* HWY_RESTRICT plain,
                                     std::int32_t* HWY_RESTRICT units) {
  const HeatLanes d;
  const auto of_unit = [&](std::int64_t heat) {
    return hn::Set(d, static_cast<std::int32_t>(heat));
  };
  const auto full = hn::Set(d, kFull);
  const auto frozen = of_unit(curve.frozen());
  const auto melted = of_unit(curve.melted());
  const auto boils = of_unit(curve.boils());
  HeatCellsRead all;
  for_each_cells(rows, [&](std::size_t from, std::size_t to) {
    const auto cell = hn::LoadU(d, cells + from);
    const auto energy = load_energies(energies + from);
    const auto holds = holding_cells(cell);
    const auto is_ice = cells_of_ice(cell);
    const auto held = hn::IfThenElseZero(holds, units_in(cell, is_ice));
    const auto end = hn::Mul(held, hn::IfThenElse(is_ice, melted, boils));
    const auto few = hn::And(holds, hn::Lt(held, hn::Set(d, kMostPlain + 1)));
    const auto is_plain = hn::And(few, energy.below(end));
    const auto cold = hn::Or(is_ice, energy.below(hn::Mul(held, frozen)));
    const auto others = hn::AndNot(hn::Eq(held, full), is_plain);
    const auto heat = hn::AllFalse(d, others)
                          ? hn::ShiftRight<kLogFullHeat>(energy.low)
                          : heat_of_units(energy.low, hn::IfThenElse(is_plain, held, full));
    all.not_full += static_cast<std::int32_t>(hn::CountTrue(d, others));
    hn::StoreU(plain_cells(curve, heat, holds, is_plain, cold, all), d, plain + to);
    hn::StoreU(held, d, units + to);
  });
  return all;
}

// Energies of a chunk, to which `change` is added first where they may be written to.
template <class Energy>
HWY_INLINE std::uint64_t add_and_look(const HeatRange& range, const Cell* HWY_RESTRICT cells,
                                      const std::int32_t* HWY_RESTRICT change,
                                      Energy* HWY_RESTRICT energies) {
  const HeatLanes d;
  const HeatEnergyLanes d64;
  const hn::Half<HeatLanes> half;
  const auto least = hn::Set(d, static_cast<std::int32_t>(range.least));
  const auto most = hn::Set(d, static_cast<std::int32_t>(range.most));
  const auto most_of_ice = hn::Set(d, static_cast<std::int32_t>(range.most_of_ice));
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
      const auto is_ice = cells_of_ice(cell);
      const auto units = units_in(cell, is_ice);
      const auto water =
          hn::And(hn::Gt(energy.low, hn::Mul(units, least)), energy.below(hn::Mul(units, most)));
      const auto ice = energy.below(hn::Mul(units, most_of_ice));
      const auto few = hn::Lt(units, hn::Set(d, kMostPlain + 1));
      const auto lasts = hn::And(few, hn::Or(hn::And(is_ice, ice), hn::AndNot(is_ice, water)));
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
