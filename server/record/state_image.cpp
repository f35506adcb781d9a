#include "server/record/state_image.h"

#include <algorithm>

namespace sluice::record {

StateView StateView::of(const sim::World& world) {
  StateView view;
  view.core = &world.core();
  view.pipes = world.pipes().image();
  world.grid().for_each([&view](const sim::Chunk& chunk) {
    view.chunks.emplace_hint(view.chunks.end(), chunk.coord, chunk.cells.data());
  });
  return view;
}

StateImage StateImage::of(const sim::World& world, const StateImage* before) {
  StateImage image{world.core(), world.pipes().image(), {}};
  world.grid().for_each([&](const sim::Chunk& chunk) {
    std::shared_ptr<const Cells> cells;
    if (before != nullptr) {
      const auto old = before->chunks.find(chunk.coord);
      const bool same = old != before->chunks.end() &&
                        std::equal(old->second->begin(), old->second->end(), chunk.cells.begin());
      if (same) cells = old->second;
    }
    if (!cells) {
      cells = std::make_shared<const Cells>(chunk.cells.begin(),
                                            chunk.cells.begin() + sim::kChunkCells);
    }
    image.chunks.emplace_hint(image.chunks.end(), chunk.coord, std::move(cells));
  });
  return image;
}

StateView StateImage::view() const {
  StateView view;
  view.core = &core;
  view.pipes = pipes;
  for (const auto& [coord, cells] : chunks) {
    view.chunks.emplace_hint(view.chunks.end(), coord, cells->data());
  }
  return view;
}

}  // namespace sluice::record
