// World files (TOML) to plain data. README.md beside this file describes every key.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "server/sim/spec.h"
#include "server/sim/world.h"

namespace sluice::formats {

/// The water of a world whose file names none.
inline constexpr std::string_view kUsualWater = "hydro";

/// Errors name `where` (the file), the line and the key, and what is allowed there. `usual_water`:
/// a recording's own (record::Reader::water), so that its file describes what it did when that was
/// recorded.
[[nodiscard]] Result<sim::WorldSpec> parse_world(std::string_view text, std::string_view where,
                                                 std::string_view usual_water = kUsualWater);
[[nodiscard]] Result<sim::WorldSpec> read_world_file(const std::string& path);

/// The world that the text of a world file describes, at tick 0.
[[nodiscard]] Result<std::unique_ptr<sim::World>> build_world(
    const std::string& text, std::string_view usual_water = kUsualWater);

/// Of a world file that is sent to a server (`sluice admin create`).
inline constexpr std::size_t kMostSentBytes = std::size_t{1} << 20;

/// A file's bytes; the error says why it cannot be read. At most 256 MiB.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace sluice::formats
