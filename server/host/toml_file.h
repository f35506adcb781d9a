// TOML files of a server: reading them, and errors that say where.
#pragma once

#include <string>

#include <toml++/toml.h>

#include "protocol/base/result.h"

namespace sluice::host {

[[nodiscard]] inline Error error_at(const std::string& path, const toml::source_region& place,
                                    const std::string& what) {
  return Error{path + ":" + std::to_string(place.begin.line) + ": " + what};
}

/// The error says that it cannot be read, or what is no TOML, and where.
[[nodiscard]] inline Result<toml::table> read_toml(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {  // the packaged library reports by exception
    if (error.source().begin.line == 0) return Error{path + ": cannot be read"};
    return error_at(path, error.source(), std::string(error.description()));
  }
}

}  // namespace sluice::host
