#include "tests/hunt/look_back.h"

#include <algorithm>
#include <utility>

namespace sluice::hunt {

Result<LookBack::Shown> LookBack::go_to(std::uint64_t tick) {
  auto shown = go(tick);
  if (!shown) close();
  return shown;
}

Result<LookBack::Shown> LookBack::go(std::uint64_t tick) {
  if (cursor_ == nullptr) {
    auto opened = playback::Cursor::open(recording_, executor_);
    if (!opened) return Error{opened.error()};
    cursor_ = std::move(opened).value();
  } else if (Status looked = cursor_->refresh(); !looked) {
    return Error{looked.error()};
  }
  const std::uint64_t there = std::clamp(tick, cursor_->first_tick(), cursor_->last_tick());
  if (Status sought = cursor_->seek(there); !sought) return Error{sought.error()};
  const sim::World& world = cursor_->world();
  return Shown{world.tick_number(), world.recompute_digest()};
}

}  // namespace sluice::hunt
