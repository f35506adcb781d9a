// A world without its chunks, copied on the thread that runs it and made into bytes on any other:
// of a million pipes the bytes take a second, the copy a fraction of one.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "server/sim/core_state.h"
#include "server/sim/digest.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

class CoreCopy {
 public:
  /// Of a world's core() and pipes(). Pipes that slept when `before` was taken, and sleep now as
  /// they slept then, are not copied again.
  CoreCopy(const CoreState& core, const PipeNetwork& pipes, const CoreCopy* before = nullptr);
  /// As World::snapshot_core() gave them at the moment of the copy.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Whether the two hold the same pipes, once.
  [[nodiscard]] bool shares_pipes_with(const CoreCopy& other) const {
    return pipes_ == other.pipes_;
  }

 private:
  CoreState core_;
  Digest pipes_digest_ = 0;
  bool pipes_rest_ = false;
  std::shared_ptr<const PipeNetwork> pipes_;
};

}  // namespace sluice::sim
