// Any text as a world file: a mistake with a message, or a world that can be made (or refused) and
// ticks without breaking its own law.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/formats/world_file.h"
#include "server/sim/world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = formats::parse_world(text, "input");
  if (!spec) return 0;
  // A large box is a legal way to use much memory; here it would only slow the search down.
  for (const sim::Fill& fill : spec->fills) {
    if (fill.box.volume() > (1 << 20)) return 0;
  }
  const auto world = sim::World::create(*spec);
  if (!world) return 0;
  sim::SerialExecutor serial;
  for (int tick = 0; tick < 2; ++tick) {
    (void)(*world)->tick({}, serial);
    (*world)->recheck();
  }
  return 0;
}
