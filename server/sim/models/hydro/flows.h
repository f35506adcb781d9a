// Steps 5 and 7 of one way: what brakes and drives its flow, and what of it is whole units. For
// movers, and for open water's runs, which are none.
#pragma once

#include <algorithm>

#include "server/sim/carried/moves.h"
#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/number.h"

namespace sluice::sim::hydro {

/// What a way reads of the run at one end of it.
struct End {
  Level level = 0;
  Level contact = 0;
  Level base = 0;
  Units volume = 0;
  Q16 lead = 0;
  bool full = false;

  explicit End(const Mover& mover)
      : level(mover.level),
        contact(mover.contact),
        base(mover.base),
        volume(mover.volume),
        lead(mover.lead),
        full(mover.full) {}
  /// Of a run that is not full.
  End(Level surface, Level floor, Q16 its_lead)
      : level(surface), contact(surface), base(floor), volume(surface - floor), lead(its_lead) {}
};

/// What one way needs of its body and of its runs' frictions the next mostly needs as well.
struct Braking {
  std::int32_t low_friction = -1;
  std::int32_t high_friction = -1;
  std::int32_t body = kNone;  // neither still nor old
  std::int32_t friction = 0;  // of a contact between two such runs of that body
  Q16 divisor = 0;
  std::int32_t share = 0;  // by that divisor
};

/// The part of a side's depth that the opening does not take up.
inline Q16 blocked(Units height, Units depth) {
  return depth <= height ? 0 : kOne - quotient(height * kOne, depth);
}

/// Of the bed, by the height of the water over it.
inline Q16 bed_drag(Units height) {
  if (height <= kFull) return kBedDrag;
  return quotient(quotient(kBedDrag * kFull, height) * kFull, height);
}

/// Whether `bed_drag(height) * (size / height)` comes to one of Q16's units. It is at most
/// kBedDrag * kFull^2 / height^2 * size / height, and such a drag is less than one unit from 256
/// cells on. Most water is so deep and slow that this saves three divisions.
inline bool bed_brakes(Units height, Q16 size) {
  constexpr Units kDeep = 256 * kFull;
  static_assert(kBedDrag * kFull / kDeep * kFull / kDeep == 0);
  static_assert(kBedDrag * kFull * kFull == kOne << 23 && kDeep <= 1 << 20);
  if (height <= kFull) return size >= height;
  return height < kDeep && size >= height * height * height >> 23;
}

/// Of a step of the bed that water goes down, by the square of how fast it is beside its waves.
/// Without it a deeper part of a current down a slope outran the waves that would level it: rivers
/// gathered in surges, higher and higher (roll waves; Vedernikov gives when). At most kMostRapid
/// counts, since the drag follows from the flow of the tick before: more overshot in every tick.
inline Q16 rapid_drag(Units height, Q16 size) {
  const Q16 waves = conductance_of(height, kMostConductance);
  const Q16 speed = std::min(quotient(size, height), kOne);
  return kRapidDrag * std::min(quotient(speed * speed, waves), kMostRapid);
}

/// How much a way is a fall: the square of the part of the opening's water that stands above the
/// lower side's surface, where that side goes down below the sill. 1 of a spill. By it the rules of
/// a spill turn into those of a contact as the lower side rises over the sill: where they changed
/// at once, rivers down high steps surged, as one was drowned and free again.
inline Q16 overfall(const End& low, const End& high, const Way& way) {
  if (way.joint == Joint::kSpill) return kOne;
  if (low.full || high.full) return 0;
  const End& taker = low.contact > high.contact ? high : low;
  const Units above = way.sill() + way.height - taker.contact;
  if (above <= 0 || taker.base >= way.sill()) return 0;
  const Q16 part = above >= way.height ? kOne : quotient(above * kOne, way.height);
  return part * part / kOne;
}

/// What a way's flow comes from, but for the heads.
struct Drive {
  Q16 push = 0;            // the flow without the heads, before that share
  std::int32_t share = 0;  // 1 / (1 + friction + loss), Q16
};

/// All friction divides: subtracted, it was unstable above an eighth. In open water every way is a
/// contact. Always inline: as a call it took a fourteenth of all instructions of a run more, since
/// what it is given went through memory.
template <bool kOpenWater = false>
[[gnu::always_inline]] inline Drive drive_of(const End& low, const End& high, const Way& way,
                                             Braking& known) {
  const bool contact = kOpenWater || way.joint == Joint::kContact;
  const bool free = !low.full && !high.full;
  const bool step = low.base != high.base;
  const Q16 falls = step || !contact ? overfall(low, high, way) : 0;
  Q16 loss = kOne;
  if (contact) {
    const Q16 narrowing = blocked(way.height, std::max(low.volume, high.volume));
    loss = narrowing * narrowing / kOne;
    if (falls > 0) loss += (kOne - loss) * falls / kOne;
  }
  Q16 divisor = kOne + (loss == 0 ? known.friction : (kOne - loss) * known.friction / kOne);
  const Q16 size = absolute(way.flow);
  if (loss > 0 || (free && bed_brakes(way.height, size))) {
    const Q16 drag = kLoss * loss / kOne + (free ? bed_drag(way.height) : 0);
    divisor += drag * std::min(quotient(size, way.height), kOne << 20) / kOne;
  }
  const bool down = step && (way.flow > 0 ? low.base > high.base : low.base < high.base);
  if (contact && free && down) {
    divisor += rapid_drag(way.height, size) * (kOne - falls) / kOne;
  }
  if (divisor != known.divisor) {
    known.divisor = divisor;
    known.share = static_cast<std::int32_t>(reciprocal(divisor));
  }
  Drive drive = {way.flow, known.share};
  if (falls > 0) {
    // In the middle of what falls free the head is half as high.
    const Q16 half = way.conductance * (way.height * falls / (2 * kOne));
    drive.push += low.contact > high.contact ? -half : half;
  }
  if (contact && free) {
    const Q16 lead = scaled(way.conductance, low.lead - high.lead);
    drive.push += falls == 0 ? lead : lead * (kOne - falls) / kOne;
  }
  return drive;
}

/// The most that flows through a way from that end of it.
inline Q16 fastest(const End& from, const Way& way) {
  const Level level = std::max(from.full ? from.contact : from.level, way.sill());
  const Units depth = std::min(level - way.sill(), way.opening());
  return std::min(depth * (kOne / 8 * 7), kMostFlow);
}

/// What flows by the levels of its ends, of which none is full.
inline Q16 flow_by_levels(const End& low, const End& high, const Way& way, const Drive& drive) {
  const Level across = std::max(low.level, way.sill()) - std::max(high.level, way.sill());
  return scaled(drive.share, drive.push + way.conductance * across);
}

/// As fast as it can; of that and what was carried on, whole units are to move.
inline void set_flow(const End& low, const End& high, Way& way, Q16 flow) {
  const Q16 most = fastest(flow > 0 ? low : high, way);
  way.flow = std::clamp(flow, -most, most);
  const Q16 due = way.flow + way.carry;
  way.moved = due / kOne;
  way.carry = static_cast<std::int32_t>(due % kOne);
}

/// The friction of a run in the next tick. It falls at once, as a wave spreads out, and rises
/// slowly: where shelves of a river became one body and several again, all of its friction came and
/// went, and surges with it.
inline std::int32_t friction_towards(std::int32_t target, std::int32_t friction) {
  if (friction == 0) return target;
  const std::int32_t more = target - friction;
  return friction +
         (more > 0 ? (more + kFrictionRises - 1) / kFrictionRises : more / kFrictionFalls);
}

/// What a way in a body adds to its quotient of the heads, which differ by so much across it.
inline std::int64_t head_across(const Way& way, Level across, int shift) {
  const Level scaled_down = absolute(across) >> shift;
  return (way.conductance * scaled_down >> 8) * scaled_down;
}

/// By what heads of a body are scaled down, so that the squares of their differences fit 32 bits.
inline int head_shift_of(Level across) {
  return std::max(0, bits_of(across) - 16);
}

/// Nearly critical for a body's slowest wave.
[[nodiscard]] std::int32_t target_friction(const Quotients& quotients);

/// Tells of the units that move through a way, evenly over the height of the water in its opening.
void tell(WaterMoves& moves, const Run& low, const Run& high, const Way& way);

}  // namespace sluice::sim::hydro
