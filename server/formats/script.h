// Command scripts: JSON Lines, one command a line, in tick order. Scripts, the log of a recording
// and the commands of clients are the same lines. The keys of a line are `tick`, `cmd`, and the
// fields of that command as server/sim/commands/commands.h declares them; a cell is a glyph of the
// map alphabet ("#", ".", "~", "1" to "7") or an object {"water": units}.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/commands/commands.h"

namespace sluice::formats {

/// Of a line, whoever wrote it: looked at before it is parsed, so that no line costs more to refuse
/// than to read. The longest command there is has fewer than 20 keys and is 2 deep.
inline constexpr std::size_t kMaxLineBytes = std::size_t{1} << 16;
inline constexpr std::size_t kMaxLineDepth = 4;
inline constexpr std::size_t kMaxLineKeys = 32;

/// Keys that `sluice log` adds to a line, about who gave the command; read over.
inline constexpr std::array kLoggedKeys = {"account", "client", "seq", "visitor"};

struct ScriptLine {
  std::uint64_t tick = 0;  // in which the command applies; the first tick of a world is 1
  sim::Command command;
};

/// A whole script. Errors name `where` (the file) and the line.
[[nodiscard]] Result<std::vector<ScriptLine>> parse_script(std::string_view text,
                                                           std::string_view where);
[[nodiscard]] Result<std::vector<ScriptLine>> read_script(const std::string& path);

/// One command; a `tick` in it is allowed and ignored. Errors begin with `where`.
[[nodiscard]] Result<sim::Command> parse_command(std::string_view json, std::string_view where);

/// One line of a script, without the line's end. `extra` holds more keys and their JSON values, put
/// last (kLoggedKeys).
[[nodiscard]] std::string format_command(
    const sim::Command& command, std::uint64_t tick,
    const std::vector<std::pair<std::string, std::string>>& extra = {});

}  // namespace sluice::formats
