// What the toolbox tells shells and `man` of itself, read from the flags that its commands declare.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sluice::tools {

/// Functions that complete commands, flags, their fixed values and file names. `app` is the whole
/// program.
[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);
[[nodiscard]] std::string fish_completion(const CLI::App& app);

/// A page of section 1, for `man -l -`.
[[nodiscard]] std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace sluice::tools
