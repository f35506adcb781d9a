// The vector kernels: one source, compiled once for each vector unit that Highway knows here, the
// best one picked at run time. They compute the expressions of the portable kernels; a test holds
// them to the same bits. Integers only. What belongs to a model or a layer stands in its folder.
#include <vector>

#include "server/sim/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "server/sim/kernels_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "server/sim/heat/kernels_vector_heat-inl.h"
#include "server/sim/heat/kernels_vector_heat_fluxes-inl.h"
#include "server/sim/models/cellular/kernels_vector_vertical-inl.h"
#include "server/sim/models/hydro/kernels_vector_hydro-inl.h"
#include "server/sim/tracers/kernels_vector_tracers-inl.h"
#include "server/sim/waves/kernels_vector_waves-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
// Where there is no vector unit the portable kernels serve.
Kernels make_kernels() {
  return scalar_kernels();
}
#else

// Four stripes at once, each with a key and a sum of its own: one after the other, each addition
// would wait for the one before it.
void digest_cells_vector(const Cell* HWY_RESTRICT cells, std::size_t first, std::size_t count,
                         std::uint64_t* HWY_RESTRICT sums) {
  const hn::CappedTag<std::uint64_t, kDigestLanes> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  constexpr std::size_t kStripe = 2 * kDigestLanes;  // cells
  static_assert(kDigestPartCells % (4 * kStripe) == 0);
  const auto term = [&](const Cell* at, auto key) {
    const auto data = hn::BitCast(d, hn::LoadU(d32, reinterpret_cast<const std::uint32_t*>(at)));
    const auto keyed = hn::BitCast(d32, hn::Xor(data, key));
    const auto high = hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(d, keyed)));
    return hn::Add(hn::MulEven(keyed, high), data);
  };
  const auto step = hn::Set(d, kDigestStep);
  const auto four_steps = hn::Set(d, 4 * kDigestStep);
  for (std::size_t lane = 0; lane < kDigestLanes; lane += hn::Lanes(d)) {
    auto key0 =
        hn::Add(hn::LoadU(d, kDigestKeys.data() + lane), hn::Set(d, first / kStripe * kDigestStep));
    auto key1 = hn::Add(key0, step);
    auto key2 = hn::Add(key1, step);
    auto key3 = hn::Add(key2, step);
    auto sum0 = hn::Zero(d);
    auto sum1 = sum0;
    auto sum2 = sum0;
    auto sum3 = sum0;
    for (std::size_t i = first + 2 * lane; i < first + count; i += 4 * kStripe) {
      sum0 = hn::Add(sum0, term(cells + i, key0));
      sum1 = hn::Add(sum1, term(cells + i + kStripe, key1));
      sum2 = hn::Add(sum2, term(cells + i + 2 * kStripe, key2));
      sum3 = hn::Add(sum3, term(cells + i + 3 * kStripe, key3));
      key0 = hn::Add(key0, four_steps);
      key1 = hn::Add(key1, four_steps);
      key2 = hn::Add(key2, four_steps);
      key3 = hn::Add(key3, four_steps);
    }
    hn::StoreU(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), d, sums + lane);
  }
}

Kernels make_kernels() {
  return {hwy::TargetName(HWY_TARGET),
          digest_cells_vector,
          {sideways_vector, vertical_vector, pair_vector, faces_vector, stands_vector},
          step_waves_vector,
          {read_heat_vector, read_heat_units_vector, heat_fluxes_vector, meet_air_vector,
           add_heat_vector, other_cells_vector, digest_heat_vector},
          {tracer_fluxes_vector},
          make_hydro_kernels()};
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
