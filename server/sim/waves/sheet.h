// How the columns of moving water lie beside each other: derived from the cells, and made anew
// where they say something else.
//
// Columns that a wave passes between in x lie one after the other, so that the step goes through
// memory in order:
//
//   slot     0   1   2   3   4   5   6
//            a - b - c   d - e   f - g        - passes_x
//
// and in 3D stretches of them lie beside stretches of the next z.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "server/sim/waves/energy.h"
#include "server/sim/waves/state.h"
#include "server/sim/waves/surfaces.h"

namespace sluice::sim {

/// By the stack of chunks that they lie in.
using SurfacePatches = std::map<ChunkCoord, SurfacePatch>;

/// Slots that follow each other, and lie beside as many in front of them and behind: so many slots
/// away. 0: beside nothing.
struct WaveStretch {
  std::int32_t from = 0;
  std::int32_t count = 0;
  std::int32_t front = 0;
  std::int32_t back = 0;
};

/// Slots of one stack of chunks (WaveSheet::stacks) that follow each other.
struct WavePart {
  std::int32_t from = 0;
  std::int32_t end = 0;
  std::int32_t stack = 0;
};

inline constexpr std::int32_t kNoColumn = -1;

[[nodiscard]] inline std::size_t index(std::int32_t slot) {
  return static_cast<std::size_t>(slot);
}

struct WaveSheet {
  std::vector<Surface> surfaces;       // by slot
  std::vector<std::int32_t> passes_x;  // [i]: all bits where a wave passes between i - 1 and i
  std::vector<std::int32_t> front;     // the slot of z - 1 that a wave passes to; only in 3D
  std::vector<std::int32_t> back;      // and of z + 1
  std::vector<WaveStretch> stretches;  // all slots; only in 3D
  std::vector<WavePart> parts;
  std::vector<ChunkCoord> stacks;  // in their order

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(surfaces.size()); }
  /// f(slot) for each slot that a wave passes to from this one.
  template <class F>
  void for_each_beside(std::int32_t slot, F&& f) const {
    const auto i = static_cast<std::size_t>(slot);
    if (passes_x[i] != 0) f(slot - 1);
    if (passes_x[i + 1] != 0) f(slot + 1);
    if (front.empty()) return;
    if (front[i] != kNoColumn) f(front[i]);
    if (back[i] != kNoColumn) f(back[i]);
  }
  /// f(a, b) for each pair that a wave passes between, once.
  template <class F>
  void for_each_pair(F&& f) const {
    for (std::int32_t i = 1; i < size(); ++i) {
      if (passes_x[static_cast<std::size_t>(i)] != 0) f(i - 1, i);
    }
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (back[i] != kNoColumn) f(static_cast<std::int32_t>(i), back[i]);
    }
  }
};

/// Gives every surface of the patches its slot.
[[nodiscard]] WaveSheet make_sheet(const ChunkShape& shape, SurfacePatches& patches);

/// The slot of the column whose run holds the cell; kNoColumn where none does.
[[nodiscard]] std::int32_t slot_of_run(const ChunkShape& shape, const SurfacePatches& patches,
                                       Vec3 at);

/// Joins slots; each group is known by one of them.
class SlotGroups {
 public:
  explicit SlotGroups(std::size_t count) : parent_(count) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = static_cast<std::int32_t>(i);
  }
  [[nodiscard]] std::int32_t of(std::int32_t slot) {
    while (up(slot) != slot) {
      up(slot) = up(up(slot));
      slot = up(slot);
    }
    return slot;
  }
  void join(std::int32_t a, std::int32_t b) { up(of(a)) = of(b); }

 private:
  [[nodiscard]] std::int32_t& up(std::int32_t slot) {
    return parent_[static_cast<std::size_t>(slot)];
  }
  std::vector<std::int32_t> parent_;
};

}  // namespace sluice::sim
