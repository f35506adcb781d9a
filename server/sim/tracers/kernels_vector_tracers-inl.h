// The vector kernels of tracers. Included by kernels_vector.cpp once for each vector unit; never by
// anything else.
#include <cstddef>
#include <cstdint>

#include "server/sim/tracers/kernels.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_TRACERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_TRACERS_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_TRACERS_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_TRACERS_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

// A row of a chunk has at least so many cells.
using TracerLanes = hn::CappedTag<std::int64_t, 16>;

template <class V>
struct TracerCells {
  V value;
  V units;
};

HWY_INLINE TracerCells<hn::Vec<TracerLanes>> tracer_cells(const TracerPlane& plane,
                                                          std::size_t at) {
  const TracerLanes d;
  const hn::Rebind<std::int32_t, TracerLanes> d32;
  return {hn::LoadU(d, plane.values.data() + at),
          hn::PromoteTo(d, hn::LoadU(d32, plane.units.data() + at))};
}

// The product of numbers below 2^32.
template <class V>
HWY_INLINE V product_of_halves(V a, V b) {
  const TracerLanes d;
  const hn::Repartition<std::uint32_t, TracerLanes> d32;
  return hn::BitCast(d, hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b)));
}

template <class V>
HWY_INLINE V unsigned_shift(V v) {
  const TracerLanes d;
  const hn::RebindToUnsigned<TracerLanes> du;
  return hn::BitCast(d, hn::ShiftRight<kLogTracerParts + kLogTracerShare>(hn::BitCast(du, v)));
}

// spreading(): `down` parts where b has the greater share, else `parts`.
template <class V>
HWY_INLINE V spreading_vector(V parts, V down, const TracerCells<V>& a, const TracerCells<V>& b) {
  const TracerLanes d;
  const auto difference = hn::Sub(a.value, b.value);
  const auto sign = hn::BroadcastSignBit(difference);
  const auto size = hn::Sub(hn::Sub(hn::Xor(difference, sign), sign), hn::Set(d, 1));
  const auto kept = hn::Max(hn::Min(size, hn::Set(d, kMostShareDifference)), hn::Zero(d));
  const auto of_face = hn::IfThenElse(hn::MaskFromVec(sign), down, parts);
  const auto weight = product_of_halves(of_face, hn::Min(a.units, b.units));
  const auto amount = unsigned_shift(product_of_halves(weight, kept));
  return hn::Sub(hn::Xor(amount, sign), sign);
}

// Upwards: of a cell's amount, which has 45 bits at the most.
template <class V>
HWY_INLINE V sinking_vector(std::int32_t sink, const TracerCells<V>& below,
                            const TracerCells<V>& above) {
  const TracerLanes d;
  const auto amount = sink > 0 ? above.value : below.value;
  const auto parts = hn::Set(d, sink > 0 ? sink : -sink);
  const auto low = product_of_halves(amount, parts);
  const auto high = hn::ShiftLeft<32>(product_of_halves(hn::ShiftRight<32>(amount), parts));
  const auto goes = hn::ShiftRight<kLogTracerParts>(hn::Add(low, high));
  const auto both = hn::Gt(hn::Min(below.units, above.units), hn::Zero(d));
  const auto flux = hn::IfThenElseZero(both, goes);
  return sink > 0 ? hn::Neg(flux) : flux;
}

// Each face is looked at once: what comes over it is kept for the next row, or the next cell.
template <bool kSolid, bool kSinks>
bool tracer_fluxes_vector(const TracerFluxInput& input, const TracerPlane& plane,
                          std::int64_t* HWY_RESTRICT change) {
  const TracerLanes d;
  const auto width = static_cast<std::size_t>(input.shape.width());
  const auto depth = static_cast<std::size_t>(input.shape.depth());
  const auto layers = static_cast<std::size_t>(input.layers);
  const auto parts = hn::Set(d, input.spread);
  const auto down = hn::Set(d, input.overturn > 0 ? input.overturn : input.spread);
  const auto upwards = [&](std::size_t below) {
    const auto low = tracer_cells(plane, below);
    const auto high = tracer_cells(plane, below + plane.layer);
    if constexpr (kSinks) {
      return sinking_vector(input.sink, low, high);
    } else {
      return spreading_vector(parts, down, low, high);
    }
  };
  const auto beside = [&](std::size_t from, std::size_t to) {
    return spreading_vector(parts, parts, tracer_cells(plane, from), tracer_cells(plane, to));
  };
  auto any = hn::Zero(d);
  std::int64_t rising[256];     // into the next layer, by its place
  std::int64_t backward[16];    // into the next row of the layer
  std::int64_t right[64 + 16];  // into each cell of the row, and of the one after it
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t x = 0; x < width; x += hn::Lanes(d)) {
      const auto flux = upwards(plane.first + z * plane.stride + x - plane.layer);
      any = hn::Or(any, flux);
      hn::StoreU(flux, d, rising + z * width + x);
    }
  }
  for (std::size_t y = 0; y < layers; ++y) {
    const std::size_t slab = plane.first + y * plane.layer;
    for (std::size_t x = 0; kSolid && !kSinks && x < width; x += hn::Lanes(d)) {
      const auto flux = beside(slab + x - plane.stride, slab + x);
      any = hn::Or(any, flux);
      hn::StoreU(flux, d, backward + x);
    }
    for (std::size_t z = 0; z < depth; ++z) {
      const std::size_t row = slab + z * plane.stride;
      for (std::size_t x = 0; !kSinks && x < width; x += hn::Lanes(d)) {
        const auto flux = beside(row + x - 1, row + x);
        any = hn::Or(any, flux);
        hn::StoreU(flux, d, right + x);
      }
      if constexpr (!kSinks) {
        const std::size_t last = row + width - 1;
        right[width] = spreading(input.spread, {plane.values[last], plane.units[last]},
                                 {plane.values[last + 1], plane.units[last + 1]});
        any = hn::Or(any, hn::Set(d, right[width]));
      }
      for (std::size_t x = 0; x < width; x += hn::Lanes(d)) {
        const auto up = upwards(row + x);
        any = hn::Or(any, up);
        auto sum = hn::Sub(hn::LoadU(d, rising + z * width + x), up);
        hn::StoreU(up, d, rising + z * width + x);
        if constexpr (!kSinks) {
          sum = hn::Add(sum, hn::Sub(hn::LoadU(d, right + x), hn::LoadU(d, right + x + 1)));
        }
        if constexpr (kSolid && !kSinks) {
          const auto back = beside(row + x, row + x + plane.stride);
          any = hn::Or(any, back);
          sum = hn::Add(sum, hn::Sub(hn::LoadU(d, backward + x), back));
          hn::StoreU(back, d, backward + x);
        }
        hn::StoreU(sum, d, change);
        change += hn::Lanes(d);
      }
    }
  }
  return !hn::AllTrue(d, hn::Eq(any, hn::Zero(d)));
}

bool tracer_fluxes_vector(const TracerFluxInput& input, const TracerPlane& plane,
                          std::int64_t* change) {
  const bool solid = input.shape.depth() > 1;
  if (input.sink != 0) {
    return solid ? tracer_fluxes_vector<true, true>(input, plane, change)
                 : tracer_fluxes_vector<false, true>(input, plane, change);
  }
  return solid ? tracer_fluxes_vector<true, false>(input, plane, change)
               : tracer_fluxes_vector<false, false>(input, plane, change);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
