// Which springs have to be looked at in a tick. One that can move nothing (its cell is full, dry or
// rock) sleeps until a chunk changes that its cells lie in; so springs at rest cost nothing,
// however many there are.
//
//   awake ──── can move nothing ───► asleep, by its column of chunks
//     ▲                                  │  every chunk that decided it is marked as watched
//     └── a watched chunk of the column changed
//
// Sleep saves work and changes no result: a spring that is woken for nothing finds that it can move
// nothing. Nothing of this is state; after a restore all are awake.
//
// What a sleeping spring misses in a tick is state, though, and where a world's water moves in
// parts it is not the same in every tick: those whose rate is no whole number of parts are counted
// on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/springs.h"

namespace sluice::sim {

class SpringSchedule {
 public:
  using Entry = Springs::value_type;

  /// All of them awake.
  void wake_all(Springs& springs);
  void add(Entry& spring);
  /// Before it is taken out of its map.
  void forget(const Entry& spring);
  /// Wakes those that sleep in the chunk's column.
  void wake(ChunkCoord chunk);

  /// For the next run_awake() alone: another order; those that it holds alike by their cells.
  template <class Before>
  void arrange(Before&& before) {
    sort_awake();
    const auto by_spring = [&](const Entry* a, const Entry* b) { return before(*a, *b); };
    if (std::is_sorted(awake_.begin(), awake_.end(), by_spring)) return;
    std::stable_sort(awake_.begin(), awake_.end(), by_spring);
    sorted_ = kArranged;
  }
  /// run(spring) for each that is awake, in the order of their cells; it returns true when the
  /// spring can sleep.
  template <class Run>
  void run_awake(const ChunkShape& shape, Run&& run) {
    const bool is_arranged = sorted_ == kArranged;
    if (!is_arranged) sort_awake();
    std::size_t kept = 0;
    for (Entry* const spring : awake_) {
      if (run(*spring)) {
        asleep_[column_of(shape.chunk_of(spring->first))].push_back(spring);
      } else {
        awake_[kept++] = spring;
      }
    }
    awake_.resize(kept);
    sorted_ = is_arranged ? 0 : kept;
  }
  /// Whether asks(spring) holds for one that is awake.
  template <class Asks>
  [[nodiscard]] bool any_awake(Asks&& asks) const {
    return std::any_of(awake_.begin(), awake_.end(), [&](Entry* spring) { return asks(*spring); });
  }
  /// count(spring) for each that sleeps, if `quantum` does not divide its rate.
  template <class Count>
  void count_asleep(std::int32_t quantum, Count&& count) {
    if (quantum == 1) return;
    for (auto& [column, springs] : asleep_) {
      for (Entry* const spring : springs) {
        if (spring->second.rate % quantum != 0) count(*spring);
      }
    }
  }

  [[nodiscard]] std::size_t awake_count() const { return awake_.size(); }

 private:
  static constexpr std::size_t kArranged = std::numeric_limits<std::size_t>::max();
  using Column = std::pair<std::int32_t, std::int32_t>;  // x and z of the chunks
  static Column column_of(ChunkCoord chunk) { return {chunk.x, chunk.z}; }
  void sort_awake();

  std::vector<Entry*> awake_;
  std::size_t sorted_ = 0;  // so many of them are in order, or kArranged
  std::map<Column, std::vector<Entry*>> asleep_;
};

}  // namespace sluice::sim
