// What the toolbox's subcommands check their arguments with, and how it answers wrong ones.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace sluice::tools {

/// A whole number that is not negative; CLI11's own range tells its end with 309 digits.
[[nodiscard]] CLI::Validator whole_number();

/// Not a folder: opened as a recording that reads like a failing disk. Whether there is such a file
/// is said where it is opened.
[[nodiscard]] CLI::Validator recording_file();

/// What to say of `error`, with what was probably meant. `arguments` without the program's name.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& arguments);

}  // namespace sluice::tools
