// What water carries along. The model says what moved between columns; what moved within one then
// follows from what its cells held before and hold now: over each face, the sum of what came in
// below it and did not stay. Each move takes floor(e * moved / held) of its cell's energy.
#include <algorithm>
#include <numeric>
#include <utility>

#include "protocol/base/assert.h"
#include "server/sim/heat/field.h"

namespace sluice::sim {

namespace {

constexpr std::int32_t kOutsideNode = -1;
/// Rounds in which cells give less than they are to, before what is left is mixed.
constexpr std::int32_t kMostPartialRounds = 64;

/// Net units from one node to another.
struct Flow {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t units = 0;
};

}  // namespace

/// One tick's carrying. Nodes are cells of chunks (slots) that take part, and pools.
class HeatCarrier {
 public:
  HeatCarrier(HeatField& field, const WaterMoves& moves, const Grid& grid, HeatState& state)
      : field_(field), moves_(moves), grid_(grid), shape_(grid.shape()), state_(state) {}

  void run() {
    find_slots();
    if (slots_.empty()) return;
    note_moves();
    for (std::size_t i = 0; i < touched_;) i = climb_stack(i);
    merge_flows();
    if (!flows_.empty()) {
      gather_nodes();
      flow();
      write_back();
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) remember(slots_[slot]);
  }

 private:
  struct Slot {
    ChunkCoord coord;
    const Chunk* chunk = nullptr;  // null: air
    HeatField::Known* known = nullptr;
    bool carried = false;               // anything
    std::vector<std::int64_t> surplus;  // held before, and came, less what left and is held now
  };
  struct Node {
    std::int32_t id = 0;
    std::int64_t held = 0;
    std::int64_t energy = 0;
    std::int64_t leaving = 0;  // units still to go
    std::int64_t coming = 0;   // in the round under way
    std::int64_t coming_energy = 0;
    std::int64_t given = 0;
    std::size_t first_flow = 0;
    std::size_t end_flow = 0;
  };

  static constexpr std::int32_t kPoolBit = 1 << 30;
  static_assert(kMaxChunks * kChunkCells <= kPoolBit);

  [[nodiscard]] static std::int32_t id_of(std::size_t slot, std::size_t index) {
    return static_cast<std::int32_t>(slot * kChunkCells + index);
  }
  [[nodiscard]] static bool is_pool(std::int32_t id) { return (id & kPoolBit) != 0; }
  [[nodiscard]] Cell after(const Slot& slot, std::size_t index) const {
    return slot.chunk != nullptr ? slot.chunk->cells[index] : kAir;
  }
  [[nodiscard]] std::int64_t held_after(std::int32_t id) const {
    if (is_pool(id)) return 0;
    const auto cell = static_cast<std::size_t>(id);
    return held_in(after(slots_[cell / kChunkCells], cell % kChunkCells));
  }

  void find_slots() {
    std::vector<ChunkCoord> coords;
    for (const Chunk* chunk : grid_.changed()) {
      if (chunk->world_cells > 0) coords.push_back(chunk->coord);
    }
    for (const WaterMove& move : moves_.list()) {
      for (const Vec3 at : {move.from, move.to}) {
        if (!field_.world_.contains(at)) continue;
        const ChunkCoord coord = shape_.chunk_of(at);
        if (coords.empty() || coords.back() != coord) coords.push_back(coord);
      }
    }
    std::sort(coords.begin(), coords.end());
    coords.erase(std::unique(coords.begin(), coords.end()), coords.end());
    for (const ChunkCoord coord : coords) add_slot(coord);
    touched_ = slots_.size();
  }

  std::size_t add_slot(ChunkCoord coord) {
    Slot slot;
    slot.coord = coord;
    slot.chunk = grid_.find(coord);
    slot.known = &field_.know(coord);
    const CellPage& before = slot.known->cells;
    const bool alike = slot.chunk != nullptr && slot.chunk->cells.is_shared() &&
                       before.is_shared() && slot.chunk->cells[0] == before[0];
    slot.surplus.assign(kChunkCells, 0);
    for (std::size_t i = 0; !alike && i < kChunkCells; ++i) {
      slot.surplus[i] = std::int64_t{held_in(before[i])} - held_in(after(slot, i));
    }
    slots_.push_back(std::move(slot));
    return slots_.size() - 1;
  }

  [[nodiscard]] std::int32_t node_at(Vec3 at) {
    if (WaterMoves::is_pool(at)) return kPoolBit | at.z;
    if (!field_.world_.contains(at)) return kOutsideNode;
    const ChunkCoord coord = shape_.chunk_of(at);
    if (last_slot_ >= touched_ || slots_[last_slot_].coord != coord) {
      const auto found =
          std::lower_bound(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(touched_),
                           coord, [](const Slot& slot, ChunkCoord c) { return slot.coord < c; });
      last_slot_ = static_cast<std::size_t>(found - slots_.begin());
    }
    return id_of(last_slot_, static_cast<std::size_t>(shape_.index_of(at)));
  }

  void note_moves() {
    for (const WaterMove& move : moves_.list()) {
      const std::int32_t from = node_at(move.from);
      const std::int32_t to = node_at(move.to);
      if (from == to) continue;
      add_flow(from, to, move.units);
      if (from != kOutsideNode && !is_pool(from)) surplus(from) -= move.units;
      if (to != kOutsideNode && !is_pool(to)) surplus(to) += move.units;
    }
  }

  [[nodiscard]] std::int64_t& surplus(std::int32_t id) {
    const auto cell = static_cast<std::size_t>(id);
    return slots_[cell / kChunkCells].surplus[cell % kChunkCells];
  }

  void add_flow(std::int32_t from, std::int32_t to, std::int64_t units) {
    if (units < 0) return add_flow(to, from, -units);
    if (units > 0) flows_.push_back({from, to, units});
  }

  // One stack of chunks, from its first touched slot on. What stands on an open floor leaves
  // downwards, so there the way goes from the top down. Returns the next stack's first slot.
  std::size_t climb_stack(std::size_t first) {
    const ChunkCoord stack = slots_[first].coord;
    std::size_t end = first;
    while (end < touched_ && slots_[end].coord.x == stack.x && slots_[end].coord.z == stack.z)
      ++end;
    const bool down = field_.edges_.bottom == Edge::kOpen;
    const std::int32_t step = down ? -1 : 1;
    rising_.assign(static_cast<std::size_t>(shape_.slab()), 0);
    last_.assign(static_cast<std::size_t>(shape_.slab()), kOutsideNode);
    any_rises_ = false;
    for (std::size_t i = 0; i < end - first; ++i) {
      const std::size_t slot = down ? end - 1 - i : first + i;
      climb_slot(slot, down);
      const bool more = i + 1 < end - first;
      ChunkCoord next = slots_[slot].coord;
      next.y += step;
      const std::int32_t stop = more ? slots_[down ? slot - 1 : slot + 1].coord.y : INT32_MIN;
      // What passes through chunks in which nothing changed.
      while (any_rises_ && next.y != stop && grid_.find(next) != nullptr &&
             grid_.find(next)->world_cells > 0) {
        climb_slot(add_slot(next), down);
        next.y += step;
      }
      if (any_rises_ && next.y != stop) end_all();
    }
    return end;
  }

  void climb_slot(std::size_t number, bool down) {
    const Slot& slot = slots_[number];
    const auto slab = static_cast<std::size_t>(shape_.slab());
    const auto height = static_cast<std::size_t>(shape_.height());
    for (std::size_t i = 0; i < height; ++i) {
      const std::size_t base = (down ? height - 1 - i : i) * slab;
      for (std::size_t c = 0; c < slab; ++c) {
        std::int64_t& rises = rising_[c];
        const std::int64_t surplus = slot.surplus[base + c];
        if (rises == 0 && surplus == 0) {
          last_[c] = id_of(number, base + c);
          continue;
        }
        const Cell cell = after(slot, base + c);
        if (!is_open(cell)) {
          end_column(c);
          continue;
        }
        const std::int32_t here = id_of(number, base + c);
        if (rises != 0) add_flow(last_[c], here, rises);
        rises += surplus;
        last_[c] = here;
      }
    }
    any_rises_ = std::any_of(rising_.begin(), rising_.end(), [](std::int64_t r) { return r != 0; });
  }

  // What is left at the end of a column's run left it: over an open edge, or into the air.
  void end_column(std::size_t column) {
    const std::int64_t rest = std::exchange(rising_[column], 0);
    if (rest < 0) field_.unexplained_ -= rest;
    add_flow(last_[column], kOutsideNode, rest);
  }

  void end_all() {
    for (std::size_t c = 0; c < rising_.size(); ++c) end_column(c);
    any_rises_ = false;
  }

  // One flow for each pair of nodes.
  void merge_flows() {
    for (Flow& flow : flows_) {
      if (flow.from > flow.to) flow = {flow.to, flow.from, -flow.units};
    }
    std::sort(flows_.begin(), flows_.end(), [](const Flow& a, const Flow& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < flows_.size();) {
      Flow sum = flows_[i];
      for (++i; i < flows_.size() && flows_[i].from == sum.from && flows_[i].to == sum.to; ++i) {
        sum.units += flows_[i].units;
      }
      if (sum.units < 0) sum = {sum.to, sum.from, -sum.units};
      if (sum.units != 0) flows_[kept++] = sum;
    }
    flows_.resize(kept);
  }

  void gather_nodes() {
    std::vector<std::int32_t> ids;
    ids.reserve(2 * flows_.size());
    for (const Flow& flow : flows_) {
      if (flow.from != kOutsideNode) ids.push_back(flow.from);
      if (flow.to != kOutsideNode) ids.push_back(flow.to);
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    nodes_.reserve(ids.size());
    for (const std::int32_t id : ids) {
      Node node;
      node.id = id;
      if (!is_pool(id)) {
        const auto cell = static_cast<std::size_t>(id);
        const Slot& slot = slots_[cell / kChunkCells];
        node.held = held_in(slot.known->cells[cell % kChunkCells]);
        const auto page = state_.pages.find(slot.coord);
        if (page != state_.pages.end()) node.energy = page->second.at(cell % kChunkCells);
      }
      nodes_.push_back(node);
    }
    const auto place = [&](std::int32_t id) {
      if (id == kOutsideNode) return kOutsideNode;
      return static_cast<std::int32_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
    };
    for (Flow& flow : flows_) flow = {place(flow.from), place(flow.to), flow.units};
    std::sort(flows_.begin(), flows_.end(), [](const Flow& a, const Flow& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (flows_[i].from == kOutsideNode) continue;
      Node& node = nodes_[static_cast<std::size_t>(flows_[i].from)];
      if (node.end_flow == 0) node.first_flow = i;
      node.end_flow = i + 1;
      node.leaving += flows_[i].units;
    }
  }

  // What came from nowhere first; then in rounds. In a round every cell that holds all that is
  // still to leave it gives it, by what it held as the round began; so neither their order nor a
  // mirror matters. Without a circle each has all at last. In one they give what they have; and
  // what goes round among cells that hold nothing carries nothing.
  void flow() {
    const HeatCurve curve(state_.options.latent);
    for (const Flow& flow : flows_) {
      if (flow.from != kOutsideNode) break;
      Node& to = nodes_[static_cast<std::size_t>(flow.to)];
      to.held += flow.units;
      const std::int64_t comes = curve.energy_at(state_.options.water, flow.units);
      to.energy += comes;
      state_.totals.come(comes);
    }
    std::vector<std::int32_t> left;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].leaving > 0) left.push_back(static_cast<std::int32_t>(i));
    }
    std::int32_t partial = 0;
    while (!left.empty()) {
      if (!give(left, false) && (++partial > kMostPartialRounds || !give(left, true))) {
        mix_rest(left);
        return;
      }
    }
  }

  /// True if anything moved.
  bool give(std::vector<std::int32_t>& left, bool in_part) {
    std::vector<std::int32_t> takers;
    bool moved = false;
    for (const std::int32_t n : left) {
      Node& node = nodes_[static_cast<std::size_t>(n)];
      if (node.held == 0 || (!in_part && node.held < node.leaving)) continue;
      std::int64_t taken = 0;
      std::int64_t given = 0;
      for (std::size_t f = node.first_flow; f < node.end_flow; ++f) {
        const std::int64_t units =
            in_part ? flows_[f].units * node.held / node.leaving : flows_[f].units;
        if (units == 0) continue;
        const std::int64_t energy = carried(node.energy, units, node.held);
        taken += energy;
        given += units;
        flows_[f].units -= units;
        pass(flows_[f].to, units, energy, takers);
      }
      // It keeps what it began the round with until all have looked.
      node.given = given;
      node.coming_energy -= taken;
      node.coming -= given;
      takers.push_back(n);
      moved = moved || given > 0;
    }
    for (const std::int32_t n : takers) {
      Node& node = nodes_[static_cast<std::size_t>(n)];
      node.held += std::exchange(node.coming, 0);
      node.energy += std::exchange(node.coming_energy, 0);
      node.leaving -= std::exchange(node.given, 0);
    }
    std::erase_if(
        left, [this](std::int32_t n) { return nodes_[static_cast<std::size_t>(n)].leaving == 0; });
    return moved;
  }

  void pass(std::int32_t to, std::int64_t units, std::int64_t energy,
            std::vector<std::int32_t>& takers) {
    if (to == kOutsideNode) {
      state_.totals.go(energy);
      return;
    }
    Node& node = nodes_[static_cast<std::size_t>(to)];
    node.coming += units;
    node.coming_energy += energy;
    takers.push_back(to);
  }

  // Circles in which what is held is too little for what goes round: all that they join is mixed.
  void mix_rest(const std::vector<std::int32_t>& left) {
    std::vector<std::int32_t> group(nodes_.size());
    std::iota(group.begin(), group.end(), 0);
    const auto find = [&group](std::int32_t n) {
      while (group[static_cast<std::size_t>(n)] != n) n = group[static_cast<std::size_t>(n)];
      return n;
    };
    for (const std::int32_t n : left) {
      Node& node = nodes_[static_cast<std::size_t>(n)];
      node.leaving = 0;
      for (std::size_t f = node.first_flow; f < node.end_flow; ++f) {
        if (flows_[f].units == 0 || flows_[f].to == kOutsideNode) continue;
        group[static_cast<std::size_t>(find(n))] = find(flows_[f].to);
      }
    }
    std::vector<std::int64_t> energy(nodes_.size());
    std::vector<std::int64_t> held(nodes_.size());
    std::vector<std::int64_t> members(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto g = static_cast<std::size_t>(find(static_cast<std::int32_t>(n)));
      energy[g] += nodes_[n].energy;
      held[g] += held_after(nodes_[n].id);
      ++members[g];
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto g = static_cast<std::size_t>(find(static_cast<std::int32_t>(n)));
      if (members[g] == 1 && nodes_[n].held == held_after(nodes_[n].id)) continue;
      nodes_[n].held = held_after(nodes_[n].id);
      const std::int64_t share = held[g] == 0 ? 0 : energy[g] / held[g] * nodes_[n].held;
      nodes_[n].energy = share;
    }
    // What cannot be shared out goes to the air.
    for (std::size_t g = 0; g < nodes_.size(); ++g) {
      if (members[g] < 2) continue;
      state_.totals.go(held[g] == 0 ? energy[g] : energy[g] % held[g]);
    }
  }

  void write_back() {
    for (const Node& node : nodes_) {
      SLUICE_ASSERT(node.held == held_after(node.id));
      // Crumbs of one that shared all it had among several.
      const std::int64_t energy = node.held == 0 ? 0 : node.energy;
      if (node.held == 0 && node.energy != 0) state_.totals.go(node.energy);
      if (is_pool(node.id)) continue;
      const auto cell = static_cast<std::size_t>(node.id);
      slots_[cell / kChunkCells].carried = true;
      HeatPage& page = state_.pages[slots_[cell / kChunkCells].coord];
      if (page.at(cell % kChunkCells) != energy) page.edit()[cell % kChunkCells] = energy;
    }
  }

  void remember(Slot& slot) {
    const bool alike =
        slot.chunk != nullptr &&
        std::equal(slot.chunk->cells.begin(), slot.chunk->cells.end(), slot.known->cells.begin());
    if (!alike && slot.chunk != nullptr) HeatField::remember(slot.chunk->cells, *slot.known);
    if (slot.chunk == nullptr) slot.known->cells.fill(kAir);
    if (!alike || slot.carried) field_.note(slot.coord, *slot.known);
  }

  HeatField& field_;
  const WaterMoves& moves_;
  const Grid& grid_;
  const ChunkShape& shape_;
  HeatState& state_;
  std::vector<Slot> slots_;  // those touched in their order, then those that water only passed
  std::size_t touched_ = 0;
  std::size_t last_slot_ = 0;
  std::vector<Flow> flows_;
  std::vector<Node> nodes_;
  // Of a stack, by column: units on their way through the next face, and the cell before it.
  std::vector<std::int64_t> rising_;
  std::vector<std::int32_t> last_;
  bool any_rises_ = false;
};

void HeatField::carry(const WaterMoves& moves, const Grid& grid, HeatState& state) {
  HeatCarrier(*this, moves, grid, state).run();
}

}  // namespace sluice::sim
