// A world, taken apart into bytes and put together again.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "server/sim/world.h"
#include "tests/support/dice.h"

namespace sluice::tests {

/// What a restored world goes on from; every history after it must be the same. `order`: its chunks
/// come in any order, and lie elsewhere in memory.
inline Result<std::unique_ptr<sim::World>> restored_copy(const sim::World& world,
                                                         Dice* order = nullptr) {
  struct Bytes {
    std::vector<std::byte> cells;
    std::vector<std::byte> marks;
  };
  std::vector<Bytes> bytes;
  std::vector<sim::World::ChunkImage> images;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    // What holds nothing and sleeps need not be kept.
    if (chunk.digest == chunk.pristine && chunk.marks_digest == 0 && chunk.wake == 0) return;
    bytes.push_back({sim::World::chunk_bytes(chunk), sim::World::mark_bytes(chunk)});
    images.push_back({chunk.coord, chunk.wake, {}, {}});
  });
  for (std::size_t i = 0; i < images.size(); ++i) {
    images[i].bytes = bytes[i].cells;
    images[i].marks = bytes[i].marks;
  }
  for (std::size_t i = images.size(); order != nullptr && i > 1; --i) {
    std::swap(images[i - 1], images[order->next() % i]);
  }
  auto restored = sim::World::restore(world.snapshot_core(), images);
  if (restored) restored.value()->set_run_options(world.run_options());
  return restored;
}

/// The same of a world that can be restored; throws where it cannot.
inline std::unique_ptr<sim::World> through_a_snapshot(const sim::World& world,
                                                      Dice* order = nullptr) {
  auto restored = restored_copy(world, order);
  if (!restored) throw std::runtime_error(restored.error());
  return std::move(restored).value();
}

}  // namespace sluice::tests
