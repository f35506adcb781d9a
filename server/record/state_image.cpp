#include "server/record/state_image.h"

#include <algorithm>

namespace sluice::record {

StateView StateView::of(const sim::World& world) {
  StateView view;
  view.core = &world.core();
  view.pipes = world.pipes().image();
  world.grid().for_each([&view](const sim::Chunk& chunk) {
    view.chunks.emplace_hint(view.chunks.end(), chunk.coord, chunk.cells.data());
    if (chunk.marks == nullptr) return;
    view.marks.emplace_hint(view.marks.end(), chunk.coord, chunk.marks->cells.data());
  });
  return view;
}

namespace {

void add_copy(ChunkCoord coord, const Cell* cells, const StateImage::Planes* before,
              StateImage::Planes& planes) {
  std::shared_ptr<const StateImage::Cells> copy;
  if (before != nullptr) {
    const auto old = before->find(coord);
    const bool same =
        old != before->end() && std::equal(old->second->begin(), old->second->end(), cells);
    if (same) copy = old->second;
  }
  if (!copy) copy = std::make_shared<const StateImage::Cells>(cells, cells + kChunkCells);
  planes.emplace_hint(planes.end(), coord, std::move(copy));
}

StateView::Planes views_of(const StateImage::Planes& planes) {
  StateView::Planes views;
  for (const auto& [coord, cells] : planes) views.emplace_hint(views.end(), coord, cells->data());
  return views;
}

}  // namespace

StateImage StateImage::of(const sim::World& world, const StateImage* before) {
  StateImage image{world.core(), world.pipes().image(), {}, {}};
  world.grid().for_each([&](const sim::Chunk& chunk) {
    add_copy(chunk.coord, chunk.cells.data(), before != nullptr ? &before->chunks : nullptr,
             image.chunks);
    if (chunk.marks == nullptr) return;
    add_copy(chunk.coord, chunk.marks->cells.data(), before != nullptr ? &before->marks : nullptr,
             image.marks);
  });
  return image;
}

StateView StateImage::view() const {
  return {&core, pipes, views_of(chunks), views_of(marks)};
}

}  // namespace sluice::record
