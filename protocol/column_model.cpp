#include "protocol/column_model.h"

#include <bit>
#include <type_traits>

namespace sluice::protocol {

namespace {

ColumnChances make_first_chances() {
  static_assert(std::is_trivially_copyable_v<ColumnChances>);
  std::array<Chance, kChances> list;
  for (std::size_t i = 0; i < kChances; ++i) {
    const char digit = kFirstChances[i];
    const int level = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    list[i] = {kChanceLevels[static_cast<std::size_t>(level)], kFirstSeen};
  }
  return std::bit_cast<ColumnChances>(list);
}

}  // namespace

const ColumnChances& first_chances() {
  static const ColumnChances kChancesAtStart = make_first_chances();
  return kChancesAtStart;
}

void foresee(const Column& baseline, int height, const Column& gained, Refill& refill) {
  for (int y = 0; y < height;) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    if (!is_open(baseline[y])) {
      refill.cells[at(y)] = baseline[y];
      ++y;
      continue;
    }
    const int floor = y;
    int surface = floor;
    while (surface < height && baseline[surface] >= kFull) ++surface;
    int end = surface;
    while (end < height && is_open(baseline[end])) ++end;
    const std::int32_t gain =
        std::clamp(gained[surface < end ? surface : end - 1], -kMostGained, kMostGained);
    const std::int32_t volume =
        (surface - floor) * kFull + (surface < end ? baseline[surface] : 0) + gain;
    for (y = floor; y < end; ++y) {
      const std::int32_t above_floor = volume - kFull * (y - floor);
      const bool settled = y <= surface || above_floor > 0;
      refill.cells[at(y)] =
          settled && baseline[y] <= kFull ? std::clamp(above_floor, 0, kFull) : baseline[y];
      refill.floor[at(y)] = static_cast<std::int8_t>(floor);
      refill.surface[at(y)] = static_cast<std::int8_t>(surface);
    }
  }
}

}  // namespace sluice::protocol
