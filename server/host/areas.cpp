#include "server/host/areas.h"

#include <algorithm>

#include "server/sim/commands/reach.h"

namespace sluice::host {

namespace {

std::string text_of(const Box& box) {
  const auto of = [](const Vec3& v) {
    return "[" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) +
           "]";
  };
  return "from " + of(box.from) + ", size " + of(box.size);
}

}  // namespace

Status check_areas(const std::string& world, Vec3 size, const std::vector<Area>& areas) {
  for (const Area& area : areas) {
    if (lies_in(area.box, {{0, 0, 0}, size})) continue;
    return Error{"[[worlds." + world + ".area]]: " + text_of(area.box) +
                 ", does not lie in the world"};
  }
  return Done{};
}

std::string Areas::refusal_of(const sim::Command& command, const sim::World& world,
                              access::Role role) const {
  const auto is_kept = [role](const Area& area) { return area.role > role; };
  if (std::none_of(areas_.begin(), areas_.end(), is_kept)) return {};
  const sim::CommandReach reach = sim::reach_of(command, world);
  for (const Area& area : areas_) {
    if (!is_kept(area)) continue;
    const auto meets = [&area](const Box& box) { return !intersect(box, area.box).empty(); };
    const bool met = std::any_of(reach.boxes.begin(), reach.boxes.end(), meets);
    if (!reach.everywhere && !met) continue;
    return std::string("not allowed: ") +
           (reach.everywhere ? "the command may reach an area (" : "that lies in an area (") +
           text_of(area.box) + ") which needs the role " + std::string(name_of(area.role));
  }
  return {};
}

}  // namespace sluice::host
