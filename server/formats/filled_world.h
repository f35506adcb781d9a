// A world file that says in boxes what its marks filled.
#pragma once

#include <string>

#include "server/sim/world.h"

namespace sluice::formats {

/// `text`, a world file, with the cells of `world` instead of its boxes, drawings and marks; all
/// else as it was, but for comments. Reading it gives the same cells, in every model.
[[nodiscard]] std::string filled_world_file(const std::string& text, const sim::World& world);

}  // namespace sluice::formats
