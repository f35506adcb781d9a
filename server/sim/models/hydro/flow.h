// What moves in one tick: the runs that may, the links between them through which water can go, and
// the bodies that they form. hydro.md numbers the steps; each reads what the steps before it left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

/// A run of the tick under way.
struct Mover {
  std::int32_t id = kNone;
  std::int32_t body = kNone;
  bool full = false;            // its head is its pressure
  bool forced = false;          // made full because it would run over
  std::int64_t pressure = 0;    // 1/256 level units
  std::int64_t correction = 0;  // of the pressure, found in this round
  std::int32_t friction = 0;
  std::int32_t age = 0;
  Level level = 0;    // as the tick began, for all that asks who stands higher
  Level contact = 0;  // likewise; its ceiling where it is full
  Q16 inflow = 0;     // by the flows of the last tick
  Q16 conductance = 0;
  Units through = 0;   // that the last tick's flows carry
  Units margin = 0;    // room that it is to keep while it is full
  Units demanded = 0;  // moved out if all demands were met
  Units given = 0;     // moved out
  Units taken = 0;     // moved in
};

enum class Joint : std::uint8_t { kContact, kSpill };

/// A link of the tick under way.
struct Way {
  std::int32_t id = kNone;
  std::int32_t low = kNone;  // movers
  std::int32_t high = kNone;
  Joint joint = Joint::kContact;
  bool fixed = false;   // its flow is settled, whatever the heads
  bool direct = false;  // of an old body: straight onto the receiver's surface
  bool along_z = false;
  Level sill = 0;
  Units opening = 0;
  Units height = 0;  // of the water in the opening
  Q16 conductance = 0;
  Q16 share = 0;  // 1 / (1 + friction + loss)
  Q16 push = 0;   // the flow without the heads, before that share
  Q16 flow = 0;
  std::int32_t carry = 0;
  Units demanded = 0;  // towards `high`
  Units moved = 0;

  [[nodiscard]] std::int32_t other(std::int32_t mover) const { return mover == low ? high : low; }
  [[nodiscard]] std::int32_t giver() const { return moved > 0 ? low : high; }
  [[nodiscard]] std::int32_t taker() const { return moved > 0 ? high : low; }
};

struct Body {
  std::vector<std::int32_t> movers;
  std::int32_t x_from = INT32_MAX, x_to = INT32_MIN;
  std::int32_t z_from = INT32_MAX, z_to = INT32_MIN;
  std::int32_t age = 0;  // 0: old
  bool still = false;    // flat, and nothing flows in it
  bool moved = false;    // anything, within it
  bool busy = false;     // something fell in, spilled in or spilled out
  bool rests = false;    // nothing of it needs to be looked at again
  bool solves = false;   // its pressures are still to be found
  std::vector<std::int32_t> full;

  [[nodiscard]] bool old() const { return age == 0; }
};

class Flow {
 public:
  Flow(Columns& columns, const WorldConfig& config);

  /// Who is told of what moves between runs in this tick; null: nobody.
  void tell_moves(WaterMoves* moves) { moves_ = moves; }
  /// Gathers what the given runs are joined to; steps 1 to 4.
  void gather(std::span<const std::int32_t> seeds);
  /// Steps 5 to 8. `landed` are those of the seeds into which water fell.
  void move(std::span<const std::int32_t> landed);
  /// Step 9: fills flat what is almost flat, and says what rests.
  void settle();
  /// Writes state and cells back; the ids of runs that are to be looked at again go to `awake`, of
  /// those in which water falls to `falling`. Returns the units that left over open edges.
  Units finish(std::vector<std::int32_t>& awake, std::vector<std::int32_t>& falling);

  [[nodiscard]] std::int64_t movers() const { return static_cast<std::int64_t>(movers_.size()); }

 private:
  /// A full run in the solver.
  struct Unknown {
    std::int64_t correction = 0;  // of the head, Q16
    std::int64_t rest = 0;        // inflow beyond what is wanted, Q16
    std::int64_t direction = 0;
    std::int64_t image = 0;  // of the direction
    std::int64_t step = 0;   // the rest, divided by the diagonal
    Q16 diagonal = 0;
    Q16 enough = 0;
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
    return std::span(ways_of_movers_).subspan(first, last - first);
  }
  [[nodiscard]] Way& way_at(std::int32_t way) { return ways_[static_cast<std::size_t>(way)]; }

  // flow.cpp
  void add_mover(std::int32_t id);
  void add_ways(std::int32_t mover);
  void list_ways();
  void find_bodies();
  void look_at(Body& body);
  void take_age(Body& body);
  void find_conductances();
  // friction.cpp
  void find_friction(Body& body);
  void find_push(Way& way);
  // pressure.cpp
  void find_pressures();
  void begin_pressures(const Body& body, std::span<const std::int32_t> full);
  void find_corrections(std::span<const std::int32_t> full);
  void set_up(std::int32_t mover, Unknown& unknown);
  void multiply(std::span<const std::int32_t> full);
  void free_or_fix();
  void list_too_fast(const Body& body, std::vector<std::int32_t>& ways);
  [[nodiscard]] bool runs_over(std::int32_t mover);
  [[nodiscard]] std::int64_t head(const Mover& mover) {
    return mover.full ? mover.pressure : mover.level * kHeadOne;
  }
  [[nodiscard]] Q16 flow_of(const Way& way);
  [[nodiscard]] Q16 fastest(const Way& way, bool from_low);
  // moves.cpp
  void set_demand(Way& way);
  void set_demand_of_old(std::int32_t mover);
  void limit_givers();
  void give_last_unit(std::int32_t mover);
  void limit_takers();
  void limit_direct();
  void cut(Way& way, Units most) const;
  void transfer();
  void tell(const Way& way);
  void pass_age(const Mover& giver, Mover& taker) const;
  // fill.cpp
  void settle(Body& body);
  [[nodiscard]] bool flat(const Body& body);
  [[nodiscard]] bool quiet(const Body& body);
  void stop(const Body& body);
  [[nodiscard]] Units holds_at(std::int32_t mover, Level level);
  [[nodiscard]] Level fill_level(const std::vector<std::int32_t>& movers, Units units);
  /// Moves towards the exact filling. False if there is none that the body's symmetry allows.
  bool fill(const Body& body);
  struct Place;  // of a run in a body, as the body's orientation has it
  [[nodiscard]] std::vector<Place> places_in(const Body& body);
  [[nodiscard]] bool find_targets(const Body& body, std::vector<Place>& places);
  bool move_some(std::vector<Place>& places);
  void tell(const std::vector<Place>& places);

  Columns& columns_;
  bool solid_;
  WaterMoves* moves_ = nullptr;
  std::vector<Mover> movers_;
  std::vector<Way> ways_;
  std::vector<Body> bodies_;
  std::vector<std::int32_t> first_way_;
  std::vector<std::int32_t> ways_of_movers_;
  std::vector<Unknown> unknowns_;
  std::vector<std::int32_t> unknown_of_;  // by mover
};

}  // namespace sluice::sim::hydro
