// The commands of tracers, and what their numbers may be.
#include <string>
#include <utility>
#include <vector>

#include "server/sim/commands/context.h"
#include "server/sim/heat/field.h"
#include "server/sim/limits.h"
#include "server/sim/tracers/field.h"

namespace sluice::sim {

Status CommandContext::check_tracers(const TracerAmounts& amounts) const {
  const TracerState& state = world_.core_.tracers;
  if (Status s = check_amounts(state.options(), amounts); !s) return Error{"tracer: " + s.error()};
  return Done{};
}

Status CommandContext::check_temperature(std::optional<std::int32_t> temperature) const {
  if (!temperature) return Done{};
  if (!world_.core_.heat.on) return Error{kNoHeat};
  return validate_temperature("temperature", *temperature);
}

Status CommandContext::check_tracer_room(
    const std::array<std::int64_t, kMostTracers>& amounts) const {
  const TracerState& state = world_.core_.tracers;
  for (std::size_t t = 0; t < amounts.size(); ++t) {
    if (amounts[t] <= state.room(t)) continue;
    return Error{"the world takes " + std::to_string(kMostTracerUnits) + " units of '" +
                 state.tracers[t].options.name + "' over its whole life, and has room for " +
                 std::to_string(state.room(t)) + " more"};
  }
  return Done{};
}

void CommandContext::mix_in(Vec3 at, std::int32_t units, std::optional<std::int32_t> temperature,
                            const std::array<std::int64_t, kMostTracers>& amounts) {
  Load load = world_.carried_->usual_load(units);
  if (temperature) {
    load[kHeatCargo] = HeatField::energy_of(units, *temperature, world_.core_.heat);
  }
  for (std::size_t t = 0; t < static_cast<std::size_t>(world_.core_.tracers.count); ++t) {
    load[world_.first_tracer_cargo() + t] = amounts[t];
  }
  world_.carried_->exchanged(world_.grid_, at, {units, 0}, load);
}

CommandOutcome CommandContext::apply(const DyedPour& command) {
  if (Status s = check_tracers(command.tracer); !s) return refused(s);
  if (Status s = check_temperature(command.temperature); !s) return refused(s);
  const TracerState& state = world_.core_.tracers;
  const auto amounts = by_number(state, command.tracer);
  if (Status s = check_tracer_room(amounts); !s) return refused(s);
  const CommandOutcome poured = apply(Pour{command.at, command.units});
  if (!poured.applied()) return poured;
  mix_in(command.at, command.units, command.temperature, amounts);
  return poured;
}

void CommandContext::mix_into(const std::vector<std::pair<Vec3, std::int32_t>>& poured,
                              std::int64_t units, std::optional<std::int32_t> temperature,
                              const std::array<std::int64_t, kMostTracers>& amounts) {
  std::int64_t gone = 0;
  for (const auto& [at, of_cell] : poured) {
    std::array<std::int64_t, kMostTracers> part{};
    for (std::size_t t = 0; t < part.size(); ++t) {
      part[t] = carried(amounts[t], gone + of_cell, units) - carried(amounts[t], gone, units);
    }
    gone += of_cell;
    mix_in(at, of_cell, temperature, part);
  }
}

CommandOutcome CommandContext::apply(const MixedPour& command) {
  if (command.tracer) {
    if (Status s = check_tracers(*command.tracer); !s) return refused(s);
  }
  if (Status s = check_temperature(command.temperature); !s) return refused(s);
  const TracerState& state = world_.core_.tracers;
  const auto amounts = by_number(state, command.tracer.value_or(TracerAmounts{}));
  if (Status s = check_tracer_room(amounts); !s) return refused(s);
  std::vector<std::pair<Vec3, std::int32_t>> poured;
  const CommandOutcome outcome = pour_upwards({command.at, command.units, command.above}, poured);
  if (!outcome.applied() || (!command.tracer && !command.temperature)) return outcome;
  mix_into(poured, command.units, command.temperature, amounts);
  return outcome;
}

CommandOutcome CommandContext::apply(const AddDyedSource& command) {
  if (Status s = check_tracers(command.tracer); !s) return refused(s);
  if (Status s = check_temperature(command.temperature); !s) return refused(s);
  const Spring spring{command.at, command.rate, command.head.value_or(-1), command.temperature, {}};
  if (command.head && *command.head < 0) {
    return {"head " + std::to_string(*command.head) + " is below zero"};
  }
  const CommandOutcome made = add_source(spring);
  if (!made.applied()) return made;
  world_.core_.tracers.springs[command.at] = {command.tracer};
  return made;
}

}  // namespace sluice::sim
