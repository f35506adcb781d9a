// What moves in one tick: the runs that may, the links between them through which water can go, and
// the bodies that they form. hydro.md numbers the steps; each reads what the steps before it left.
//
// Movers, ways and bodies are kept from tick to tick. A mover's run has been looked at with all its
// links, or stands beside one that has been ("fringe") and only tells how high its water is. A way
// through which nothing can go is kept, too, as closed. So in a tick in which nothing begins or
// ends to touch, nothing is searched for; what is kept beyond need costs time and changes nothing.
//
//   gather   heights of runs -> heights in openings -> bodies -> sums of runs, of bodies
//   move     friction -> flows -> pressures -> demands -> limits -> volumes
//   settle   sums of bodies -> filling, rest
//   finish   state and cells
//
// Every step is a loop over movers that reads ways, or one over ways that reads movers. It is cut
// into pieces of equal numbers for the workers that are lent: no piece writes what another reads,
// and sums of bodies are sums of integers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/executor.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/solver.h"

namespace sluice::sim::hydro {

/// A run that may move: what ways read of it, then what its own loops read, a line of a processor's
/// cache each.
struct alignas(64) Mover {
  // As the tick began.
  Level level = 0;    // for all that asks who stands higher
  Level contact = 0;  // likewise; its ceiling where it is full
  Units volume = 0;   // later what it holds now
  Q16 inflow = 0;     // by the flows of the last tick
  std::int32_t conductance = 0;
  std::int32_t friction = 0;
  std::int32_t body = kNone;
  std::int32_t age = 0;
  bool swallows = false;
  bool open_top = false;
  bool spread = false;  // all its links are ways: else it is fringe
  bool wet = false;
  bool full = false;    // its head is its pressure
  bool forced = false;  // made full because it would run over
  bool near = false;    // it could run over
  bool flows = false;   // through a contact
  bool event = false;   // something from outside touched it

  std::int32_t id = kNone;
  Level base = 0;  // of the run, as long as it is one
  Level top = 0;
  Units air = 0;
  Units through = 0;             // of one that is full or near: what the last tick's flows carry
  Units given = 0;               // moved out
  Units taken = 0;               // moved in
  std::int64_t pressure = 0;     // 1/256 level units
  std::int32_t unknown = kNone;  // its number in the solver

  [[nodiscard]] Units capacity() const { return top - base; }
  [[nodiscard]] Units slack() const { return std::min(kSlack, capacity() / 4); }
  /// Room that it is to keep while it is full.
  [[nodiscard]] Units margin() const {
    return through > 0 ? std::min(kMostMargin, 4 + through / 64) : 0;
  }
  /// What it can take besides what it gives.
  [[nodiscard]] Units room() const {
    return swallows || open_top ? INT64_MAX / 2 : capacity() - volume - air;
  }
};
static_assert(sizeof(Mover) == 128);

enum class Joint : std::uint8_t { kClosed, kContact, kSpill };

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
  [[nodiscard]] std::int32_t other(std::int32_t mover) const { return mover == low ? high : low; }
  [[nodiscard]] std::int32_t giver() const { return moved > 0 ? low : high; }
  [[nodiscard]] std::int32_t taker() const { return moved > 0 ? high : low; }
};
static_assert(sizeof(Way) == 64);

/// Of a body's runs as a tick begins.
struct Survey {
  Level highest_wet = INT64_MIN;
  Level lowest_room = INT64_MAX;
  Level lowest_contact = INT64_MAX;
  Level highest_contact = INT64_MIN;
  std::int32_t youngest = 0;  // 0: all are old
  bool flows = false;
  bool presses = false;  // a run is full, or could run over

  void add(const Mover& mover);
  void add(const Survey& other);
  /// One head to within a unit, wherever water has a free surface or could have one. All may be dry
  /// by now, or all full.
  [[nodiscard]] bool flat() const {
    return highest_wet == INT64_MIN || lowest_room == INT64_MAX || highest_wet - lowest_room <= 1;
  }

 private:
  void add_age(std::int32_t age);
};

/// Of a body's runs after its water has moved.
struct Outcome {
  Level highest_wet = INT64_MIN;
  Level lowest_room = INT64_MAX;
  Level highest_free = INT64_MIN;
  Level lowest_free = INT64_MAX;
  bool fast = false;  // more than kQuiet flows through a contact
  bool flows = false;
  bool air = false;
  bool moved = false;

  void add(const Outcome& other);
  [[nodiscard]] bool flat() const {
    return highest_wet == INT64_MIN || lowest_room == INT64_MAX || highest_wet - lowest_room <= 1;
  }
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

struct Body {
  std::size_t first = 0;  // of its movers, in Flow's list
  std::size_t count = 0;
  std::int32_t x_from = INT32_MAX, x_to = INT32_MIN;
  std::int32_t z_from = INT32_MAX, z_to = INT32_MIN;
  std::int32_t age = 0;  // 0: old
  std::int32_t target_friction = 0;
  int head_shift = 0;   // so that the squares of differences of heads fit 32 bits
  bool still = false;   // flat, and nothing flows in it
  bool busy = false;    // something fell in, spilled in or spilled out
  bool poured = false;  // water fell in after its outcome was summed up
  bool rests = false;   // nothing of it needs to be looked at again
  bool solves = false;  // its pressures are still to be found
  Survey survey;
  Quotients quotients;
  Outcome outcome;
  std::vector<std::int32_t> full;
  std::vector<std::int64_t> corrections;  // of their pressures, found in this round

  [[nodiscard]] bool old() const { return age == 0; }
};

class Flow {
 public:
  Flow(Columns& columns, const WorldConfig& config);

  /// All columns are others.
  void restart();
  /// Who is told of what moves between runs in this tick; null: nobody. Whose workers do it.
  void begin(WaterMoves* moves, Executor& executor) {
    moves_ = moves;
    executor_ = &executor;
  }
  /// Gathers what the given runs are joined to; steps 1 to 4. The first `known` of them are what
  /// the last finish() listed as awake.
  void gather(std::span<const std::int32_t> seeds, std::size_t known);
  /// Steps 5 to 8. `landed` are those of the seeds into which water fell.
  void move(std::span<const std::int32_t> landed);
  /// Step 9: fills flat what is almost flat, and says what rests.
  void settle();
  /// What is left when a tick ends.
  struct Left {
    Units drained = 0;                  // over open edges
    std::vector<std::int32_t> awake;    // runs that are to be looked at again
    std::vector<std::int32_t> falling;  // those in which water falls
    std::vector<Chunk*> changed;        // chunks that the grid is to be told of
    std::vector<Chunk*> kept_awake;
    std::vector<std::int32_t> waiting;  // runs for whose water a chunk is to be made
    std::vector<std::int32_t> others;   // runs with a state that did not have one, or had one
  };
  /// Writes state and cells back.
  Left finish();

  /// Whether a run takes part in this tick.
  [[nodiscard]] bool has(std::int32_t run) const {
    const std::int32_t slot = columns_.run(run).slot;
    return slot != kNone && movers_[static_cast<std::size_t>(slot)].spread;
  }
  [[nodiscard]] std::int64_t movers() const { return spread_count_; }

 private:
  struct Cut {
    std::int32_t way = kNone;
    Units most = 0;
  };
  struct Spilled {
    std::int32_t mover = kNone;
    std::int32_t cell = 0;
    Units units = 0;
  };

  [[nodiscard]] Run& run_of(const Mover& mover) { return columns_.run(mover.id); }
  [[nodiscard]] Run& run_at(std::int32_t mover) { return run_of(mover_at(mover)); }
  [[nodiscard]] Mover& mover_at(std::int32_t slot) {
    return movers_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] Body& body_at(std::int32_t body) { return bodies_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] std::span<const std::int32_t> ways_of(std::int32_t mover) const {
    const auto first = static_cast<std::size_t>(first_way_[static_cast<std::size_t>(mover)]);
    const auto last = static_cast<std::size_t>(first_way_[static_cast<std::size_t>(mover) + 1]);
    return {ways_of_movers_.data() + first, last - first};
  }
  [[nodiscard]] std::span<const std::int32_t> movers_of(const Body& body) const {
    return {members_.data() + body.first, body.count};
  }
  [[nodiscard]] Way& way_at(std::int32_t way) { return ways_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] std::int32_t mover_count() const {
    return static_cast<std::int32_t>(movers_.size());
  }

  /// f(from, to, piece) for pieces of [0, count).
  template <class F>
  void in_pieces(std::size_t count, F&& f);
  /// f(mover, sums) for each mover; then take(body, sums) for each body, maybe several times for
  /// one. What a mover of no body adds is left out.
  template <class Sums, class F, class Take>
  void sum_up(F&& f, Take&& take);

  // gather.cpp
  void forget();
  bool gather_all(std::span<const std::int32_t> seeds);
  std::int32_t add_mover(std::int32_t id);
  void spread(std::int32_t mover);
  void look_at(Mover& mover);
  bool look_at_runs();
  [[nodiscard]] Joint measure(Way& way);
  void look_at_openings();
  void take_joint(std::int32_t way, Joint joint);
  void list_ways();
  void find_bodies();
  // flow.cpp
  void add_up(std::int32_t mover);
  void look_at_bodies();
  // friction.cpp
  void find_frictions();
  void scale_conductance(Way& way);
  void add_to_quotients(std::int32_t mover, const Body& body, Quotients& quotients);
  [[nodiscard]] std::int32_t friction_of(const Mover& mover) const;
  void find_push(Way& way);
  // pressure.cpp
  void find_pressures();
  void list_full();
  void begin_pressures(const Body& body, std::span<const std::int32_t> full);
  void find_corrections(Body& body);
  [[nodiscard]] Q16 wanted(std::int32_t mover);
  void free_or_fix();
  void list_too_fast(const Body& body, std::vector<std::int32_t>& ways);
  [[nodiscard]] bool runs_over(std::int32_t mover);
  [[nodiscard]] static std::int64_t head(const Mover& mover) {
    return mover.full ? mover.pressure : mover.level * kHeadOne;
  }
  [[nodiscard]] Q16 flow_of(const Way& way) const;
  [[nodiscard]] Q16 fastest(const Way& way, bool from_low) const;
  // moves.cpp
  void find_pushes(bool demands_too);
  void set_demand(Way& way);
  void set_demand_of_old(std::int32_t mover);
  void add_up_moves(std::int32_t mover);
  void take_after_body(Mover& mover) const;
  void limit();
  void limit_giver(std::int32_t mover);
  void give_last_unit(std::int32_t mover);
  void limit_takers(std::vector<std::int32_t>& looked_at);
  bool limit_direct();
  static void cut(Way& way, Units most);
  void transfer();
  void transfer(std::int32_t mover);
  void spill(Way& way, std::vector<Spilled>& spilled);
  void tell(const Way& way);
  void pass_age(const Mover& giver, Mover& taker) const;
  // fill.cpp
  void settle(Body& body);
  void add_outcome(std::int32_t mover, Outcome& outcome);
  void stop(const Body& body);
  [[nodiscard]] Units holds_at(std::int32_t mover, Level level);
  [[nodiscard]] Level fill_level(std::span<const std::int32_t> movers, Units units);
  /// Moves towards the exact filling. False if there is none that the body's symmetry allows.
  bool fill(const Body& body);
  struct Place;  // of a run in a body, as the body's orientation has it
  [[nodiscard]] std::vector<Place> places_in(const Body& body);
  [[nodiscard]] bool find_targets(const Body& body, std::vector<Place>& places);
  bool move_some(std::vector<Place>& places);
  void tell(const std::vector<Place>& places);
  // finish.cpp
  [[nodiscard]] bool finish_way(std::int32_t way);
  static Units drain(Run& run);
  void finish_mover(std::int32_t mover, Left& left);
  void list_columns();

  Columns& columns_;
  bool solid_;
  WaterMoves* moves_ = nullptr;
  Executor* executor_ = nullptr;
  std::uint64_t shape_version_ = 0;  // of the columns, when all was gathered
  bool sleepy_ = false;              // many movers rest: they are gathered anew
  bool changed_ways_ = false;        // there are more of them
  bool changed_bodies_ = false;
  bool presses_ = false;  // a run is full, or could run over
  std::int64_t spread_count_ = 0;
  std::vector<Mover> movers_;
  std::vector<std::pair<std::int32_t, std::int32_t>> places_;  // x and z of each mover
  std::vector<Way> ways_;
  std::vector<std::int32_t> links_;  // of each way
  std::vector<Body> bodies_;
  std::vector<std::int32_t> members_;  // movers, body by body
  std::vector<std::int32_t> first_way_;
  std::vector<std::int32_t> ways_of_movers_;
  std::vector<std::int32_t> to_spread_;
  std::vector<std::int32_t> spills_;  // ways
  // Movers by the ground they stand on, and where in that list each piece ends: all that stand over
  // one chunk's ground are of one piece, which alone writes to the chunks there.
  std::vector<std::int32_t> by_ground_;
  std::vector<std::size_t> ground_ends_;
  std::vector<std::vector<std::int32_t>> listed_;  // by each piece
  Solver solver_;
};

/// Movers or ways of a piece: few enough for two workers to share what is worth sharing.
inline constexpr std::size_t kPiece = 4096;

inline Q16 Flow::fastest(const Way& way, bool from_low) const {
  const Mover& from = movers_[static_cast<std::size_t>(from_low ? way.low : way.high)];
  const Level level = std::max(from.full ? from.contact : from.level, way.sill());
  const Units depth = std::min(level - way.sill(), way.opening());
  return std::min(depth * (kOne / 8 * 7), kMostFlow);
}

inline Q16 Flow::flow_of(const Way& way) const {
  if (way.fixed) return way.flow;
  const Mover& low = movers_[static_cast<std::size_t>(way.low)];
  const Mover& high = movers_[static_cast<std::size_t>(way.high)];
  const std::int64_t sill = way.sill() * kHeadOne;
  const std::int64_t across = std::max(head(low), sill) - std::max(head(high), sill);
  return scaled(way.share, way.push + way.conductance * across / kHeadOne);
}

template <class F>
void Flow::in_pieces(std::size_t count, F&& f) {
  const std::size_t pieces = std::max<std::size_t>(1, (count + kPiece - 1) / kPiece);
  if (listed_.size() < pieces) listed_.resize(pieces);
  for (std::vector<std::int32_t>& list : listed_) list.clear();
  if (pieces == 1) return f(std::size_t{0}, count, std::size_t{0});
  executor_->run(pieces,
                 [&](std::size_t i) { f(i * kPiece, std::min(count, (i + 1) * kPiece), i); });
}

template <class Sums, class F, class Take>
void Flow::sum_up(F&& f, Take&& take) {
  struct Part {
    std::int32_t body = kNone;
    Sums sums;
  };
  std::vector<std::vector<Part>> parts(movers_.size() / kPiece + 1);
  in_pieces(movers_.size(), [&](std::size_t from, std::size_t to, std::size_t piece) {
    Part part;
    for (std::size_t m = from; m < to; ++m) {
      if (movers_[m].body != part.body) {
        if (part.body != kNone) parts[piece].push_back(part);
        part = {movers_[m].body, {}};
      }
      f(static_cast<std::int32_t>(m), part.sums);
    }
    if (part.body != kNone) parts[piece].push_back(part);
  });
  for (const std::vector<Part>& list : parts) {
    for (const Part& part : list) take(body_at(part.body), part.sums);
  }
}

}  // namespace sluice::sim::hydro
