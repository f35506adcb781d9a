// The vector kernels of open water. Included by server/sim/kernels_vector.cpp once for each vector
// unit; never by anything else.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "server/sim/models/hydro/kernels.h"

// Toggled by Highway with each vector unit, as its own headers are.
#if defined(SLUICE_SIM_KERNELS_VECTOR_HYDRO_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_SIM_KERNELS_VECTOR_HYDRO_INL_H
#undef SLUICE_SIM_KERNELS_VECTOR_HYDRO_INL_H
#else
#define SLUICE_SIM_KERNELS_VECTOR_HYDRO_INL_H
#endif

#include <hwy/highway.h>

#include "server/sim/models/hydro/kernels_vector_motion-inl.h"
#include "server/sim/models/hydro/kernels_vector_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sluice::sim::HWY_NAMESPACE {
namespace {

#if HWY_CAP_GE256

// Runs, as low or high ends of as many ways as there are lanes: mostly one after the other.
struct OpenRunsOf {
  const std::int32_t* from;
  bool in_a_row;

  HWY_INLINE explicit OpenRunsOf(const std::int32_t* at) : from(at) {
    const OpenHalf half;
    const auto runs = hn::LoadU(half, at);
    in_a_row = hn::AllTrue(half, hn::Eq(runs, hn::Iota(half, *at)));
  }
  HWY_INLINE OpenVec load(const std::int64_t* list) const {
    const OpenLanes d;
    return in_a_row ? hn::LoadU(d, list + *from) : hn::GatherIndex(d, list, load_wide(from));
  }
  HWY_INLINE OpenVec load(const std::int32_t* list) const {
    const OpenHalf half;
    const auto values = in_a_row ? hn::LoadU(half, list + *from)
                                 : hn::GatherIndex(half, list, hn::LoadU(half, from));
    return hn::PromoteTo(OpenLanes(), values);
  }
};

// In the opening of each way.
HWY_INLINE OpenVec heights_of(OpenVec low, OpenVec high, OpenVec sill) {
  return hn::Sub(hn::Max(low, high), sill);
}

HWY_INLINE OpenVec load_level(const std::int32_t* cells) {
  static_assert(kFull == 1 << 12);
  return hn::ShiftLeft<12>(load_wide(cells));
}

HWY_INLINE OpenVec conductances_of(OpenVec height, std::int64_t most) {
  return hn::Min(hn::Max(height, of_all(hydro::kFilm)), of_all(most));
}

HWY_INLINE std::int64_t sum_of(OpenVec v) {
  return hn::GetLane(hn::SumOfLanes(OpenLanes(), v));
}

void measure_runs_vector(const hydro::OpenTick& tick, std::size_t from, std::size_t to,
                         hydro::Quotient& heads) {
  const OpenLanes d;
  const std::size_t lanes = hn::Lanes(d);
  const auto lowest = of_all(tick.lowest);
  auto sums = hn::Zero(d);
  auto squares = hn::Zero(d);
  const std::size_t count = (to - from) / lanes * lanes;
  for (std::size_t m = from; m < from + count; m += lanes) {
    const auto level = hn::Sub(hn::LoadU(d, tick.level + m), lowest);
    const auto head = hn::ShiftRightSame(level, tick.head_shift);
    sums = hn::Add(sums, head);
    squares = hn::Add(squares, product(head, head));
  }
  heads.count += static_cast<std::int64_t>(count);
  heads.sum += sum_of(sums);
  heads.squares += sum_of(squares);
  hydro::scalar_hydro_kernels().measure_runs(tick, from + count, to, heads);
}

hydro::OpenSums measure_ways_vector(const hydro::OpenTick& tick, std::size_t from, std::size_t to) {
  const OpenLanes d;
  const std::size_t lanes = hn::Lanes(d);
  auto conductances = hn::Zero(d);
  auto heads = hn::Zero(d);
  const std::size_t end = from + (to - from) / lanes * lanes;
  for (std::size_t w = from; w < end; w += lanes) {
    const auto low = OpenRunsOf(tick.low + w).load(tick.level);
    const auto high = OpenRunsOf(tick.high + w).load(tick.level);
    const auto sill = load_level(tick.sill_cell + w);
    const auto opening = hn::Sub(load_level(tick.top_cell + w), sill);
    const auto height = hn::Min(heights_of(low, high, sill), opening);
    const auto conductance = conductances_of(height, tick.most_conductance);
    const auto across = hn::ShiftRightSame(size_of(hn::Sub(low, high)), tick.head_shift);
    conductances = hn::Add(conductances, conductance);
    const auto weighed = hn::ShiftRight<8>(product(conductance, across));
    heads = hn::Add(heads, product(weighed, across));
  }
  hydro::OpenSums rest = hydro::scalar_hydro_kernels().measure_ways(tick, end, to);
  rest.conductances += sum_of(conductances);
  rest.heads += sum_of(heads);
  return rest;
}

// friction_towards()
HWY_INLINE OpenVec frictions_after(OpenVec friction, std::int64_t target) {
  static_assert(hydro::kFrictionRises == 1 << 11 && hydro::kFrictionFalls == 1 << 4);
  const auto more = hn::Sub(of_all(target), friction);
  const auto rise = hn::ShiftRight<11>(hn::Add(more, of_all(hydro::kFrictionRises - 1)));
  const auto change = hn::IfThenElse(hn::Gt(more, hn::Zero(OpenLanes())), rise, divided<4>(more));
  const auto is_new = hn::Eq(friction, hn::Zero(OpenLanes()));
  return hn::IfThenElse(is_new, of_all(target), hn::Add(friction, change));
}

// bed_brakes(), of heights and sizes of flows.
HWY_INLINE OpenMask where_bed_brakes(OpenVec height, OpenVec size) {
  constexpr hydro::Units kDeep = 256 * kFull;
  const auto deep = hn::Gt(height, of_all(kDeep - 1));
  const auto some = hn::IfThenElse(deep, of_all(kDeep), height);
  const auto square = product(some, some);
  const auto upper = product(hn::ShiftRight<20>(square), some);
  const auto lower = product(hn::And(square, of_all((1 << 20) - 1)), some);
  const auto cube = hn::ShiftRight<23>(hn::Add(hn::ShiftLeft<20>(upper), lower));
  const auto thin = hn::Lt(height, of_all(kFull + 1));
  const auto least = hn::IfThenElse(thin, height, cube);
  return hn::AndNot(deep, hn::Not(hn::Lt(size, least)));
}

// What the bed adds to divisors, where vectors can divide(): bed_drag() of the part of its height
// that flows in a tick. 0 where it does not brake.
HWY_INLINE OpenVec drags_of(OpenVec height, OpenVec size) {
  const OpenDivisors by_height(height);
  const auto once = by_height.divide(of_all(hydro::kBedDrag * kFull));
  const auto twice = by_height.divide(hn::ShiftLeft<12>(once));
  const auto thin = hn::Lt(height, of_all(kFull + 1));
  const auto drag = hn::IfThenElse(thin, of_all(hydro::kBedDrag), twice);
  return shifted_right<16>(product(drag, by_height.divide(size)));
}

// reciprocal(), of divisors from kOne on.
HWY_INLINE OpenVec shares_of(OpenVec divisors) {
  const auto below = OpenDivisors(divisors).divide(of_all(UINT32_MAX));
  const auto more = hn::Add(below, of_all(1));
  const auto exact = hn::Eq(product_unsigned(more, divisors), of_all(std::int64_t{1} << 32));
  return hn::IfThenElse(exact, more, below);
}

bool move_even_vector(const hydro::OpenTick& tick, std::size_t from, std::size_t to) {
  const OpenLanes d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  // What the next ones mostly need as well.
  auto low_friction = of_all(-1);
  auto high_friction = of_all(-1);
  auto friction = zero;
  auto known_divisor = zero;
  auto share = zero;
  bool braked = false;
  bool fast = false;
  auto fastest = hn::Zero(d);
  const std::size_t end = from + (to - from) / lanes * lanes;
  for (std::size_t w = from; w < end; w += lanes) {
    const OpenRunsOf lows(tick.low + w);
    const OpenRunsOf highs(tick.high + w);
    const auto low = lows.load(tick.level);
    const auto high = highs.load(tick.level);
    const auto sill = load_level(tick.sill_cell + w);
    const auto opening = hn::Sub(load_level(tick.top_cell + w), sill);
    const auto height = heights_of(low, high, sill);
    const auto flow = hn::LoadU(d, tick.flow + w);
    const auto size = size_of(flow);
    // Under an edge of a ceiling a flow loses something.
    const auto under_edge = hn::Gt(height, opening);
    if (!hn::AllFalse(d, hn::Or(under_edge, hn::Gt(size, most_to_divide(height))))) {
      fast |= hydro::scalar_hydro_kernels().move(tick, w, w + lanes);
      continue;
    }
    const auto conductance = conductances_of(height, tick.most_conductance);
    const auto low_now = lows.load(tick.friction);
    const auto high_now = highs.load(tick.friction);
    if (!same(low_now, low_friction) || !same(high_now, high_friction)) {
      low_friction = low_now;
      high_friction = high_now;
      friction = hn::ShiftRightSame(hn::Add(frictions_after(low_now, tick.target_friction),
                                            frictions_after(high_now, tick.target_friction)),
                                    tick.friction_shift);
    }
    auto divisor = hn::Add(of_all(hydro::kOne), friction);
    if (braked || !hn::AllFalse(d, where_bed_brakes(height, size))) {
      const auto drags = drags_of(height, size);
      braked = !same(drags, zero);
      divisor = hn::Add(divisor, drags);
    }
    if (!same(divisor, known_divisor)) {
      known_divisor = divisor;
      share = shares_of(divisor);
    }
    const auto lead = hn::Sub(lows.load(tick.lead), highs.load(tick.lead));
    const auto push = hn::Add(flow, scaled_wide(conductance, lead));
    const auto wanted = scaled_wide(share, hn::Add(push, product(conductance, hn::Sub(low, high))));
    const auto giver = hn::IfThenElse(hn::Gt(wanted, zero), low, high);
    const auto depth = hn::Max(hn::Sub(giver, sill), zero);
    const auto most = product(depth, of_all(hydro::kOne / 8 * 7));
    const auto now = hn::Max(hn::Min(wanted, most), hn::Neg(most));
    const auto due = hn::Add(now, load_wide(tick.carry + w));
    const auto moved = divided<16>(due);
    const auto carry = hn::Sub(due, hn::ShiftLeft<16>(moved));
    static_assert(hydro::kOne / hydro::kSmoothing == 1 << 3);
    hn::StoreU(now, d, tick.flow + w);
    store_narrow(carry, tick.carry + w);
    hn::StoreU(moved, d, tick.moved + w);
    hn::StoreU(hn::Add(divided<3>(now), carry), d, tick.way_lead + w);
    fastest = hn::Max(fastest, size_of(now));
  }
  fast |= hn::GetLane(hn::MaxOfLanes(d, fastest)) > hydro::kQuiet * hydro::kOne;
  return hydro::scalar_hydro_kernels().move(tick, end, to) || fast;
}

// Ends of ways of as many runs as there are lanes: mostly all are the same ends of ways that follow
// each other. Adds what comes in through them.
template <class V>
HWY_INLINE void add_ends(const hydro::OpenTick& tick, const std::int32_t* ends, V& change, V& given,
                         V& lead) {
  const OpenLanes d;
  const OpenHalf half;
  const auto list = hn::LoadU(half, ends);
  const auto row = hn::Add(hn::Set(half, *ends), hn::ShiftLeft<1>(hn::Iota(half, 0)));
  auto sign = hn::Zero(d);
  auto moved = sign;
  auto way_lead = sign;
  if (hn::AllTrue(half, hn::Eq(list, row))) {
    const std::int32_t way = *ends >> 1;
    sign = of_all((*ends & 1) - 1);
    moved = hn::LoadU(d, tick.moved + way);
    way_lead = hn::LoadU(d, tick.way_lead + way);
  } else {
    const auto wide = hn::PromoteTo(d, list);
    const auto ways = hn::ShiftRight<1>(wide);
    sign = hn::Sub(hn::And(wide, of_all(1)), of_all(1));
    moved = hn::GatherIndex(d, tick.moved, ways);
    way_lead = hn::GatherIndex(d, tick.way_lead, ways);
  }
  const auto taken = hn::Sub(hn::Xor(moved, sign), sign);
  change = hn::Add(change, taken);
  given = hn::Sub(given, hn::Min(taken, hn::Zero(d)));
  lead = hn::Add(lead, hn::Sub(hn::Xor(way_lead, sign), sign));
}

hydro::OpenOutcome fill_vector(const hydro::OpenTick& tick, std::size_t from, std::size_t to,
                               std::int32_t* outside) {
  const OpenLanes d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  auto lowest = of_all(INT64_MAX);
  auto highest = of_all(INT64_MIN);
  auto fits = hn::FirstN(d, lanes);
  auto all_given = zero;
  std::size_t count = 0;
  const std::size_t end = from + (to - from) / lanes * lanes;
  for (std::size_t m = from; m < end; m += lanes) {
    auto change = zero;
    auto given = zero;
    auto lead = zero;
    for (const std::int32_t* const ends : tick.ends) {
      if (ends == nullptr) break;
      add_ends(tick, ends + m, change, given, lead);
    }
    const auto base = hn::LoadU(d, tick.base + m);
    const auto before = hn::LoadU(d, tick.level + m);
    const auto level = hn::Add(before, change);
    const auto wet = hn::Gt(level, base);
    const auto too_much = hn::Gt(given, hn::Sub(before, base));
    const auto in_reach = hn::Gt(level, hn::LoadU(d, tick.least + m));
    fits = hn::And(fits, hn::AndNot(too_much, in_reach));
    all_given = hn::Or(all_given, given);
    lowest = hn::Min(lowest, level);
    highest = hn::Max(highest, level);
    const auto above = hn::Gt(level, hn::LoadU(d, tick.most + m));
    const auto other = hn::Or(above, hn::Xor(wet, hn::Gt(before, base)));
    if (!hn::AllFalse(d, other)) {
      HWY_ALIGN std::int64_t list[8];
      hn::Store(hn::VecFromMask(d, other), d, list);
      for (std::size_t i = 0; i < lanes; ++i) {
        if (list[i] != 0) outside[count++] = static_cast<std::int32_t>(m + i);
      }
    }
    const auto friction = frictions_after(load_wide(tick.friction + m), tick.target_friction);
    hn::StoreU(level, d, tick.level + m);
    hn::StoreU(lead, d, tick.lead + m);
    store_narrow(hn::IfThenElseZero(wet, friction), tick.friction + m);
  }
  hydro::OpenOutcome all = hydro::scalar_hydro_kernels().fill(tick, end, to, outside + count);
  all.lowest = std::min(all.lowest, hn::GetLane(hn::MinOfLanes(d, lowest)));
  all.highest = std::max(all.highest, hn::GetLane(hn::MaxOfLanes(d, highest)));
  all.moved |= !hn::AllTrue(d, hn::Eq(all_given, zero));
  all.fits &= hn::AllTrue(d, fits);
  all.outside += count;
  return all;
}

void divide_vector(const std::int64_t* numbers, const std::int64_t* divisors, std::size_t count,
                   std::int64_t* quotients) {
  const OpenLanes d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const OpenDivisors by(hn::LoadU(d, divisors + i));
    hn::StoreU(by.divide(hn::LoadU(d, numbers + i)), d, quotients + i);
  }
  hydro::scalar_hydro_kernels().divide(numbers + i, divisors + i, count - i, quotients + i);
}

hydro::HydroKernels make_hydro_kernels() {
  return {measure_runs_vector, measure_ways_vector, hydro::scalar_hydro_kernels().move,
          move_even_vector,    fill_vector,         divide_vector,
          digest_runs_vector,  digest_links_vector};
}

#elif HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

hydro::HydroKernels make_hydro_kernels() {
  return hydro::scalar_hydro_kernels();
}

#endif  // HWY_CAP_GE256
}  // namespace
}  // namespace sluice::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggled
