// What a viewer knows of a world: overlays and the inspector answer from it alone.
#pragma once

#include "client_stub/activity.h"
#include "client_stub/fixtures.h"
#include "client_stub/surfaces.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// Of what is in view: what lies beyond it the viewer does not hold.
struct Known {
  const protocol::Mirror& mirror;
  const Surfaces& surfaces;  // of the slice that is shown
  const Activity& activity;
  const Fixtures& fixtures;
  Activity::Clock::time_point now;
  int level = 0;  // of detail, that is shown
};

}  // namespace sluice::client
