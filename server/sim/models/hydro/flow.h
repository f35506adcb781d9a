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
// Every step is a loop over movers, or over movers and the ways of which each is the low end. It is
// cut into pieces of equal numbers for the workers that are lent: no piece writes what another
// reads, and sums of bodies are sums of integers. What a way brings is added to both its ends while
// it is looked at: for each mover to look at all its ways was twice the work.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/executor.h"
#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/flows.h"
#include "server/sim/models/hydro/lakes.h"
#include "server/sim/models/hydro/open_water.h"
#include "server/sim/models/hydro/solver.h"
#include "server/sim/models/sizes.h"

namespace sluice::sim::hydro {

class Flow {
 public:
  Flow(Columns& columns, const WorldConfig& config);

  /// All columns are others.
  void restart();
  /// The link's flow is another one than the last finish() left. Before gather().
  void take_up_flow(std::int32_t link);
  /// Who is told of what moves between runs in this tick; null: nobody. Whose workers do it.
  void begin(WaterMoves* moves, Executor& executor, const WaterSizes& sizes) {
    unlike_ = unlike_ || sizes.piece_bits != sizes_.piece_bits;
    moves_ = moves;
    executor_ = &executor;
    sizes_ = sizes;
    open_.begin(executor, sizes);
  }
  /// Gathers what the given runs are joined to; steps 1 to 4. The first `known` of them are what
  /// the last finish() listed as awake.
  void gather(std::span<const std::int32_t> seeds, std::size_t known);
  /// Steps 5 to 8. `landed` are those of the seeds into which water fell.
  void move(std::span<const std::int32_t> landed);
  /// Step 9: fills flat what is almost flat, and says what rests.
  void settle();
  /// Writes state and cells back.
  Left finish();

  /// Whether a run takes part in this tick.
  [[nodiscard]] bool has(std::int32_t run) const {
    const std::int32_t slot = columns_.run(run).slot;
    return slot > kNone && movers_[static_cast<std::size_t>(slot)].spread;
  }
  /// Whether nothing moves but what it is told of.
  [[nodiscard]] bool no_open_water() const { return open_.empty(); }
  [[nodiscard]] std::int64_t movers() const { return spread_count_ + open_.run_count(); }
  /// Runs at rest looked at in this tick, to find out whether their lakes are flat.
  [[nodiscard]] std::int64_t take_looks() { return lakes_.take_looks(); }

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

  /// What a mover of a body with some friction took from that.
  struct TakenAfter {
    std::int32_t body = kNone;
    std::int32_t before = 0;
    std::int32_t friction = 0;
    std::int32_t age = 0;
    bool still = false;
  };

  [[nodiscard]] Run& run_of(const Mover& mover) { return columns_.run(mover.id); }
  [[nodiscard]] Run& run_at(std::int32_t mover) { return run_of(mover_at(mover)); }
  [[nodiscard]] Mover& mover_at(std::int32_t slot) {
    return movers_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] const Mover& mover_at(std::int32_t slot) const {
    return movers_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] Body& body_at(std::int32_t body) { return bodies_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] std::span<const std::int32_t> ways_of(std::int32_t mover) const {
    const auto at = 2 * static_cast<std::size_t>(mover);
    return listed_ways(first_way_[at], first_way_[at + 2]);
  }
  /// Those whose `low` it is, and those whose `high`.
  [[nodiscard]] std::span<const std::int32_t> ways_up(std::size_t mover) const {
    return listed_ways(first_way_[2 * mover], first_way_[2 * mover + 1]);
  }
  [[nodiscard]] std::span<const std::int32_t> ways_down(std::size_t mover) const {
    return listed_ways(first_way_[2 * mover + 1], first_way_[2 * mover + 2]);
  }
  [[nodiscard]] std::span<const std::int32_t> listed_ways(std::int32_t from,
                                                          std::int32_t to) const {
    return {ways_of_movers_.data() + from, static_cast<std::size_t>(to - from)};
  }
  [[nodiscard]] std::span<const std::int32_t> movers_of(const Body& body) const {
    return {members_.data() + body.first, body.count};
  }
  [[nodiscard]] Way& way_at(std::int32_t way) { return ways_[static_cast<std::size_t>(way)]; }
  [[nodiscard]] const Way& way_at(std::int32_t way) const {
    return ways_[static_cast<std::size_t>(way)];
  }
  [[nodiscard]] std::int32_t mover_count() const {
    return static_cast<std::int32_t>(movers_.size());
  }

  /// Whether its ends are movers of two pieces. Whoever works on the piece of `low` adds what a way
  /// brings to both its ends; where it lies apart to `low` alone, and the other sum is made later.
  [[nodiscard]] bool lies_apart(const Way& way) const {
    return (way.low ^ way.high) >> sizes_.piece_bits != 0;
  }
  /// What is not open has no flow and no conductance.
  void add_to_sums(const Way& way, Mover& low, Mover& high) const {
    low.conductance += way.conductance;
    low.lead -= way.lead();
    low.flows |= way.flows();
    if (lies_apart(way)) return;
    high.conductance += way.conductance;
    high.lead += way.lead();
  }
  /// f(from, to, piece) for pieces of [0, count).
  template <class F>
  void in_pieces(std::size_t count, F&& f);
  /// f(way, high) for each way that lies apart, and the end of it whose sums lack it.
  template <class F>
  void for_each_apart(F&& f);
  /// f(from, to, body) for movers [from, to) that are all of that body, or of none; then
  /// take(body, sums) with the sums that it returns, maybe several times for one body.
  template <class Sums, class F, class Take>
  void sum_up(F&& f, Take&& take);

  // gather.cpp
  void clear();
  void forget();
  void untie();
  bool gather_bodies(std::span<const std::int32_t> seeds);
  bool gather_all(std::span<const std::int32_t> seeds);
  void seed(std::int32_t id);
  void seed_returned();
  bool spread_all();
  std::int32_t add_mover(std::int32_t id);
  void spread(std::int32_t mover);
  void read(Mover& mover);
  static void look_at(Mover& mover);
  bool look_at_runs();
  void look_at_states(Mover& mover);
  [[nodiscard]] Joint measure(const Mover& low, const Mover& high, Way& way) const;
  [[nodiscard]] Joint measure(Way& way);
  void look_at_openings();
  void take_joint(std::int32_t way, Joint joint);
  void activate(std::int32_t mover);
  // bodies.cpp
  bool look_at_lakes(std::size_t done);
  void take(std::span<const Lakes::Taken> taken);
  [[nodiscard]] bool is_quiet(const Body& body) const;
  bool enlarge_quiet_parts();
  void list_bodies();
  void sort_ways();
  void list_ways();
  void find_bodies();
  [[nodiscard]] std::int32_t leader_of(std::int32_t mover);
  void join(std::int32_t one, std::int32_t other);
  void list_members();
  // flow.cpp
  void add_up();
  void grow_older(Mover& mover);
  void add_through(std::size_t mover);
  void look_at_bodies();
  // friction.cpp
  void find_frictions();
  void scale_conductance(Way& way);
  void scale_conductance(const Mover& low, Way& way);
  [[nodiscard]] Quotients quotients_of(std::size_t from, std::size_t to, const Body& body);
  // flows.cpp
  [[nodiscard]] std::int32_t friction_of(const Mover& mover) const;
  [[nodiscard]] bool is_at_rest(Way& way);
  void find_pushes(bool demands_too);
  void set_demands();
  // pressure.cpp
  void find_pressures();
  void list_full();
  void begin_pressures(const Body& body, std::span<const std::int32_t> full);
  void find_corrections(Body& body);
  [[nodiscard]] Q16 wanted(std::int32_t mover);
  void free_or_fix();
  void list_too_fast(const Body& body, std::vector<std::int32_t>& ways);
  [[nodiscard]] bool runs_over(std::int32_t mover);
  [[nodiscard]] Q16 flow_of(const Way& way) const;
  [[nodiscard]] Q16 fastest(const Way& way, bool from_low) const;
  // moves.cpp
  void set_demand_of_old(std::int32_t mover);
  void add_up_moves(std::size_t mover);
  void take_after_body(Mover& mover, TakenAfter& last) const;
  [[nodiscard]] bool transfer_freely();
  void limit(bool any_old, bool first_look);
  void limit_giver(std::int32_t mover);
  void give_last_unit(std::int32_t mover);
  void limit_takers(std::vector<std::int32_t>& looked_at);
  bool limit_direct();
  static void cut(Way& way, Units most);
  void transfer();
  void look_at_flows();
  void transfer(Mover& mover);
  void spill(Way& way, std::vector<Spilled>& spilled);
  void pass_age(const Mover& giver, Mover& taker) const;
  // fill.cpp
  bool settle(Body& body);
  void add_flows(std::size_t mover, Outcome& outcome);
  void stop(const Body& body);
  [[nodiscard]] Units holds_at(std::int32_t mover, Level level);
  [[nodiscard]] Level fill_level(std::span<const std::int32_t> movers, Units units);
  struct Filling {
    bool changed = false;  // some unit moved
    bool even = true;      // it is to be flat: what is left over can be shared out
  };
  /// Moves towards the exact filling, if there is one that the body's symmetry allows.
  Filling fill(const Body& body);
  struct Place;  // of a run in a body, as the body's orientation has it
  [[nodiscard]] std::vector<Place> places_in(const Body& body, bool in_the_world);
  /// False if what is left over cannot be shared out; not `even` if so that it is not flat.
  [[nodiscard]] bool find_targets(const Body& body, std::vector<Place>& places, bool& even);
  bool move_some(std::vector<Place>& places);
  void tell(const std::vector<Place>& places);
  // finish.cpp
  [[nodiscard]] bool is_settled(std::size_t mover) const;
  void find_settled();
  [[nodiscard]] bool is_perched(std::int32_t mover) const;
  void list_perched(Left& left);
  void finish_ways(std::size_t from, std::size_t to, std::vector<std::int32_t>& others);
  static Units drain(Run& run);
  void finish_movers(std::span<const std::int32_t> movers, Left& left);
  void list_columns();
  // hand_over.cpp
  [[nodiscard]] bool is_open_water(const Body& body) const;
  [[nodiscard]] bool spills(std::int32_t mover) const;
  void release_lists();
  bool hand_over();

  Columns& columns_;
  WaterSizes sizes_;
  Vec3 size_;  // of the world
  bool solid_;
  WaterMoves* moves_ = nullptr;
  Executor* executor_ = nullptr;
  std::uint64_t shape_version_ = 0;  // of the columns, when all was gathered
  // Pieces are others, many movers rest, or came since all were gathered, in the order in which
  // waves reached them: they are gathered anew.
  bool unlike_ = false;
  std::size_t gathered_ = 0;     // so many movers were there then
  bool changed_movers_ = false;  // there are more of them
  bool changed_ways_ = false;    // likewise
  bool changed_bodies_ = false;
  bool presses_ = false;      // a run is full, or could run over
  bool falls_ = false;        // something does in a run of a body
  bool cuts_ = false;         // not all that was to move does
  bool any_settled_ = false;  // movers may be marked so
  std::int64_t spread_count_ = 0;
  std::vector<Mover> movers_;
  std::vector<std::pair<std::int32_t, std::int32_t>> places_;  // x and z of each mover
  std::vector<Way> ways_;
  std::vector<std::int32_t> links_;  // of each way
  std::size_t sorted_ways_ = 0;      // so many were there when they were sorted
  std::vector<Body> bodies_;
  std::vector<std::int32_t> members_;  // movers, body by body
  std::vector<std::int32_t> leaders_;  // of each mover, when bodies were found
  std::vector<std::uint32_t> member_counts_;
  std::vector<std::int32_t> still_ways_;
  // Movers that are of one body in this tick, though what lies between them rests.
  std::vector<std::pair<std::int32_t, std::int32_t>> ties_;
  // Of each mover two: where those of its ways begin whose `low` it is, then those whose `high`.
  std::vector<std::int32_t> first_way_;
  std::vector<std::int32_t> ways_of_movers_;
  std::vector<std::vector<std::int32_t>> apart_;  // ways, by the piece of `high`; none: all is one
  std::vector<std::int32_t> late_;                // ways that opened, closed or came in this tick
  std::vector<std::int32_t> to_spread_;
  std::vector<std::int32_t> spills_;  // ways
  // Movers by the ground they stand on, and where in that list each piece ends: all that stand over
  // one chunk's ground are of one piece, which alone writes to the chunks there.
  std::vector<std::int32_t> by_ground_;
  std::vector<std::size_t> ground_ends_;
  std::vector<std::vector<std::int32_t>> listed_;  // by each piece
  // Runs of whose lakes it is to be found out whether they are flat.
  std::vector<std::int32_t> asked_;
  Lakes lakes_{columns_, movers_, sizes_};
  OpenWater open_{columns_, lakes_, solid_};
  std::vector<std::int32_t> returned_;  // runs that it gave back in this tick
  std::size_t seeded_ = 0;              // so many of them are gathered
  std::int64_t waited_ = 0;             // ticks since bodies were offered to it
  Solver solver_;
};

/// A flow cut by less than this keeps its momentum: it is rounding.
inline constexpr Units kSmallCut = 4;

/// What flows by the heads of its ends where one of them is full.
[[nodiscard]] Q16 flow_by_pressure(const Mover& low, const Mover& high, const Way& way);

/// What flows by the heads of its ends.
inline Q16 flow_between(const Mover& low, const Mover& high, const Way& way) {
  if (way.fixed) return way.flow;
  if (low.full || high.full) return flow_by_pressure(low, high, way);
  return flow_by_levels(End(low), End(high), way, {way.push, way.share});
}

inline Q16 Flow::fastest(const Way& way, bool from_low) const {
  return hydro::fastest(End(movers_[static_cast<std::size_t>(from_low ? way.low : way.high)]), way);
}

inline Q16 Flow::flow_of(const Way& way) const {
  return flow_between(movers_[static_cast<std::size_t>(way.low)],
                      movers_[static_cast<std::size_t>(way.high)], way);
}

template <class F>
void Flow::in_pieces(std::size_t count, F&& f) {
  const std::size_t piece = sizes_.piece();
  const std::size_t pieces = std::max<std::size_t>(1, (count + piece - 1) / piece);
  if (listed_.size() < pieces) listed_.resize(pieces);
  for (std::vector<std::int32_t>& list : listed_) list.clear();
  run_in_pieces(*executor_, count, piece, f);
}

template <class F>
void Flow::for_each_apart(F&& f) {
  if (apart_.empty()) return;
  executor_->run(apart_.size(), [&](std::size_t piece) {
    for (const std::int32_t w : apart_[piece]) f(way_at(w), mover_at(way_at(w).high));
  });
}

template <class Sums, class F, class Take>
void Flow::sum_up(F&& f, Take&& take) {
  struct Part {
    std::int32_t body = kNone;
    Sums sums;
  };
  std::vector<std::vector<Part>> parts(movers_.size() / sizes_.piece() + 1);
  in_pieces(movers_.size(), [&](std::size_t from, std::size_t to, std::size_t piece) {
    for (std::size_t end = from; from < to; from = end) {
      const std::int32_t body = movers_[from].body;
      while (end < to && movers_[end].body == body) ++end;
      const Sums sums = f(from, end, body);
      if (body != kNone) parts[piece].push_back({body, sums});
    }
  });
  for (const std::vector<Part>& list : parts) {
    for (const Part& part : list) take(body_at(part.body), part.sums);
  }
}

}  // namespace sluice::sim::hydro
