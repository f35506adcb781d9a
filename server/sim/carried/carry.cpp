// What water carries along: each move takes floor(amount * moved / held) of what its cell holds of
// each cargo.
#include <algorithm>
#include <numeric>
#include <utility>

#include "protocol/base/assert.h"
#include "server/sim/carried/flows.h"
#include "server/sim/spec.h"

namespace sluice::sim {

namespace {

/// Rounds in which cells give less than they are to, before what is left is mixed.
constexpr std::int32_t kMostPartialRounds = 64;

}  // namespace

/// One tick's carrying. It keeps its memory for the next one.
class Carrier {
 public:
  explicit Carrier(CarriedWater& water)
      : water_(water),
        finder_(water, water.shape_),
        flows_(finder_.flows().list),
        slots_(finder_.slots()),
        cargoes_(water.cargoes_),
        count_(water.cargoes_.size()) {}

  /// Returns whether any cell took part.
  bool run(const WaterMoves& moves, const Grid& grid) {
    finder_.find(moves, grid);
    carried_.assign(slots_.size(), false);
    if (!flows_.empty()) {
      gather_nodes();
      flow();
      write_back();
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      remember(grid, slots_[slot], carried_[slot]);
    }
    return !slots_.empty();
  }

 private:
  struct Node {
    std::int32_t id = 0;
    std::int64_t held = 0;
    std::int64_t leaving = 0;  // units still to go
    std::int64_t coming = 0;   // in the round under way
    std::int64_t given = 0;
    std::uint32_t first_flow = 0;
    std::uint32_t end_flow = 0;
  };

  // Cells in the order of their ids, then pools. By a table: to search for both ends of each flow
  // took a quarter of the time.
  void number_nodes() {
    numbers_.assign(finder_.table_size(), kOutsideNode);
    nodes_.clear();
    const auto number_of = [&](std::int32_t id) -> std::int32_t& {
      return numbers_[finder_.place_in_table(id)];
    };
    for (const Flow& flow : flows_) {
      if (flow.from != kOutsideNode) number_of(flow.from) = 0;
      if (flow.to != kOutsideNode) number_of(flow.to) = 0;
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (numbers_[i] == kOutsideNode) continue;
      numbers_[i] = static_cast<std::int32_t>(nodes_.size());
      Node& node = nodes_.emplace_back();
      node.id = finder_.id_at(i);
      node.held = finder_.held_before(node.id);
    }
    for (Flow& flow : flows_) {
      if (flow.from != kOutsideNode) flow.from = number_of(flow.from);
      if (flow.to != kOutsideNode) flow.to = number_of(flow.to);
    }
  }

  void gather_nodes() {
    number_nodes();
    gather_amounts();
    const std::vector<std::uint32_t>& ends = finder_.flows().group_by_from(
        nodes_.size(), [](std::int32_t number) { return static_cast<std::size_t>(number); });
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      Node& node = nodes_[n];
      node.first_flow = ends[n];
      node.end_flow = ends[n + 1];
      for (std::size_t f = ends[n]; f < ends[n + 1]; ++f) node.leaving += flows_[f].units;
    }
  }

  // Cells of a slot stand one after the other, so that its pages are looked up once.
  void gather_amounts() {
    amounts_.assign(nodes_.size() * count_, 0);
    coming_.assign(nodes_.size() * count_, 0);
    for (std::size_t c = 0; c < count_; ++c) {
      const AmountPage* page = nullptr;
      std::size_t slot_of_page = slots_.size();
      for (std::size_t n = 0; n < nodes_.size() && !FlowFinder::is_pool(nodes_[n].id); ++n) {
        const std::size_t slot = FlowFinder::slot_of(nodes_[n].id);
        if (slot != std::exchange(slot_of_page, slot)) {
          const auto found = cargoes_[c]->pages.find(slots_[slot].coord);
          page = found == cargoes_[c]->pages.end() ? nullptr : &found->second;
        }
        if (page != nullptr)
          amounts_[n * count_ + c] = page->at(FlowFinder::index_of(nodes_[n].id));
      }
    }
  }

  // First comes water from outside, with the usual amounts. Then cells pass theirs on, in rounds:
  // in each one every cell that holds all the water that has yet to leave it lets it go. That takes
  // along a share of what the cell held as the round began, so that neither the order of cells nor
  // a mirror changes a result. Where flows form no circle, that is all. In a circle each cell may
  // wait for the one before it: then those that hold anything give a part of it. Where that comes
  // to no end, as among cells that hold nothing at first, mix_rest() makes one.
  void flow() {
    for (const Flow& flow : flows_) {
      if (flow.from != kOutsideNode) break;
      const auto to = static_cast<std::size_t>(flow.to);
      nodes_[to].held += flow.units;
      for (std::size_t c = 0; c < count_; ++c) {
        const std::int64_t comes = cargoes_[c]->usual(flow.units);
        amounts_[to * count_ + c] += comes;
        cargoes_[c]->totals.come(comes);
      }
    }
    left_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].leaving > 0) left_.push_back(static_cast<std::int32_t>(i));
    }
    std::int32_t partial = 0;
    while (!left_.empty()) {
      if (!give(false) && (++partial > kMostPartialRounds || !give(true))) {
        mix_rest(left_);
        return;
      }
    }
  }

  /// True if anything moved.
  bool give(bool in_part) {
    takers_.clear();
    bool moved = false;
    for (const std::int32_t n : left_) {
      Node& node = nodes_[static_cast<std::size_t>(n)];
      if (node.held == 0 || (!in_part && node.held < node.leaving)) continue;
      std::int64_t given = 0;
      for (std::size_t f = node.first_flow; f < node.end_flow; ++f) {
        const std::int64_t units =
            in_part ? flows_[f].units * node.held / node.leaving : flows_[f].units;
        if (units == 0) continue;
        given += units;
        flows_[f].units -= units;
        pass(static_cast<std::size_t>(n), flows_[f].to, units);
      }
      // It keeps what it began the round with until all have looked.
      node.given = given;
      node.coming -= given;
      takers_.push_back(n);
      moved = moved || given > 0;
    }
    for (const std::int32_t n : takers_) {
      Node& node = nodes_[static_cast<std::size_t>(n)];
      node.held += std::exchange(node.coming, 0);
      node.leaving -= std::exchange(node.given, 0);
      for (std::size_t i = 0; i < count_; ++i) {
        const std::size_t at = static_cast<std::size_t>(n) * count_ + i;
        amounts_[at] += std::exchange(coming_[at], 0);
      }
    }
    std::erase_if(
        left_, [this](std::int32_t n) { return nodes_[static_cast<std::size_t>(n)].leaving == 0; });
    return moved;
  }

  void pass(std::size_t from, std::int32_t to, std::int64_t units) {
    for (std::size_t c = 0; c < count_; ++c) {
      const std::int64_t goes = carried(amounts_[from * count_ + c], units, nodes_[from].held);
      coming_[from * count_ + c] -= goes;
      if (to == kOutsideNode) {
        cargoes_[c]->totals.go(goes);
      } else {
        coming_[static_cast<std::size_t>(to) * count_ + c] += goes;
      }
    }
    if (to == kOutsideNode) return;
    nodes_[static_cast<std::size_t>(to)].coming += units;
    takers_.push_back(to);
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
    std::vector<std::size_t> group_of(nodes_.size());
    std::vector<std::int64_t> held(nodes_.size());
    std::vector<std::int64_t> members(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      group_of[n] = static_cast<std::size_t>(find(static_cast<std::int32_t>(n)));
      held[group_of[n]] += finder_.held_after(nodes_[n].id);
      ++members[group_of[n]];
    }
    std::vector<bool> mixed(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      mixed[n] = members[group_of[n]] > 1 || nodes_[n].held != finder_.held_after(nodes_[n].id);
    }
    for (std::size_t c = 0; c < count_; ++c) share_out(c, group_of, held, mixed);
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (mixed[n]) nodes_[n].held = finder_.held_after(nodes_[n].id);
    }
  }

  // Evenly over the water of each group. What cannot be shared out is gone.
  void share_out(std::size_t c, const std::vector<std::size_t>& group_of,
                 const std::vector<std::int64_t>& held, const std::vector<bool>& mixed) {
    std::vector<std::int64_t> sum(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (mixed[n]) sum[group_of[n]] += amounts_[n * count_ + c];
    }
    std::vector<std::int64_t> rest = sum;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!mixed[n]) continue;
      const std::size_t g = group_of[n];
      const std::int64_t share =
          held[g] == 0 ? 0 : sum[g] / held[g] * finder_.held_after(nodes_[n].id);
      amounts_[n * count_ + c] = share;
      rest[g] -= share;
    }
    for (const std::int64_t amount : rest) cargoes_[c]->totals.go(amount);
  }

  void write_back() {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      SLUICE_ASSERT(node.held == finder_.held_after(node.id));
      for (std::size_t c = 0; c < count_; ++c) {
        std::int64_t& amount = amounts_[n * count_ + c];
        // Crumbs of one that shared all it had among several, or that holds all that its water can.
        const std::int64_t excess = amount - cargoes_[c]->most(node.held);
        if (excess <= 0) continue;
        amount -= excess;
        cargoes_[c]->totals.go(excess);
      }
    }
    for (std::size_t c = 0; c < count_; ++c) write_back(c);
  }

  void write_back(std::size_t c) {
    AmountPage* page = nullptr;
    std::size_t slot_of_page = slots_.size();
    for (std::size_t n = 0; n < nodes_.size() && !FlowFinder::is_pool(nodes_[n].id); ++n) {
      const std::size_t slot = FlowFinder::slot_of(nodes_[n].id);
      const std::size_t cell = FlowFinder::index_of(nodes_[n].id);
      if (slot != std::exchange(slot_of_page, slot)) {
        carried_[slot] = true;
        const auto found = cargoes_[c]->pages.find(slots_[slot].coord);
        page = found == cargoes_[c]->pages.end() ? nullptr : &found->second;
      }
      const std::int64_t amount = amounts_[n * count_ + c];
      if (page == nullptr && amount != 0) page = &cargoes_[c]->pages[slots_[slot].coord];
      if (page == nullptr || page->at(cell) == amount) continue;
      page->edit()[cell] = amount;
    }
  }

  void remember(const Grid& grid, const FlowSlot& slot, bool has_carried) {
    CarriedWater::Known& known = water_.know(slot.coord);
    const Chunk* const chunk = grid.find(slot.coord);
    const bool alike =
        chunk != nullptr && std::equal(slot.after, slot.after + kChunkCells, known.cells.begin());
    if (!alike && chunk != nullptr) {
      water_.remember(chunk->cells, slot.coord, known);
      return;
    }
    if (chunk == nullptr) known.cells.fill(kAir);
    if (!alike || has_carried) water_.note(slot.coord, known);
  }

  CarriedWater& water_;
  FlowFinder finder_;
  std::vector<Flow>& flows_;
  const std::vector<FlowSlot>& slots_;
  const std::vector<std::unique_ptr<Cargo>>& cargoes_;
  std::size_t count_;
  std::vector<bool> carried_;          // by slot: anything
  std::vector<std::int32_t> numbers_;  // of nodes, by their places in the table
  std::vector<Node> nodes_;
  std::vector<std::int32_t> left_;    // nodes that have something to give
  std::vector<std::int32_t> takers_;  // and those that a round changed
  // By node, then by cargo: what it holds, and what comes in the round under way.
  std::vector<std::int64_t> amounts_;
  std::vector<std::int64_t> coming_;
};

CarriedWater::CarriedWater(const WorldConfig& config)
    : shape_(config.shape()), edges_(config.edges), world_(config.box()) {}

CarriedWater::~CarriedWater() = default;

void CarriedWater::carry(const WaterMoves& moves, const Grid& grid) {
  if (!carrier_) carrier_ = std::make_unique<Carrier>(*this);
  // A world at rest keeps no memory for what moves.
  if (!carrier_->run(moves, grid)) carrier_.reset();
}

}  // namespace sluice::sim
