// The forms in which `sluice verify`, `diff` and `sync-test` tell of differences and commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "server/record/difference.h"
#include "server/record/records.h"
#include "server/record/repair.h"

namespace sluice::tools {

/// The keys of a printed command that tell who gave it: client, and account where there was one.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> client_keys(
    const std::string& in_history);

/// What the two sides of a difference are called: "recorded" and "replayed", or two files.
struct SideNames {
  const char* expected;
  const char* actual;
};

/// {"layer", "place", "field", EXPECTED, ACTUAL}, and "chunk" and "cell" for cells.
[[nodiscard]] nlohmann::ordered_json to_json(const record::Difference& difference,
                                             const SideNames& names);
/// {"first", "differences", "cells", "chunks", "fields", "box"}. "first" is the first difference
/// that has a place: the sums follow from it.
[[nodiscard]] nlohmann::ordered_json to_json(const record::Comparison& comparison,
                                             const SideNames& names);
/// As `sluice log` prints them, with what became of each.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<record::RecordedCommand>& commands,
                                             std::uint64_t tick);
[[nodiscard]] nlohmann::ordered_json to_json(const Box& box);
/// {"file", "first_tick", "last_tick"}; "file" is null where it has none.
[[nodiscard]] nlohmann::ordered_json to_json(const record::Part& part);

/// The first difference that has a place, or the first.
[[nodiscard]] const record::Difference* first_of(const record::Comparison& comparison);

/// One line a difference, each behind `indent`, then how many there are in all.
[[nodiscard]] std::string to_text(const record::Comparison& comparison, const SideNames& names,
                                  const std::string& indent);
/// One line a command, each behind `indent`.
[[nodiscard]] std::string to_text(const std::vector<record::RecordedCommand>& commands,
                                  std::uint64_t tick, const std::string& indent);
/// "3 cells", "1 cell".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& noun);

}  // namespace sluice::tools
