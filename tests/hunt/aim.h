// Commands that hit: drawn ones are bent towards the few places and names of a run where things
// are, so that what one command built another one finds; and some have a number, a name or a place
// that is not allowed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/sim/commands/commands.h"
#include "server/sim/spec.h"
#include "tests/support/dice.h"

namespace sluice::hunt {

/// What commands are aimed at: the same for all clients of a run.
struct Targets {
  /// From a world as it begins: springs, ports and pipes, corners of it, both sides of chunks'
  /// borders.
  Targets(const sim::WorldSpec& spec, std::uint64_t seed);

  std::vector<Vec3> places;  // within the world
  std::vector<std::string> pipes;
  std::vector<sim::RemovePort> ports;  // each of them, taken away
  std::vector<std::string> tracers;
};

/// Of those that are refused for reasons that other dice hardly meet: levels of broken parts, the
/// whole world at once, a port without a cell; and one that only aimed dice can find, a port that
/// there is, taken away.
[[nodiscard]] sim::Command rare_command(tests::Dice& dice, Vec3 size, const Targets& targets);
/// Of those that other dice draw never, or in worlds alone that have what they need.
[[nodiscard]] sim::Command seldom_command(tests::Dice& dice, Vec3 size);
/// In amounts that such water can have.
[[nodiscard]] sim::Command fitting(sim::Command command, sim::WaterMeasure measure);
/// The command at those places and with those names; `wrong`: with one field that is out of place.
[[nodiscard]] sim::Command aimed(sim::Command command, const Targets& targets, bool wrong,
                                 tests::Dice& dice);

}  // namespace sluice::hunt
