#include "server/sim/heat/field.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/draw.h"
#include "server/sim/fields.h"
#include "server/sim/heat/floes.h"
#include "server/sim/spec.h"

namespace sluice::sim {

namespace {

/// Energy, as water carries it.
class HeatCargo final : public Cargo {
 public:
  HeatCargo(HeatState& state, HeatField& field)
      : Cargo(state.pages, state.totals), options_(state.options), field_(field) {}
  [[nodiscard]] std::int64_t usual(std::int64_t units) const override {
    return HeatCurve(options_.latent).energy_at(options_.water, units);
  }
  [[nodiscard]] std::int64_t most(std::int64_t units) const override {
    return HeatCurve(options_.latent).most() * units;
  }
  void note(ChunkCoord coord) override { field_.note(coord); }

 private:
  const HeatOptions& options_;
  HeatField& field_;
};

/// 1024 times the sine of whole parts of a day.
constexpr std::array<std::int32_t, kDaySteps> kSine = {
    0, 265,  512,  724,  887,  989,  1024,  989,  887,  724,  512,  265,
    0, -265, -512, -724, -887, -989, -1024, -989, -887, -724, -512, -265};

}  // namespace

Digest digest_of_small(const HeatState& state) {
  HeatState small;
  small.on = state.on;
  small.options = state.options;
  small.air = state.air;
  small.heaters = state.heaters;
  small.springs = state.springs;
  small.totals = state.totals;
  small.solid = state.solid;  // and no steam, which has a digest of its own
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
    : shape_(config.shape()), floes_(std::make_unique<FloeField>(config)) {}

HeatField::~HeatField() = default;

std::unique_ptr<Cargo> HeatField::cargo(HeatState& state) {
  return std::make_unique<HeatCargo>(state, *this);
}

void HeatField::begin(HeatState& state, const Grid& grid) {
  const HeatCurve curve(state.options.latent);
  const std::int32_t warm = state.options.water;
  state.pages.clear();
  known_.clear();
  floes_->forget();
  awake_.clear();
  digest_.clear();
  std::int64_t energy = 0;
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells == 0 || chunk.cells.is_shared_rock() || chunk.cells.is_shared_air())
      return;
    know(chunk.coord);
    AmountPage page;
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
    note(chunk.coord);
  });
  state.totals = {energy, energy, 0, 0};
  air_of_last_step_ = kNoTemperature;
  digest_.finish(state.pages);
}

Status HeatField::attach(HeatState& state, const Grid& grid) {
  const Error wrong{"snapshot: its energies are not those of its water"};
  known_.clear();
  floes_->forget();
  awake_.clear();
  digest_.clear();
  const HeatCurve curve(state.options.latent);
  auto energy = static_cast<std::uint64_t>(state.steam.energy());
  for (const auto& [coord, page] : state.pages) {
    const Chunk* const chunk = grid.find(coord);
    if (chunk == nullptr) return wrong;
    know(coord);
    note(coord);
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
    know(chunk.coord);
    wake(chunk.coord);
  });
  digest_.finish(state.pages);
  air_of_last_step_ = kNoTemperature;
  return Done{};
}

void HeatField::note(ChunkCoord coord) {
  know(coord);
  digest_.note(coord);
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

void HeatField::finish(const CarriedWater& water, HeatState& state) {
  digest_.finish(state.pages);
  for (const ChunkCoord coord : digest_.changed()) {
    const auto known = known_.find(coord);
    // Nothing is known of what holds nothing.
    if (known == known_.end() || known->second.awake || state.pages.contains(coord)) continue;
    const CellPage* const cells = water.cells(coord);
    if (cells != nullptr && !cells->is_shared_air()) continue;
    simmering_ -= static_cast<std::int64_t>(known->second.simmering.size());
    known_.erase(known);
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

// What several heaters give to one cell adds up before it is cut to what the cell can hold: else
// their order would matter.
void HeatField::heat_cells(const Grid& grid, HeatState& state) {
  struct Share {
    Vec3 at;
    std::int64_t energy = 0;
  };
  std::vector<Share> shares;
  shares.reserve(state.heaters.size());
  for (const auto& [at, heater] : state.heaters) {
    if (held_in(grid.cell(at)) > 0 || grid.cell(at) == kAir) {
      shares.push_back({at, heater.rate});
      continue;
    }
    // In rock: to the water that touches it, in equal shares.
    const std::size_t first = shares.size();
    for (const Vec3 step : {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 1, 0},
                            Vec3{0, 0, -1}, Vec3{0, 0, 1}}) {
      if (held_in(grid.cell(at + step)) > 0) shares.push_back({at + step, 0});
    }
    const auto count = static_cast<std::int32_t>(shares.size() - first);
    for (std::size_t i = first; i < shares.size(); ++i) shares[i].energy = heater.rate / count;
  }
  std::sort(shares.begin(), shares.end(),
            [](const Share& a, const Share& b) { return a.at < b.at; });
  heated_ = false;
  for (std::size_t i = 0; i < shares.size();) {
    const Vec3 at = shares[i].at;
    std::int64_t energy = 0;
    for (; i < shares.size() && shares[i].at == at; ++i) energy += shares[i].energy;
    const std::int64_t given = give(grid, at, energy, state);
    heated_ = heated_ || given != 0;
    if (given > 0) state.totals.come(given);
    if (given < 0) state.totals.go(-given);
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
  note(coord);
  return after - before;
}

std::int32_t temperature_at(const HeatState& state, const Grid& grid, Vec3 at) {
  return HeatCurve(state.options.latent)
      .temperature(amount_at(state.pages, state.shape(), at), held_in(grid.cell(at)));
}

std::int32_t ice_at(const HeatState& state, const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  const std::int32_t units = held_in(cell);
  if (units == 0) return 0;
  const std::int64_t energy = amount_at(state.pages, state.shape(), at);
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
