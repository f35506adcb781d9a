// The shapes of all commands, for those who write them: as a JSON Schema and as a TypeScript
// declaration. Both follow from the manifest in server/sim/commands/commands.h, so that a new
// command, or a new field of one, is in them without being written down again.
#pragma once

#include <cstdint>
#include <string>

namespace sluice::formats {

/// What a schema describes.
enum class SchemaOf : std::uint8_t {
  kCommand,     // as clients send it: a tick may be left out
  kScriptLine,  // a line of a script: it has a tick
};

/// A JSON Schema (draft 2020-12) of one command, in lines. It says yes to what parse_command and
/// parse_script read, but for one thing that no schema can tell: 1.0 is a whole number to it.
[[nodiscard]] std::string command_schema(SchemaOf what);

/// A TypeScript module: one interface a command, and `Command`, any of them.
[[nodiscard]] std::string command_declarations();

}  // namespace sluice::formats
