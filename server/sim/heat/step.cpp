// One step: heaters, conduction and the air, then what freezes, melts and boils.
//
// Every flux is a function of the old state of its two cells, computed by both of their chunks; so
// neither the order of chunks nor the number of workers can matter.
#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/heat/field.h"
#include "server/sim/int_math.h"

namespace sluice::sim {

namespace {

/// A cell as a flux sees it.
struct HeatCell {
  std::int32_t fine = kNoTemperature;
  std::int32_t units = 0;
  bool ice = false;         // or as cold as ice
  std::int32_t frozen = 0;  // parts of 4,096 of water that is at 0 degrees
};

/// From a to b, which is above or beside it. Temperatures are known to a part of 1/65536 degree,
/// rounded down, so the difference may be that much less than it looks.
std::int64_t conducted(std::int32_t parts, std::int32_t units, std::int32_t a, std::int32_t b) {
  // Without branches: nobody can guess which of two cells is the warmer.
  const std::int64_t difference = std::int64_t{a} - b;
  const std::int64_t sign = difference >> 63;
  const std::int64_t size = std::max<std::int64_t>(((difference ^ sign) - sign) - 1, 0);
  const std::int64_t energy =
      (std::int64_t{parts} * std::min(units, kMostConducting) * size) >> (kLogHeatParts + kLogFine);
  return (energy ^ sign) - sign;
}

/// Whether water of the one temperature is lighter than of the other.
bool lighter(std::int32_t a, std::int32_t b) {
  constexpr std::int32_t kFineDensest = kDensest << kLogFine;
  // In 64 bits: cells without water have no temperature, and are asked about, too.
  const auto away = [](std::int64_t fine) {
    return fine < kFineDensest ? kFineDensest - fine : fine - kFineDensest;
  };
  return away(a) > away(b);
}

/// A chunk's part in the step under way.
struct ChunkHeat {
  ChunkCoord coord;
  const Chunk* chunk = nullptr;  // null: air
  const HeatPage* page = nullptr;
  std::vector<std::int64_t> change;  // empty where nothing flows
  std::int64_t to_air = 0;           // given and taken, each for itself
  std::int64_t from_air = 0;
  bool flows = false;
  bool full_and_alike = false;  // within, nothing can flow
  std::vector<Vec3> simmering;  // surfaces
};

}  // namespace

class HeatStep {
 public:
  HeatStep(HeatField& field, const HeatTick& now, Grid& grid, HeatState& state)
      : field_(field),
        now_(now),
        grid_(grid),
        shape_(grid.shape()),
        state_(state),
        options_(state.options),
        curve_(state.options.latent),
        air_(air_at(state, now.tick) << kLogFine) {}

  std::int64_t run(Executor& executor) {
    std::sort(field_.awake_.begin(), field_.awake_.end());
    chunks_.resize(field_.awake_.size());
    for (std::size_t i = 0; i < chunks_.size(); ++i) begin(field_.awake_[i], chunks_[i]);
    executor.run(chunks_.size(), [this](std::size_t i) { find_fluxes(chunks_[i]); });
    for (ChunkHeat& chunk : chunks_) apply(chunk);
    std::int64_t gone = 0;
    std::vector<ChunkCoord> changed;
    for (ChunkHeat& chunk : chunks_) {
      const std::size_t before = turned_;
      gone += turn(chunk);
      if (!chunk.change.empty() || turned_ != before) changed.push_back(chunk.coord);
    }
    fall_asleep();
    move_grown();
    for (const ChunkCoord coord : changed) field_.note(coord, field_.know(coord));
    return gone;
  }

 private:
  void begin(ChunkCoord coord, ChunkHeat& heat) {
    heat.coord = coord;
    heat.chunk = grid_.find(coord);
    const auto page = state_.pages.find(coord);
    heat.page = page == state_.pages.end() ? nullptr : &page->second;
    heat.full_and_alike = heat.chunk != nullptr && heat.chunk->cells.is_shared() &&
                          (heat.page == nullptr || heat.page->uniform());
    field_.cells_stepped_ += heat.full_and_alike ? 0 : kChunkCells;
  }

  [[nodiscard]] HeatCell cell_of(const Chunk& chunk, const HeatPage* page,
                                 std::int32_t index) const {
    const auto i = static_cast<std::size_t>(index);
    const Cell cell = chunk.cells[i];
    const std::int32_t units = held_in(cell);
    if (units == 0) return {};
    const std::int64_t energy = page == nullptr ? 0 : page->at(i);
    HeatCell found{curve_.fine(energy, units), units, is_ice(cell), 0};
    if (found.fine < 0) found.ice = true;
    if (found.fine == 0 && !found.ice) {
      found.frozen = static_cast<std::int32_t>(
          (std::int64_t{curve_.frozen_units(energy, units, false)} << kLogHeatParts) / units);
    }
    return found;
  }

  [[nodiscard]] std::int64_t beside(const HeatCell& a, const HeatCell& b) const {
    if (a.units == 0 || b.units == 0) return 0;
    const std::int32_t parts = a.ice || b.ice ? options_.ice : options_.sideways;
    return conducted(parts, std::min(a.units, b.units), a.fine, b.fine);
  }
  [[nodiscard]] std::int64_t upwards(const HeatCell& below, const HeatCell& above) const {
    if (below.units == 0 || above.units == 0) return 0;
    const std::int32_t parts = below.ice || above.ice            ? through_ice(below, above)
                               : lighter(below.fine, above.fine) ? options_.up
                                                                 : options_.down;
    return conducted(parts, std::min(below.units, above.units), below.fine, above.fine);
  }

  // From the middle of a cell of ice to where its neighbour is still water: half of a cell of ice,
  // and as much of the neighbour as is frozen.
  [[nodiscard]] std::int32_t through_ice(const HeatCell& a, const HeatCell& b) const {
    if (a.ice && b.ice) return options_.ice;
    const std::int32_t frozen = a.ice ? b.frozen : a.frozen;
    constexpr std::int32_t kWhole = 1 << kLogHeatParts;
    return options_.ice * 2 * kWhole / (kWhole + 2 * frozen);
  }

  void find_fluxes(ChunkHeat& heat) const {
    if (heat.chunk == nullptr || heat.chunk->cells.is_shared_air() ||
        heat.chunk->cells.is_shared_rock()) {
      return;
    }
    if (!heat.full_and_alike && !find_within_water(heat)) find_within(heat);
    find_over_borders(heat);
  }

  void move(ChunkHeat& heat, std::int32_t index, std::int64_t energy) const {
    if (heat.change.empty()) heat.change.assign(kChunkCells, 0);
    heat.change[static_cast<std::size_t>(index)] += energy;
    heat.flows = true;
  }

  /// Temperatures and amounts of a chunk that holds neither ice nor water at 0 degrees or below;
  /// false for any other.
  [[nodiscard]] bool read_water(const ChunkHeat& heat, std::int32_t* fine,
                                std::int32_t* units) const {
    const Cell* const cells = heat.chunk->cells.data();
    const std::int64_t least = (curve_.melted() + 1) * kFull;
    const std::int64_t most = curve_.boils() * kFull;
    const auto offset = static_cast<std::int32_t>(curve_.melted() << kLogFine);
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t energy = heat.page == nullptr ? 0 : heat.page->at(at);
      if (cells[at] == kFull && energy > least && energy < most) {
        units[at] = kFull;
        fine[at] = static_cast<std::int32_t>((energy << kLogFine) / kFull) - offset;
        continue;
      }
      const HeatCell found = cell_of(*heat.chunk, heat.page, i);
      if (found.units > 0 && (found.ice || found.fine <= 0)) return false;
      units[at] = found.units;
      fine[at] = found.fine;
    }
    return true;
  }

  // As find_within, for water alone: every face is looked at alike, so that there is little to
  // guess. False where the chunk holds something else.
  [[nodiscard]] bool find_within_water(ChunkHeat& heat) const {
    std::array<std::int32_t, kChunkCells> fine;
    std::array<std::int32_t, kChunkCells> units;
    if (!read_water(heat, fine.data(), units.data())) return false;
    heat.change.assign(kChunkCells, 0);
    std::int64_t* const change = heat.change.data();
    const auto slab = static_cast<std::size_t>(shape_.slab());
    const auto width = static_cast<std::size_t>(shape_.width());
    std::int64_t any = 0;
    const auto exchange = [&](std::size_t a, std::size_t b, std::int32_t parts) {
      const std::int64_t energy = conducted(parts, std::min(units[a], units[b]), fine[a], fine[b]);
      change[a] -= energy;
      change[b] += energy;
      any |= energy;
    };
    for (std::size_t row = 0; row < kChunkCells; row += width) {
      for (std::size_t i = row; i + 1 < row + width; ++i) exchange(i, i + 1, options_.sideways);
      if (row % slab + width < slab) {
        for (std::size_t i = row; i < row + width; ++i) exchange(i, i + width, options_.sideways);
      }
      if (row + slab >= kChunkCells) continue;
      for (std::size_t i = row; i < row + width; ++i) {
        exchange(i, i + slab, lighter(fine[i], fine[i + slab]) ? options_.up : options_.down);
      }
    }
    heat.flows = any != 0;
    for (std::size_t i = 0; i + slab < kChunkCells; ++i) {
      if (units[i] == 0 || units[i + slab] > 0) continue;
      meet_air(heat, static_cast<std::int32_t>(i), {fine[i], units[i], false, 0});
    }
    if (!heat.flows) heat.change.clear();
    return true;
  }

  void find_within(ChunkHeat& heat) const {
    std::vector<HeatCell> cells(kChunkCells);
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      cells[static_cast<std::size_t>(i)] = cell_of(*heat.chunk, heat.page, i);
    }
    const std::int32_t slab = shape_.slab();
    const std::int32_t width = shape_.width();
    const auto exchange = [&](std::int32_t a, std::int32_t b, std::int64_t energy) {
      if (energy == 0) return;
      move(heat, a, -energy);
      move(heat, b, energy);
    };
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      const HeatCell& here = cells[static_cast<std::size_t>(i)];
      if (here.units == 0) continue;
      const auto at = [&](std::int32_t index) -> const HeatCell& {
        return cells[static_cast<std::size_t>(index)];
      };
      if ((i & (width - 1)) != width - 1) exchange(i, i + 1, beside(here, at(i + 1)));
      if ((i & (slab - 1)) < slab - width) exchange(i, i + width, beside(here, at(i + width)));
      if (i >= kChunkCells - slab) continue;
      if (at(i + slab).units > 0) {
        exchange(i, i + slab, upwards(here, at(i + slab)));
      } else {
        meet_air(heat, i, here);
      }
    }
  }

  void find_over_borders(ChunkHeat& heat) const {
    const Chunk& chunk = *heat.chunk;
    const std::int32_t slab = shape_.slab();
    const std::int32_t width = shape_.width();
    const std::int32_t top = kChunkCells - slab;
    const auto border = [&](const Chunk* other, bool high, std::int32_t to_other, bool vertical,
                            auto&& for_each_cell) {
      const HeatPage* page = nullptr;
      if (other != nullptr) {
        const auto found = state_.pages.find(other->coord);
        page = found == state_.pages.end() ? nullptr : &found->second;
      }
      for_each_cell([&](std::int32_t index) {
        const HeatCell here = cell_of(chunk, heat.page, index);
        if (here.units == 0) return;
        const HeatCell there =
            other == nullptr ? HeatCell{} : cell_of(*other, page, index + to_other);
        if (there.units == 0) {
          if (vertical && high) meet_air(heat, index, here);
          return;
        }
        const HeatCell& low_cell = high ? here : there;
        const HeatCell& high_cell = high ? there : here;
        const std::int64_t energy =
            vertical ? upwards(low_cell, high_cell) : beside(low_cell, high_cell);
        if (energy != 0) move(heat, index, high ? -energy : energy);
      });
    };
    const auto along_x = [&](std::int32_t x) {
      return [=](auto&& f) {
        for (std::int32_t i = x; i < kChunkCells; i += width) f(i);
      };
    };
    const auto along_z = [&](std::int32_t first) {
      return [=](auto&& f) {
        for (std::int32_t base = first; base < kChunkCells; base += slab) {
          for (std::int32_t x = 0; x < width; ++x) f(base + x);
        }
      };
    };
    const auto along_y = [&](std::int32_t first) {
      return [=](auto&& f) {
        for (std::int32_t i = 0; i < slab; ++i) f(first + i);
      };
    };
    if (chunk.left != nullptr) border(chunk.left, false, width - 1, false, along_x(0));
    if (chunk.right != nullptr) border(chunk.right, true, 1 - width, false, along_x(width - 1));
    if (shape_.depth() > 1) {
      if (chunk.front != nullptr) border(chunk.front, false, slab - width, false, along_z(0));
      if (chunk.back != nullptr)
        border(chunk.back, true, width - slab, false, along_z(slab - width));
    }
    if (chunk.below != nullptr) border(chunk.below, false, top, true, along_y(0));
    border(chunk.above, true, -top, true, along_y(top));
  }

  // Over its gap; the more air, the faster.
  void meet_air(ChunkHeat& heat, std::int32_t index, const HeatCell& here) const {
    const Vec3 at = shape_.cell_at(heat.coord, index);
    const std::int32_t most = options_.air_cells * kFull;
    std::int32_t gap = here.ice ? 0 : kFull - std::min(here.units, kFull);
    for (Vec3 up = at + Vec3{0, 1, 0}; gap < most; ++up.y) {
      const Cell cell = grid_.cell(up);
      if (held_in(cell) > 0 && up.y == at.y + 1) return;
      if (cell != kAir) break;
      gap += kFull;
    }
    if (gap == 0) return;
    if (here.fine >= options_.simmer << kLogFine && !here.ice) heat.simmering.push_back(at);
    const std::int32_t parts = options_.surface * std::min(gap, most) / most;
    const std::int64_t energy = conducted(parts, here.units, here.fine, air_);
    if (energy == 0) return;
    move(heat, index, -energy);
    (energy > 0 ? heat.to_air : heat.from_air) += energy > 0 ? energy : -energy;
  }

  void apply(ChunkHeat& heat) {
    if (heat.change.empty()) return;
    std::int64_t* const energies = state_.pages[heat.coord].edit();
    for (std::size_t i = 0; i < kChunkCells; ++i) energies[i] += heat.change[i];
    state_.totals.go(heat.to_air);
    state_.totals.come(heat.from_air);
  }

  // What freezes, melts and boils. Returns the units that left as steam.
  std::int64_t turn(ChunkHeat& heat) {
    if (heat.chunk == nullptr || heat.chunk->cells.is_shared_air() ||
        heat.chunk->cells.is_shared_rock()) {
      return 0;
    }
    const auto found = state_.pages.find(heat.coord);
    const HeatPage* const page = found == state_.pages.end() ? nullptr : &found->second;
    const std::int64_t least = curve_.frozen() * kFull;
    const std::int64_t most = curve_.boils() * kFull;
    std::int64_t gone = 0;
    Cell* cells = nullptr;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const Cell cell = heat.chunk->cells[i];
      const std::int32_t units = held_in(cell);
      if (units == 0) continue;
      const std::int64_t energy = page == nullptr ? 0 : page->at(i);
      // Most is water that stays so.
      if (cell == kFull && energy > least && energy < most) continue;
      const Cell next = turned(cell, units, energy);
      if (next == cell) continue;
      if (cells == nullptr) cells = grid_.find(heat.coord)->cells.edit();
      cells[i] = next;
      ++turned_;
      if (is_ice(next) && options_.growth > 0) grow(heat.coord, i, units);
      if (const std::int32_t left = held_in(next); left < units) {
        gone += units - left;
        let_go(units, left, state_.pages[heat.coord].edit()[i]);
      }
    }
    if (cells != nullptr) {
      Chunk& chunk = *grid_.find(heat.coord);
      grid_.note_change(chunk, kChangedAll);
      HeatField::remember(chunk.cells, field_.know(heat.coord));
    }
    return gone;
  }

  // Ice is larger than its water: what no longer fits goes to the cell above, where that has room.
  void grow(ChunkCoord coord, std::size_t index, std::int32_t units) {
    const auto fits =
        static_cast<std::int32_t>(std::int64_t{units} * 1024 / (1024 + options_.growth));
    const std::int32_t excess = round_down_to(units - fits, now_.quantum);
    const Vec3 at = shape_.cell_at(coord, static_cast<std::int32_t>(index));
    const Vec3 above = at + Vec3{0, 1, 0};
    const Cell there = grid_.cell(above);
    if (units < kFull || excess == 0 || !is_open(there) || there > kFull - excess) return;
    grown_.push_back({at, above, excess});
  }

  // When all chunks have looked: two may push to one place.
  void move_grown() {
    std::sort(grown_.begin(), grown_.end(),
              [](const WaterMove& a, const WaterMove& b) { return a.from < b.from; });
    for (const WaterMove& move : grown_) {
      const Cell from = grid_.cell(move.from);
      const Cell to = grid_.cell(move.to);
      if (!is_ice(from) || !is_open(to) || to > kFull - move.units) continue;
      std::int64_t& energy = energy_at(move.from);
      const std::int64_t goes = carried(energy, move.units, held_in(from));
      energy -= goes;
      energy_at(move.to) += goes;
      grid_.add_to_cell(move.from, move.units);  // the more below zero, the more ice
      grid_.add_to_cell(move.to, move.units);
      for (const Vec3 at : {move.from, move.to}) {
        const ChunkCoord coord = shape_.chunk_of(at);
        HeatField::Known& known = field_.know(coord);
        known.cells.edit()[static_cast<std::size_t>(shape_.index_of(at))] = grid_.cell(at);
        field_.note(coord, known);
      }
    }
  }

  [[nodiscard]] std::int64_t& energy_at(Vec3 at) {
    return state_.pages[shape_.chunk_of(at)].edit()[static_cast<std::size_t>(shape_.index_of(at))];
  }

  [[nodiscard]] Cell turned(Cell cell, std::int32_t units, std::int64_t energy) const {
    if (is_ice(cell)) {
      const std::int64_t enough = units * (curve_.melted() + (curve_.melting == 0 ? 1 : 0));
      return energy >= enough ? units : cell;
    }
    const bool cold =
        curve_.melting > 0 ? energy <= units * curve_.frozen() : energy < units * curve_.frozen();
    if (cold) return units >= kLeastIce && units <= kMostIce ? ice_of(units) : cell;
    const std::int64_t over = energy - units * curve_.boils();
    if (over <= 0) return cell;
    // Without latent heat, a share of the water that grows with what it is too hot.
    const std::int64_t steam = curve_.boiling > 0 ? over / curve_.boiling
                                                  : over / (16 * std::int64_t{kHottest - kBoiling});
    const auto leaves = static_cast<std::int32_t>(std::min<std::int64_t>(steam, units));
    return units - round_down_to(leaves, now_.quantum);
  }

  void let_go(std::int32_t units, std::int32_t left, std::int64_t& energy) {
    const std::int64_t steam = units - left;
    const std::int64_t goes = left == 0            ? energy
                              : curve_.boiling > 0 ? steam * (curve_.boils() + curve_.boiling)
                                                   : carried(energy, steam, units);
    energy -= goes;
    state_.totals.go(goes);
  }

  void fall_asleep() {
    field_.awake_.clear();
    for (const ChunkHeat& heat : chunks_) {
      HeatField::Known& known = field_.know(heat.coord);
      known.awake = heat.flows;
      field_.simmering_ += static_cast<std::int64_t>(heat.simmering.size()) -
                           static_cast<std::int64_t>(known.simmering.size());
      known.simmering = heat.simmering;
      if (heat.flows) field_.awake_.push_back(heat.coord);
    }
  }

  HeatField& field_;
  const HeatTick& now_;
  Grid& grid_;
  const ChunkShape& shape_;
  HeatState& state_;
  const HeatOptions& options_;
  HeatCurve curve_;
  std::int32_t air_;  // 1/65536 degree
  std::vector<ChunkHeat> chunks_;
  std::size_t turned_ = 0;        // cells
  std::vector<WaterMove> grown_;  // from ice to the water above it
};

std::int64_t HeatField::step(const HeatTick& now, Grid& grid, Executor& executor,
                             HeatState& state) {
  const std::int32_t air = air_at(state, now.tick);
  if (air != std::exchange(air_of_last_step_, air) || !now.sleep) {
    for (const auto& [coord, known] : known_) wake(coord);
  }
  heat_cells(grid, state);
  if (awake_.empty()) return 0;
  return HeatStep(*this, now, grid, state).run(executor);
}

}  // namespace sluice::sim
