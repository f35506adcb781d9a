// The tables of a world file that describe pipe networks: [[pipe]], [[pump]], [[valve]], [[link]]
// and
// [[port]].
#pragma once

#include <string>
#include <vector>

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
/// stand before what they name. The first mistake goes to `problem`, with its place.
void parse_pipes(const PipeTables& tables, const std::string& where, std::string& problem,
                 sim::WorldSpec& spec);

}  // namespace sluice::formats
