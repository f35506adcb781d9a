// The runs of a world and the links between them, kept from tick to tick and repaired where cells
// changed. All of it follows from the cells and from HydroState: it saves work and decides nothing.
//
//      ____            A *run* is a maximal vertical interval of open cells. Its settled water lies
//     |    |           from its floor up: full cells and one that is partly full, the surface.
//     | .  |           What its cells hold above that is falling.
//     |~~~~|__
//     |~~~~ ~~|        A *link* joins two runs of neighbouring columns that overlap; its sill is
//     |####|~~|        the higher of the two floors, its top the lower of the two ceilings.
//
// Columns are made for whole chunks at a time, where there is water or water may come next. Behind
// an open side stands a run that is emptied in every tick.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"
#include "server/sim/grid.h"
#include "server/sim/models/hydro/number.h"
#include "server/sim/models/hydro/run.h"
#include "server/sim/models/hydro/state.h"

namespace sluice::sim::hydro {

class Columns {
 public:
  explicit Columns(const WorldConfig& config);

  /// Forgets everything and looks at every chunk that holds water. Of `state`, keeps what belongs
  /// to a run or a link that there is. Both must outlive this.
  void build(Grid& grid, HydroState& state);
  /// Brings all up to date after what commands, springs and ports did to Grid::changed(). Runs that
  /// they touched, and those beside new ones, have their `event` set and are listed in `woken`.
  void repair(std::vector<std::int32_t>& woken);
  /// For the next repair: so many of the units that it will find in that cell came out of springs
  /// and ports.
  void add_jet(Vec3 at, Units units) { jets_[at] += units; }
  /// Makes the columns beside a run, where there are none yet.
  void meet_neighbours(std::int32_t run);

  [[nodiscard]] Run& run(std::int32_t id) { return runs_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Link& link(std::int32_t id) { return links_[static_cast<std::size_t>(id)]; }
  /// That which has the cell; kNone where it is rock, or not known.
  [[nodiscard]] std::int32_t run_at(Vec3 at);
  [[nodiscard]] std::int32_t run_count() const { return static_cast<std::int32_t>(runs_.size()); }
  /// Whether the state is still the one that build() was given and store() wrote to. Faults that
  /// tests make put another in its place.
  [[nodiscard]] bool knows_state() const { return state_->attached.is(); }
  /// Grows with every run and link that comes or goes.
  [[nodiscard]] std::uint64_t shape_version() const { return shape_version_; }
  [[nodiscard]] bool any_reshaped() const { return !reshaped_.empty(); }
  /// Runs that came, or of which a link came or went, since build() or since this was asked last;
  /// some of them may be gone by now.
  [[nodiscard]] std::vector<std::int32_t> take_reshaped();
  /// Writes the cells of a run that differ from what they show.
  void show(Run& run);
  /// The same where no other run over the same ground is shown meanwhile. The grid is to be told of
  /// the chunks that go to `changed`. False, and nothing is done, if a chunk is to be made first.
  [[nodiscard]] bool show(Run& run, std::vector<Chunk*>& changed);
  /// Tells the grid of those chunks. Which of their slabs changed was noted as they were written
  /// (Chunk::stale_slabs): some runs are shown after their chunk was told of.
  void note_shown(std::span<Chunk* const> changed);
  /// Where the surface was shown last: mostly at the height of the next one. Of no use any more
  /// once chunks came or went.
  struct Pen {
    const Block* block = nullptr;
    std::int32_t y = 0;
    Block::StoredChunk* stored = nullptr;
    Cell* slab = nullptr;  // the block's cells of that height, once one of them was to be written
  };
  /// Does the work of show() and, where it is to `stay`, of keep_awake() for a run in which nothing
  /// falls and whose surface is in the cell that it was in: most are such. False, and nothing is
  /// done, for another.
  [[nodiscard]] bool show_surface(Run& run, bool stay, Pen& pen, std::vector<Chunk*>& changed,
                                  std::vector<Chunk*>& kept);
  /// Runs over one block, one after the other, through which waves run and in which nothing falls:
  /// they have no pressures.
  struct Waves {
    std::span<const std::int32_t> ids;
    const Level* levels = nullptr;
    const std::int32_t* frictions = nullptr;
    std::int32_t age = 0;
  };
  /// What is left to do of them.
  struct LeftOfWaves {
    std::vector<Chunk*>& changed;
    std::vector<Chunk*>& kept;
    std::vector<std::int32_t>& unmet;
    std::vector<std::size_t> to_show;   // by their places in Waves
    std::vector<std::size_t> to_store;  // likewise
  };
  /// Sets volumes, and does of show(), keep_awake() and store_in_place() what most such runs need.
  void write_waves(const Waves& waves, LeftOfWaves& left);
  /// Lists the chunks of the run's surface and of what falls in it: they are to stay awake.
  void keep_awake(const Run& run, std::vector<Chunk*>& kept);
  [[nodiscard]] HydroRunState state_of(const Run& run) const {
    return run.motion == kNone ? HydroRunState{} : state_->runs.at(run.motion);
  }
  [[nodiscard]] HydroLinkState state_of_link(std::int32_t id) {
    const std::int32_t slot = motion_of_link(id);
    return slot == kNone ? HydroLinkState{} : states_of(link(id).along_z).at(slot);
  }
  /// Of the run of which this is the lowest cell; 0 where it is not known.
  [[nodiscard]] std::int64_t pressure_over(Vec3 floor) const;
  /// Store what there is an entry for already, and nothing where there is none and nothing to
  /// store. False: store_run or store_link has to do it. A run's tells whether its pressure is
  /// another one.
  [[nodiscard]] bool store_in_place(const Run& run, const HydroRunState& state,
                                    bool& pressure_changed);
  [[nodiscard]] bool store_in_place(std::int32_t link, bool along_z, const HydroLinkState& state);
  /// Keep of these only what is not nothing.
  void store_run(std::int32_t id, const HydroRunState& state);
  void store_link(std::int32_t id, const HydroLinkState& state);
  /// Of the runs in which water falls: all there are.
  void store_falls(const std::vector<std::int32_t>& falling);
  /// Cells and runs looked at or written so far, for tests of what a change costs.
  [[nodiscard]] std::int64_t steps() const;
  [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }
  /// f(block) for each block that has some of these columns, until one returns true: whether one
  /// did.
  template <class F>
  [[nodiscard]] bool any_block(const Ground& ground, F&& f) const;

 private:
  using Place = std::pair<std::int32_t, std::int32_t>;  // x and z, of cells or of chunks
  using Column = std::vector<std::int32_t>;             // runs, from the lowest up
  struct Interval {
    std::int32_t floor = 0;
    std::int32_t ceiling = 0;
  };
  /// What became of a link whose run is gone, for those that take its place.
  struct OldLink {
    std::int32_t sill_cell = 0;
    std::int32_t top_cell = 0;
    Q16 flow = 0;
  };
  /// And what became of a run.
  struct OldRun {
    Interval interval;
    std::int64_t pressure = 0;
    std::int32_t friction = 0;
    std::vector<Fall> falls;
  };
  struct Rebuilt {
    Place place;
    std::vector<Interval> intervals;
    std::vector<OldRun> old;
  };

  [[nodiscard]] Block* find_block(Place chunk);
  [[nodiscard]] Column* find_column(Place place);
  [[nodiscard]] Block& block_of(Place place);
  Block& make_block(Place chunk);
  /// Null where none is stored. Most who ask about a block ask about the chunk of its surface.
  Block::StoredChunk* chunk_in(Block& block, std::int32_t y) {
    std::vector<Block::StoredChunk>& chunks = chunks_of(block);
    const std::int32_t wanted = y >> shape_.log_y;
    const bool again = block.last < chunks.size() && chunks[block.last].y == wanted;
    return again || find_chunk(block, wanted) ? &chunks[block.last] : nullptr;
  }
  std::vector<Block::StoredChunk>& chunks_of(Block& block) {
    if (block.listed_repair != repair_) list_chunks(block);
    return block.chunks;
  }
  void list_chunks(Block& block);
  bool find_chunk(Block& block, std::int32_t chunk_y);
  /// The first one in `chunks` that is not below chunk `y`.
  [[nodiscard]] static std::size_t first_from(const std::vector<Block::StoredChunk>& chunks,
                                              std::int32_t y);
  [[nodiscard]] std::size_t column_in_block(Place place) const {
    return static_cast<std::size_t>(shape_.index_of({place.first, 0, place.second}));
  }
  /// f(y, amount) for each cell that holds water.
  template <class F>
  void for_each_wet_cell(Run& run, F&& f);
  [[nodiscard]] std::vector<Interval> intervals_of(Block& block, Place place);
  [[nodiscard]] bool in_world(Place place) const;
  [[nodiscard]] bool is_gutter(Place place) const;

  std::int32_t make_run(Block& block, Place place, Interval interval);
  void read_settled(Run& run);
  void read_changed(Run& run, const std::vector<Fall>& before);
  [[nodiscard]] Units jet_in(Vec3 at, Units amount, Units before) const;
  void load_states();
  void note_event(std::int32_t id);
  void note_reshaped(std::int32_t id);

  void compare_chunk(Chunk& chunk, std::vector<Place>& other_shape,
                     std::vector<std::int32_t>& changed_runs);
  [[nodiscard]] bool same_shape(const Chunk& chunk, Place place, const Column& column);
  [[nodiscard]] bool shows(const Chunk& chunk, const Run& run);
  [[nodiscard]] bool shows(Run& run);
  [[nodiscard]] static Cell expected(const Run& run, std::int32_t y);
  void take_apart(Rebuilt& rebuilt);
  void take_apart(std::int32_t id, Rebuilt& rebuilt);
  void put_together(Rebuilt& rebuilt);
  void link_around(const std::vector<Rebuilt>& rebuilt);
  void remove_link(std::int32_t id, std::int32_t but_run);
  void link_columns(Place low, bool along_z, bool only_fresh);
  void add_link(std::int32_t low, std::int32_t high, bool along_z);
  [[nodiscard]] Q16 inherited(const Link& link) const;
  [[nodiscard]] HydroMotion<HydroLinkState>& states_of(bool along_z) const {
    return along_z ? state_->links_z : state_->links_x;
  }
  [[nodiscard]] std::int32_t& motion_of_link(std::int32_t id) {
    return link_motions_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Vec3 key_of(const Link& link) const;
  /// The first cell from `y` on, in a column of the block, whose chunk is stored.
  [[nodiscard]] std::int32_t next_stored(Block& block, std::int32_t y);
  /// False where there is no chunk for it.
  bool set_cell(Block& block, Vec3 at, Cell cell, std::vector<Chunk*>& changed);

  ChunkShape shape_;
  Box world_;
  Box open_;
  Edges edges_;
  Grid* grid_ = nullptr;
  HydroState* state_ = nullptr;
  std::uint64_t shape_version_ = 0;
  std::uint64_t repair_ = 1;
  std::map<Vec3, Units> jets_;
  std::uint64_t repair_version_ = 0;  // of the grid's chunks, at that repair
  std::map<Place, Block> blocks_;
  std::vector<Run> runs_;
  std::vector<Link> links_;
  // The entry of each in HydroState::links_x or links_z: all that a tick asks of most links.
  std::vector<std::int32_t> link_motions_;
  std::vector<std::int32_t> free_runs_;
  std::vector<std::int32_t> free_links_;
  std::vector<std::int32_t> reshaped_;
  std::vector<std::int32_t>* woken_ = nullptr;
  std::map<std::pair<bool, Place>, std::vector<OldLink>> old_links_;
  std::int64_t steps_ = 0;
};

inline bool Columns::show_surface(Run& run, bool stay, Pen& pen, std::vector<Chunk*>& changed,
                                  std::vector<Chunk*>& kept) {
  const Units volume = run.volume;
  const bool shows_more = run.shows_falls | run.shows_holes;
  if (cell_of(volume ^ run.shown) != 0 || run.air > 0 || shows_more) return false;
  const std::int32_t y = run.floor + cell_of(volume);
  if (run.swallows() || y >= run.ceiling) return false;
  if (run.shown == volume && !stay) return true;
  if (pen.block != run.block || pen.y != y) {
    Block::StoredChunk* const stored = chunk_in(*run.block, y);
    if (stored == nullptr) return false;
    pen = {run.block, y, stored, nullptr};
  }
  if (stay && pen.stored->kept != repair_) {
    pen.stored->kept = repair_;
    kept.push_back(pen.stored->chunk);
  }
  if (run.shown == volume) return true;
  if (pen.slab == nullptr) {
    Chunk& chunk = *pen.stored->chunk;
    pen.slab = chunk.cells.edit() + shape_.index_of({0, y, 0});
    chunk.stale_slabs |= slab_at(shape_, y);
    if (pen.stored->noted != repair_) {
      pen.stored->noted = repair_;
      changed.push_back(&chunk);
    }
  }
  ++run.block->steps;
  pen.slab[shape_.index_of({run.x, 0, run.z})] = static_cast<Cell>(volume & (kFull - 1));
  run.shown = volume;
  return true;
}

inline bool Columns::store_in_place(const Run& run, const HydroRunState& state,
                                    bool& pressure_changed) {
  if (run.motion == kNone) {
    pressure_changed |= state.pressure != 0;
    return state.nothing();
  }
  HydroRunState& kept = state_->runs.at(run.motion);
  pressure_changed |= state.pressure != kept.pressure;
  if (state.nothing()) return false;
  kept = state;
  return true;
}

inline bool Columns::store_in_place(std::int32_t link, bool along_z, const HydroLinkState& state) {
  const std::int32_t slot = motion_of_link(link);
  if ((slot == kNone) != state.nothing()) return false;
  if (slot != kNone) states_of(along_z).at(slot) = state;
  return true;
}

template <class F>
bool Columns::any_block(const Ground& ground, F&& f) const {
  const ChunkCoord from = shape_.chunk_of({ground.x_from, 0, ground.z_from});
  const ChunkCoord to = shape_.chunk_of({ground.x_to, 0, ground.z_to});
  auto next = blocks_.lower_bound({from.x, from.z});
  while (next != blocks_.end() && next->first.first <= to.x) {
    const auto [x, z] = next->first;
    if (z < from.z) {
      next = blocks_.lower_bound({x, from.z});
    } else if (z > to.z) {
      next = blocks_.lower_bound({x + 1, from.z});
    } else if (f(next->second)) {
      return true;
    } else {
      ++next;
    }
  }
  return false;
}

template <class F>
void Columns::for_each_wet_cell(Run& run, F&& f) {
  const std::vector<Block::StoredChunk>& chunks = chunks_of(*run.block);
  for (std::size_t i = first_from(chunks, run.floor >> shape_.log_y); i < chunks.size(); ++i) {
    const Chunk& chunk = *chunks[i].chunk;
    const std::int32_t from = std::max(chunks[i].y << shape_.log_y, run.floor);
    if (from >= run.ceiling) return;
    ++steps_;
    if (chunk.cells.is_shared_air()) continue;
    const std::int32_t end = std::min((chunks[i].y + 1) << shape_.log_y, run.ceiling);
    steps_ += end - from;
    for (std::int32_t y = from; y < end; ++y) {
      const Cell cell = chunk.cells[static_cast<std::size_t>(shape_.index_of({run.x, y, run.z}))];
      if (cell > 0) f(y, cell);
    }
  }
}

}  // namespace sluice::sim::hydro
