// A test double of a faulty machine: changes a world's state behind the back of its rules. Builds
// that check every cache in each tick leave out such a world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "server/sim/pipes/image.h"
#include "server/sim/world.h"

namespace sluice::sim {

/// The world's friend; defined here alone, so that no program can do this.
class WorldTestAccess {
 public:
  /// To be changed: what the world keeps about its springs is made anew.
  static CoreState& core(World& world) {
    damaged(world);
    world.springs_known_ = false;
    world.springs_digest_known_ = false;
    return world.core_;
  }
  static const SpringSchedule& sources(const World& world) { return world.source_schedule_; }
  static Grid& grid(World& world) {
    damaged(world);
    return world.grid_;
  }
  /// Replaces the pipes by those of an image. False when there can be no such pipes.
  static bool set_pipes(World& world, const PipesImage& image) {
    PipeNetwork network;
    if (!network.load(image)) return false;
    damaged(world);
    world.pipes_ = std::move(network);
    return true;
  }

  /// Changes a cell as a wrong rule would: the tick's digest takes notice.
  static void set_cell(World& world, Vec3 at, Cell cell) {
    damaged(world);
    const ChunkShape& shape = world.grid_.shape();
    Chunk& chunk = world.grid_.obtain(shape.chunk_of(at));
    world.grid_.edit(chunk, [&](ChunkEdit& cells) {
      cells.set(static_cast<std::size_t>(shape.index_of(at)), cell);
    });
  }
  /// Flips one bit of a cell's mark.
  static void flip_mark(World& world, Vec3 at, int bit) {
    damaged(world);
    Chunk& chunk = world.grid_.obtain(world.grid_.shape().chunk_of(at));
    if (chunk.marks == nullptr) chunk.marks = std::make_unique<Marks>();
    Cell& mark = chunk.marks->cells[static_cast<std::size_t>(world.grid_.shape().index_of(at))];
    mark = static_cast<Cell>(static_cast<std::uint32_t>(mark) ^ (1U << bit));
    world.grid_.note_change(chunk, kChangedAll);
  }
  /// Flips one bit of a cell.
  static void flip_cell(World& world, Vec3 at, int bit) {
    const auto value = static_cast<std::uint32_t>(world.cell(at));
    set_cell(world, at, static_cast<Cell>(value ^ (1U << bit)));
  }

 private:
  static void damaged([[maybe_unused]] World& world) {
#ifdef SLUICE_CHECKED
    world.rechecks_ = false;
#endif
  }
};

}  // namespace sluice::sim
