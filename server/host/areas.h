// Parts of a world that not everybody who may build in it may change.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/access/roles.h"
#include "server/sim/commands/commands.h"
#include "server/sim/world.h"

namespace sluice::host {

struct Area {
  Box box;
  access::Role role = access::Role::kOperate;  // that changes it need, at the least
  bool operator==(const Area&) const = default;
};
inline constexpr std::size_t kMostAreas = 1024;  // of a world

/// Whether they lie in the world of that name and size.
[[nodiscard]] Status check_areas(const std::string& world, Vec3 size,
                                 const std::vector<Area>& areas);

class Areas {
 public:
  Areas() = default;
  explicit Areas(std::vector<Area> areas) : areas_(std::move(areas)) {}

  /// Why this role may not give that command to the world as it is now; empty when it may. Costs a
  /// look at each area for each box that the command names.
  [[nodiscard]] std::string refusal_of(const sim::Command& command, const sim::World& world,
                                       access::Role role) const;

 private:
  std::vector<Area> areas_;
};

}  // namespace sluice::host
