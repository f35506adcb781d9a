// The vector kernel of waves. Included by kernels_vector.cpp once for each vector unit; never by
// anything else.
#include <cstddef>
#include <cstdint>

#include "server/sim/waves/step_kernel.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_WAVES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_WAVES_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_WAVES_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_WAVES_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

// next_wave_speed() for several columns.
template <class D, class V>
HWY_INLINE V next_wave_speeds(D d, const WaveOptions& options, V height, V speed, V pull) {
  const auto broken = hn::Set(d, (1 << kLogWaveParts) - 1);
  const auto most = hn::Set(d, kMaxWaveHeight);
  const auto force = hn::Sub(hn::Mul(pull, hn::Set(d, options.spread)),
                             hn::Add(hn::Mul(height, hn::Set(d, options.tension)),
                                     hn::Mul(speed, hn::Set(d, options.dampening))));
  const auto down = hn::Add(speed, hn::ShiftRight<kLogWaveParts>(force));
  const auto whole = hn::Eq(hn::And(force, broken), hn::Zero(d));
  const auto turns_below = hn::Lt(hn::Add(down, speed), hn::Zero(d));
  // All bits of a vector are -1: taking that away rounds up.
  const auto up = hn::VecFromMask(d, hn::AndNot(whole, turns_below));
  const auto next = hn::Min(hn::Sub(down, up), hn::Sub(most, height));
  return hn::Max(next, hn::Sub(hn::Neg(most), height));
}

// Heights are written one vector late: those beside them are read as they were.
void step_waves_vector(const WaveStepInput& input, std::int32_t* HWY_RESTRICT heights,
                       std::int32_t* HWY_RESTRICT speeds) {
  const hn::CappedTag<std::int32_t, 16> d;
  const auto n = static_cast<std::int32_t>(hn::Lanes(d));
  std::int32_t i = 0;
  std::int32_t left_of_rest = 0;
  auto late = hn::Zero(d);
  for (; i + n <= input.count; i += n) {
    const auto left = hn::LoadU(d, heights + i - 1);
    const auto height = hn::LoadU(d, heights + i);
    const auto right = hn::LoadU(d, heights + i + 1);
    if (i > 0) hn::StoreU(late, d, heights + i - n);
    auto pull = hn::Add(hn::And(hn::Sub(left, height), hn::LoadU(d, input.passes + i)),
                        hn::And(hn::Sub(right, height), hn::LoadU(d, input.passes + i + 1)));
    if (input.pulls != nullptr) pull = hn::Add(pull, hn::LoadU(d, input.pulls + i));
    const auto speed = next_wave_speeds(d, input.options, height, hn::LoadU(d, speeds + i), pull);
    hn::StoreU(speed, d, speeds + i);
    late = hn::Add(height, speed);
  }
  if (i > 0) {
    left_of_rest = heights[i - 1];
    hn::StoreU(late, d, heights + i - n);
  }
  step_columns(input, i, left_of_rest, heights, speeds);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
