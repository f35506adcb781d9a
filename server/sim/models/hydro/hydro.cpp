// One tick of hydro water: repair what is known of the world's shape, let water fall, gather what
// may move, move it, settle it, write it back.
#include "server/sim/models/hydro/hydro.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "server/sim/kernels.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/fall.h"
#include "server/sim/models/hydro/flow.h"
#include "server/sim/models/hydro/head.h"
#include "server/sim/models/hydro/push.h"

namespace sluice::sim {

namespace {

using hydro::Columns;
using hydro::Flow;
using hydro::Run;

class HydroWater final : public WaterModelState {
 public:
  explicit HydroWater(const WorldConfig& config) : columns_(config), flow_(columns_, config) {}

  void attach(Grid& grid, WaterState& state) override {
    state_ = &state;
    columns_.build(grid, state.as<HydroState>());
    flow_.restart();
    awake_.clear();
    perched_.clear();
    falling_.clear();
    looks_at_all_ = true;
  }

  WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& executor) override {
    if (!columns_.knows_state()) attach(grid, *state_);
    std::vector<std::int32_t> seeds = std::move(awake_);
    seeds.insert(seeds.end(), perched_.begin(), perched_.end());
    const std::size_t known = seeds.size();  // to the tick before
    columns_.repair(seeds);
    if (!now.sleep || looks_at_all_) look_at_all(seeds);
    if (now.tick == 1) {
      for (const std::int32_t id : seeds) columns_.run(id).event = true;
    }
    looks_at_all_ = false;
    for (const WaterPush& push : std::exchange(pushes_, {})) {
      for (const std::int32_t link : hydro::give_push(columns_, push, seeds)) {
        flow_.take_up_flow(link);
      }
    }
    flow_.begin(now.moves, executor, now.sizes);
    std::vector<std::int32_t> landed;
    std::vector<std::int32_t> falling =
        let_fall(std::span<const std::int32_t>(seeds).subspan(known), landed);
    seeds.insert(seeds.end(), landed.begin(), landed.end());
    // These alone change nothing.
    const bool idle = seeds.size() == perched_.size() && flow_.no_open_water();
    if (idle) seeds.clear();
    flow_.gather(seeds, known);
    WaterAdvance done;
    done.sweeps = 1;
    done.cell_updates =
        flow_.movers() + flow_.take_looks() + static_cast<std::int64_t>(falling.size());
    std::erase_if(falling, [this](std::int32_t id) { return flow_.has(id); });
    flow_.move(landed);
    flow_.settle();
    hydro::Left left = flow_.finish();
    done.drained = left.drained;
    done.heads_changed = left.heads_changed;
    awake_ = std::move(left.awake);
    if (!idle) perched_.clear();
    perched_.insert(perched_.end(), left.perched.begin(), left.perched.end());
    falling_ = std::move(left.falling);
    let_be(falling, left);
    columns_.store_falls(falling_);
    columns_.note_shown(left.changed);
    // Runs whose chunks were made late, too.
    for (const std::int32_t id : left.waiting) columns_.show(columns_.run(id));
    for (const std::int32_t id : left.waiting) {
      columns_.keep_awake(columns_.run(id), left.kept_awake);
    }
    // Whatever holds water has columns all around it when a tick ends, as after a restore: else it
    // would depend on restores whether a wall that is built there is an event beside it.
    for (const std::int32_t id : left.unmet) columns_.meet_neighbours(id);
    for (Chunk* const chunk : grid.awake()) chunk->wake = 0;
    for (Chunk* const chunk : left.kept_awake) grid.wake(*chunk, kWakeAll);
    return done;
  }

  bool push(const WaterPush& push) override {
    pushes_.push_back(push);
    return true;
  }

  void gushed(Vec3 at, std::int32_t units) override { columns_.add_jet(at, units); }
  void look(const Grid& /*grid*/) override { room_.forget(); }
  void follow(const Grid& grid, Vec3 at) override { room_.follow(grid, at); }
  WaterHead head(const Grid& grid, Vec3 at) override {
    return {hydro::head_at(grid, columns_, at), 1};
  }
  // A full cell has the room of the surface on which water comes to lie that is put in there.
  std::int64_t most_at(const Grid& grid, Vec3 at, std::int64_t head) override {
    const auto most_in = [head](Vec3 cell) {
      return std::clamp<std::int64_t>(head - std::int64_t{cell.y} * kFull, 0, kFull);
    };
    if (grid.cell(at) != kFull) return most_in(at);
    const std::optional<Vec3> surface = room_.find(grid, at);
    if (!surface) return kFull;
    return kFull + std::max<std::int64_t>(most_in(*surface) - grid.cell(*surface), 0);
  }
  std::optional<Vec3> taker(const Grid& grid, Vec3 at) override { return room_.find(grid, at); }
  void spread(const Grid& grid, Vec3 at, std::int32_t units, std::int64_t head,
              std::vector<WaterGift>& gifts) override {
    room_.spread(grid, at, units, head, gifts);
  }

 private:
  void look_at_all(std::vector<std::int32_t>& seeds) {
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) {
      const Run& run = columns_.run(id);
      if (!run.alive || run.drain) continue;
      if (run.wet() || run.air > 0 || run.motion != hydro::kNone) seeds.push_back(id);
    }
  }

  // Every run with falling water, once: those of the tick before, and of others that woke.
  std::vector<std::int32_t> let_fall(std::span<const std::int32_t> woken,
                                     std::vector<std::int32_t>& landed) {
    std::vector<std::int32_t> falling = std::move(falling_);
    falling.insert(falling.end(), woken.begin(), woken.end());
    std::erase_if(falling, [this](std::int32_t id) {
      return !columns_.run(id).alive || columns_.run(id).air == 0;
    });
    std::sort(falling.begin(), falling.end());
    falling.erase(std::unique(falling.begin(), falling.end()), falling.end());
    for (const std::int32_t id : falling) {
      Run& run = columns_.run(id);
      if (hydro::fall(run)) landed.push_back(id);
    }
    return falling;
  }

  // Those in which water falls and nothing else moves.
  void let_be(const std::vector<std::int32_t>& falling, hydro::Left& left) {
    for (const std::int32_t id : falling) {
      Run& run = columns_.run(id);
      HydroRunState state;
      state.age = columns_.state_of(run).age;
      if (state.age > 0) ++state.age;
      columns_.store_run(id, state);
      if (columns_.show(run, left.changed)) {
        columns_.keep_awake(run, left.kept_awake);
      } else {
        left.waiting.push_back(id);
      }
      falling_.push_back(id);
      if (!run.met) left.unmet.push_back(id);
    }
  }

  WaterState* state_ = nullptr;
  Columns columns_;
  Flow flow_;
  std::vector<WaterPush> pushes_;      // for the next tick
  std::vector<std::int32_t> awake_;    // runs to be looked at in the next tick
  std::vector<std::int32_t> perched_;  // runs that rest though they could move (Flow::Left)
  std::vector<std::int32_t> falling_;  // runs in which water falls
  bool looks_at_all_ = true;
  hydro::RoomSearch room_;
};

WaterMeasure measure(const WorldConfig& /*config*/) {
  return {.cell_max = kFull, .heads_of_bodies = true, .spreads = true};
}

std::unique_ptr<WaterModelState> make(const WorldConfig& config) {
  return std::make_unique<HydroWater>(config);
}

}  // namespace

WaterModelRow hydro_water() {
  return {.id = WaterModel::kHydro,
          .version = 7,
          .name = "hydro",
          .meaning = "columns with momentum: exact volume, flat at rest",
          .work = {.side_view = 16,
                   .solid = 200,
                   .new_side_view = 30'000,
                   .new_solid = 300'000,
                   .falling = 180},
          .measure = measure,
          .make = make,
          .state = keep<HydroState>};
}

Digest digest_of(const HydroState& state, Executor& executor, std::size_t piece) {
  const hydro::HydroKernels& of = kernels().hydro;
  // A sum, whose parts may be made in any order.
  const auto in_pieces = [&](const auto& entries, auto* digest_of_some) {
    std::vector<Digest> parts(entries.size() / piece + 1);
    run_in_pieces(executor, entries.size(), piece,
                  [&](std::size_t from, std::size_t to, std::size_t part) {
                    parts[part] = digest_of_some(entries.subspan(from, to - from));
                  });
    return std::accumulate(parts.begin(), parts.end(), Digest{0});
  };
  Digest digest = in_pieces(state.runs.entries(), of.digest_runs) +
                  in_pieces(state.links_x.entries(), of.digest_links) +
                  in_pieces(state.links_z.entries(), of.digest_links);
  for (const auto& fall : state.falls.entries()) digest += fall.state.digest(fall.digest);
  return digest;
}

Status validate(const HydroState& state, const WorldConfig& config) {
  const Box world = config.box();
  const Error wrong{"snapshot: its hydro water moves as none can"};
  bool possible = true;
  state.runs.for_each([&](Vec3 at, const HydroRunState& run) {
    possible = possible && world.contains(at) && run.pressure >= 0 &&
               run.pressure < std::int64_t{1} << 44 && run.friction >= 0 &&
               run.friction <= hydro::kMostFriction && run.age >= 0 && run.age < 1 << 30;
  });
  state.falls.for_each([&](Vec3 at, const HydroFallState& fall) {
    possible =
        possible && world.contains(at) && fall.speed > 0 && fall.speed <= hydro::kFallFastest;
  });
  for (const auto* links : {&state.links_x, &state.links_z}) {
    links->for_each([&](Vec3 at, const HydroLinkState& link) {
      possible = possible && at.x >= -1 && at.x < world.size.x && at.y >= 0 &&
                 at.y < world.size.y && at.z >= -1 && at.z < world.size.z &&
                 hydro::absolute(link.flow) <= hydro::kMostFlow &&
                 hydro::absolute(link.carry) < hydro::kOne;
    });
  }
  if (!possible) return wrong;
  return Done{};
}

}  // namespace sluice::sim
