// What the vector kernels of hydro water compute with. Included by server/sim/kernels_vector.cpp
// once for each vector unit; never by anything else.
#include <cstdint>

#include "server/sim/models/hydro/number.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_NUMBERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_NUMBERS_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_NUMBERS_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_NUMBERS_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

// Two lanes of 64 bits are no faster than none.
#if HWY_CAP_GE256

namespace hn = hwy::HWY_NAMESPACE;

using OpenLanes = hn::CappedTag<std::int64_t, 8>;
using OpenHalf = hn::Rebind<std::int32_t, OpenLanes>;
using OpenVec = hn::Vec<OpenLanes>;
using OpenMask = hn::Mask<OpenLanes>;

HWY_INLINE OpenVec of_all(std::int64_t v) {
  return hn::Set(OpenLanes(), v);
}

HWY_INLINE OpenVec load_wide(const std::int32_t* from) {
  return hn::PromoteTo(OpenLanes(), hn::LoadU(OpenHalf(), from));
}

HWY_INLINE void store_narrow(OpenVec v, std::int32_t* to) {
  const hn::RebindToUnsigned<OpenLanes> wide;
  const hn::RebindToUnsigned<OpenHalf> narrow;
  const auto lower = hn::TruncateTo(narrow, hn::BitCast(wide, v));
  hn::StoreU(hn::BitCast(OpenHalf(), lower), OpenHalf(), to);
}

// a * b of numbers of 32 bits.
HWY_INLINE OpenVec product(OpenVec a, OpenVec b) {
  const hn::Repartition<std::int32_t, OpenLanes> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
}

HWY_INLINE OpenVec product_unsigned(OpenVec a, OpenVec b) {
  const hn::Repartition<std::uint32_t, OpenLanes> d32;
  return hn::BitCast(OpenLanes(), hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b)));
}

HWY_INLINE OpenVec shifted_right(OpenVec v, OpenVec bits) {
  const hn::RebindToUnsigned<OpenLanes> du;
  return hn::BitCast(OpenLanes(), hn::Shr(hn::BitCast(du, v), hn::BitCast(du, bits)));
}

template <int kBits>
HWY_INLINE OpenVec shifted_right(OpenVec v) {
  const hn::RebindToUnsigned<OpenLanes> du;
  return hn::BitCast(OpenLanes(), hn::ShiftRight<kBits>(hn::BitCast(du, v)));
}

HWY_INLINE OpenVec size_of(OpenVec v) {
  const auto sign = hn::BroadcastSignBit(v);
  return hn::Sub(hn::Xor(v, sign), sign);
}

// scaled(a, v), |v| < 2^48.
HWY_INLINE OpenVec scaled_wide(OpenVec a, OpenVec v) {
  const auto sign = hn::BroadcastSignBit(v);
  const auto size = size_of(v);
  const auto upper = product_unsigned(shifted_right<16>(size), a);
  const auto lower = product_unsigned(hn::And(size, of_all(hydro::kOne - 1)), a);
  const auto all = hn::Add(upper, shifted_right<16>(lower));
  return hn::Sub(hn::Xor(all, sign), sign);
}

// v / 2^kBits, toward zero.
template <int kBits>
HWY_INLINE OpenVec divided(OpenVec v) {
  const auto sign = hn::BroadcastSignBit(v);
  return hn::ShiftRight<kBits>(hn::Add(v, hn::And(sign, of_all((1 << kBits) - 1))));
}

HWY_INLINE bool same(OpenVec a, OpenVec b) {
  return hn::AllTrue(OpenLanes(), hn::Eq(a, b));
}

// Divides by numbers from 1 to 2^32 - 1, since vectors have no division: by their reciprocals, by
// Newton's method, and then as the remainder tells.
class OpenDivisors {
 public:
  HWY_INLINE explicit OpenDivisors(OpenVec divisors) : divisors_(divisors) {
    auto bits = hn::Zero(OpenLanes());
    auto large = divisors;  // is to have 32 bits
    const auto others = hn::Ne(shifted_right<16>(divisors), of_all(1));
    if (hn::AllFalse(OpenLanes(), others)) {
      // Those of open water mostly are: 1 and less than as much again, in Q16.
      large = hn::ShiftLeft<15>(divisors);
      bits = of_all(15);
    } else {
      make_larger<16>(large, bits);
      make_larger<8>(large, bits);
      make_larger<4>(large, bits);
      make_larger<2>(large, bits);
      make_larger<1>(large, bits);
    }
    // 48/17 - 32/17 * large is at most a seventeenth from the reciprocal, and each round squares
    // that.
    const auto slope = product_unsigned(of_all(0xf0f0f0f1), large);
    reciprocals_ = hn::Sub(of_all(0x169696969), shifted_right<32>(slope));
    for (int round = 0; round < 3; ++round) {
      const auto lacks = hn::Neg(product_unsigned(reciprocals_, large));
      reciprocals_ = shifted_right<31>(product_unsigned(reciprocals_, shifted_right<32>(lacks)));
    }
    down_ = hn::Sub(of_all(63), bits);
  }

  // Rounded down, of numbers up to most_to_divide(): reciprocals are at most a few of their units
  // too small, so that such quotients are at most one too small.
  HWY_INLINE OpenVec divide(OpenVec numbers) const {
    const auto rough = shifted_right(product_unsigned(numbers, reciprocals_), down_);
    const auto rest = hn::Sub(numbers, product_unsigned(rough, divisors_));
    const auto is_one = hn::Gt(rest, hn::Sub(divisors_, of_all(1)));
    return hn::Add(rough, hn::IfThenElseZero(is_one, of_all(1)));
  }

 private:
  template <int kBits>
  HWY_INLINE static void make_larger(OpenVec& large, OpenVec& bits) {
    const auto small = hn::Lt(large, of_all(std::int64_t{1} << (32 - kBits)));
    large = hn::IfThenElse(small, hn::ShiftLeft<kBits>(large), large);
    bits = hn::Add(bits, hn::IfThenElseZero(small, of_all(kBits)));
  }

  OpenVec divisors_;
  OpenVec reciprocals_;  // 2^63 by divisors of 32 bits
  OpenVec down_;
};

// Below 2^32, by quotients below 2^24.
HWY_INLINE OpenVec most_to_divide(OpenVec divisors) {
  return hn::Min(hn::ShiftLeft<24>(divisors), of_all(UINT32_MAX));
}

#endif  // HWY_CAP_GE256
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
