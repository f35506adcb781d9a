// The head of hydro water, from the cells and the state alone: for ports, springs, hover and dumps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/registry.h"

namespace sluice::sim::hydro {

/// Runs that are looked at for the head of one that is full up to a roof. A body that reaches a
/// surface only farther away has the head of its roof.
inline constexpr std::size_t kMostRunsAsked = 1024;

/// Level units above the world's floor: the surface over a cell; under a roof the pressure of the
/// run where it is known, and else the highest surface of the body; the floor of a dry cell.
[[nodiscard]] std::int64_t head_at(const Grid& grid, const Columns& columns, Vec3 at);

/// Where a column of full cells ends.
struct Surface {
  Vec3 at;  // the first cell over it that is not full
  Cell amount = kOutside;

  [[nodiscard]] bool free() const { return is_open(amount); }
  [[nodiscard]] std::int64_t level() const { return std::int64_t{at.y} * kFull + amount; }
};

/// Where water comes to lie that is put in somewhere. A body is searched for its surfaces once, and
/// they are followed as they rise: a spring that gives thousands of cells in a tick would search it
/// for each of them.
class RoomSearch {
 public:
  explicit RoomSearch(std::size_t most_runs = kMostRunsAsked) : most_runs_(most_runs) {}

  /// The surface over `at` or, under a roof, the lowest one of its body. None where there is no
  /// room.
  [[nodiscard]] std::optional<Vec3> find(const Grid& grid, Vec3 at);
  /// Where the first of so many units come to lie, as WaterModelState::spread() says: on the lowest
  /// surfaces, of equally low ones on those next to the body's middle (where the body is not known
  /// as a whole, next to `at`). Those that are equally near get the same, or nothing: so a world
  /// and its mirror image get the same. Each gets at most kLeastGift or a part of kMostGifts,
  /// whichever is more, so that a spring costs a few gifts, however wide its body is.
  void spread(const Grid& grid, Vec3 at, std::int32_t units, std::int64_t head,
              std::vector<WaterGift>& gifts);
  /// To be told of every cell that changes, or to forget().
  void follow(const Grid& grid, Vec3 at);
  void forget() { known_ = false; }

  static constexpr std::int64_t kLeastGift = 64;
  static constexpr std::int64_t kMostGifts = 8;

 private:
  /// In the order in which they are given to.
  struct Candidate {
    Surface surface;
    std::int32_t away = 0;    // from the middle, along x and z together, in half cells
    std::int32_t across = 0;  // the greater of both

    [[nodiscard]] std::tuple<std::int64_t, std::int32_t, std::int32_t> standing() const {
      return {surface.level(), away, across};
    }
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return std::pair(a.standing(), a.surface.at) < std::pair(b.standing(), b.surface.at);
    }
  };
  /// Makes sure that the surfaces of the body are known to which the full cell belongs.
  void know(const Grid& grid, Vec3 at);
  void search(const Grid& grid, Vec3 at);
  void add(const Surface& surface);
  [[nodiscard]] Candidate candidate(const Surface& surface) const;

  std::size_t most_runs_;
  bool known_ = false;
  Vec3 from_;              // where water was to be put in
  bool whole_ = false;     // all runs of the body were looked at
  Vec3 twice_the_middle_;  // its y means nothing
  std::set<Vec3> runs_;    // these, by their lowest cells
  std::set<Candidate> surfaces_;
  std::map<Vec3, Cell> amounts_;  // of them, by their cells
};

}  // namespace sluice::sim::hydro
