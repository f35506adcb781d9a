#include "server/sim/heat/field.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/draw.h"
#include "server/sim/fields.h"
#include "server/sim/spec.h"

namespace sluice::sim {

namespace {

constexpr std::int32_t kMostFaces = 6;

/// What a page adds to the digest: the product of both halves of each energy, each with a key of
/// its place (NH of Black, Halevi, Krawczyk, Krovetz and Rogaway's UMAC), less what nothing adds.
Digest digest_of(const HeatPage& page) {
  const std::int64_t* const own = page.data();
  const auto all = static_cast<std::uint64_t>(page.at(0));
  const auto sum_of = [](auto&& energy_at) {
    std::uint64_t key = 0x452821e638d01377U;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const std::uint64_t energy = energy_at(i);
      const std::uint64_t keyed = energy ^ key;
      sum += (keyed & 0xffffffffU) * (keyed >> 32) + energy;
      key += 0x9e3779b97f4a7c15U;
    }
    return mix64(sum);
  };
  static const std::uint64_t kNothing = sum_of([](std::size_t) { return std::uint64_t{0}; });
  if (own == nullptr) return sum_of([all](std::size_t) { return all; }) - kNothing;
  return sum_of([own](std::size_t i) { return static_cast<std::uint64_t>(own[i]); }) - kNothing;
}

Digest contribution(ChunkCoord coord, Digest digest) {
  return digest == 0 ? 0 : chunk_contribution(coord, digest, 0);
}

/// What comes has that temperature; what goes takes its share.
void change_units(const HeatCurve& curve, std::int32_t temperature, std::int32_t before,
                  std::int32_t after, std::int64_t& energy, HeatTotals& totals) {
  if (after > before) {
    const std::int64_t comes = curve.energy_at(temperature, after - before);
    energy += comes;
    totals.come(comes);
  } else if (after < before) {
    const std::int64_t goes = carried(energy, before - after, before);
    energy -= goes;
    totals.go(goes);
  }
}

/// 1024 times the sine of whole parts of a day.
constexpr std::array<std::int32_t, kDaySteps> kSine = {
    0, 265,  512,  724,  887,  989,  1024,  989,  887,  724,  512,  265,
    0, -265, -512, -724, -887, -989, -1024, -989, -887, -724, -512, -265};

}  // namespace

Digest digest_of(const HeatPages& pages) {
  Digest digest = 0;
  for (const auto& [coord, page] : pages) digest += contribution(coord, digest_of(page));
  return digest;
}

Digest digest_of_small(const HeatState& state) {
  HeatState small;
  small.on = state.on;
  small.options = state.options;
  small.air = state.air;
  small.heaters = state.heaters;
  small.springs = state.springs;
  small.totals = state.totals;
  small.solid = state.solid;
  return digest_bytes(canonical_bytes(small));
}

std::int32_t air_at(const HeatState& state, std::uint64_t tick) {
  const HeatOptions& options = state.options;
  if (options.day == 0) return state.air;
  const auto day = static_cast<std::uint64_t>(options.day);
  const auto part = static_cast<std::size_t>(tick % day * kDaySteps / day);
  const std::int64_t swing = std::int64_t{options.day_swing} * kSine[part] / 1024;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(state.air + swing, kColdest, kHottest));
}

HeatField::HeatField(const WorldConfig& config)
    : shape_(config.shape()), edges_(config.edges), world_(config.box()) {}

void HeatField::begin(HeatState& state, const Grid& grid) {
  const HeatCurve curve(state.options.latent);
  const std::int32_t warm = state.options.water;
  state.pages.clear();
  known_.clear();
  awake_.clear();
  stale_.clear();
  std::int64_t energy = 0;
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells == 0 || chunk.cells.is_shared_rock() || chunk.cells.is_shared_air())
      return;
    Known& known = know(chunk.coord);
    remember(chunk.cells, known);
    HeatPage page;
    if (chunk.cells.is_shared()) {
      page.fill(curve.energy_at(warm, held_in(chunk.cells[0])));
      energy += page.at(0) * kChunkCells;
    } else {
      std::int64_t* const energies = page.edit();
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        energies[i] = curve.energy_at(warm, held_in(chunk.cells[i]));
        energy += energies[i];
      }
      page.share_if_uniform();
    }
    if (page.nothing()) return;
    state.pages[chunk.coord] = std::move(page);
    note(chunk.coord, known);
  });
  state.totals = {energy, energy, 0, 0};
  air_of_last_step_ = kNoTemperature;
  finish(state);
}

Status HeatField::attach(const HeatState& state, const Grid& grid) {
  const Error wrong{"snapshot: its energies are not those of its water"};
  known_.clear();
  awake_.clear();
  stale_.clear();
  const HeatCurve curve(state.options.latent);
  std::uint64_t energy = 0;
  for (const auto& [coord, page] : state.pages) {
    const Chunk* const chunk = grid.find(coord);
    if (chunk == nullptr) return wrong;
    Known& known = know(coord);
    note(coord, known);
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const std::int64_t most = held_in(chunk->cells[i]) * curve.most();
      if (page.at(i) < 0 || page.at(i) > most) return wrong;
      energy += static_cast<std::uint64_t>(page.at(i));
    }
  }
  if (energy != static_cast<std::uint64_t>(state.totals.now)) return wrong;
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells == 0 || chunk.cells.is_shared_rock() || chunk.cells.is_shared_air())
      return;
    remember(chunk.cells, know(chunk.coord));
    wake(chunk.coord);
  });
  digest_ = 0;
  for (const auto& [coord, page] : state.pages) {
    Known& known = know(coord);
    known.digest = digest_of(page);
    known.stale = false;
    digest_ += contribution(coord, known.digest);
  }
  stale_.clear();
  air_of_last_step_ = kNoTemperature;
  return Done{};
}

void HeatField::remember(const CellPage& cells, Known& known) {
  if (cells.is_shared()) {
    known.cells.fill(cells[0]);
    return;
  }
  std::copy_n(cells.data(), kChunkCells, known.cells.edit());
}

void HeatField::note(ChunkCoord coord, Known& known) {
  if (!std::exchange(known.stale, true)) stale_.push_back(coord);
  wake_around(coord);
}

void HeatField::wake(ChunkCoord coord) {
  const auto found = known_.find(coord);
  if (found == known_.end() || std::exchange(found->second.awake, true)) return;
  awake_.push_back(coord);
}

void HeatField::wake_around(ChunkCoord coord) {
  wake(coord);
  wake({coord.x - 1, coord.y, coord.z});
  wake({coord.x + 1, coord.y, coord.z});
  wake({coord.x, coord.y - 1, coord.z});
  wake({coord.x, coord.y + 1, coord.z});
  wake({coord.x, coord.y, coord.z - 1});
  wake({coord.x, coord.y, coord.z + 1});
}

void HeatField::take_changes(const Grid& grid, HeatState& state) {
  for (const Chunk* chunk : grid.changed()) {
    if (chunk->world_cells > 0) take_chunk(*chunk, state);
  }
}

void HeatField::take_chunk(const Chunk& chunk, HeatState& state) {
  Known& known = know(chunk.coord);
  const bool alike = chunk.cells.is_shared() && known.cells.is_shared();
  if (alike && chunk.cells[0] == known.cells[0]) return;
  if (std::equal(chunk.cells.begin(), chunk.cells.end(), known.cells.begin())) return;
  const HeatCurve curve(state.options.latent);
  HeatPage& page = state.pages[chunk.coord];
  std::int64_t* const energies = page.edit();
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    change_units(curve, state.options.water, held_in(known.cells[i]), held_in(chunk.cells[i]),
                 energies[i], state.totals);
  }
  page.share_if_uniform();
  if (page.nothing()) state.pages.erase(chunk.coord);
  remember(chunk.cells, known);
  note(chunk.coord, known);
}

void HeatField::came(const Grid& grid, Vec3 at, std::int32_t units, std::int32_t temperature,
                     HeatState& state) {
  exchanged(grid, at, {units, 0}, temperature, state);
}

void HeatField::went(const Grid& grid, Vec3 at, std::int32_t units, HeatState& state) {
  exchanged(grid, at, {0, units}, 0, state);
}

void HeatField::exchanged(const Grid& grid, Vec3 at, HeatExchange units, std::int32_t temperature,
                          HeatState& state) {
  const std::int32_t now = held_in(grid.cell(at));
  const auto before = static_cast<std::int32_t>(now - units.came + units.went);
  std::int64_t& energy = take_cell(grid, at, before, state);
  const std::int64_t comes = HeatCurve(state.options.latent).energy_at(temperature, units.came);
  energy += comes;
  state.totals.come(comes);
  const std::int64_t goes = units.went == 0 ? 0 : carried(energy, units.went, now + units.went);
  energy -= goes;
  state.totals.go(goes);
}

// Brings one cell's energy to `units`, which it held before what is done now. That which commands
// did to it earlier in this tick has not been looked at yet.
std::int64_t& HeatField::take_cell(const Grid& grid, Vec3 at, std::int32_t units,
                                   HeatState& state) {
  const ChunkCoord coord = shape_.chunk_of(at);
  const auto index = static_cast<std::size_t>(shape_.index_of(at));
  Known& known = know(coord);
  std::int64_t& energy = state.pages[coord].edit()[index];
  change_units(HeatCurve(state.options.latent), state.options.water, held_in(known.cells[index]),
               units, energy, state.totals);
  known.cells.edit()[index] = grid.cell(at);
  note(coord, known);
  return energy;
}

void HeatField::finish(HeatState& state) {
  changed_ = std::exchange(stale_, {});
  for (const ChunkCoord coord : changed_) {
    Known& known = know(coord);
    known.stale = false;
    digest_ -= contribution(coord, known.digest);
    const auto page = state.pages.find(coord);
    if (page != state.pages.end()) page->second.share_if_uniform();
    if (page != state.pages.end() && page->second.nothing()) state.pages.erase(page);
    known.digest = state.pages.contains(coord) ? digest_of(state.pages[coord]) : 0;
    digest_ += contribution(coord, known.digest);
    known.cells.share_if_uniform();
    // Nothing is known of what holds nothing.
    if (known.digest == 0 && known.cells.is_shared_air() && !known.awake) {
      simmering_ -= static_cast<std::int64_t>(known.simmering.size());
      known_.erase(coord);
    }
  }
}

// Bubbles: the closer to boiling, the oftener and the stronger.
std::vector<WavePush> HeatField::kicks(std::uint64_t tick, std::uint64_t seed, const Grid& grid,
                                       const HeatState& state) const {
  constexpr std::int64_t kWhole = 1024;
  std::vector<WavePush> kicks;
  const std::int32_t onset = state.options.simmer;
  for (const auto& [coord, known] : known_) {
    for (const Vec3 at : known.simmering) {
      const std::int32_t t = temperature_at(state, grid, at);
      if (t < onset) continue;
      const std::int64_t share =
          std::min(kWhole, (t - onset) * kWhole / std::max(1, kBoiling - kDegree - onset));
      const std::uint32_t drawn =
          choose(draw(seed, tick, at, DrawPurpose::kHeatKick), kWhole * kWhole * kTicksOfAKick);
      if (drawn >= share * share) continue;
      kicks.push_back({at, 0, static_cast<std::int32_t>(1 + kKickEnergy * share / kWhole), 0});
    }
  }
  return kicks;
}

void HeatField::heat_cells(const Grid& grid, HeatState& state) {
  heated_ = false;
  for (const auto& [at, heater] : state.heaters) {
    std::array<Vec3, kMostFaces> places{at};
    std::size_t count = 1;
    if (held_in(grid.cell(at)) == 0 && grid.cell(at) != kAir) {
      // In rock: to the water that touches it, in equal shares.
      count = 0;
      for (const Vec3 step : {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 1, 0},
                              Vec3{0, 0, -1}, Vec3{0, 0, 1}}) {
        if (held_in(grid.cell(at + step)) > 0) places[count++] = at + step;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t given =
          give(grid, places[i], heater.rate / static_cast<std::int32_t>(count), state);
      heated_ = heated_ || given != 0;
      if (given > 0) state.totals.come(given);
      if (given < 0) state.totals.go(-given);
    }
  }
}

std::int64_t HeatField::give(const Grid& grid, Vec3 at, std::int64_t energy, HeatState& state) {
  const std::int32_t units = held_in(grid.cell(at));
  if (units == 0) return 0;
  const ChunkCoord coord = shape_.chunk_of(at);
  const auto index = static_cast<std::size_t>(shape_.index_of(at));
  const auto page = state.pages.find(coord);
  const std::int64_t before = page == state.pages.end() ? 0 : page->second.at(index);
  const std::int64_t most = units * HeatCurve(state.options.latent).most();
  const std::int64_t after = std::clamp<std::int64_t>(before + energy, 0, std::max(most, before));
  if (after == before) return 0;
  state.pages[coord].edit()[index] = after;
  note(coord, know(coord));
  return after - before;
}

std::int32_t temperature_at(const HeatState& state, const Grid& grid, Vec3 at) {
  const ChunkShape shape = state.shape();
  const auto page = state.pages.find(shape.chunk_of(at));
  const std::int32_t units = held_in(grid.cell(at));
  const std::int64_t energy =
      page == state.pages.end() ? 0 : page->second.at(static_cast<std::size_t>(shape.index_of(at)));
  return HeatCurve(state.options.latent).temperature(energy, units);
}

std::int32_t ice_at(const HeatState& state, const Grid& grid, Vec3 at) {
  const ChunkShape shape = state.shape();
  const Cell cell = grid.cell(at);
  const std::int32_t units = held_in(cell);
  if (units == 0) return 0;
  const auto page = state.pages.find(shape.chunk_of(at));
  const std::int64_t energy =
      page == state.pages.end() ? 0 : page->second.at(static_cast<std::size_t>(shape.index_of(at)));
  return HeatCurve(state.options.latent).frozen_units(energy, units, is_ice(cell));
}

std::int64_t ice_in(const HeatState& state, const Grid& grid) {
  const HeatCurve curve(state.options.latent);
  std::int64_t ice = 0;
  grid.for_each([&](const Chunk& chunk) {
    const auto page = state.pages.find(chunk.coord);
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const std::int32_t units = held_in(chunk.cells[i]);
      if (units == 0) continue;
      const std::int64_t energy = page == state.pages.end() ? 0 : page->second.at(i);
      ice += curve.frozen_units(energy, units, is_ice(chunk.cells[i]));
    }
  });
  return ice;
}

}  // namespace sluice::sim
