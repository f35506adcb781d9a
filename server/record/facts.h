// What a recording says about itself beside its history: the versions that it was made by, the
// model and its options, and, in a bundle, where it came from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/sim/world.h"

namespace sluice::record {

struct Fact {
  std::string name;  // "begins", "model", "model_version", "options", "made_by", "compiler", ...
  std::string value;
};

/// A writer that meets damage in the file writes this fact, so that whoever opens the file next
/// knows of it. A writer that starts does not read the whole file: without this fact the next one
/// would not see the damage either, and would fail at the same place.
inline constexpr std::string_view kMetDamageFact = "met_damage";
/// Its value, and the tick that this names: up to there all was on the medium. 0: it names none.
[[nodiscard]] std::string met_damage_after(std::uint64_t durable_tick);
[[nodiscard]] std::uint64_t tick_of_damage(std::string_view value);

/// The program and its version, as recordings name it.
[[nodiscard]] std::string program_name();
/// The program, its compiler, the machine that it runs on.
[[nodiscard]] std::vector<Fact> program_facts();
/// The world's model, its version and its options.
[[nodiscard]] std::vector<Fact> world_facts(const sim::World& world);

}  // namespace sluice::record
