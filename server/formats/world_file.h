// World files (TOML) to plain data. README.md beside this file describes every key.
#pragma once

#include <string>
#include <string_view>

#include "server/sim/result.h"
#include "server/sim/spec.h"

namespace sluice::formats {

/// Errors name `where` (the file), the line and the key, and what is allowed there.
[[nodiscard]] sim::Result<sim::WorldSpec> parse_world(std::string_view text,
                                                      std::string_view where);
[[nodiscard]] sim::Result<sim::WorldSpec> read_world_file(const std::string& path);

/// A file's bytes; the error says why it cannot be read. At most 256 MiB.
[[nodiscard]] sim::Result<std::string> read_file(const std::string& path);

}  // namespace sluice::formats
