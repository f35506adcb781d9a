#include "server/sim/models/cellular.h"

#include <algorithm>
#include <utility>

#include "server/sim/models/cellular_head.h"

namespace sluice::sim {

namespace {

/// What differs between the two sideways axes.
struct AxisView {
  std::uint8_t wake;
  Chunk* Chunk::*low;
  Chunk* Chunk::*high;
};

constexpr AxisView view_of(SidewaysAxis axis) {
  return axis == SidewaysAxis::kX ? AxisView{kWakeX, &Chunk::left, &Chunk::right}
                                  : AxisView{kWakeZ, &Chunk::front, &Chunk::back};
}

ChunkCoord step(ChunkCoord coord, SidewaysAxis axis, std::int32_t by) {
  return axis == SidewaysAxis::kX ? ChunkCoord{coord.x + by, coord.y, coord.z}
                                  : ChunkCoord{coord.x, coord.y, coord.z + by};
}

/// The cells on a border, as an index into the chunk's cells: [y][z] for x, [y][x] for z.
struct Border {
  Border(const ChunkShape& shape, SidewaysAxis axis)
      : lines(axis == SidewaysAxis::kX ? shape.depth() : shape.width()),
        line_step(axis == SidewaysAxis::kX ? shape.width() : 1),
        slab(shape.slab()),
        height(shape.height()),
        last(axis == SidewaysAxis::kX ? shape.width() - 1 : (shape.depth() - 1) * shape.width()) {}
  std::int32_t lines;      // border cells of one slab
  std::int32_t line_step;  // from one to the next
  std::int32_t slab;
  std::int32_t height;
  std::int32_t last;  // from the low border's cell to the high border's

  [[nodiscard]] std::size_t faces() const { return static_cast<std::size_t>(lines * height); }
};

class CellularWater final : public WaterModelState {
 public:
  explicit CellularWater(const WorldConfig& config)
      : options_(config.cellular),
        rule_(prepare(config.cellular)),
        side_view_(config.side_view()) {}

  WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& executor) override {
    WaterAdvance done;
    std::int32_t largest_flow = 0;
    do {
      largest_flow = 0;
      if (!side_view_) {
        run_pass(grid, {SidewaysAxis::kX, false}, now.sleep, executor, done, largest_flow);
      }
      const SidewaysAxis last = side_view_ ? SidewaysAxis::kX : SidewaysAxis::kZ;
      run_pass(grid, {last, true}, now.sleep, executor, done, largest_flow);
      ++done.sweeps;
    } while (done.sweeps < options_.max_sweeps && largest_flow > 0 &&
             largest_flow >= options_.smallest_flow);
    return done;
  }

  WaterHead head(const Grid& grid, Vec3 at) override { return cellular_head(rule_, grid, at); }
  std::int64_t most_at(const Grid& grid, Vec3 at, std::int64_t head) override {
    return cellular_most(rule_, grid, at, head);
  }

 private:
  void run_pass(Grid& grid, CellularPass pass, bool sleep, Executor& executor, WaterAdvance& done,
                std::int32_t& largest_flow) {
    // For this pass alone: one that comes no more in this tick would find no rest.
    if (!sleep) grid.for_each([&](Chunk& chunk) { grid.wake(chunk, wake_bits(pass)); });
    choose_active(grid, pass);
    if (active_.empty()) return;
    plan(grid, pass, executor);
    cut_into_stacks();
    executor.run(stacks_.size(), [&](std::size_t i) {
      const auto [first, count] = stacks_[i];
      apply_to_stack(rule_, grid, pass, std::span(active_).subspan(first, count), fluxes_,
                     reports_[i]);
    });
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      take_report(grid, reports_[i], done, largest_flow);
    }
  }

  static std::uint8_t wake_bits(CellularPass pass) {
    return static_cast<std::uint8_t>(view_of(pass.axis).wake | (pass.vertical ? kWakeVertical : 0));
  }

  // The chunks that this pass must look at, in stack order, each with what it must look for.
  void choose_active(Grid& grid, CellularPass pass) {
    const std::uint8_t sideways = view_of(pass.axis).wake;
    const std::uint8_t vertical = pass.vertical ? kWakeVertical : std::uint8_t{0};
    std::vector<Chunk*>& awake = grid.awake();
    const auto by_coord = [](const Chunk* a, const Chunk* b) { return a->coord < b->coord; };
    if (!std::is_sorted(awake.begin(), awake.end(), by_coord)) {
      std::sort(awake.begin(), awake.end(), by_coord);
    }
    active_.clear();
    for (Chunk* chunk : awake) {
      const bool in_sideways = (chunk->wake & sideways) != 0;
      const bool in_vertical = (chunk->wake & vertical) != 0;
      if (!in_sideways && !in_vertical) continue;
      chunk->wake = static_cast<std::uint8_t>(chunk->wake & ~(sideways | vertical));
      chunk->pass_slot = static_cast<std::uint32_t>(active_.size());
      chunk->in_pass = in_sideways;
      active_.push_back({chunk, in_sideways, in_vertical, chunk->pass_slot});
    }
  }

  // Every flux over a border between two chunks is computed once, from the old state: by the chunk
  // on the border's low side, or by the other where there is none. A sleeping neighbour's flux is
  // nothing, or a change in what it depends on would have woken it (Grid::note_change).
  void plan(Grid& grid, CellularPass pass, Executor& executor) {
    const Border border(grid.shape(), pass.axis);
    fluxes_.reset(active_.size(), border.faces());
    missing_.assign(active_.size(), {});
    executor.run(active_.size(), [&](std::size_t i) { plan_chunk(grid, pass.axis, border, i); });
    const std::size_t planned = active_.size();
    for (std::size_t i = 0; i < planned; ++i) {
      if (missing_[i].low) store_receiver(grid, pass.axis, border, active_[i], -1);
      if (missing_[i].high) store_receiver(grid, pass.axis, border, active_[i], +1);
    }
    for (ActiveChunk& active : active_) active.chunk->in_pass = false;
    if (active_.size() > planned) {
      std::sort(active_.begin(), active_.end(), [](const ActiveChunk& a, const ActiveChunk& b) {
        return a.chunk->coord < b.chunk->coord;
      });
    }
  }

  void plan_chunk(const Grid& grid, SidewaysAxis axis, const Border& border, std::size_t index) {
    const ActiveChunk& active = active_[index];
    if (!active.sideways) return;
    const AxisView view = view_of(axis);
    const Chunk& chunk = *active.chunk;
    const Chunk* high = chunk.*view.high;
    std::int32_t* const high_flux = fluxes_.high(active.fluxes);
    const Cell* const below = slab_below(grid, chunk);
    if (high != nullptr) {
      if (high->in_pass) {
        std::int32_t* const theirs = fluxes_.low(high->pass_slot);
        flux_between(border, chunk.cells.data(), below, high->cells.data(), slab_below(grid, *high),
                     high_flux);
        std::copy_n(high_flux, border.faces(), theirs);
      }
    } else if (grid.reaches(step(chunk.coord, axis, +1))) {
      missing_[index].high =
          flux_between(border, chunk.cells.data(), below, nullptr, nullptr, high_flux);
    }
    if (chunk.*view.low == nullptr && grid.reaches(step(chunk.coord, axis, -1))) {
      missing_[index].low = flux_between(border, nullptr, nullptr, chunk.cells.data(), below,
                                         fluxes_.low(active.fluxes));
    }
  }

  // From the high border of `a` to the low border of `b`; null is air. True if anything flows.
  bool flux_between(const Border& border, const Cell* a, const Cell* below_a, const Cell* b,
                    const Cell* below_b, std::int32_t* flux) const {
    bool flows = false;
    for (std::int32_t y = 0; y < border.height; ++y) {
      for (std::int32_t line = 0; line < border.lines; ++line) {
        const std::int32_t at = line * border.line_step;
        const std::int32_t here = y * border.slab + at;
        const Cell from = a != nullptr ? a[here + border.last] : kAir;
        const Cell to = b != nullptr ? b[here] : kAir;
        if (from == to) continue;  // the buffer is zero
        const Cell* under_a = y == 0 ? below_a : a != nullptr ? a + (y - 1) * border.slab : nullptr;
        const Cell* under_b = y == 0 ? below_b : b != nullptr ? b + (y - 1) * border.slab : nullptr;
        const Cell from_under = under_a != nullptr ? under_a[at + border.last] : kAir;
        const Cell to_under = under_b != nullptr ? under_b[at] : kAir;
        const std::int32_t amount = sideways_flux(rule_, from, to, from_under, to_under);
        flux[y * border.lines + line] = amount;
        flows = flows || amount != 0;
      }
    }
    return flows;
  }

  // Water flows from `donor` into a place where no chunk is yet: makes it one, and part of the
  // pass.
  void store_receiver(Grid& grid, SidewaysAxis axis, const Border& border, ActiveChunk donor,
                      std::int32_t side) {
    Chunk& receiver = grid.obtain(step(donor.chunk->coord, axis, side));
    if (!receiver.in_pass) {
      receiver.in_pass = true;
      receiver.wake = 0;
      receiver.pass_slot = static_cast<std::uint32_t>(active_.size());
      active_.push_back({&receiver, true, true, receiver.pass_slot});
      fluxes_.grow(active_.size());
    }
    const std::int32_t* const from =
        side > 0 ? fluxes_.high(donor.fluxes) : fluxes_.low(donor.fluxes);
    std::int32_t* const to =
        side > 0 ? fluxes_.low(receiver.pass_slot) : fluxes_.high(receiver.pass_slot);
    std::copy_n(from, border.faces(), to);
  }

  void cut_into_stacks() {
    stacks_.clear();
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const ChunkCoord here = active_[i].chunk->coord;
      if (i > 0) {
        const ChunkCoord before = active_[i - 1].chunk->coord;
        if (before.x == here.x && before.z == here.z) {
          ++stacks_.back().second;
          continue;
        }
      }
      stacks_.emplace_back(i, 1);
    }
    if (reports_.size() < stacks_.size()) reports_.resize(stacks_.size());
    for (std::size_t i = 0; i < stacks_.size(); ++i) reports_[i].clear();
  }

  void take_report(Grid& grid, StackReport& report, WaterAdvance& done,
                   std::int32_t& largest_flow) {
    done.drained += report.drained;
    done.cell_updates += report.processed_cells;
    largest_flow = std::max(largest_flow, report.largest_flow);
    for (auto& chunk : report.stored) grid.adopt(std::move(chunk));
    for (Chunk* chunk : report.touched) grid.note_change(*chunk, std::exchange(chunk->changed, 0));
  }

  struct Missing {
    bool low = false;
    bool high = false;
  };

  CellularOptions options_;
  CellularRule rule_;
  bool side_view_;
  std::vector<ActiveChunk> active_;
  std::vector<Missing> missing_;
  BorderFluxes fluxes_;
  std::vector<std::pair<std::size_t, std::size_t>> stacks_;  // first in active_, how many
  std::vector<StackReport> reports_;
};

}  // namespace

std::unique_ptr<WaterModelState> make_cellular_water(const WorldConfig& config) {
  return std::make_unique<CellularWater>(config);
}

}  // namespace sluice::sim
