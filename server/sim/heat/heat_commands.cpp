// The commands of heat, and what their numbers may be.
#include <string>

#include "server/sim/commands/context.h"
#include "server/sim/heat/field.h"

namespace sluice::sim {

CommandOutcome CommandContext::apply(const WarmPour& command) {
  if (!world_.core_.heat.on) return {kNoHeat};
  if (Status s = validate_temperature("temperature", command.temperature); !s) {
    return refused(s);
  }
  const CommandOutcome poured = apply(Pour{command.at, command.units});
  if (poured.applied()) {
    Load load = world_.carried_->usual_load(command.units);
    load[kHeatCargo] =
        world_.heat_->energy_of(command.units, command.temperature, world_.core_.heat);
    world_.carried_->exchanged(world_.grid_, command.at, {command.units, 0}, load);
  }
  return poured;
}

CommandOutcome CommandContext::apply(const AddWarmSource& command) {
  if (!world_.core_.heat.on) return {kNoHeat};
  if (Status s = validate_temperature("temperature", command.temperature); !s) {
    return refused(s);
  }
  if (command.head < -1) return {"head " + std::to_string(command.head) + " is below zero"};
  const CommandOutcome made = command.head < 0
                                  ? apply(AddSource{command.at, command.rate})
                                  : apply(AddSourceUpTo{command.at, command.rate, command.head});
  if (made.applied()) world_.core_.heat.springs[command.at] = {command.temperature};
  return made;
}

CommandOutcome CommandContext::add_source(const Spring& source) {
  if (!source.tracers.empty()) {
    AddDyedSource dyed{source.at, source.rate, source.tracers, source.temperature, {}};
    if (source.head >= 0) dyed.head = source.head;
    return apply(dyed);
  }
  if (source.temperature) {
    return apply(AddWarmSource{source.at, source.rate, *source.temperature, source.head});
  }
  if (source.head < 0) return apply(AddSource{source.at, source.rate});
  return apply(AddSourceUpTo{source.at, source.rate, source.head});
}

CommandOutcome CommandContext::apply(const SetAir& command) {
  if (!world_.core_.heat.on) return {kNoHeat};
  if (Status s = validate_temperature("temperature", command.temperature); !s) {
    return refused(s);
  }
  world_.core_.heat.air = command.temperature;
  return {};
}

CommandOutcome CommandContext::apply(const AddHeater& command) {
  HeatState& heat = world_.core_.heat;
  if (!heat.on) return {kNoHeat};
  if (Status s = check_place(command.at); !s) return refused(s);
  if (command.rate == 0 || command.rate < -kMostHeaterRate || command.rate > kMostHeaterRate) {
    return {"rate " + std::to_string(command.rate) + " is out of range; allowed: 1 to " +
            std::to_string(kMostHeaterRate) + " units of energy a tick, or as much below zero"};
  }
  if (heat.heaters.contains(command.at)) {
    return {"there is a heater at " + to_string(command.at) + " already; remove it first"};
  }
  if (heat.heaters.size() >= static_cast<std::size_t>(kMaxHeaters)) {
    return {"a world holds at most " + std::to_string(kMaxHeaters) + " heaters"};
  }
  heat.heaters[command.at] = {command.rate};
  ++world_.springs_version_;
  return {};
}

CommandOutcome CommandContext::apply(const RemoveHeater& command) {
  HeatState& heat = world_.core_.heat;
  if (!heat.on) return {kNoHeat};
  if (heat.heaters.erase(command.at) == 0) {
    return {"there is no heater at " + to_string(command.at)};
  }
  ++world_.springs_version_;
  return {};
}

}  // namespace sluice::sim
