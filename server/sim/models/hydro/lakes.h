// Lakes at rest. Water that moves in a lake is a body of its own, which ends where nothing flows;
// so whether all of the lake is flat is asked only where something comes to rest, and mostly
// answered by what is known of the water beside it.
//
// What is known follows from the cells: it saves work and decides nothing.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

class Lakes {
 public:
  /// Both must outlive this. A run that is no mover rests, but for what falls in it.
  Lakes(Columns& columns, const std::vector<Mover>& movers) : columns_(columns), movers_(movers) {}

  /// All runs are others.
  void clear() { lakes_.clear(); }
  /// These are all of a lake that rests.
  void add(std::span<const std::int32_t> runs, const Levels& levels);
  /// Something happened to these runs, or ended. Of lakes of theirs, or beside them, in which
  /// nothing stirs and which are not flat: appends to `to_fill` the runs that are to be filled, so
  /// that they are.
  void check(std::span<const std::int32_t> runs, std::vector<std::int32_t>& to_fill);
  /// Of water that is to be filled flat: appends to `taken` so many rings of runs at rest around it
  /// as it takes to lie within a unit of the lowest of them, or of lower ones not far beyond.
  void surround(std::span<const std::int32_t> runs, std::vector<std::int32_t>& taken) {
    surround(runs, {}, taken);
  }
  /// Runs looked at since this was asked last.
  [[nodiscard]] std::int64_t take_looks() { return std::exchange(looks_, 0); }

 private:
  /// Between which levels its runs stand, or stood before some were left out.
  struct Lake {
    Levels levels;
    std::int32_t joined = kNone;  // to another one
  };
  /// Of a run, in the check under way.
  enum Mark : std::uint8_t { kUnseen, kAsked, kGrouped, kFlooded, kStirred, kOff };
  /// Runs that are to be filled to a level or a unit above it; or below it, where `sign` is -1.
  struct Heap {
    int sign = 1;
    Level lowest = INT64_MAX;  // that level; where none is given, of the lowest run
    bool rests = true;         // only such runs are to be added as rest
    Units off = 0;             // units above that level
    Units count = 0;           // runs, but for full ones

    void add(const Run& run);
    /// Dry ground takes what stands above it, and has nothing for what lacks.
    [[nodiscard]] bool takes(const Run& run) const { return run.wet() || (sign > 0 && !rests); }
    [[nodiscard]] bool flat() const { return off <= count; }
  };

  [[nodiscard]] Mark& mark(std::int32_t run) { return marks_[static_cast<std::size_t>(run)]; }
  void set_mark(std::int32_t run, Mark value);
  [[nodiscard]] const Mover* mover_of(const Run& run) const;
  [[nodiscard]] bool stirs(const Run& run) const;
  [[nodiscard]] bool moves(const Run& run) const;
  [[nodiscard]] std::int32_t lake_of(Run& run);
  [[nodiscard]] std::vector<std::int32_t> at_rest(std::span<const std::int32_t> runs);
  [[nodiscard]] bool is_open(std::int32_t run);
  void look_at_group(std::int32_t first, std::vector<std::int32_t>& to_fill);
  void flood(std::int32_t first, std::vector<std::int32_t>& to_fill);
  void find_heaps(std::span<const std::int32_t> lake, const Levels& levels,
                  std::vector<std::int32_t>& to_fill);
  void grow(Heap& heap, std::vector<std::int32_t>& ring, std::vector<std::int32_t>& taken);
  void surround(std::span<const std::int32_t> runs, Heap heap, std::vector<std::int32_t>& taken);
  void forget_marks();
  template <class F>
  void for_each_beside(std::int32_t run, F&& f);

  Columns& columns_;
  const std::vector<Mover>& movers_;
  std::vector<Lake> lakes_;
  std::vector<Mark> marks_;
  std::vector<std::int32_t> marked_;
  std::vector<bool> around_;  // whether a run was taken, in the search under way
  std::int64_t looks_ = 0;
};

}  // namespace sluice::sim::hydro
