// What a recording says about itself beside its history: the versions that it was made by, the
// model and its options, and, in a bundle, where it came from.
#pragma once

#include <string>
#include <vector>

#include "server/sim/world.h"

namespace sluice::record {

struct Fact {
  std::string name;  // "begins", "model", "model_version", "options", "made_by", "compiler", ...
  std::string value;
};

/// The program and its version, as recordings name it.
[[nodiscard]] std::string program_name();
/// The program, its compiler, the machine that it runs on.
[[nodiscard]] std::vector<Fact> program_facts();
/// The world's model, its version and its options.
[[nodiscard]] std::vector<Fact> world_facts(const sim::World& world);

}  // namespace sluice::record
