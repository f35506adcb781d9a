// The cells of streams, kept from tick to tick: a flat array, each cell knowing where its
// neighbours stand in it. Which slot a cell has decides nothing. stream.md says what is done with
// them.
//
// A cell belongs to a stream while it holds water or has a mark: a bed that was wet a moment ago
// still joins the drops that run along it to their spring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/draw.h"
#include "server/sim/grid.h"
#include "server/sim/models/stream/cell.h"
#include "server/sim/springs.h"

namespace sluice::sim {

/// The cells of all streams that may move, kept from tick to tick, and access to the cells around
/// them. Nothing of it is state: what is loaded says the same as what was kept.
class StreamCells {
 public:
  /// A chunk whose cells are kept.
  struct Region {
    Chunk* chunk = nullptr;                    // null: a spare one
    std::array<std::int32_t, kFaces> links{};  // cells here that touch one behind each border
    std::int32_t cells = 0;
    std::uint64_t reached = 0;  // the last pass that came here
    bool stirs = false;
    std::int32_t quiet_cells = 0;
    std::int32_t firm_cells = 0;
    std::int32_t part_full_cells = 0;
    // Of each column a bit for each height in the chunk, as the tick began.
    std::array<std::uint64_t, kMostColumns> firm{};
    std::array<std::uint64_t, kMostColumns> part_full{};
    std::array<std::int32_t, kMostColumns> first_run{};  // of the column, in StreamPressure
    bool runs_listed = false;                            // there
    bool near_part_full = false;                         // there, of those here or beside it
    std::array<std::int32_t, kChunkCells> slots{};       // as StreamCell::beside says it
  };
  /// Lets go of everything that was kept: cells changed that nobody noted.
  void forget() { forgotten_ = true; }
  /// Whether so many slots are empty that it is worth while to load everything anew.
  [[nodiscard]] bool scattered() const {
    constexpr std::size_t kFew = 4096;
    return free_slots_.size() > kFew && 2 * free_slots_.size() > cells_.size();
  }
  /// Takes over what others changed. Then holds the cells of the awake chunks, and of every chunk
  /// that their streams reach. Puts the awake chunks to sleep: what is changed or pending wakes
  /// them again.
  void gather(Grid& grid, std::uint64_t seed, std::uint64_t tick, WaterMoves* moves);
  /// Tells whoever asked for it what moved from one column to another, or left (kNowhere).
  void tell(Vec3 from, Vec3 to, std::int32_t levels) {
    if (moves_ == nullptr || (from.x == to.x && from.z == to.z)) return;
    moves_->add(from, to, levels * kUnitsPerLevel);
  }
  /// Takes in the cells that were wetted, tells the grid what changed.
  void release();

  /// By slot; some slots hold no cell.
  [[nodiscard]] StreamCell& operator[](std::int32_t slot) {
    return cells_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] const StreamCell& operator[](std::int32_t slot) const {
    return cells_[static_cast<std::size_t>(slot)];
  }
  /// Has a cell brought into the processor's cache, if that is possible.
  void fetch(std::int32_t slot) const;
  [[nodiscard]] std::int32_t slot_of(const StreamCell& cell) const {
    return static_cast<std::int32_t>(&cell - cells_.data());
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(cells_.size()); }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  /// Decides the cell's turn in this tick: its layer, then chance.
  [[nodiscard]] std::uint64_t turn_of(const StreamCell& cell) const { return turn_of(cell.at); }
  [[nodiscard]] std::uint64_t turn_of(Vec3 at) const;

  /// Whether the water of this cell rests on something: rock, or a firm cell.
  [[nodiscard]] bool supported(const StreamCell& cell) const {
    const std::int32_t below = cell.beside[kBelow];
    return below == kSolidThere || (below >= 0 && (*this)[below].firm());
  }
  /// As the tick began.
  [[nodiscard]] bool was_supported(const StreamCell& cell) const {
    const std::int32_t below = cell.beside[kBelow];
    return below == kSolidThere || (below >= 0 && (*this)[below].found_firm);
  }
  /// What a cell passes to each side in one tick at the most. Falling water is as thin as it is
  /// fast: it throttles nothing.
  [[nodiscard]] std::int32_t passes(const StreamCell& cell) const {
    return supported(cell) ? cell.width() : kMostCapacity;
  }
  /// Of a dry cell behind a face: what flowed into it in this tick.
  [[nodiscard]] std::int32_t fresh_level(const StreamCell& cell, StreamFace face) const;
  /// And whether water would rest on what lies below it.
  [[nodiscard]] bool supports_dry(const StreamCell& cell, StreamFace face) const;
  /// Puts water into the dry cell behind a face, and marks it as a stream's.
  void wet(const StreamCell& from, StreamFace face, std::int32_t levels, const StreamMark& mark);

  /// Notes that water came, went or passed.
  void flow(StreamCell& cell) {
    cell.flowed_in = tick_;
    cell.disturbed = true;
    touch(slot_of(cell));
  }
  /// Likewise, in the turn of a river's cell: if it may be otherwise than in the tick before,
  /// doubt_turn() says so.
  void flow_on(StreamCell& cell) { cell.flowed_in = tick_; }
  /// Takes water from a cell. Those for which that makes room have a turn.
  void lower(StreamCell& cell, std::int32_t levels) {
    cell.level -= levels;
    if (cell.near_still) wake_around(cell);
  }
  /// Likewise.
  void raise(StreamCell& cell, std::int32_t levels) {
    cell.level += levels;
    if (cell.still) wake(cell);
  }
  /// Has those that this cell rests on, and those beside it, wake it when they are lowered.
  void note_still(const StreamCell& cell) {
    for (std::size_t face = 0; face < kFaces; ++face) {
      if (face != kAbove && cell.beside[face] >= 0) (*this)[cell.beside[face]].near_still = true;
    }
  }
  /// Has a cell looked at when the tick ends.
  void touch(std::int32_t slot) {
    StreamCell& cell = (*this)[slot];
    if (cell.busy) return;
    if (cell.quiet) --at(cell.region).quiet_cells;
    cell.quiet = false;
    cell.busy = true;
    busy_.push_back(slot);
  }
  /// Has a cell that flows as before looked at no more, until something touches it.
  void hush(StreamCell& cell) {
    cell.busy = false;
    cell.quiet = true;
    ++at(cell.region).quiet_cells;
  }
  /// Has the chunks of all those looked at in the next tick.
  void keep_quiet_awake();

  // Which turns of rivers may do something else than they did in the tick before (stream.md).

  /// What this cell holds at some moment of the tick is not what it held then in the last one: has
  /// all those doubted that look at it in their turns.
  void doubt_around(StreamCell& cell);
  /// What the cell's turn did, or was noted of it, is not what it did before: doubts whoever sees
  /// any of it, and has all of them looked at when the tick ends.
  void doubt_turn(StreamCell& cell, StreamGiven given);
  /// The cell's next turn is another one, if it has any.
  void forget_turn(StreamCell& cell);
  /// Notes that pressure changed what a cell holds.
  void note_pressed(const StreamCell& cell) { pressed_.push_back(slot_of(cell)); }
  /// Notes that one whose turn comes in some ticks only gave or got water. So what holds in this
  /// tick may hold in the next one no more.
  void note_passing(StreamCell& cell) {
    doubt_around(cell);
    passing_.push_back(slot_of(cell));
  }
  /// Doubts every turn of this tick, where so much changes that to tell whose is to be doubted
  /// costs more than to take it.
  void doubt_all() { all_doubted_ = true; }
  [[nodiscard]] bool doubted(const StreamCell& cell) const { return cell.doubted || all_doubted_; }
  /// Before water settles: doubts are cast by all that holds now what it did not hold then.
  void compare_levels();
  /// When it has.
  void end_doubts() { all_doubted_ = false; }

  [[nodiscard]] std::vector<std::int32_t>& busy() { return busy_; }
  /// Those that were still, in the order in which they were woken.
  [[nodiscard]] std::vector<std::int32_t>& woken() { return woken_; }
  /// Those that may have to stand in another list (turns.h) than they do.
  [[nodiscard]] std::vector<std::int32_t>& relisted() { return relisted_; }
  void relist(std::int32_t slot) { relisted_.push_back(slot); }
  /// When no list (turns.h) names a cell that is gone: its slot may be given out again.
  void tidy();
  /// Those whose ways may differ from those of the last tick, once each (StreamCell::changed). Some
  /// may be gone.
  [[nodiscard]] std::vector<std::int32_t>& changed() { return changed_; }
  void note_ways(std::int32_t slot, std::uint8_t which);

  /// Writes a cell back to its chunk.
  void store(StreamCell& cell);
  /// Lets go of one that is no stream's any more.
  void remove(std::int32_t slot);
  [[nodiscard]] bool tells() const { return moves_ != nullptr; }
  /// Has the cell's chunk looked at in the next tick.
  void keep_awake(const StreamCell& cell) { at(cell.region).stirs = true; }

  /// A column of which a cell became firm, or is so no more.
  struct FirmColumn {
    Region* region;
    std::int32_t column;
  };
  /// Those since the list was cleared; some may stand there twice. Only while the same regions are
  /// kept: regions_version() tells.
  [[nodiscard]] std::vector<FirmColumn>& firm_changed() { return firm_changed_; }
  [[nodiscard]] std::uint64_t regions_version() const { return regions_version_; }
  /// Those without a chunk are spare. In no order.
  [[nodiscard]] const std::vector<std::unique_ptr<Region>>& regions() const { return regions_; }
  [[nodiscard]] const ChunkShape& shape() const { return grid_->shape(); }

 private:
  struct Place {
    Chunk* chunk;  // null where nothing is stored
    std::int32_t index;
    std::int32_t other;  // kSolidThere or kGutterThere: beyond the world; otherwise 0
    bool crosses;        // from one chunk to another
  };
  /// Chunk::pass_slot of one that was let go of, as no cell of it is a stream's, and has not been
  /// written to since: its neighbours wake it in every tick, and loading it shows nothing new.
  static constexpr std::uint32_t kKnownDry = UINT32_MAX;
  [[nodiscard]] static bool known_dry(const Chunk& chunk) {
    return !chunk.in_pass && chunk.pass_slot == kKnownDry;
  }
  void start_anew();
  void reach(Chunk& chunk);
  void load(Chunk& chunk);
  void load_pending();
  void meet_borders(Region& region);
  void compare(Region& region, const ChunkRegion& where);
  void compare_cell(Region& region, std::int32_t index);
  void take_over(StreamCell& cell, const Chunk& chunk);
  void insert(Region& region, std::int32_t index);
  void drop(std::int32_t region);
  void set_beside(std::int32_t slot, std::size_t face, std::int32_t what);
  void tell_around(Region& region, std::int32_t index);
  void note_ways_around(std::int32_t slot, std::uint8_t which);
  void note_support(std::int32_t slot);
  void changed_here(std::int32_t slot);
  void set_masks(const StreamCell& cell, std::int32_t level, bool firm);
  void note_level(std::int32_t slot);
  void take_levels();
  void relist_around(const StreamCell& cell);
  void wake(StreamCell& cell);
  void wake_around(StreamCell& cell);
  [[nodiscard]] Place beside(const Region& region, std::int32_t index, std::size_t face) const {
    return beside(*region.chunk, index, face);
  }
  [[nodiscard]] Place beside(Chunk& chunk, std::int32_t index, std::size_t face) const;
  [[nodiscard]] Region& at(std::int32_t region) {
    return *regions_[static_cast<std::size_t>(region)];
  }
  [[nodiscard]] const Region& at(std::int32_t region) const {
    return *regions_[static_cast<std::size_t>(region)];
  }
  [[nodiscard]] Region& region_of(const Chunk& chunk) {
    return at(static_cast<std::int32_t>(chunk.pass_slot));
  }
  [[nodiscard]] bool carries(const Place& place) const;
  [[nodiscard]] std::int32_t found_in(const Chunk& chunk, std::int32_t index) const;
  [[nodiscard]] Chunk* chunk_at(const Chunk* near, Vec3 at) const;
  void note(Chunk& chunk, std::int32_t index, bool seen_beside);
  void set_mark(Chunk& chunk, std::int32_t index, Cell mark);

  Grid* grid_ = nullptr;
  std::uint64_t seed_ = 0;
  std::uint64_t tick_ = 0;
  WaterMoves* moves_ = nullptr;
  bool forgotten_ = true;
  std::uint64_t pass_ = 0;
  std::vector<std::unique_ptr<Region>> regions_;  // Chunk::pass_slot is the place in it
  std::vector<std::int32_t> spare_regions_;
  std::uint64_t regions_version_ = 0;
  std::vector<FirmColumn> firm_changed_;
  std::vector<std::int32_t> reached_;  // regions
  std::vector<Chunk*> pending_;        // to be loaded, because a stream reaches them
  std::vector<Chunk*> touched_;        // those with Chunk::changed set
  struct Wetted {
    Chunk* chunk;
    std::int32_t index;
  };
  std::vector<Wetted> wetted_;
  std::vector<StreamCell> cells_;
  std::vector<std::int32_t> free_slots_;
  std::vector<std::int32_t> gone_slots_;  // free when no list names them any more
  std::vector<std::int32_t> busy_;
  std::vector<std::int32_t> woken_;
  std::vector<std::int32_t> relisted_;
  std::vector<std::int32_t> moved_;
  std::vector<std::int32_t> changed_;
  // Cells whose level may not be StreamCell::settling_level.
  std::vector<std::int32_t> shifted_;
  std::vector<std::int32_t> pressed_;
  std::vector<std::int32_t> passing_;
  bool all_doubted_ = false;
};

inline void StreamCells::fetch([[maybe_unused]] std::int32_t slot) const {
#ifdef __GNUC__
  __builtin_prefetch(&cells_[static_cast<std::size_t>(slot)]);
#endif
}

}  // namespace sluice::sim
