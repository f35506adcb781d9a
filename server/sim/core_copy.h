// A world without its chunks, copied on the thread that runs it and made into bytes on any other:
// of a million pipes the bytes take a second, the copy milliseconds.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "server/sim/core_state.h"
#include "server/sim/pipes/image.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

class CoreCopy {
 public:
  CoreCopy(const CoreState& core, const PipeNetwork& pipes);
  /// As World::snapshot_core() gave them at the moment of the copy.
  [[nodiscard]] std::vector<std::byte> bytes() const;

 private:
  /// Networks that cannot be copied are held as their image, which takes longer to make.
  using Pipes =
      std::conditional_t<std::is_copy_constructible_v<PipeNetwork>, PipeNetwork, PipesImage>;

  CoreState core_;
  Pipes pipes_;
};

}  // namespace sluice::sim
