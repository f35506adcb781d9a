// Lakes at rest. Water that moves in a lake is a body of its own, which ends where nothing flows;
// so whether all of the lake is flat is asked only where something comes to rest, and mostly
// answered by what is known of the water beside it.
//
// What is known follows from the cells: it saves work and decides nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/runs_at_rest.h"
#include "server/sim/models/sizes.h"

namespace sluice::sim::hydro {

class Lakes {
 public:
  /// All must outlive this. A run that is no mover rests, but for what falls in it.
  Lakes(Columns& columns, const std::vector<Mover>& movers, const WaterSizes& sizes)
      : columns_(columns), sizes_(sizes), at_rest_(columns, movers, sizes) {}

  /// All runs are others.
  void clear();
  /// A run becomes a mover.
  void forget(std::int32_t run) { at_rest_.forget(run); }
  /// Movers hold something else than when they were looked at, or others of them move.
  void forget_movers() { at_rest_.forget_movers(); }
  /// Whether some run may be in open water.
  void note_open_water(bool any) { at_rest_.note_open_water(any); }
  /// These are all of a lake that rests.
  void add(std::span<const std::int32_t> runs, const Levels& levels) {
    add(runs, levels, levels.lowest_room);
  }
  /// A run that is to be filled together with another one.
  struct Taken {
    std::int32_t run = kNone;
    std::int32_t with = kNone;
  };
  /// Something happened to these runs, or ended. Of lakes of theirs, or beside them, in which
  /// nothing stirs and which are not flat: appends to `to_fill` the runs that are to be filled, so
  /// that they are.
  void check(std::span<const std::int32_t> runs, std::vector<Taken>& to_fill);
  /// Of a part of a lake that is to be filled flat: appends to `taken` so many of the nearest runs
  /// at rest that stand lower as it takes to lie within a unit of all others around it. What lies
  /// between, as on a plateau a unit high, is left out.
  void surround(std::span<const std::int32_t> part, std::vector<Taken>& taken);
  /// Runs looked at since this was asked last.
  [[nodiscard]] std::int64_t take_looks() { return at_rest_.take_looks(); }

 private:
  /// Between which levels its runs stand, or stood before some were left out.
  struct Lake {
    Levels levels;
    Level lowest = INT64_MIN;     // of those that rest
    std::int32_t joined = kNone;  // to another one
  };
  /// Of a run, in the check under way.
  enum Mark : std::uint8_t {
    kAsked = 1,
    kGrouped = 2,
    kFlooded = 4,
    kStirred = 8,
    kOff = 16,
    kTaken = 32
  };
  /// Runs that are to be filled to a level or a unit above it; or below it, where `sign` is -1.
  struct Heap {
    int sign = 1;
    Level lowest = INT64_MAX;  // that level; where none is given, of the lowest run
    bool rests = true;         // only such runs are to be added as rest
    Units off = 0;             // units above that level
    Units count = 0;           // runs, but for full ones

    void add(const Run& run);
    void add(const Heap& other);
    [[nodiscard]] bool flat() const { return off <= count; }
    /// What stands below that is to be filled with it. It stands up to a unit higher then.
    [[nodiscard]] Level wanted() const { return lowest + (off + count - 1) / count - 1; }
  };
  /// For what is to be filled with a part.
  struct Search {
    Heap heap;
    std::int32_t part = kNone;        // a run of it
    Ground ground;                    // that the part stands on
    std::vector<std::int32_t> ring;   // where it has come to
    std::vector<std::int32_t> found;  // by its last step
    Units rings = 0;                  // so many steps
    Level found_below = INT64_MIN;    // lower runs than that may be come to
    std::int32_t joined = kNone;      // to another one
    bool goes_on = false;
  };

  [[nodiscard]] bool is(Mark mark, std::int32_t run) const {
    return (marks_[static_cast<std::size_t>(run)] & mark) != 0;
  }
  void set(Mark mark, std::int32_t run);
  void unset(Mark mark, std::int32_t run) {
    marks_[static_cast<std::size_t>(run)] &= static_cast<std::uint8_t>(~mark);
  }
  [[nodiscard]] bool stirs(const Run& run) const;
  [[nodiscard]] bool moves(const Run& run) const { return at_rest_.moves(run); }
  [[nodiscard]] std::int32_t lake_of(Run& run);
  [[nodiscard]] std::vector<std::int32_t> at_rest(std::span<const std::int32_t> runs);
  void look_at_group(std::int32_t first, std::vector<Taken>& to_fill);
  void flood(std::int32_t first, std::vector<Taken>& to_fill);
  void add(std::span<const std::int32_t> runs, const Levels& levels, Level lowest);
  void forget_marks();
  // lakes_fill.cpp
  void find_heaps(std::span<const std::int32_t> lake, const Levels& levels,
                  std::vector<Taken>& to_fill);
  [[nodiscard]] std::vector<std::vector<std::int32_t>> list_groups(
      std::span<const std::int32_t> runs, std::vector<Taken>& taken);
  void surround(std::span<const std::vector<std::int32_t>> parts, const Heap& heap,
                std::vector<Taken>& taken);
  [[nodiscard]] const Search& search_at(std::int32_t search) const {
    return searches_[static_cast<std::size_t>(search)];
  }
  void claim(std::int32_t run, std::int32_t search);
  [[nodiscard]] std::int32_t search_of(std::int32_t run) const;
  // Many runs are worth a longer look than few, of which a lake that something stirs in has some in
  // each tick.
  [[nodiscard]] Units most_rings(const Heap& heap) const { return sizes_.rings + heap.count / 8; }
  [[nodiscard]] Units most_looks(const Heap& heap) const { return sizes_.looks + 32 * heap.count; }
  [[nodiscard]] bool may_go_on(Search& search);
  [[nodiscard]] bool may_find(Search& search);
  [[nodiscard]] Level lowest_of_lake(std::int32_t run);
  [[nodiscard]] bool choose_searches();
  void grow_searches(std::vector<Taken>& taken);
  void join(std::int32_t into, std::int32_t other, std::vector<Taken>& taken);
  void take_found(std::vector<Taken>& taken);
  [[nodiscard]] bool passes(const Heap& heap, std::int32_t run);

  Columns& columns_;
  const WaterSizes& sizes_;
  RunsAtRest at_rest_;
  std::vector<Lake> lakes_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::int32_t> marked_;
  std::vector<Search> searches_;
  std::vector<std::int32_t> searched_;  // of each run by whom, in the search under way
  std::vector<std::int32_t> all_searched_;
};

inline bool has_room(const Run& run) {
  return run.volume < run.capacity() || run.open_top;
}

inline void see(const Run& run, Levels& levels) {
  if (run.wet()) levels.see_wet(run.level());
  if (has_room(run)) levels.see_room(run.level());
}

}  // namespace sluice::sim::hydro
