// What the commands that run a world without a server begin with: a world file and a script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/formats/script.h"
#include "server/sim/world.h"

namespace sluice::tools {

/// The commands of a script, handed out tick by tick.
class ScriptPlayer {
 public:
  ScriptPlayer() = default;
  explicit ScriptPlayer(std::vector<formats::ScriptLine> lines) : lines_(std::move(lines)) {}

  /// Those of `tick`; ticks are asked for in rising order.
  std::vector<sim::Command> take(std::uint64_t tick) {
    std::vector<sim::Command> commands;
    while (next_ < lines_.size() && lines_[next_].tick == tick) {
      commands.push_back(lines_[next_++].command);
    }
    return commands;
  }
  [[nodiscard]] bool done() const { return next_ == lines_.size(); }
  [[nodiscard]] std::size_t left() const { return lines_.size() - next_; }

 private:
  std::vector<formats::ScriptLine> lines_;
  std::size_t next_ = 0;
};

struct Scene {
  std::string world_file_text;
  std::unique_ptr<sim::World> world;
  ScriptPlayer script;
};

/// An empty script path means no commands. Errors name the file and the place in it.
[[nodiscard]] Result<Scene> load_scene(const std::string& world_file, const std::string& script);

}  // namespace sluice::tools
