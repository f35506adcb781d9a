// Open water: bodies through which waves run and in which nothing else happens. All their runs are
// far from full, all their ways are contacts; at their edges waves may come to water at rest or to
// dry ground, which joins them. A tick of such a body is the one that Flow would give it, bit for
// bit, in loops that ask for nothing more: most of the work of whatever sloshes.
//
// Nothing is written before a tick is over. Whatever is out of the ordinary, in the water or beside
// it, gives the body back to Flow, which begins that tick anew from the cells and the state. So
// open water saves work and decides nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/executor.h"
#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/lakes.h"
#include "server/sim/models/hydro/open_body.h"
#include "server/sim/models/sizes.h"

namespace sluice::sim::hydro {

class OpenWater {
 public:
  /// All must outlive this.
  OpenWater(Columns& columns, Lakes& lakes, bool solid)
      : columns_(columns), lakes_(lakes), solid_(solid) {}

  /// All columns are others.
  void clear();
  void begin(Executor& executor, const WaterSizes& sizes);
  [[nodiscard]] bool empty() const { return run_count_ == 0; }
  [[nodiscard]] std::int64_t run_count() const { return run_count_; }

  /// A body in which something moves, of an age. Its runs, which are no movers any more, are the
  /// first that join.
  struct Offered {
    std::vector<std::int32_t> runs;
    std::int32_t age = 0;
  };
  /// False, and nothing came of it, where it is no open water.
  bool take(const Offered& offered);
  /// One tick of all, as far as finish() lets it be. Appends to `returned` the runs of those bodies
  /// for which it would not be all.
  void advance(std::vector<std::int32_t>& returned);
  /// Something else comes to that run: its body is as it was when the last tick ended.
  void give_back(const Run& run, std::vector<std::int32_t>& returned);
  /// Writes state and cells.
  void finish(WaterMoves* moves, Left& left);

  /// Bodies are to be looked for in each so many-th tick: more rarely after one that was given back
  /// soon.
  [[nodiscard]] std::int64_t patience() const { return patience_; }

 private:
  /// Of runs after their water has moved, and of their ways.
  struct Result {
    Level lowest = INT64_MAX;
    Level highest = INT64_MIN;
    bool fast = false;
    bool moved = false;
    bool fits = true;  // it is open water still

    void add(const Result& other);
    /// Whether the body is neither to be filled flat nor looked at by others.
    [[nodiscard]] bool goes_on() const {
      const bool quiet = !fast && highest - lowest <= kQuiet;
      return fits && moved && !quiet;
    }
  };
  /// Some runs of a body, and as large a part of its ways, whichever they are: runs add up what
  /// comes through theirs, so that none writes what another does.
  struct Piece {
    OpenBody* body = nullptr;
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t first_way = 0;
    std::size_t end_way = 0;
    std::vector<std::int32_t> to_spread;
    // That one after the other are to be stored.
    std::vector<std::pair<std::int32_t, HydroLinkState>> links;
    Quotients quotients;
    Result result;
  };
  /// Runs over one chunk's ground.
  struct Stretch {
    OpenBody* body = nullptr;
    std::size_t block = 0;
    std::size_t from = 0;
    std::size_t to = 0;
  };
  /// By one worker.
  struct Written {
    Left left;
    // Likewise.
    std::vector<std::pair<std::int32_t, HydroRunState>> runs;
  };
  /// Of a run in open water, by its slot.
  struct Place {
    OpenBody* body = nullptr;
    std::int32_t run = kNone;
  };

  // open_water.cpp
  [[nodiscard]] bool begins(OpenBody& body);
  void list_pieces();
  void list_stretches();
  template <class F>
  void in_pieces(F&& f);
  template <class F>
  void for_each_body(F&& f);
  template <class F>
  static void for_each_kind(const Piece& piece, F&& f);
  void find_frictions();
  void sum_up(std::vector<std::int32_t>& returned);
  void measure(Piece& piece) const;
  void move(Piece& piece) const;
  void fill(Piece& piece) const;
  void write_runs(const OpenBody& body, std::size_t from, std::size_t to, Written& written);
  void write_ways(Piece& piece);
  void store(const Written& written, Left& left);
  void tell_of_moves(WaterMoves& moves);
  // open_water_grow.cpp
  [[nodiscard]] Place& place_of(const Run& run) {
    return places_[static_cast<std::size_t>(kNone - 1 - run.slot)];
  }
  [[nodiscard]] bool grow(OpenBody& body);
  [[nodiscard]] bool join(OpenBody& body, std::int32_t run);
  [[nodiscard]] bool spread(OpenBody& body, std::int32_t run);
  [[nodiscard]] bool spread_over(OpenBody& body, std::int32_t run, std::int32_t link);
  [[nodiscard]] bool add_way(OpenBody& body, std::int32_t link);
  [[nodiscard]] Joint joint_of(std::int32_t link, bool both_move);
  void sort(OpenBody& body);
  void dissolve(std::size_t body, std::vector<std::int32_t>& returned);

  Columns& columns_;
  Lakes& lakes_;
  bool solid_;
  Executor* executor_ = nullptr;
  WaterSizes sizes_;
  std::int64_t patience_ = 0;
  std::int64_t run_count_ = 0;
  bool changed_ = false;                           // bodies came, went or were sorted
  std::vector<std::unique_ptr<OpenBody>> bodies_;  // null: free
  std::vector<Place> places_;                      // by kNone - 1 - Run::slot
  std::vector<std::int32_t> free_places_;
  std::vector<Piece> pieces_;
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> stretch_ends_;  // for each worker
};

}  // namespace sluice::sim::hydro
