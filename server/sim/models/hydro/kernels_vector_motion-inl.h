// The vector kernels of the digest of what moves. Included by server/sim/kernels_vector.cpp once
// for each vector unit; never by anything else.
#include <cstddef>
#include <cstdint>
#include <span>

#include "server/sim/models/hydro/kernels.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_MOTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_MOTION_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_MOTION_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_MOTION_INL_H
#endif

#include <hwy/highway.h>

#include "server/sim/models/hydro/kernels_vector_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_CAP_GE256

using DigestLanes = hn::RebindToUnsigned<OpenLanes>;
using DigestVec = hn::Vec<DigestLanes>;

// The lower 64 bits.
HWY_INLINE DigestVec product_with(DigestVec v, std::uint64_t factor) {
  const DigestLanes d;
#if HWY_TARGET <= HWY_AVX3
  return hn::Mul(v, hn::Set(d, factor));  // one instruction
#else
  const hn::Repartition<std::uint32_t, DigestLanes> d32;
  const auto times = [&](DigestVec some, std::uint64_t part) {
    return hn::MulEven(hn::BitCast(d32, some), hn::BitCast(d32, hn::Set(d, part)));
  };
  const auto crossed =
      hn::Add(times(hn::ShiftRight<32>(v), factor & 0xffffffff), times(v, factor >> 32));
  return hn::Add(times(v, factor & 0xffffffff), hn::ShiftLeft<32>(crossed));
#endif
}

// combine()
HWY_INLINE DigestVec combined(DigestVec seed, DigestVec value) {
  const DigestLanes d;
  auto v = hn::Add(product_with(seed, kCombineFactor), hn::Add(value, hn::Set(d, kCombineTerm)));
  v = product_with(hn::Xor(v, hn::ShiftRight<30>(v)), kMixFactors[0]);
  v = product_with(hn::Xor(v, hn::ShiftRight<27>(v)), kMixFactors[1]);
  return hn::Xor(v, hn::ShiftRight<31>(v));
}

// `second_of` says what a state's second eight bytes are in its digest.
template <class Entry, class Second>
HWY_INLINE Digest digest_entries(std::span<const Entry> entries, Second&& second_of,
                                 std::size_t& done) {
  static_assert(sizeof(Entry) == 3 * sizeof(std::uint64_t));
  const DigestLanes d;
  auto sum = hn::Zero(d);
  for (done = 0; done + hn::Lanes(d) <= entries.size(); done += hn::Lanes(d)) {
    auto first = sum;
    auto second = sum;
    auto place = sum;
    hn::LoadInterleaved3(d, reinterpret_cast<const std::uint64_t*>(entries.data() + done), first,
                         second, place);
    sum = hn::Add(sum, combined(combined(place, first), second_of(second)));
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

Digest digest_runs_vector(std::span<const HydroMotion<HydroRunState>::Entry> runs) {
  static_assert(offsetof(HydroRunState, friction) == 8 && offsetof(HydroRunState, age) == 12);
  std::size_t done = 0;
  const Digest digest = digest_entries(
      runs, [](DigestVec v) { return hn::Or(hn::ShiftLeft<32>(v), hn::ShiftRight<32>(v)); }, done);
  return digest + hydro::scalar_hydro_kernels().digest_runs(runs.subspan(done));
}

Digest digest_links_vector(std::span<const HydroMotion<HydroLinkState>::Entry> links) {
  static_assert(offsetof(HydroLinkState, carry) == 8);
  const auto carry_of = [](DigestVec v) {
    const auto carry = hn::BitCast(OpenLanes(), hn::ShiftLeft<32>(v));
    return hn::BitCast(DigestLanes(), hn::ShiftRight<32>(carry));
  };
  std::size_t done = 0;
  const Digest digest = digest_entries(links, carry_of, done);
  return digest + hydro::scalar_hydro_kernels().digest_links(links.subspan(done));
}

#endif  // HWY_CAP_GE256
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
