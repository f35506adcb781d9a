// Bugs that are planted in copies of the product's sources, to prove that the hunter finds such
// ones. plants.py lists them; plant.py makes the copies. At most one is awake in a process at a
// time.
#pragma once

#include <span>
#include <string_view>

namespace sluice::hunt {

struct Plant {
  const char* name;
  const char* what;
  int seeds;          // within which it is found
  const char* focus;  // lines of a plan that these seeds are given
};
[[nodiscard]] std::span<const Plant> plants();
/// Empty: none.
void wake_plant(std::string_view name);
[[nodiscard]] bool planted(int number);

}  // namespace sluice::hunt
