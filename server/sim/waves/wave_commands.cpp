// The commands of waves, and what their numbers may be.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "server/sim/commands/context.h"
#include "server/sim/models/registry.h"
#include "server/sim/range.h"
#include "server/sim/waves/field.h"
#include "server/sim/waves/surfaces.h"

namespace sluice::sim {

namespace {

constexpr const char* kNoWaves = "this world has no waves: its world file has no [waves]";

std::string no_surface(Vec3 at) {
  return "there is no free surface of water over or under " + to_string(at);
}

}  // namespace

Status validate(const WaveOptions& options) {
  if (Status s = check_key("waves.tension", options.tension, 1, kMaxWaveTension); !s) return s;
  if (Status s = check_key("waves.dampening", options.dampening, 1, kMaxWaveDampening); !s)
    return s;
  if (Status s = check_key("waves.spread", options.spread, 0, kMaxWaveSpread); !s) return s;
  return check_key("waves.steps", options.steps, 1, kMaxWaveSteps);
}

Status validate_wind(std::int32_t speed) {
  return check_key("waves.wind.speed", speed, -kMaxWind, kMaxWind);
}

Status validate(const WaveState& state, const WorldConfig& config) {
  if (!state.on) return Done{};
  if (!state.possible) return Error{"snapshot: its waves are none that can be"};
  if (Status s = validate(state.options); !s) return Error{"snapshot: " + s.error()};
  if (Status s = validate_wind(state.wind); !s) return Error{"snapshot: " + s.error()};
  for (std::size_t i = 0; i < state.columns.size(); ++i) {
    const WaveColumn column = state.columns.at(i);
    const std::int64_t before = std::int64_t{column.height} - column.speed;
    const bool limited = column.height >= -kMaxWaveHeight && column.height <= kMaxWaveHeight &&
                         before >= -kMaxWaveHeight && before <= kMaxWaveHeight;
    if (limited && config.box().contains(state.columns.places[i])) continue;
    return Error{"snapshot: the wave at " + to_string(state.columns.places[i]) + " cannot be"};
  }
  for (const auto& [at, wave] : state.frozen) {
    const bool limited = wave.height >= -kMaxWaveHeight && wave.height <= kMaxWaveHeight;
    if (limited && wave.height != 0 && config.box().contains(at)) continue;
    return Error{"snapshot: the frozen wave at " + to_string(at) + " cannot be"};
  }
  return Done{};
}

CommandOutcome CommandContext::apply(const Splash& command) {
  if (!world_.core_.waves.on) return {kNoWaves};
  if (Status s = check_place(command.at); !s) return refused(s);
  for (const Status& s : {check_range("radius", command.radius, 0, kMaxSplashRadius),
                          check_range("energy", command.energy, 1, INT32_MAX),
                          check_range("direction", command.direction, -1, 1)}) {
    if (!s) return refused(s);
  }
  const std::optional<Vec3> surface = surface_of_run(command.at);
  if (!surface) return {no_surface(command.at)};
  const auto ripple = static_cast<std::int32_t>(std::min<std::int64_t>(
      command.energy,
      most_ripple(world_.core_.waves.options, command.radius, world_.config().side_view())));
  const WaterPush rest{*surface, command.radius, command.energy - ripple, command.direction};
  const bool moves = rest.energy > 0 && world_.water_->push(rest);
  world_.waves_->push(
      {command.at, command.radius, moves ? ripple : command.energy, command.direction});
  return {};
}

CommandOutcome CommandContext::apply(const Explode& command) {
  if (!world_.core_.waves.on) return {kNoWaves};
  if (Status s = check_place(command.at); !s) return refused(s);
  for (const Status& s : {check_range("radius", command.radius, 0, kMaxSplashRadius),
                          check_range("energy", command.energy, 1, INT32_MAX)}) {
    if (!s) return refused(s);
  }
  const std::optional<Vec3> surface = surface_of_run(command.at);
  if (!surface) return {no_surface(command.at)};
  if (std::abs(surface->y - command.at.y) > command.radius) {
    return {"the surface of the water at " + to_string(*surface) +
            " lies farther from it than its radius of " + std::to_string(command.radius)};
  }
  world_.waves_->push({command.at, command.radius, command.energy, 0, WavePush::Kind::kExplode});
  return {};
}

CommandOutcome CommandContext::apply(const MoveBody& command) {
  if (!world_.core_.waves.on) return {kNoWaves};
  for (const Vec3 place : {command.from, command.to}) {
    if (Status s = check_place(place); !s) return refused(s);
  }
  if (Status s = check_range("radius", command.radius, 0, kMaxSplashRadius); !s) {
    return refused(s);
  }
  const bool from = surface_of_run(command.from).has_value();
  const bool to = surface_of_run(command.to).has_value();
  if (!from && !to) return {no_surface(command.from) + ", nor " + to_string(command.to)};
  // Where it comes from and goes to the same columns, the second push takes back the first.
  if (from) {
    world_.waves_->push({command.from, command.radius, 0, 0, WavePush::Kind::kBodyGoes});
  }
  if (to) world_.waves_->push({command.to, command.radius, 0, 0, WavePush::Kind::kBodyComes});
  return {};
}

std::optional<Vec3> CommandContext::surface_of_run(Vec3 at) const {
  for (const Surface& surface : scan_column(world_.grid_, measure_.full, at.x, at.z)) {
    if (surface.floor <= at.y && at.y < surface.ceiling) return surface.at;
  }
  return std::nullopt;
}

CommandOutcome CommandContext::apply(const SetWind& command) {
  if (!world_.core_.waves.on) return {kNoWaves};
  if (Status s = check_range("speed", command.speed, -kMaxWind, kMaxWind); !s) {
    return refused(s);
  }
  world_.core_.waves.wind = command.speed;
  return {};
}

}  // namespace sluice::sim
