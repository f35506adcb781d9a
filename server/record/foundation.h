// Making a recording: what stands in a file before its history begins (tables, versions, the world
// file, facts, the first checkpoint).
#pragma once

#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/checkpoint.h"
#include "server/record/facts.h"
#include "server/record/format.h"
#include "server/sim/world.h"

namespace sluice::record {

class Database;

struct Foundation {
  std::string world_file_text;
  std::string made_by;
  std::vector<Fact> facts;  // but for "begins"
  CheckpointImage image;    // complete; the history begins after its tick
};

/// What a recording of this world, made here, says about itself.
[[nodiscard]] std::vector<Fact> first_facts(const sim::World& first);

/// In the transaction under way; a fact of the same name is replaced.
[[nodiscard]] Status write_fact(Database& database, const Fact& fact);

/// Makes the file, durably. Refuses to overwrite. A process that is killed meanwhile leaves no file
/// of that name. The caller holds the file's WriteLock.
[[nodiscard]] Status make_recording(const std::string& path, Foundation& foundation,
                                    const Limits& limits);

}  // namespace sluice::record
