// Finds out whether a set of cells that touch each other fell apart when one of them left it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "server/sim/models/level_cells.h"

namespace sluice::sim {

/// Walks over the cells for which `holds` is true, a number each. Walks that meet become one.
template <class Holds>
class CellWalks {
 public:
  /// A walk from each seed.
  CellWalks(LevelCells& cells, const std::vector<LevelCell>& seeds, const Holds& holds)
      : cells_(cells),
        holds_(holds),
        first_visit_(cells.new_visits(seeds.size())),
        walks_(seeds.size()),
        met_(seeds.size()) {
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      met_[i] = i;
      walks_[i].cells.push_back(seeds[i]);
      cells_.visit(seeds[i]) = first_visit_ + i;
    }
  }

  /// Whether it became part of another one.
  [[nodiscard]] bool is_joined(std::size_t walk) { return root(walk) != walk; }
  /// Whether it has looked around all that it reached.
  [[nodiscard]] bool at_end(std::size_t walk) const {
    return walks_[walk].next == walks_[walk].cells.size();
  }
  /// What it reached, with what those reached that it met.
  [[nodiscard]] const std::vector<LevelCell>& cells(std::size_t walk) const {
    return walks_[walk].cells;
  }

  /// Looks around one more cell, and joins the walks that were there before.
  void step(std::size_t walk) {
    const LevelCell cell = walks_[walk].cells[walks_[walk].next++];
    for (const CellFace face : faces_of(cells_.shape())) {
      const LevelCell next = cells_.neighbor(cell, face);
      if (next == kNoLevelCell || !holds_(next)) continue;
      std::uint64_t& visit = cells_.visit(next);
      if (visit < first_visit_) {
        visit = first_visit_ + walk;
        walks_[walk].cells.push_back(next);
        continue;
      }
      const std::size_t other = root(static_cast<std::size_t>(visit - first_visit_));
      if (other != walk) join(walk, other);
    }
  }

 private:
  struct Walk {
    std::vector<LevelCell> cells;
    std::size_t next = 0;  // of `cells`, to look around
  };

  std::size_t root(std::size_t walk) {
    while (met_[walk] != walk) walk = met_[walk] = met_[met_[walk]];
    return walk;
  }

  // What the other one has still to look at is this one's work now; what it has seen stays in
  // front, so that `cells` holds the whole of a part that falls off.
  void join(std::size_t walk, std::size_t other) {
    met_[other] = walk;
    Walk& mine = walks_[walk];
    Walk& theirs = walks_[other];
    const auto seen = theirs.cells.begin() + static_cast<std::ptrdiff_t>(theirs.next);
    mine.cells.insert(mine.cells.begin() + static_cast<std::ptrdiff_t>(mine.next),
                      theirs.cells.begin(), seen);
    mine.next += theirs.next;
    mine.cells.insert(mine.cells.end(), seen, theirs.cells.end());
    theirs = {};
  }

  LevelCells& cells_;
  Holds holds_;
  std::uint64_t first_visit_;
  std::vector<Walk> walks_;
  std::vector<std::size_t> met_;  // a walk that this one became part of, or itself
};

/// Calls f(its cells) for each part of a set that does not touch the rest, which is not told of.
/// Each part holds one of the seeds. Walks from all seeds at once, a step each in turn, and joins
/// walks that meet. A walk that ends before it met the last of the others has found a part; so the
/// work is a few times the smaller parts' cells, not the largest's.
template <class Holds, class F>
void for_each_part_but_one(LevelCells& cells, const std::vector<LevelCell>& seeds,
                           const Holds& holds, F&& f) {
  if (seeds.size() <= 1) return;
  CellWalks<Holds> walks(cells, seeds, holds);
  std::vector<std::size_t> going(seeds.size());
  std::iota(going.begin(), going.end(), std::size_t{0});
  while (going.size() > 1) {
    for (const std::size_t walk : going) {
      if (!walks.is_joined(walk) && !walks.at_end(walk)) walks.step(walk);
    }
    std::erase_if(going, [&](std::size_t walk) { return walks.is_joined(walk); });
    // Those at their end have fallen off, unless all that is left is one.
    for (std::size_t k = 0; k < going.size() && going.size() > 1;) {
      if (!walks.at_end(going[k])) {
        ++k;
        continue;
      }
      f(walks.cells(going[k]));
      going.erase(going.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

}  // namespace sluice::sim
