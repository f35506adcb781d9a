// The tables of a world file that describe pipe networks: [[pipe]], [[pump]], [[valve]], [[link]]
// and [[port]].
#pragma once

#include <vector>

#include "server/formats/first_mistake.h"
#include "server/formats/toml_table.h"
#include "server/sim/spec.h"

namespace sluice::formats {

/// The tables themselves, in the file's order. They belong to the parsed file.
struct PipeTables {
  std::vector<const toml::table*> pipes;
  std::vector<const toml::table*> pumps;
  std::vector<const toml::table*> valves;
  std::vector<const toml::table*> links;
  std::vector<const toml::table*> ports;

  [[nodiscard]] static PipeTables of(TomlTable& root);
};

/// Reads them into `spec`, whose config must be read. Nodes come first, so that links and ports may
/// stand before what they name.
void parse_pipes(const PipeTables& tables, FirstMistake& mistake, sim::WorldSpec& spec);

}  // namespace sluice::formats
