// Who runs the parts of a host that go on by themselves (a world, its recording's writer, the
// verifier), and by which clock: a thread each and the machine's clock, or, where somebody must be
// able to run all of it again event for event, their owner, step by step.
//
//   kThread:   the part's own thread:  step() ─► wait until it is due again, or called ─► step()
//   ... kOwner:    whoever made it calls step() when it is due, or at any other time
#pragma once

#include <cstdint>

#include "server/net/clock.h"

namespace sluice::host {

using net::Clock;
using net::machine_clock;

struct Drive {
  enum class By : std::uint8_t { kThread, kOwner };
  By by = By::kThread;
  const Clock* clock = &machine_clock();  // outlives the part
};

}  // namespace sluice::host
