// Worlds that tests write as a world file.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "server/formats/world_file.h"
#include "server/sim/world.h"

namespace sluice::tests {

inline std::unique_ptr<sim::World> written_world(std::string_view text) {
  const auto spec = formats::parse_world(text, "test world");
  if (!spec) throw std::runtime_error(spec.error());
  auto world = sim::World::create(*spec);
  if (!world) throw std::runtime_error(world.error());
  return std::move(world).value();
}

}  // namespace sluice::tests
