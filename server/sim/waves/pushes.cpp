// What sets water waving: pushes that somebody asks for, water that falls, and wind.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "server/sim/draw.h"
#include "server/sim/square_root.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

namespace {

/// Within the limits that a step keeps to.
WaveColumn limited(std::int64_t height, std::int64_t speed) {
  const auto kept =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(height, -kMaxWaveHeight, kMaxWaveHeight));
  return {kept, static_cast<std::int32_t>(
                    std::clamp<std::int64_t>(speed, kept - kMaxWaveHeight, kept + kMaxWaveHeight))};
}

/// What a ball around a cell displaces of one column, in units of a wave's height: the part of it
/// that lies under the surface. The deeper under water the ball is, the less of that shows: at a
/// depth of two of its widths nothing does.
std::int64_t displaced(Vec3 ball, std::int32_t radius, Vec3 surface) {
  const std::int64_t half_width = (2 * std::int64_t{radius} + 1) * kFull / 2;
  const std::int64_t x = std::int64_t{surface.x - ball.x} * kFull;
  const std::int64_t z = std::int64_t{surface.z - ball.z} * kFull;
  const std::int64_t square = half_width * half_width - x * x - z * z;
  if (square <= 0) return 0;
  const std::int64_t half_height = square_root(square);
  // Both stand in the middle of their cells.
  const std::int64_t above = std::int64_t{surface.y - ball.y} * kFull;
  const std::int64_t under = std::clamp<std::int64_t>(above + half_height, 0, 2 * half_height);
  const std::int64_t depth = std::max<std::int64_t>(0, above - half_height);
  const std::int64_t fades = 4 * half_width;
  const std::int64_t shows = under * std::max<std::int64_t>(0, fades - depth) / fades;
  return std::min<std::int64_t>(shows << kLogWaveUnit, kMaxWaveHeight);
}

/// The columns of one push, and those beside them.
class Pushed {
 public:
  Pushed(const WavePush& push, std::int32_t slot, const WaveOptions& options,
         const WaveSheet& sheet, const WaveColumns& columns)
      : push_(push), options_(options), sheet_(sheet), columns_(columns) {
    centre_ = sheet.surfaces[index(slot)].at;
    if (push.kind == WavePush::Kind::kExplode) centre_.y = push.at.y;
    const std::size_t side = index(2 * push.radius + 3);
    last_.assign(side * side, kNoColumn);
    (void)place_of(slot);
    // Grows as it is gone through: those that are pushed let in the columns beside them.
    for (std::size_t from = 0; from < pushed_.size(); ++from) {
      if (pushed_[from].weight == 0) continue;
      sheet.for_each_beside(pushed_[from].slot, [&](std::int32_t beside) {
        const std::size_t other = place_of(beside);
        // Each pair once: from the one that came first, unless that one is not pushed.
        if (from < other || pushed_[other].weight == 0) pairs_.emplace_back(from, other);
      });
    }
  }

  void give(WaveColumns& columns) {
    if (moves_body()) {
      displace();
    } else {
      find_strength();
    }
    for (const One& one : pushed_) columns.set(index(one.slot), one.now);
  }

 private:
  /// The strongest that the energy allows. What it adds at some strength is looked at, not worked
  /// out, because there may be waves already.
  void find_strength() {
    WaveEnergy most = energy();
    most.add(std::int64_t{push_.energy} << kLogWaveEnergy);
    std::int32_t strength = 0;
    for (std::int32_t bit = kMaxWaveHeight / 2; bit > 0; bit /= 2) {
      set(strength + bit);
      if (energy() <= most) strength += bit;
    }
    set(strength);
  }

  /// Where it was, or where it is: each is a push of its own.
  void displace() {
    for (One& one : pushed_) {
      const std::int64_t by = push_.kind == WavePush::Kind::kBodyGoes ? one.weight : -one.weight;
      one.now = limited(one.before.height + by, one.before.speed);
    }
  }

  struct One {
    std::int32_t slot;
    std::int32_t below;   // of its column the one before it
    std::int64_t weight;  // greatest in the middle, 0 outside of the radius
    WaveColumn before;
    WaveColumn now;
  };

  /// Its place in `pushed_`. Surfaces of one column hang together, from the one that came last.
  std::size_t place_of(std::int32_t slot) {
    const Vec3 at = sheet_.surfaces[index(slot)].at;
    const std::int32_t side = 2 * push_.radius + 3;
    std::int32_t& last = last_[index((at.z - centre_.z + push_.radius + 1) * side + at.x -
                                     centre_.x + push_.radius + 1)];
    for (std::int32_t i = last; i != kNoColumn; i = pushed_[index(i)].below) {
      if (pushed_[index(i)].slot == slot) return index(i);
    }
    const WaveColumn column = columns_.at(index(slot));
    pushed_.push_back({slot, std::exchange(last, static_cast<std::int32_t>(pushed_.size())),
                       weight(slot), column, column});
    return pushed_.size() - 1;
  }

  [[nodiscard]] bool moves_body() const {
    return push_.kind == WavePush::Kind::kBodyGoes || push_.kind == WavePush::Kind::kBodyComes;
  }

  [[nodiscard]] std::int64_t weight(std::int32_t slot) const {
    const Vec3 at = sheet_.surfaces[index(slot)].at;
    if (moves_body()) return displaced(push_.at, push_.radius, at);
    const std::int64_t x = at.x - centre_.x;
    const std::int64_t z = at.z - centre_.z;
    const std::int64_t y = push_.kind == WavePush::Kind::kExplode ? at.y - centre_.y : 0;
    return std::max<std::int64_t>(0, greatest_ - x * x - y * y - z * z);
  }

  // A splash without a direction presses the water down, what explodes throws it up. With a
  // direction the water gets the shape and the speed of a wave that goes there.
  void set(std::int32_t strength) {
    for (One& one : pushed_) {
      if (one.weight == 0) continue;
      const std::int64_t part = strength * one.weight / greatest_;
      if (push_.direction == 0) {
        const bool up = push_.kind == WavePush::Kind::kExplode;
        one.now = limited(one.before.height, one.before.speed + (up ? part : -part));
        continue;
      }
      const std::int64_t x = sheet_.surfaces[index(one.slot)].at.x - centre_.x;
      const std::int64_t rises = 2 * push_.direction * x * strength * celerity_ /
                                 (greatest_ * (std::int64_t{1} << kLogWaveParts));
      one.now = limited(one.before.height + part, one.before.speed + rises);
    }
  }

  [[nodiscard]] WaveEnergy energy() const {
    WaveEnergy sum;
    for (const One& one : pushed_) {
      if (one.weight > 0) sum.add(own_energy(options_, one.now));
    }
    for (const auto& [a, b] : pairs_) {
      sum.add(shared_energy(options_, pushed_[a].now, pushed_[b].now));
    }
    return sum;
  }

  const WavePush& push_;
  const WaveOptions& options_;
  const WaveSheet& sheet_;
  const WaveColumns& columns_;
  Vec3 centre_;
  std::int64_t greatest_ = (std::int64_t{push_.radius} + 1) * (push_.radius + 1);
  /// Columns a step, 1/1024, of the wave whose half is as long as the push is wide: its square is
  /// spread + tension / k^2 with k = pi / (2 radius + 2), and 4 / pi^2 is some 2 / 5.
  std::int64_t celerity_ =
      square_root((options_.spread + options_.tension * greatest_ * 2 / 5) << kLogWaveParts);
  std::vector<One> pushed_;
  std::vector<std::int32_t> last_;                          // of pushed_, by column [z][x]
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  // of which one at least is pushed
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
  Pushed(push, slot, options, sheet, columns).give(columns);
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
