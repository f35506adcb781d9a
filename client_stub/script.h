// A command script as a client sends it: the lines of a JSON Lines file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace sluice::client {

struct ScriptLine {
  std::size_t number = 0;  // in the file, from 1
  std::string json;
};

/// Reads the file ("-" for standard input); empty lines are left out. Each line must be a JSON
/// object with a `cmd`: what the commands are is the server's to say. Errors name file and line.
[[nodiscard]] Result<std::vector<ScriptLine>> read_script(const std::string& path);

}  // namespace sluice::client
