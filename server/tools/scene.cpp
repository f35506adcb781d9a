#include "server/tools/scene.h"

#include <utility>

#include "server/formats/world_file.h"

namespace sluice::tools {

namespace {

Status check_tick_sizes(const std::vector<formats::ScriptLine>& lines, const std::string& path) {
  std::size_t in_tick = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    in_tick = i > 0 && lines[i].tick == lines[i - 1].tick ? in_tick + 1 : 1;
    if (in_tick > static_cast<std::size_t>(sim::kMaxCommandsPerTick)) {
      return Error{path + ": more than " + std::to_string(sim::kMaxCommandsPerTick) +
                   " commands in tick " + std::to_string(lines[i].tick)};
    }
  }
  return Done{};
}

}  // namespace

Result<Scene> load_scene(const std::string& world_file, const std::string& script) {
  Scene scene;
  Result<std::string> text = formats::read_file(world_file);
  if (!text) return Error{text.error()};
  scene.world_file_text = std::move(text).value();
  const Result<sim::WorldSpec> spec = formats::parse_world(scene.world_file_text, world_file);
  if (!spec) return Error{spec.error()};
  Result<std::unique_ptr<sim::World>> world = sim::World::create(*spec);
  if (!world) return Error{world_file + ": " + world.error()};
  scene.world = std::move(world).value();
  if (script.empty()) return scene;
  Result<std::vector<formats::ScriptLine>> lines = formats::read_script(script);
  if (!lines) return Error{lines.error()};
  if (Status s = check_tick_sizes(*lines, script); !s) return Error{s.error()};
  scene.script = ScriptPlayer(std::move(lines).value());
  return scene;
}

}  // namespace sluice::tools
