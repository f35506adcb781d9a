#include "tests/hunt/planted.h"

#include "protocol/base/assert.h"
#include "protocol/base/sometimes.h"
#include "tests/hunt/sometimes.h"

namespace sluice {

namespace hunt {
namespace {

int awake = -1;

std::map<std::string, std::uint64_t>& counts() {
  static std::map<std::string, std::uint64_t> all;
  return all;
}

}  // namespace

void wake_plant(std::string_view name) {
  awake = -1;
  if (name.empty()) return;
  for (std::size_t i = 0; i < plants().size(); ++i) {
    if (plants()[i].name == name) awake = static_cast<int>(i);
  }
  SLUICE_ASSERT(awake >= 0);
}

bool planted(int number) {
  return number == awake;
}

const std::map<std::string, std::uint64_t>& reached_places() {
  return counts();
}

}  // namespace hunt

void sometimes(const char* what) {
  ++hunt::counts()[what];
}

}  // namespace sluice
