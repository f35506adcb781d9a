#include "server/sim/models/stream/stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <vector>

#include "server/sim/models/stream/cells.h"
#include "server/sim/models/stream/paths.h"
#include "server/sim/models/stream/pools.h"
#include "server/sim/models/stream/pressure.h"
#include "server/sim/models/stream/settle.h"
#include "server/sim/models/stream/turns.h"

namespace sluice::sim {

namespace {

/// Ticks in which `active` falls by one where nothing flows.
constexpr std::int32_t kFadingTicks = 8;
/// And in which a cell passes a level a tick less, if it no longer holds enough for more.
constexpr std::int32_t kNarrowingTicks = 256;

class StreamWater final : public WaterModelState {
 public:
  explicit StreamWater(const WorldConfig& config)
      : seed_(config.seed), drying_(config.option("drying")) {}

  void attach(Grid& /*grid*/, WaterState& /*state*/) override {
    forgotten_ = true;
    pools_.forget();
    knows_sources_ = false;
    marked_sources_.clear();
  }

  WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& /*executor*/) override {
    if (!now.sleep) grid.wake_all();
    mark_sources(now.sources, grid);
    if (forgotten_ || cells_.scattered()) {
      cells_.forget();
      turns_.forget();
      for (std::vector<std::int32_t>& slots : narrowing_) slots.clear();
      forgotten_ = false;
    }
    cells_.gather(grid, seed_, now.tick, now.moves);
    WaterAdvance done;
    done.sweeps = 1;
    paths_.repair(cells_);
    turns_.arrange(cells_);
    cells_.tidy();
    pressure_.move(cells_);
    done.drained = StreamSettling(cells_, turns_).run() * kUnitsPerLevel;
    done.cell_updates = turns_.taken() + pressure_.runs() + paths_.looked_at();
    fade_all(done);
    finish_all();
    cells_.release();
    pools_.end_tick(grid);
    return done;
  }

  void look(const Grid& grid) override { pools_.look(grid); }
  void follow(const Grid& grid, Vec3 at) override { pools_.follow(grid, at); }
  WaterHead head(const Grid& grid, Vec3 at) override { return {pools_.head(grid, at), 1}; }
  std::int64_t most_at(const Grid& /*grid*/, Vec3 at, std::int64_t head) override {
    return std::clamp<std::int64_t>(head - std::int64_t{at.y} * kFull, 0, kFull);
  }
  std::optional<Vec3> giver(const Grid& grid, Vec3 at) override { return pools_.giver(grid, at); }
  std::optional<Vec3> taker(const Grid& grid, Vec3 at) override { return pools_.taker(grid, at); }

 private:
  // Springs come and go by commands that touch no cell, so their marks are what tells.
  void mark_sources(const Springs& sources, Grid& grid) {
    if (!knows_sources_) find_marked_sources(grid);
    for (const Vec3 at : marked_sources_) {
      if (!sources.contains(at)) change_source_bit(grid, at, false);
    }
    marked_sources_.clear();
    for (const auto& [at, spring] : sources) {
      if (!is_open(grid.cell(at))) continue;
      change_source_bit(grid, at, true);
      marked_sources_.push_back(at);
    }
  }

  void find_marked_sources(const Grid& grid) {
    knows_sources_ = true;
    grid.for_each([&](const Chunk& chunk) {
      if (chunk.marks == nullptr) return;
      for (std::int32_t i = 0; i < kChunkCells; ++i) {
        if ((chunk.marks->cells[static_cast<std::size_t>(i)] & kIsSourceBit) == 0) continue;
        marked_sources_.push_back(grid.shape().cell_at(chunk.coord, i));
      }
    });
  }

  static void change_source_bit(Grid& grid, Vec3 at, bool is_source) {
    Chunk* chunk = grid.find(grid.shape().chunk_of(at));
    if (chunk == nullptr) {
      if (!is_source) return;
      chunk = &grid.obtain(grid.shape().chunk_of(at));
    }
    if (chunk->marks == nullptr) {
      if (!is_source) return;
      chunk->marks = std::make_unique<Marks>();
    }
    Cell& mark = chunk->marks->cells[static_cast<std::size_t>(grid.shape().index_of(at))];
    const Cell wanted = is_source ? mark | kIsSourceBit : mark & ~kIsSourceBit;
    if (mark == wanted) return;
    mark = wanted;
    grid.note_change(*chunk, kChangedInside);
  }

  void fade_all(WaterAdvance& done) {
    dried_.clear();
    touch_narrowing();
    std::vector<std::int32_t>& busy = cells_.busy();
    const std::size_t flowing = busy.size();
    for (std::size_t i = 0; i < flowing; ++i) {
      StreamCell& cell = cells_[busy[i]];
      fade(cell);
      tell_neighbours(cell);
    }
    done.evaporated += static_cast<std::int64_t>(dried_.size()) * kUnitsPerLevel;
    if (!cells_.tells()) return;
    std::sort(dried_.begin(), dried_.end(), [this](std::int32_t a, std::int32_t b) {
      return std::tuple(cells_.turn_of(cells_[a]), cells_[a].at) <
             std::tuple(cells_.turn_of(cells_[b]), cells_[b].at);
    });
    for (const std::int32_t slot : dried_) cells_.tell(cells_[slot].at, kNowhere, 1);
  }

  void fade(StreamCell& cell) {
    StreamMark& mark = cell.mark;
    const bool flowed = cell.flowed_in == cells_.tick();
    cell.steady =
        flowed && mark.active == kMostActive && cell.level == cell.old_level && !cell.disturbed;
    cell.disturbed = false;
    if (flowed) {
      mark.active = std::min<std::uint8_t>(kMostActive, mark.active + 1);
    } else if (mark.active > 0) {
      if (due(cell, kFadingTicks, DrawPurpose::kStreamDrying)) --mark.active;
    } else if (dries(cell) && due(cell, drying_, DrawPurpose::kStreamDrying)) {
      --cell.level;
      dried_.push_back(cells_.slot_of(cell));
    }
    narrow(cell);
  }

  // Where water flows a cell passes as much as it did, for a while, if it now holds less, or falls
  // no more.
  void narrow(StreamCell& cell) {
    const bool rested = cells_.was_supported(cell);
    const std::int32_t passed = rested ? cell.found_width : kMostCapacity;
    std::int32_t held = std::max(0, passed - capacity_of(cell.level));
    if (cell.mark.active == 0) held = 0;
    if (held > 0 && rested && due(cell, kNarrowingTicks, DrawPurpose::kStreamNarrowing)) --held;
    cell.mark.held = static_cast<std::uint8_t>(held);
  }

  [[nodiscard]] bool dries(const StreamCell& cell) const {
    return cell.level > 0 && !cell.mark.has_source && drying_ > 0;
  }

  void finish_all() {
    gone_.clear();
    std::erase_if(cells_.busy(), [this](std::int32_t slot) {
      StreamCell& cell = cells_[slot];
      finish(cell);
      if (cell.level == 0 && cell.old_mark == 0) gone_.push_back(slot);
      return !cell.busy;
    });
    cells_.keep_quiet_awake();
    for (const std::int32_t slot : gone_) cells_.remove(slot);
  }

  // Of what decides whose flow comes to them.
  void tell_neighbours(StreamCell& cell) {
    if (pack(cell.mark) == cell.old_mark) return;
    const StreamMark was = unpack(cell.old_mark);
    const StreamMark& mark = cell.mark;
    if (was.direction == mark.direction && was.has_source == mark.has_source &&
        (was.active > 0) == (mark.active > 0)) {
      return;
    }
    cell.new_parents = true;
    for (const std::int32_t there : cell.beside) {
      if (there < 0) continue;
      cells_[there].new_parents = true;
      cells_.touch(there);
    }
  }

  void finish(StreamCell& cell) {
    StreamMark& mark = cell.mark;
    if (cell.new_parents) {
      const std::uint8_t parents = parents_of(cell);
      if (parents != mark.parents) doubt_choices(cell);
      mark.parents = parents;
    }
    cell.new_parents = false;
    mark.swift = cell.emptied && cell.full();
    if (cell.level == 0 && mark.active == 0 && !mark.is_source) mark = {};
    const bool stays = cell.steady && pack(mark) == cell.old_mark;
    cells_.store(cell);
    cell.busy = mark.active > 0 || dries(cell);
    if (cell.busy) cells_.keep_awake(cell);
    if (!stays) {
      cell.emptied = false;
      return;
    }
    cells_.hush(cell);
    if (mark.held > 0 && cells_.was_supported(cell))
      narrowing_[next_narrowing(cell)].push_back(cells_.slot_of(cell));
  }

  // Parents decide between ways where there are several: from a cell, and to it.
  void doubt_choices(StreamCell& cell) {
    const auto doubt = [](StreamCell& there) {
      there.doubted = there.doubted || std::popcount(there.onward) > 1;
    };
    doubt(cell);
    for (const StreamFace face : kSideways) {
      if (cell.beside[face] >= 0) doubt(cells_[cell.beside[face]]);
    }
  }

  // The tick of the clock in which the cell may narrow, or another one is drawn.
  [[nodiscard]] std::size_t next_narrowing(const StreamCell& cell) const {
    const std::uint64_t drawn =
        draw(seed_, cells_.tick() / kNarrowingTicks, cell.at, DrawPurpose::kStreamNarrowing);
    const std::uint64_t at = choose(drawn, kNarrowingTicks);
    return at > cells_.tick() % kNarrowingTicks ? at : 0;
  }

  void touch_narrowing() {
    std::vector<std::int32_t>& slots = narrowing_[cells_.tick() % kNarrowingTicks];
    for (const std::int32_t slot : slots) {
      if (cells_[slot].stored()) cells_.touch(slot);
    }
    slots.clear();
  }

  // Once in every `ticks` ticks, at a moment that is drawn: so chance never takes for ever.
  [[nodiscard]] bool due(const StreamCell& cell, std::int32_t ticks, DrawPurpose purpose) const {
    const auto span = static_cast<std::uint64_t>(ticks);
    const std::uint64_t tick = cells_.tick();
    const std::uint64_t drawn = draw(seed_, tick / span, cell.at, purpose);
    return choose(drawn, static_cast<std::uint32_t>(ticks)) == tick % span;
  }

  // Those neighbours whose flow comes here.
  [[nodiscard]] std::uint8_t parents_of(const StreamCell& cell) const {
    std::uint32_t parents = 0;
    for (std::size_t face = 0; face < kFaces; ++face) {
      if (cell.beside[face] < 0) continue;
      const StreamMark& there = cells_[cell.beside[face]].mark;
      if (there.active == 0 || there.has_source != cell.mark.has_source) continue;
      if (there.direction == opposite(static_cast<StreamFace>(face)) + 1) parents |= 1U << face;
    }
    return static_cast<std::uint8_t>(parents);
  }

  std::uint64_t seed_;
  std::int32_t drying_;
  StreamPaths paths_;
  StreamPressure pressure_;
  StreamPools pools_;

  // Made again from the marks when it is not known, and room for one tick's work.
  bool knows_sources_ = false;
  std::vector<Vec3> marked_sources_;
  bool forgotten_ = true;
  StreamCells cells_;
  StreamTurns turns_;
  std::vector<std::int32_t> dried_;  // slots of cells that lost a level to the air in this tick
  std::vector<std::int32_t> gone_;
  /// Quiet cells, by the tick of the clock in which they may pass less.
  std::array<std::vector<std::int32_t>, kNarrowingTicks> narrowing_;
};

constexpr MarkField kMarks[] = {{"direction", 0, 3}, {"is_source", 3, 1}, {"has_source", 4, 1},
                                {"largest", 5, 3},   {"active", 8, 3},    {"flow_out", 11, 1},
                                {"parents", 12, 6},  {"held", 18, 2},     {"swift", 20, 1}};

constexpr WaterOption kOptions[] = {
    {"drying", 8, 0, 1 << 20,
     "a level that nothing flows through is lost in one of so many ticks; 0: never"},
};

WaterMeasure measure(const WorldConfig& /*config*/) {
  return {.quantum = kUnitsPerLevel,
          .cell_max = kFull,
          .springs_give_to_their_cell = true,
          .heads_of_bodies = true};
}

std::unique_ptr<WaterModelState> make(const WorldConfig& config) {
  return std::make_unique<StreamWater>(config);
}

}  // namespace

WaterModelRow stream_water() {
  return {.id = WaterModel::kStream,
          .version = 7,
          .name = "stream",
          .meaning = "rivers in eight levels, which dry up where no spring feeds them",
          .options = kOptions,
          .marks = kMarks,
          .work = {.side_view = 80, .solid = 120},
          .measure = measure,
          .make = make};
}

}  // namespace sluice::sim
