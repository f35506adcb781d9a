// How much of a group's water can get from its top to its places in one tick: what passes an
// opening is bounded by the opening. Each cell passes as many parts as it has.
//
// For each place a way is searched for through the group's water, to a cell of its top, past the
// ways of those before it; where only that helps, ways found before give way and lead elsewhere
// (augmenting paths: Ford and Fulkerson, "Maximal flow through a network", 1956). So whether a
// place has a way depends on the places before it and not on the ways that happened to be found.
//
//   place --> in(cell) --> out(cell) --> in(cell beside) --> ... --> out(cell of the top)
//
// A search goes along these arrows, and against those along which parts pass already: then fewer
// do. It first goes straight on, away from its place, then up: ways from places one above the other
// then lie beside each other. What a search has left without success is passed over by the next
// ones, until one of them fails; that one looks again. What it has then left leads nowhere for the
// rest of the tick. Looking again has a bound, since all the ways of a lake that breaks could cost
// as much as the lake each.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "server/sim/models/level_cells.h"

namespace sluice::sim {

class BlockFlow {
 public:
  /// A cell from which a place can be given to, and the face of the place that it lies behind.
  struct Mouth {
    LevelCell cell = kNoLevelCell;
    CellFace from = CellFace::kAbove;
  };

  /// Spots that searches which look again enter for a group in a tick.
  static constexpr std::int64_t kMostEffort = 4096;

  explicit BlockFlow(LevelCells& cells, std::int64_t most_effort = kMostEffort)
      : cells_(cells), most_effort_(most_effort) {}

  /// For one group of so many cells in one tick: water is taken from its parts at `cut` and above.
  void begin(CellGroup group, std::int64_t size, std::int32_t cut);
  /// Another place of the group; its number.
  std::int32_t add_place(std::span<const Mouth> mouths);
  /// Lets a part more pass from the top to a place; false where no way is left.
  bool pass(std::int32_t place);
  /// Whether all searches could look again for as long as they wanted to.
  [[nodiscard]] bool is_exact() const { return effort_ < most_effort_; }

 private:
  enum class Spot : std::uint8_t { kPlace, kIn, kOut };
  struct Step {
    Spot spot = Spot::kPlace;
    bool through = false;              // of an out: by way of its in, which nothing passes yet
    CellFace face = CellFace::kAbove;  // through which the search came
    std::uint16_t turn = 0;            // ways onward that were tried
    std::int32_t number = 0;           // of the place, or of the passage
  };
  static constexpr std::int32_t kNone = -1;
  /// What passes a cell.
  struct Passage {
    LevelCell cell = kNoLevelCell;
    std::uint8_t parts = 0;
    bool is_top = false;
    bool is_near_top = false;                   // the cell above may be
    std::array<std::uint8_t, kFaces> onward{};  // parts that go on through each face, to the top
    std::int32_t feed = kNone;                  // the last one that begins here
    std::uint32_t seen_in = 0;                  // by which search
    std::uint32_t seen_out = 0;
  };
  /// Parts of a place whose ways begin in one cell.
  struct Feed {
    std::int32_t place = 0;
    std::int32_t next = kNone;  // of the same cell
    std::int32_t parts = 0;
  };
  struct Place {
    std::int32_t first_mouth = 0;
    std::int32_t end_mouth = 0;
    std::uint32_t seen = 0;
  };
  static constexpr std::uint32_t kLeadsNowhere = std::numeric_limits<std::uint32_t>::max();

  /// Enters so many spots at the most.
  bool search(std::int32_t place, std::int64_t most);
  /// Where the search goes on from the step's spot, if there is anything left to be tried.
  std::optional<Step> onward(Step& step);
  std::optional<Step> from_in(Step& step);
  std::optional<Step> from_out(Step& step);
  /// Not yet seen by this search, nor left by one before it.
  bool is_new(const Step& step);
  void take_way();
  [[nodiscard]] std::uint32_t& seen(const Step& step);
  [[nodiscard]] std::optional<Step> into(LevelCell cell, CellFace face);
  [[nodiscard]] std::int32_t known(LevelCell cell) const;
  [[nodiscard]] std::int32_t passage_of(LevelCell cell);
  [[nodiscard]] bool at_top(LevelCell cell) const;
  [[nodiscard]] bool has_water(LevelCell cell) const;
  void feed(std::int32_t passage, std::int32_t place, std::int32_t parts);

  LevelCells& cells_;
  std::int64_t most_effort_;
  CellGroup group_ = kNoGroup;
  std::int32_t cut_ = 0;
  std::uint64_t base_ = 0;  // of LevelCells::visit: the number of its passage, from here on
  std::vector<Passage> passages_;
  std::vector<Feed> feeds_;
  std::vector<Place> places_;
  std::vector<Mouth> mouths_;
  std::vector<Step> way_;
  std::vector<Step> entered_;  // by the search under way
  std::uint32_t search_ = 0;   // its number
  std::uint32_t first_ = 1;    // of those whose marks count
  bool passed_over_ = false;   // something that one before it has left
  std::int64_t effort_ = 0;    // of those that look again
};

}  // namespace sluice::sim
