// What sets water waving: pushes that somebody asks for, water that falls, and wind.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "server/sim/draw.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

namespace {

std::size_t index(std::int32_t slot) {
  return static_cast<std::size_t>(slot);
}

/// Within the limits that a step keeps to.
WaveColumn limited(std::int64_t height, std::int64_t speed) {
  const auto kept =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(height, -kMaxWaveHeight, kMaxWaveHeight));
  return {kept, static_cast<std::int32_t>(
                    std::clamp<std::int64_t>(speed, kept - kMaxWaveHeight, kept + kMaxWaveHeight))};
}

std::int64_t square_root(std::int64_t of) {
  std::int64_t root = 0;
  while ((root + 1) * (root + 1) <= of) ++root;
  return root;
}

/// The columns of one push.
class Pushed {
 public:
  Pushed(const WavePush& push, std::int32_t slot, const WaveOptions& options,
         const WaveSheet& sheet, WaveColumns& columns)
      : push_(push), options_(options), sheet_(sheet), columns_(columns) {
    centre_ = sheet.surfaces[index(slot)].at;
    std::vector<std::int32_t> open = {slot};
    before_.emplace(slot, columns.at(index(slot)));
    while (!open.empty()) {
      const std::int32_t from = open.back();
      open.pop_back();
      sheet.for_each_beside(from, [&](std::int32_t beside) {
        if (weight(beside) <= 0 || before_.contains(beside)) return;
        before_.emplace(beside, columns.at(index(beside)));
        open.push_back(beside);
      });
    }
    for (const auto& [from, before] : before_) {
      sheet.for_each_beside(from, [&, a = from](std::int32_t b) {
        if (a < b || !before_.contains(b)) pairs_.emplace_back(a, b);
      });
    }
  }

  // The strongest that the energy allows. What it adds at some strength is looked at, not worked
  // out, because there may be waves already.
  void give() {
    WaveEnergy most = energy();
    most.add(std::int64_t{push_.energy} << kLogWaveEnergy);
    std::int32_t strength = 0;
    for (std::int32_t bit = kMaxWaveHeight / 2; bit > 0; bit /= 2) {
      set(strength + bit);
      if (energy() <= most) strength += bit;
    }
    set(strength);
  }

 private:
  /// Greatest in the middle, above 0 inside of the radius.
  [[nodiscard]] std::int64_t weight(std::int32_t slot) const {
    const Vec3 at = sheet_.surfaces[index(slot)].at;
    const std::int64_t x = at.x - centre_.x;
    const std::int64_t z = at.z - centre_.z;
    return greatest_ - x * x - z * z;
  }

  // Without a direction the water is pressed down. With one it gets the shape and the speed of a
  // wave that goes there.
  void set(std::int32_t strength) {
    for (const auto& [slot, before] : before_) {
      const std::int64_t part = strength * weight(slot) / greatest_;
      if (push_.direction == 0) {
        columns_.set(index(slot), limited(before.height, before.speed - part));
        continue;
      }
      const std::int64_t x = sheet_.surfaces[index(slot)].at.x - centre_.x;
      const std::int64_t rises = 2 * push_.direction * x * strength * celerity_ /
                                 (greatest_ * (std::int64_t{1} << kLogWaveParts));
      columns_.set(index(slot), limited(before.height + part, before.speed + rises));
    }
  }

  [[nodiscard]] WaveEnergy energy() const {
    WaveEnergy sum;
    for (const auto& [slot, before] : before_) {
      sum.add(own_energy(options_, columns_.at(index(slot))));
    }
    for (const auto& [a, b] : pairs_) {
      sum.add(shared_energy(options_, columns_.at(index(a)), columns_.at(index(b))));
    }
    return sum;
  }

  const WavePush& push_;
  const WaveOptions& options_;
  const WaveSheet& sheet_;
  WaveColumns& columns_;
  Vec3 centre_;
  std::int64_t greatest_ = (std::int64_t{push_.radius} + 1) * (push_.radius + 1);
  /// Columns a step, 1/1024, of the wave whose half is as long as the push is wide: its square is
  /// spread + tension / k^2 with k = pi / (2 radius + 2), and 4 / pi^2 is some 2 / 5.
  std::int64_t celerity_ =
      square_root((options_.spread + options_.tension * greatest_ * 2 / 5) << kLogWaveParts);
  std::map<std::int32_t, WaveColumn> before_;                 // by slot
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;  // of which one at least is pushed
};

// A gust is as wide and as long as this, and goes two columns a tick.
constexpr std::int32_t kLogGustColumns = 4;
constexpr std::int32_t kLogGustTicks = 3;
/// Columns of water to windward beyond which waves grow no faster.
constexpr std::int32_t kMostFetch = 64;
constexpr std::int32_t kStrongestGust = 256;
/// Level units of wind that push by 1/64 level unit a step: 1 / 8.
constexpr std::int32_t kGrip = 8;

/// From -kStrongestGust to kStrongestGust.
std::int32_t gust_at(std::uint64_t seed, std::uint64_t tick, bool to_right, Vec3 at) {
  const auto gone = static_cast<std::int32_t>(tick >> kLogGustTicks & 0x3fffffff);
  const std::int32_t x = (at.x >> kLogGustColumns) + (to_right ? -gone : gone);
  const Vec3 place = {x, 0, at.z >> kLogGustColumns};
  return static_cast<std::int32_t>(
             choose(draw(seed, 0, place, DrawPurpose::kWaveGust), 2 * kStrongestGust + 1)) -
         kStrongestGust;
}

class Wind {
 public:
  Wind(std::uint64_t tick, std::uint64_t seed, std::int32_t speed, std::int32_t sky,
       const WaveSheet& sheet, WaveColumns& columns)
      : tick_(tick), seed_(seed), speed_(speed), sky_(sky), sheet_(sheet), columns_(columns) {}

  void blow() {
    std::int32_t fetch = 0;
    if (speed_ > 0) {
      for (std::int32_t slot = 0; slot < sheet_.size(); ++slot) {
        fetch = sheet_.passes_x[index(slot)] != 0 ? fetch + 1 : 1;
        on(slot, fetch);
      }
    } else {
      for (std::int32_t slot = sheet_.size() - 1; slot >= 0; --slot) {
        fetch = sheet_.passes_x[index(slot + 1)] != 0 ? fetch + 1 : 1;
        on(slot, fetch);
      }
    }
  }

 private:
  void on(std::int32_t slot, std::int32_t fetch) {
    const Surface& surface = sheet_.surfaces[index(slot)];
    if (surface.ceiling != sky_) return;
    const Vec3 block = {surface.at.x >> kLogGustColumns, 0, surface.at.z >> kLogGustColumns};
    if (block != block_) gust_ = gust_at(seed_, tick_, speed_ > 0, surface.at);
    block_ = block;
    const std::int32_t push = kGrip * std::abs(speed_) * std::min(fetch, kMostFetch) * gust_ /
                              (kMostFetch * kStrongestGust);  // rounded towards 0
    const WaveColumn column = columns_.at(index(slot));
    columns_.set(index(slot), limited(column.height, std::int64_t{column.speed} + push));
  }

  std::uint64_t tick_;
  std::uint64_t seed_;
  std::int32_t speed_;
  std::int32_t sky_;
  const WaveSheet& sheet_;
  WaveColumns& columns_;
  Vec3 block_ = kNowhere;
  std::int32_t gust_ = 0;
};
static_assert(std::int64_t{kGrip} * kMaxWind * kMostFetch * kStrongestGust < INT32_MAX);

}  // namespace

void give_push(const WavePush& push, std::int32_t slot, const WaveOptions& options,
               const WaveSheet& sheet, WaveColumns& columns) {
  Pushed(push, slot, options, sheet, columns).give();
}

void WaveField::fall_and_blow(std::uint64_t tick, std::uint64_t seed, const Grid& grid,
                              WaveState& state) {
  if (state.wind != 0) {
    Wind(tick, seed, state.wind, grid.world_box().size.y, sheet_, state.columns).blow();
  }
  if (!lands_) return;
  // On the average what falls, in 1/64 level unit a step; unevenly, as drops come, but in all
  // places at once: the mirror image of a world has the mirrored waves.
  constexpr std::uint32_t kTwice = 512;
  const auto drops =
      static_cast<std::int64_t>(choose(draw(seed, tick, {}, DrawPurpose::kWaveLanding), kTwice));
  for (std::int32_t slot = 0; slot < sheet_.size(); ++slot) {
    const Surface& surface = sheet_.surfaces[index(slot)];
    if (surface.landing == 0) continue;
    const WaveColumn column = state.columns.at(index(slot));
    state.columns.set(index(slot), limited(column.height, column.speed - (surface.landing * drops /
                                                                          (kTwice / 2))));
  }
}

}  // namespace sluice::sim
