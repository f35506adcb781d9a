// All that is in a cell goes to another one.
#pragma once

#include "protocol/base/geometry.h"

namespace sluice::sim {

struct CellMove {
  Vec3 from;
  Vec3 to;
};

}  // namespace sluice::sim
