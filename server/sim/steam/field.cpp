// One step of steam. Each rule makes a new list from the old one, and what comes to one place is
// added up; so neither the order of cells nor a mirror can matter.
#include "server/sim/steam/field.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/base/sometimes.h"
#include "server/sim/heat/flux.h"
#include "server/sim/int_math.h"

namespace sluice::sim {

namespace {

/// Where a way leads.
enum class Way { kShut, kOpen, kOut };

using SteamCells = std::vector<SteamCell>;

/// By columns, from their tops down.
bool column_order(const SteamCell& a, const SteamCell& b) {
  if (a.at.x != b.at.x) return a.at.x < b.at.x;
  if (a.at.z != b.at.z) return a.at.z < b.at.z;
  return a.at.y > b.at.y;
}

bool place_order(const SteamCell& a, const SteamCell& b) {
  return a.at < b.at;
}

class SteamStep {
 public:
  SteamStep(const SteamTick& now, const Edges& edges, Grid& grid, CarriedWater& water,
            HeatState& state)
      : now_(now),
        edges_(edges),
        grid_(grid),
        water_(water),
        state_(state),
        curve_(state.options.latent),
        air_(air_at(state, now.tick) << kLogFine),
        solid_(!(grid.shape() == kSideViewShape)) {}

  std::int64_t run(SteamCells boiled) {
    SteamCells cells = std::exchange(state_.steam.cells, {});
    part_with_buried(cells, boiled);
    if (const std::int32_t way = wind_way(); way != 0) drift(way, cells);
    rise_and_spread(cells);
    come_up(std::move(boiled), cells);
    add_up(cells);
    std::int64_t rained = 0;
    for (SteamCell& cell : cells) rained += cool(cell);
    if (rained > 0) SLUICE_SOMETIMES("steam was water again");
    std::erase_if(cells, [](const SteamCell& cell) { return cell.held.units == 0; });
    thin_out(cells);
    state_.steam.cells = std::move(cells);
    return rained;
  }

 private:
  [[nodiscard]] Cell cell(Vec3 at) {
    if (!grid_.world_box().contains(at)) return kOutside;
    const ChunkCoord coord = grid_.shape().chunk_of(at);
    if (!looked_ || coord != coord_) {
      looked_ = true;
      coord_ = coord;
      chunk_ = std::as_const(grid_).find(coord);
    }
    if (chunk_ == nullptr) return kAir;
    return chunk_->cells[static_cast<std::size_t>(grid_.shape().index_of(at))];
  }

  /// Over water that does not fill its cell there is room for steam, too.
  [[nodiscard]] static bool has_room(Cell cell) { return is_open(cell) && cell < kFull; }

  [[nodiscard]] Way way_to(Vec3 at) {
    const Vec3 size = grid_.world_box().size;
    const auto edge = [](Edge kind) { return kind == Edge::kOpen ? Way::kOut : Way::kShut; };
    if (at.y >= size.y) return edge(edges_.top);
    if (at.x < 0) return edge(edges_.left);
    if (at.x >= size.x) return edge(edges_.right);
    if (at.z < 0) return edge(edges_.front);
    if (at.z >= size.z) return edge(edges_.back);
    return has_room(cell(at)) ? Way::kOpen : Way::kShut;
  }

  void leave(const Steam& steam) { state_.totals.go(steam.energy); }

  // Of cells that were filled since: with water, or with what is solid.
  void part_with_buried(SteamCells& cells, SteamCells& boiled) {
    std::erase_if(cells, [&](const SteamCell& steam) {
      if (has_room(cell(steam.at))) return false;
      boiled.push_back(steam);
      return true;
    });
  }

  // In a tick in which the wind has gone a cell further; it is slower than a cell a tick.
  [[nodiscard]] std::int32_t wind_way() const {
    const std::int32_t speed = now_.wind < 0 ? -now_.wind : now_.wind;
    if (due_in_tick(speed, now_.tick, kFull) == 0) return 0;
    return now_.wind < 0 ? -1 : 1;
  }

  void drift(std::int32_t step, SteamCells& cells) {
    SteamCells moved;
    moved.reserve(cells.size());
    for (const SteamCell& steam : cells) {
      const Vec3 next = steam.at + Vec3{step, 0, 0};
      const Way way = way_to(next);
      if (way == Way::kOut) {
        leave(steam.held);
      } else {
        moved.push_back({way == Way::kOpen ? next : steam.at, steam.held});
      }
    }
    add_up(moved);
    cells = std::move(moved);
  }

  void rise_and_spread(SteamCells& cells) {
    SteamCells moved;
    moved.reserve(cells.size());
    for (const SteamCell& steam : cells) {
      const Vec3 up = steam.at + Vec3{0, 1, 0};
      const Way way = way_to(up);
      if (way == Way::kOut) {
        leave(steam.held);
      } else if (way == Way::kOpen) {
        moved.push_back({up, steam.held});
      } else {
        moved.push_back({steam.at, spread(cells, steam, moved)});
      }
    }
    cells = std::move(moved);
  }

  // Under a roof. Returns what stays.
  [[nodiscard]] Steam spread(const SteamCells& cells, const SteamCell& steam, SteamCells& moved) {
    constexpr std::array<Vec3, 4> kSides = {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1},
                                            Vec3{0, 0, 1}};
    const std::size_t sides = solid_ ? 4 : 2;
    Steam left = steam.held;
    for (std::size_t i = 0; i < sides; ++i) {
      const Vec3 beside = steam.at + kSides[i];
      const Way way = way_to(beside);
      if (way == Way::kShut) continue;
      const std::int32_t more = steam.held.units - units_at(cells, beside);
      const auto most = static_cast<std::int32_t>(2 * sides);
      const std::int32_t units = round_down_to(std::max(more, 0) / most, now_.quantum);
      if (units == 0) continue;
      const Steam part{units, carried(steam.held.energy, units, steam.held.units)};
      left.units -= part.units;
      left.energy -= part.energy;
      if (way == Way::kOut) {
        leave(part);
      } else {
        moved.push_back({beside, part});
      }
    }
    return left;
  }

  [[nodiscard]] static std::int32_t units_at(const SteamCells& cells, Vec3 at) {
    const auto found = std::lower_bound(cells.begin(), cells.end(), SteamCell{at, {}}, place_order);
    return found == cells.end() || found->at != at ? 0 : found->held.units;
  }

  // As bubbles through water: to the air over it, or to what room its topmost cell has.
  void come_up(SteamCells boiled, SteamCells& cells) {
    std::sort(boiled.begin(), boiled.end(), column_order);
    Vec3 last = kNowhere;
    Vec3 last_place = kNowhere;
    for (const SteamCell& steam : boiled) {
      const bool same_column = last.x == steam.at.x && last.z == steam.at.z;
      const Vec3 place = over_water(steam.at, same_column ? last : kNowhere, last_place);
      last = steam.at;
      last_place = place;
      if (place == kNowhere) {
        leave(steam.held);
      } else {
        cells.push_back({place, steam.held});
      }
    }
  }

  // kNowhere where there is no room. A way that comes by `known` ends where that one's does.
  [[nodiscard]] Vec3 over_water(Vec3 at, Vec3 known, Vec3 known_place) {
    Vec3 top = kNowhere;
    for (;; ++at.y) {
      if (at == known) return known_place;
      const Cell here = cell(at);
      if (here == kAir) return at;
      if (!is_open(here)) break;
      top = at;
    }
    return top != kNowhere && has_room(cell(top)) ? top : kNowhere;
  }

  // One entry a place, in their order.
  void add_up(SteamCells& cells) {
    std::sort(cells.begin(), cells.end(), place_order);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cells.size();) {
      const Vec3 at = cells[i].at;
      std::int64_t units = 0;
      std::int64_t energy = 0;
      for (; i < cells.size() && cells[i].at == at; ++i) {
        units += cells[i].held.units;
        energy += cells[i].held.energy;
      }
      const std::int64_t most = round_down_to(kMostSteamUnits, now_.quantum);
      if (units > most) {
        const std::int64_t goes = energy / units * (units - most);
        energy -= goes;
        state_.totals.go(goes);
        units = most;
      }
      cells[kept++] = {at, {static_cast<std::int32_t>(units), energy}};
    }
    cells.resize(kept);
  }

  // To the air, or from it; then what has lost its heat of boiling is water. Returns those units.
  std::int32_t cool(SteamCell& steam) {
    Steam& held = steam.held;
    const std::int64_t given =
        conducted(state_.options.surface, held.units, curve_.fine(held.energy, held.units), air_);
    held.energy -= given;
    if (given > 0) state_.totals.go(given);
    if (given < 0) state_.totals.come(-given);
    std::int32_t drop = cold_units(held);
    if (drop == 0) return 0;
    drop = round_down_to(std::min(drop, kFull - grid_.cell(steam.at)), now_.quantum);
    if (drop == 0) return 0;
    const std::int64_t energy =
        std::min(curve_.boils() * drop, carried(held.energy, drop, held.units));
    held.units -= drop;
    // The last drop takes all: there is no heat without water.
    const std::int64_t goes = held.units == 0 ? held.energy : energy;
    held.energy -= goes;
    grid_.add_to_cell(steam.at, drop);
    Load load{};
    load[kHeatCargo] = goes;
    water_.returned(grid_, steam.at, drop, load);
    return drop;
  }

  // Of its units those that are no steam any more, if they make a drop.
  [[nodiscard]] std::int32_t cold_units(const Steam& held) const {
    const std::int64_t units = held.units;
    const std::int64_t missing = units * (curve_.boils() + curve_.boiling) - held.energy;
    if (missing <= 0) return 0;
    const std::int64_t cold =
        curve_.boiling == 0 ? units : std::min<std::int64_t>(units, missing / curve_.boiling);
    return cold < units && cold < kLeastDrop ? 0 : static_cast<std::int32_t>(cold);
  }

  // What does not fit: by amounts, so that places cannot matter.
  void thin_out(SteamCells& cells) {
    const auto most = static_cast<std::size_t>(kMostSteamCells);
    if (cells.size() <= most) return;
    std::vector<std::int32_t> amounts;
    amounts.reserve(cells.size());
    for (const SteamCell& steam : cells) amounts.push_back(steam.held.units);
    const auto limit = amounts.end() - static_cast<std::ptrdiff_t>(most) - 1;
    std::nth_element(amounts.begin(), limit, amounts.end());
    const std::int32_t thin = *limit;
    std::erase_if(cells, [&](const SteamCell& steam) {
      if (steam.held.units > thin) return false;
      leave(steam.held);
      return true;
    });
  }

  const SteamTick& now_;
  const Edges& edges_;
  Grid& grid_;
  CarriedWater& water_;
  HeatState& state_;
  HeatCurve curve_;
  std::int32_t air_;  // 1/65536 degree
  bool solid_;        // 3D
  // The chunk that was looked at last. No rule looks at any when drops have fallen.
  bool looked_ = false;
  ChunkCoord coord_;
  const Chunk* chunk_ = nullptr;
};

}  // namespace

SteamField::SteamField(const WorldConfig& config) : edges_(config.edges) {}

void SteamField::attach(const HeatState& state) {
  digest_ = digest_of(state.steam);
}

std::int64_t SteamField::step(const SteamTick& now, std::vector<SteamCell> boiled, Grid& grid,
                              CarriedWater& water, HeatState& state) {
  active_ = !boiled.empty();
  if (state.steam.cells.empty() && boiled.empty()) return 0;
  const std::vector<SteamCell> before = state.steam.cells;
  const std::int64_t rained = SteamStep(now, edges_, grid, water, state).run(std::move(boiled));
  active_ = active_ || rained > 0 || state.steam.cells != before;
  digest_ = digest_of(state.steam);
  return rained;
}

}  // namespace sluice::sim
