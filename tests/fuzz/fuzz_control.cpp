// Any text as what a viewer of a replay asks for: one of the six, in bounds, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "protocol/base/assert.h"
#include "server/playback/control.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sluice::playback::Control;
  const auto control = sluice::playback::parse_control({reinterpret_cast<const char*>(data), size});
  if (!control) {
    SLUICE_ASSERT(!control.error().empty());
    return 0;
  }
  SLUICE_ASSERT(control->kind <= Control::Kind::kAlone);
  SLUICE_ASSERT(control->speed <= sluice::playback::kMostSpeed);
  return 0;
}
