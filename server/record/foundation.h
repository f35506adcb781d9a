// What stands in a file before its history: tables, versions, the world file, facts.
#pragma once

#include <vector>

#include "protocol/base/result.h"
#include "server/record/facts.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"

namespace sluice::record {

/// What a recording of this world, made here, says about itself.
[[nodiscard]] std::vector<Fact> first_facts(const sim::World& first);

/// Writes all that a new file holds but its first checkpoint.
[[nodiscard]] Status write_foundation(Database& database, const Foundation& foundation);

}  // namespace sluice::record
