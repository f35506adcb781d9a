// Open water: bodies through which waves run and in which nothing else happens. All their runs are
// wet, old enough to move and far from full; all their ways are contacts, and none opens, closes or
// spills. A tick of such a body is the one that Flow would give it, bit for bit, in loops that ask
// for nothing more: most of the work of a lake that sloshes.
//
// Nothing is written before a tick is over. Whatever is out of the ordinary, in the water or beside
// it, gives the body back to Flow, which begins that tick anew from the cells and the state. So
// open water saves work and decides nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/executor.h"
#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/sizes.h"

namespace sluice::sim::hydro {

/// A run of open water; a line of a processor's cache.
struct alignas(64) OpenRun {
  Level level = 0;
  Level base = 0;
  Level least = 0;  // down to which a way of it closes
  Level most = 0;   // above which a way of it opens, or it could come to be full
  Q16 lead = 0;     // of the head before its level (Way::lead)
  Units given = 0;
  Units taken = 0;
  std::int32_t friction = 0;
  std::int32_t id = kNone;
};
static_assert(sizeof(OpenRun) == 64);

struct OpenBody : Ground {
  std::vector<OpenRun> runs;            // by the ground they stand on
  std::vector<Way> ways;                // by their lower ends, which are numbers of runs here
  std::vector<std::int32_t> links;      // of each way
  std::vector<std::int32_t> first_way;  // of each run, and the end
  std::vector<std::pair<const Block*, std::uint64_t>> blocks;  // with their shapes' versions
  Quotients places;                     // of x and z, without links
  std::int32_t age = 0;
  std::int32_t target_friction = 0;
  int head_shift = 0;
  Level lowest = 0;
  Level highest = 0;
  bool flows = false;
  std::int64_t ticks = 0;  // since it was taken
  std::size_t number = 0;  // in OpenWater's list
};

class OpenWater {
 public:
  /// The columns must outlive this.
  OpenWater(Columns& columns, const WorldConfig& config)
      : columns_(columns), solid_(!config.side_view()) {}

  /// All columns are others.
  void clear();
  void begin(Executor& executor, const WaterSizes& sizes);
  [[nodiscard]] bool empty() const { return run_count_ == 0; }
  [[nodiscard]] std::int64_t run_count() const { return run_count_; }

  /// Of which no run is a mover any more.
  void take(OpenBody body);
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
    bool flows = false;
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
  /// Of a body, for one worker.
  struct Piece {
    OpenBody* body = nullptr;
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<std::int32_t> apart;  // ways of other pieces whose upper ends are of this one
    Quotients quotients;
    Result result;

    [[nodiscard]] bool has(std::int32_t run) const {
      return static_cast<std::size_t>(run) - from < to - from;
    }
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
    // That one after the other are to be stored.
    std::vector<std::pair<std::int32_t, HydroRunState>> runs;
    std::vector<std::pair<std::int32_t, HydroLinkState>> links;
  };

  void give_back(std::size_t body, std::vector<std::int32_t>& returned);
  [[nodiscard]] bool begins(OpenBody& body) const;
  void list_pieces();
  [[nodiscard]] std::size_t block_of(const OpenRun& run) {
    return columns_.run(run.id).block->number;
  }
  template <class F>
  void in_pieces(F&& f);
  void measure(Piece& piece) const;
  void move(Piece& piece) const;
  void fill(Piece& piece) const;
  void write(const Stretch& stretch, Written& written);

  Columns& columns_;
  bool solid_;
  Executor* executor_ = nullptr;
  WaterSizes sizes_;
  std::int64_t patience_ = 0;
  std::int64_t run_count_ = 0;
  bool changed_ = false;  // bodies came or went
  std::vector<std::unique_ptr<OpenBody>> bodies_;  // by -2 - Run::slot; null: free
  std::vector<Piece> pieces_;
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> stretch_ends_;  // for each worker
};

}  // namespace sluice::sim::hydro
