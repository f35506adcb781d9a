// From what a water model tells, and from what cells held before and hold now, to the units of
// water that went from one cell to another in a tick.
#pragma once

#include <array>
#include <bit>
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

/// Flows, put in groups by where they come from.
class Flows {
 public:
  std::vector<Flow> list;

  /// Puts the flows from one node side by side: those from outside, then in the order of
  /// place_of(node), which is less than `places`. Returns where each of these groups ends, outside
  /// first, until the next call.
  template <class PlaceOf>
  const std::vector<std::uint32_t>& group_by_from(std::size_t places, PlaceOf&& place_of) {
    const auto group_of = [&](const Flow& flow) -> std::size_t {
      return flow.from == kOutsideNode ? 0 : place_of(flow.from) + 1;
    };
    ends_.assign(places + 2, 0);
    for (const Flow& flow : list) ++ends_[group_of(flow) + 1];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    // Where a group begins moves on to where it ends.
    grouped_.resize(list.size());
    for (const Flow& flow : list) grouped_[ends_[group_of(flow)]++] = flow;
    list.swap(grouped_);
    ends_.pop_back();
    return ends_;
  }

 private:
  std::vector<std::uint32_t> ends_;
  std::vector<Flow> grouped_;
};

/// A chunk that takes part. Of its layers most are as they were: they have neither a surplus nor
/// nodes.
struct FlowSlot {
  static constexpr std::int32_t kNone = -1;
  static constexpr std::size_t kMostLayers = 64;

  ChunkCoord coord;
  const Cell* before = nullptr;  // its cells before the tick
  const Cell* after = nullptr;
  /// By layer, where its surplus begins, and where its nodes do in the table.
  std::array<std::int32_t, kMostLayers> surplus{};
  std::array<std::int32_t, kMostLayers> places{};
};

/// One tick's flows. Nodes are cells of slots, by their numbers, and pools. It keeps its memory for
/// the next tick: to be given that anew took a quarter of the time.
class FlowFinder {
 public:
  FlowFinder(CarriedWater& water, ChunkShape shape)
      : water_(water),
        shape_(shape),
        slab_(static_cast<std::size_t>(shape_.slab())),
        log_slab_(static_cast<unsigned>(std::countr_zero(slab_))) {}

  /// One flow for each pair of nodes, in the order of their numbers.
  void find(const WaterMoves& moves, const Grid& grid);
  /// Those that changed in their order, then those that water only passed.
  [[nodiscard]] const std::vector<FlowSlot>& slots() const { return slots_; }
  [[nodiscard]] Flows& flows() { return flows_; }

  /// A table of all nodes that there may be, in their order: the cells of layers, then pools.
  [[nodiscard]] std::size_t table_size() const {
    return (layers_.size() << log_slab_) + static_cast<std::size_t>(moves_->pools());
  }
  [[nodiscard]] std::size_t place_in_table(std::int32_t id) const {
    if (is_pool(id))
      return (layers_.size() << log_slab_) + static_cast<std::size_t>(id & ~kPoolBit);
    const std::size_t cell = index_of(id);
    return static_cast<std::size_t>(slots_[slot_of(id)].places[layer_of(cell)]) + column_of(cell);
  }
  [[nodiscard]] std::int32_t id_at(std::size_t place_in_table) const {
    const std::size_t layer = layer_of(place_in_table);
    if (layer < layers_.size()) {
      return layers_[layer] + static_cast<std::int32_t>(column_of(place_in_table));
    }
    return kPoolBit | static_cast<std::int32_t>(place_in_table - (layers_.size() << log_slab_));
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
    return is_pool(id) ? 0 : held_in(slots_[slot_of(id)].before[index_of(id)]);
  }
  [[nodiscard]] std::int64_t held_after(std::int32_t id) const {
    return is_pool(id) ? 0 : held_in(slots_[slot_of(id)].after[index_of(id)]);
  }

 private:
  static constexpr std::int32_t kPoolBit = 1 << 30;
  static_assert(kMaxChunks * kChunkCells <= kPoolBit);

  [[nodiscard]] static std::int32_t id_of(std::size_t slot, std::size_t index) {
    return static_cast<std::int32_t>(slot * kChunkCells + index);
  }

  [[nodiscard]] std::size_t layer_of(std::size_t cell) const { return cell >> log_slab_; }
  [[nodiscard]] std::size_t column_of(std::size_t cell) const { return cell & (slab_ - 1); }

  void find_slots();
  std::size_t add_slot(ChunkCoord coord);
  [[nodiscard]] std::int32_t node_at(Vec3 at);
  void note_moves();
  /// Held before, and came, less what left and is held now; of a cell of the table.
  [[nodiscard]] std::int64_t& surplus(std::int32_t id);
  std::int64_t* add_surplus(FlowSlot& slot, std::size_t layer);
  void add_flow(std::int32_t from, std::int32_t to, std::int64_t units);
  std::size_t climb_stack(std::size_t first);
  void climb_slot(std::size_t number, bool down);
  void climb_layer(std::size_t number, std::size_t layer);
  void list_layers();
  void end_column(std::size_t column);
  void end_all();
  void merge_flows();

  CarriedWater& water_;
  const WaterMoves* moves_ = nullptr;  // the tick's
  const Grid* grid_ = nullptr;
  ChunkShape shape_;
  std::size_t slab_;  // cells of a layer: a power of two
  unsigned log_slab_;
  std::vector<ChunkCoord> coords_;  // of what takes part
  std::vector<FlowSlot> slots_;
  std::vector<std::int64_t> surplus_;
  std::vector<std::int32_t> layers_;  // of the table: the first node
  std::size_t touched_ = 0;
  std::size_t last_slot_ = 0;
  Flows flows_;
  // Of a stack: by column, units on their way through the next face; and of the layer before it the
  // first node.
  std::vector<std::int64_t> rising_;
  std::int32_t last_layer_ = kOutsideNode;
  bool any_rises_ = false;
};

}  // namespace sluice::sim
