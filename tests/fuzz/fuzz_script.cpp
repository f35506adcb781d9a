// Any text as a command script, and any bytes as commands in their byte form: what is read is also
// given to a world.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "server/formats/script.h"
#include "server/sim/world.h"

namespace {

using namespace sluice;  // NOLINT(google-build-using-namespace)

void apply(const std::vector<sim::Command>& commands) {
  sim::WorldSpec spec;
  spec.config.size = {100, 100, 1};
  const auto world = sim::World::create(spec);
  sim::SerialExecutor serial;
  (void)(*world)->tick(commands, serial);
  (*world)->recheck();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<sim::Command> commands;
  if (const auto script = formats::parse_script(text, "input")) {
    for (const formats::ScriptLine& line : *script) {
      // What is printed of a command must be read as the same command.
      const std::string printed = formats::format_command(line.command, line.tick);
      if (!formats::parse_script(printed, "printed")) std::abort();
      commands.push_back(line.command);
    }
  }
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  while (!bytes.empty()) {
    const auto command = sim::read_command(bytes);
    if (!command) break;
    commands.push_back(*command);
  }
  commands.resize(std::min<std::size_t>(commands.size(), 100));
  apply(commands);
  return 0;
}
