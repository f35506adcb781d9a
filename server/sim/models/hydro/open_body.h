// A body of open water (open_water.h): its runs, its ways, and what its tick needs besides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/kernels.h"

namespace sluice::sim::hydro {

/// Runs and ways are numbered here, each with a place in lists of single fields, as vector units
/// read them. The first of them are sorted: runs by the ground they stand on, ways by kind and
/// lower end. What joined since then follows, as the *tail*.
struct OpenBody : Ground {
  struct Runs {
    std::vector<Level> level;
    std::vector<Level> base;
    std::vector<Level> least;  // down to which a way of it closes; a dry one has none yet
    std::vector<Level> most;   // above which a link of it opens, or it could come to be full
    std::vector<Q16> lead;     // of the head before its level (Way::lead)
    std::vector<std::int32_t> friction;
    std::vector<std::int32_t> id;
    std::vector<std::uint8_t> contacts;  // so many ways
    std::array<std::vector<std::int32_t>, kMostWays> ends;

    /// f(list), but for `ends`.
    template <class F>
    void for_each_list(F&& f) {
      f(level), f(base), f(least), f(most), f(lead), f(friction), f(id), f(contacts);
    }
  };
  struct Ways {
    std::vector<std::int32_t> low;
    std::vector<std::int32_t> high;
    std::vector<std::int32_t> sill_cell;
    std::vector<std::int32_t> top_cell;
    std::vector<Q16> flow;
    std::vector<std::int32_t> carry;
    std::vector<Units> moved;
    std::vector<Q16> lead;
    std::vector<std::int32_t> link;
    std::vector<std::uint8_t> along_z;

    template <class F>
    void for_each_list(F&& f) {
      f(low), f(high), f(sill_cell), f(top_cell), f(flow), f(carry), f(moved), f(lead);
      f(link), f(along_z);
    }
  };
  /// Ways that kernels can be given at once.
  enum Kind : std::uint8_t { kEvenX, kEvenZ, kUnevenX, kUnevenZ, kKinds };
  /// A link between one of its runs and water or dry ground at rest, through which nothing flows.
  struct Edge {
    std::int32_t run = kNone;
    std::int32_t link = kNone;
  };

  Runs runs;
  Ways ways;  // the first is kNoWay
  std::size_t sorted_runs = 0;
  std::array<std::size_t, kKinds + 1> kind_from = {1, 1, 1, 1, 1};  // of sorted ways, and the end
  std::vector<Edge> edges;
  std::vector<std::int32_t> to_spread;     // runs of which links may open
  std::vector<std::int32_t> taken_places;  // in OpenWater's list, in any order
  // With their shapes' versions; those of the tail may be there twice.
  std::vector<std::pair<const Block*, std::uint64_t>> blocks;
  Quotients places;           // of x and z, from `origin` on, without links
  std::int64_t origin_x = 0;  // in half columns
  std::int64_t origin_z = 0;
  std::int32_t age = 0;
  Quotients quotients;
  std::int32_t target_friction = 0;
  int head_shift = 0;
  Level lowest_base = INT64_MAX;
  Level lowest = INT64_MAX;
  Level highest = INT64_MIN;
  std::int64_t ticks = 0;       // since it was taken
  std::size_t number = 0;       // in OpenWater's list
  std::size_t ways_of_run = 2;  // at most
  bool rushes = false;          // flows came that kernels for even ways cannot take

  OpenBody(std::size_t new_number, bool solid);
  [[nodiscard]] std::size_t run_count() const { return runs.level.size(); }
  [[nodiscard]] std::size_t way_count() const { return ways.low.size(); }
  [[nodiscard]] std::int32_t id_of(std::int32_t run) const {
    return runs.id[static_cast<std::size_t>(run)];
  }
  /// The kind of a sorted way; kKinds: of the tail.
  [[nodiscard]] std::size_t kind_of(std::size_t way) const;
  [[nodiscard]] OpenTick tick(bool solid);
  /// Whether ways of that kind are even, and its heads and flows are small (kernels.h).
  [[nodiscard]] bool moves_evenly(std::size_t kind) const {
    const bool small = !rushes && highest - lowest_base < kMostSmallHead;
    return small && (kind == kEvenX || kind == kEvenZ);
  }
  /// Returns its number.
  std::int32_t add_run(const Run& run, std::int32_t id, const HydroRunState& state);
  /// Both ends are known. False where a run has more than it may.
  [[nodiscard]] bool add_way(std::int32_t low, std::int32_t high, const Link& link, std::int32_t id,
                             const HydroLinkState& state);
  /// In that order of the runs.
  void sort(const std::vector<std::int32_t>& order);

 private:
  void sort_ways();
};

}  // namespace sluice::sim::hydro
