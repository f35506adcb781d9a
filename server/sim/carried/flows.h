// From what a water model tells, and from what cells held before and hold now, to the units of
// water that went from one cell to another in a tick.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "server/sim/carried/water.h"

namespace sluice::sim {

/// What is no cell of the world.
inline constexpr std::int32_t kOutsideNode = -1;

/// Net units from one node to another.
struct Flow {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t units = 0;
};

/// Puts the flows from one node side by side: those from outside, then in the order of
/// place_of(node), which is less than `places`. Returns where each of these groups ends, outside
/// first.
template <class PlaceOf>
[[nodiscard]] std::vector<std::uint32_t> group_by_from(std::vector<Flow>& flows, std::size_t places,
                                                       PlaceOf&& place_of) {
  const auto group_of = [&](const Flow& flow) -> std::size_t {
    return flow.from == kOutsideNode ? 0 : place_of(flow.from) + 1;
  };
  std::vector<std::uint32_t> ends(places + 2, 0);
  for (const Flow& flow : flows) ++ends[group_of(flow) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  // Where a group begins moves on to where it ends.
  std::vector<Flow> grouped(flows.size());
  for (const Flow& flow : flows) grouped[ends[group_of(flow)]++] = flow;
  flows.swap(grouped);
  ends.pop_back();
  return ends;
}

/// A chunk that takes part.
struct FlowSlot {
  ChunkCoord coord;
  const Chunk* chunk = nullptr;       // null: air
  const CellPage* before = nullptr;   // its cells before the tick
  std::vector<std::int64_t> surplus;  // held before, and came, less what left and is held now
};

/// One tick's flows. Nodes are cells of slots, by their numbers, and pools.
class FlowFinder {
 public:
  FlowFinder(CarriedWater& water, const WaterMoves& moves, const Grid& grid)
      : water_(water), moves_(moves), grid_(grid), shape_(grid.shape()) {}

  /// One flow for each pair of nodes, in the order of their numbers.
  void find();
  /// Those that changed in their order, then those that water only passed.
  [[nodiscard]] const std::vector<FlowSlot>& slots() const { return slots_; }
  [[nodiscard]] std::vector<Flow>& flows() { return flows_; }

  /// A table of all nodes that there may be: the cells of all slots, then pools.
  [[nodiscard]] std::size_t table_size() const {
    return slots_.size() * kChunkCells + static_cast<std::size_t>(moves_.pools());
  }
  [[nodiscard]] std::size_t place_in_table(std::int32_t id) const {
    if (!is_pool(id)) return static_cast<std::size_t>(id);
    return slots_.size() * kChunkCells + static_cast<std::size_t>(id & ~kPoolBit);
  }
  [[nodiscard]] std::int32_t id_at(std::size_t place_in_table) const {
    const std::size_t cells = slots_.size() * kChunkCells;
    if (place_in_table < cells) return static_cast<std::int32_t>(place_in_table);
    return kPoolBit | static_cast<std::int32_t>(place_in_table - cells);
  }

  [[nodiscard]] static bool is_pool(std::int32_t id) { return (id & kPoolBit) != 0; }
  [[nodiscard]] static std::size_t slot_of(std::int32_t id) {
    return static_cast<std::size_t>(id) / kChunkCells;
  }
  [[nodiscard]] static std::size_t index_of(std::int32_t id) {
    return static_cast<std::size_t>(id) % kChunkCells;
  }
  /// Of a cell or a pool, before the tick and after it.
  [[nodiscard]] std::int64_t held_before(std::int32_t id) const {
    return is_pool(id) ? 0 : held_in((*slots_[slot_of(id)].before)[index_of(id)]);
  }
  [[nodiscard]] std::int64_t held_after(std::int32_t id) const {
    return is_pool(id) ? 0 : held_in(after(slots_[slot_of(id)], index_of(id)));
  }

 private:
  static constexpr std::int32_t kPoolBit = 1 << 30;
  static_assert(kMaxChunks * kChunkCells <= kPoolBit);

  [[nodiscard]] static std::int32_t id_of(std::size_t slot, std::size_t index) {
    return static_cast<std::int32_t>(slot * kChunkCells + index);
  }
  [[nodiscard]] static Cell after(const FlowSlot& slot, std::size_t index) {
    return slot.chunk != nullptr ? slot.chunk->cells[index] : kAir;
  }

  void find_slots();
  std::size_t add_slot(ChunkCoord coord);
  [[nodiscard]] std::int32_t node_at(Vec3 at);
  void note_moves();
  [[nodiscard]] std::int64_t& surplus(std::int32_t id);
  void add_flow(std::int32_t from, std::int32_t to, std::int64_t units);
  std::size_t climb_stack(std::size_t first);
  void climb_slot(std::size_t number, bool down);
  void end_column(std::size_t column);
  void end_all();
  void merge_flows();

  CarriedWater& water_;
  const WaterMoves& moves_;
  const Grid& grid_;
  const ChunkShape& shape_;
  std::vector<FlowSlot> slots_;
  std::size_t touched_ = 0;
  std::size_t last_slot_ = 0;
  std::vector<Flow> flows_;
  // Of a stack, by column: units on their way through the next face, and the cell before it.
  std::vector<std::int64_t> rising_;
  std::vector<std::int32_t> last_;
  bool any_rises_ = false;
};

}  // namespace sluice::sim
