// What admins made of the worlds, kept over restarts. Beside the recordings lies DATA/worlds.toml:
//
//   [worlds.lake]
//   state = "hosted"      # made while the server ran; its recording holds its world file, too
//   [worlds.cave]
//   state = "unloaded"    # whoever named it: a start does not bring it up
//   [worlds.pit]
//   state = "removed"     # one that the configuration names still
//
// A world without a line is as the configuration says. The file is written as a whole and takes the
// old one's place at once, so that a crash leaves the one or the other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::host {

enum class WorldState : std::uint8_t { kHosted, kUnloaded, kRemoved };
[[nodiscard]] std::string_view name_of(WorldState state);

class WorldsFile {
 public:
  /// None there: nothing was changed yet. Errors name the file and the line.
  [[nodiscard]] static Result<WorldsFile> read(const std::string& path);

  [[nodiscard]] std::optional<WorldState> state_of(std::string_view world) const;
  [[nodiscard]] const std::map<std::string, WorldState, std::less<>>& all() const {
    return states_;
  }
  /// Durable when this returns ok; on an error nothing has changed, here nor there. Nothing: the
  /// world has no line any more.
  [[nodiscard]] Status set(const std::string& world, std::optional<WorldState> state);

 private:
  explicit WorldsFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::map<std::string, WorldState, std::less<>> states_;
};

}  // namespace sluice::host
