// What Flow keeps and works with: movers, the ways between them, and the bodies that they form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

/// A run that may move: what ways read of it, then what its own loops read, a line of a processor's
/// cache each.
struct alignas(64) Mover {
  // As the tick began.
  Level level = 0;    // for all that asks who stands higher
  Level contact = 0;  // likewise; its ceiling where it is full
  Units volume = 0;   // later what it holds now; its run is told of it in fill() and in finish()
  Q16 lead = 0;       // of the head before its level (Way::lead)
  std::int32_t conductance = 0;
  std::int32_t friction = 0;
  std::int32_t body = kNone;
  std::int32_t age = 0;
  bool swallows = false;
  bool open_top = false;
  bool spread = false;  // all its links are ways: else it is fringe
  bool wet = false;
  bool full = false;         // its head is its pressure
  bool forced : 1 = false;   // made full because it would run over
  bool stale : 1 = false;    // its run was changed since the last tick
  bool settled : 1 = false;  // it came to rest in a body that goes on
  bool near = false;         // it could run over
  bool flows = false;        // through a contact
  bool event = false;        // something from outside touched it
  bool flowed = false;  // something does through its ways, and much through one that is a contact:
  bool fast = false;    // as long as nothing was cut
  bool takes = false;   // it has room for more
  bool stirs = false;   // it does itself, or what comes over a sill into it does
  bool moves = false;   // it stirs, or water goes through a way of it
  bool falls = false;   // something does in it

  std::int32_t id = kNone;
  std::int32_t unknown = kNone;  // its number in the solver
  Level base = 0;                // of the run, as long as it is one
  Level top = 0;
  Units air = 0;
  Units through = 0;          // of one that is full or near: what the last tick's flows carry
  Units given = 0;            // moved out
  Units taken = 0;            // moved in
  std::int64_t pressure = 0;  // 1/256 level units

  [[nodiscard]] Units capacity() const { return top - base; }
  [[nodiscard]] Level level_of(Units held) const { return base + (swallows ? -4 * kFull : held); }
  /// It has an age, something touched it, or falls in it.
  [[nodiscard]] bool stirs_itself() const { return age > 0 || event || air > 0; }
  /// Room that it is to keep while it is full.
  [[nodiscard]] Units margin() const {
    return through > 0 ? std::min(kMostMargin, 4 + through / 64) : 0;
  }
  /// What it can take besides what it gives.
  [[nodiscard]] Units room() const {
    return swallows || open_top ? INT64_MAX / 2 : capacity() - volume - air;
  }
  /// Whether it is to give more than it has, or to take more than it can.
  [[nodiscard]] bool over() const { return given > volume || taken > room() + given; }
};
static_assert(offsetof(Mover, id) == 64 && sizeof(Mover) == 128);

/// What a link is to its runs. *Still* is a contact through which nothing is to flow, since one of
/// them rests: water that moves in a lake at rest ends there.
enum class Joint : std::uint8_t { kClosed, kStill, kContact, kSpill };

/// A link of a mover.
struct alignas(64) Way {
  std::int32_t low = kNone;  // movers
  std::int32_t high = kNone;
  std::int32_t sill_cell = 0;
  std::int32_t top_cell = 0;
  Units height = 0;  // of the water in the opening
  std::int32_t conductance = 0;
  std::int32_t share = 0;  // 1 / (1 + friction + loss), Q16
  Q16 push = 0;            // the flow without the heads, before that share
  Q16 flow = 0;
  Units moved = 0;  // towards `high`
  std::int32_t carry = 0;
  Joint joint = Joint::kClosed;
  std::int8_t demands = 0;  // the sign of what was to be moved
  bool fixed : 1 = false;   // its flow is settled, whatever the heads
  bool direct : 1 = false;  // of an old body: straight onto the receiver's surface
  bool along_z : 1 = false;

  [[nodiscard]] Level sill() const { return Level{sill_cell} * kFull; }
  [[nodiscard]] Units opening() const { return Level{top_cell - sill_cell} * kFull; }
  [[nodiscard]] bool open() const { return joint >= Joint::kContact; }
  /// What the level of `high` lacks to its head: the fraction of a unit that is carried on, and a
  /// part of what flows, which calms short waves. Without the fraction, which heads would follow
  /// whole units, and water that anything falls into shook all over by ten units.
  [[nodiscard]] static Q16 lead_of(Q16 flow, std::int32_t carry) {
    return flow / (kOne / kSmoothing) + carry;
  }
  [[nodiscard]] Q16 lead() const { return lead_of(flow, carry); }
  /// Through a contact.
  [[nodiscard]] bool flows() const { return joint == Joint::kContact && (flow | carry) != 0; }
  [[nodiscard]] bool fast() const {
    return joint == Joint::kContact && absolute(flow) > kQuiet * kOne;
  }
  [[nodiscard]] std::int32_t other(std::int32_t mover) const { return mover == low ? high : low; }
  [[nodiscard]] std::int32_t giver() const { return moved > 0 ? low : high; }
  [[nodiscard]] std::int32_t taker() const { return moved > 0 ? high : low; }
};
static_assert(sizeof(Way) == 64);

/// Over a body's runs, the highest that holds water and the lowest that has room for more.
struct Levels {
  Level highest_wet = INT64_MIN;
  Level lowest_room = INT64_MAX;

  void see_wet(Level level) { highest_wet = std::max(highest_wet, level); }
  void see_room(Level level) { lowest_room = std::min(lowest_room, level); }
  void see(const Levels& other) {
    see_wet(other.highest_wet);
    see_room(other.lowest_room);
  }
  /// One head to within a unit, wherever water has a free surface or could have one. All may be dry
  /// by now, or all full.
  [[nodiscard]] bool flat() const {
    return highest_wet == INT64_MIN || lowest_room == INT64_MAX || highest_wet - lowest_room <= 1;
  }
};

/// Of a body's runs as a tick begins.
struct Standing : Levels {
  Level lowest_contact = INT64_MAX;
  Level highest_contact = INT64_MIN;
  bool flows = false;
  bool presses = false;  // a run is full, or could run over
  bool falls = false;

  void add(const Mover& mover) {
    if (mover.wet) {
      see_wet(mover.level);
      add_age(mover.age);
    }
    if (mover.takes) see_room(mover.level);
    lowest_contact = std::min(lowest_contact, mover.contact);
    highest_contact = std::max(highest_contact, mover.contact);
    flows |= mover.flows;
    presses |= mover.full || mover.near;
    falls |= mover.falls;
  }
  void add(const Standing& other);
  /// Of what is wet; 0: all are old.
  [[nodiscard]] std::int32_t youngest() const { return static_cast<std::int32_t>(before_ + 1); }

 private:
  // The youngest water decides; what is at rest has no age, and so comes after all that have one.
  void add_age(std::int32_t age) {
    before_ = std::min(before_, static_cast<std::uint32_t>(age) - 1);
  }

  std::uint32_t before_ = UINT32_MAX;  // the youngest's age less one
};

/// Of a body's runs after its water has moved.
struct Outcome : Levels {
  Level highest_free = INT64_MIN;
  Level lowest_free = INT64_MAX;
  bool fast = false;  // more than kQuiet flows through a contact
  bool flows = false;
  bool air = false;
  bool moved = false;
  bool over = false;  // more was to move than can

  void add(const Mover& mover) {
    const Units volume = mover.volume;
    const Level level = mover.level_of(volume);
    if (volume > 0 && !mover.swallows) see_wet(level);
    if (volume < mover.capacity() || mover.open_top) see_room(level);
    if (volume < mover.capacity() - kSlack || mover.open_top) {
      highest_free = std::max(highest_free, level);
      lowest_free = std::min(lowest_free, level);
    }
    moved |= mover.given > 0;
    air |= mover.air > 0;
    flows |= mover.flowed;
    fast |= mover.fast;
  }
  void add(const Outcome& other);
  [[nodiscard]] bool quiet() const {
    return !fast && (lowest_free == INT64_MAX || highest_free - lowest_free <= kQuiet);
  }
};

/// Sums over the free runs of a body of one quantity and of its square, and over its links of how
/// it differs across them, weighed by their conductance: by Rayleigh's quotient the square of the
/// slowest frequency is at most links / spread, whatever the quantity is.
struct Quotient {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  std::int64_t links = 0;

  void add(std::int64_t value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  void add(const Quotient& other);
  /// In Q32; `scale` is what the links lack.
  [[nodiscard]] std::int64_t squared_frequency(int scale) const;

 private:
  [[nodiscard]] std::int64_t spread() const;
};

/// Of x, z and the heads.
struct Quotients {
  Quotient of_x;
  Quotient of_z;
  Quotient of_head;

  void add(const Quotients& other) {
    of_x.add(other.of_x);
    of_z.add(other.of_z);
    of_head.add(other.of_head);
  }
};

/// Beyond which water of such an extent is old.
constexpr std::int32_t most_age(const Ground& ground, bool solid) {
  const std::int32_t width = ground.x_to - ground.x_from + 1;
  const std::int32_t depth = solid ? ground.z_to - ground.z_from + 1 : 0;
  return kAgePerCell * (width + depth) + kAgeAtLeast;
}

struct Body : Ground {
  std::size_t first = 0;  // of its movers, in Flow's list
  std::size_t count = 0;
  std::int32_t age = 0;  // 0: old
  std::int32_t target_friction = 0;
  int head_shift = 0;      // so that the squares of differences of heads fit 32 bits
  bool still = false;      // flat, and nothing flows in it
  bool busy = false;       // something fell in, spilled in or spilled out
  bool fed = false;        // something touched it in this tick, fell in or spilled in
  bool poured = false;     // water fell in after its outcome was summed up
  bool rests = false;      // nothing of it needs to be looked at again
  bool solves = false;     // its pressures are still to be found
  bool whole = true;       // there is no water at rest beside it
  bool asks = false;       // it came to rest in this tick: whether its lake is flat is to be known
  bool asks_anew = false;  // likewise, in the next tick, of what was tied together
  Standing standing;
  Quotients quotients;
  Outcome outcome;
  std::vector<std::int32_t> full;
  std::vector<std::int64_t> corrections;  // of their pressures, found in this round

  [[nodiscard]] bool old() const { return age == 0; }
  /// Its waves run on into water at rest.
  [[nodiscard]] bool runs_free() const { return !whole && !old(); }
};

/// What is left when a tick ends.
struct Left {
  Units drained = 0;                  // over open edges
  std::vector<std::int32_t> awake;    // runs that are to be looked at again
  std::vector<std::int32_t> falling;  // those in which water falls
  std::vector<Chunk*> changed;        // chunks that the grid is to be told of
  std::vector<Chunk*> kept_awake;
  std::vector<std::int32_t> waiting;  // runs for whose water a chunk is to be made
  std::vector<std::int32_t> others;   // runs with a state that did not have one, or had one
  std::vector<std::int32_t> unmet;    // runs with water beside which columns may lack
  std::vector<std::int32_t> perched;  // runs that rest though something could go through a link
  std::vector<std::int32_t> resting;  // movers of which that is to be found out
  bool heads_changed = false;         // the pressure of a run is another one
  Columns::Pen pen;                   // while it is being filled

  /// Writes the cells of a run that may go on moving, and lists what follows from that.
  void show(Columns& columns, std::int32_t run, bool stays);
  void add(const Left& other);
};

inline void Left::show(Columns& columns, std::int32_t id, bool stays) {
  Run& run = columns.run(id);
  if (columns.show_surface(run, stays, pen, changed, kept_awake)) return;
  if (!columns.show(run, changed)) {
    waiting.push_back(id);
  } else if (stays || run.air > 0) {
    columns.keep_awake(run, kept_awake);
  }
}

}  // namespace sluice::sim::hydro
