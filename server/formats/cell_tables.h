// The tables of a world file that say what its cells hold: [[fill]] and [[map]].
#pragma once

#include <string>
#include <vector>

#include "server/formats/first_mistake.h"
#include "server/formats/toml_table.h"
#include "server/sim/spec.h"

namespace sluice::formats {

/// The tables themselves, in the file's order. They belong to the parsed file.
struct CellTables {
  std::vector<const toml::table*> fills;
  std::vector<const toml::table*> maps;

  [[nodiscard]] static CellTables of(TomlTable& root);
};

/// Reads them into `spec`, whose config and tracers must be read.
void parse_cells(const CellTables& tables, FirstMistake& mistake, sim::WorldSpec& spec);

/// How much of each tracer water holds, under `tracer`: names of the world's, and in range. `path`
/// is that of the table.
[[nodiscard]] sim::TracerAmounts tracers_of(TomlTable& table, const toml::table& node,
                                            const std::string& path, FirstMistake& mistake,
                                            const sim::WorldSpec& spec);

}  // namespace sluice::formats
