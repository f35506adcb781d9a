// A world's declared state as plain data: what two states are compared by, also between the phases
// of a tick, where a world cannot be snapshot.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/core_state.h"
#include "server/sim/pipes/image.h"
#include "server/sim/world.h"

namespace sluice::record {

/// A look at a state that somebody else owns. A chunk that is not listed is all air.
struct StateView {
  const sim::CoreState* core = nullptr;
  sim::PipesImage pipes;
  using Planes = std::map<ChunkCoord, const Cell*>;  // kChunkCells each
  Planes chunks;
  Planes marks;  // of the chunks that may have any

  [[nodiscard]] static StateView of(const sim::World& world);
};

/// A copy. Images of states that follow each other share the chunks that did not change.
struct StateImage {
  using Cells = std::vector<Cell>;
  sim::CoreState core;
  sim::PipesImage pipes;
  using Planes = std::map<ChunkCoord, std::shared_ptr<const Cells>>;
  Planes chunks;
  Planes marks;

  /// `before`, where given, is an image of an earlier state to share chunks with.
  [[nodiscard]] static StateImage of(const sim::World& world, const StateImage* before = nullptr);
  [[nodiscard]] StateView view() const;
};

}  // namespace sluice::record
