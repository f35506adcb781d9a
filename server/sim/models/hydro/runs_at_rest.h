// What searches through a lake ask of its runs, kept as long as these rest: an ocean is searched by
// hundreds of parts in a tick, and in the next one by others.
//
// It follows from the cells: it saves work and decides nothing. What moves has other heights in
// each tick; all that changes a run makes it a mover first, and the runs beside it as well.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/sizes.h"

namespace sluice::sim::hydro {

class RunsAtRest {
 public:
  /// All must outlive this.
  RunsAtRest(Columns& columns, const std::vector<Mover>& movers, const WaterSizes& sizes)
      : columns_(columns), movers_(movers), sizes_(sizes) {}

  /// All runs are others.
  void clear();
  /// It becomes a mover.
  void forget(std::int32_t run);
  /// Movers hold something else than when they were looked at, or others of them move.
  void forget_movers();
  /// Whether some run may be in open water.
  void note_open_water(bool any) { any_open_ = any; }

  [[nodiscard]] const Mover* mover_of(const Run& run) const {
    return run.slot <= kNone ? nullptr : &movers_[static_cast<std::size_t>(run.slot)];
  }
  [[nodiscard]] bool moves(const Run& run) const {
    const Mover* const mover = mover_of(run);
    return mover != nullptr ? mover->moves : run.in_open_water();
  }
  /// Of the surface.
  [[nodiscard]] Level level(std::int32_t run) { return look_at(run).level; }
  /// Whether it is free water at rest, and nothing goes through a link of it, or could.
  [[nodiscard]] bool passes(std::int32_t run) { return look_at(run).passes; }
  /// f(run) for each that a contact joins to it.
  template <class F>
  void for_each_beside(std::int32_t run, F&& f);
  /// Whether one of the runs over that ground is free water at rest and stands from `from` to below
  /// `to`. To find that out at most `most` runs are looked at, and the block of columns with which
  /// they are; beyond, one may stand there.
  [[nodiscard]] bool any_between(const Ground& ground, Level from, Level to, std::int64_t most);
  /// Runs looked at since this was asked last.
  [[nodiscard]] std::int64_t take_looks() { return std::exchange(looks_, 0); }

 private:
  struct Known {
    Level level = 0;
    std::array<std::int32_t, WaterSizes::kMostNeighbours> beside{};
    std::uint8_t beside_count = 0;
    bool is_known = false;
    bool all_beside = true;  // else there are more
    bool passes = false;
  };
  static_assert(sizeof(Known) <= 40);
  /// Of the columns of a block, the levels of free water at rest, each once, in order.
  struct KnownBlock {
    std::uint64_t shape_version = 0;  // of the block, by which they are known; 0: they are not
    std::vector<Level> levels;
  };

  // Runs are kept in pages, made where one of them is looked at: room for all of an ocean at once
  // took longer than all else that a pour into it costs.
  static constexpr std::size_t kPage = 1024;
  using Page = std::vector<Known>;

  void forget_reshaped();
  void forget_run(std::int32_t run);
  [[nodiscard]] Known& known_of(std::int32_t run);
  [[nodiscard]] const Known& look_at(std::int32_t run);
  /// f(run, contact) for each over a link through which water could go; else it would spill.
  template <class F>
  void for_each_opening(std::int32_t run, F&& f);
  [[nodiscard]] bool is_known(const Block& block) const {
    return block.number < blocks_.size() &&
           blocks_[block.number].shape_version == block.shape_version;
  }
  [[nodiscard]] const std::vector<Level>& levels_of(const Block& block);

  Columns& columns_;
  const std::vector<Mover>& movers_;
  const WaterSizes& sizes_;
  std::vector<Page> pages_;
  std::vector<KnownBlock> blocks_;
  // Of what is known, that of movers.
  std::vector<std::int32_t> known_movers_;
  std::vector<std::size_t> blocks_of_movers_;
  std::int64_t looks_ = 0;
  bool any_open_ = false;
};

template <class F>
void RunsAtRest::for_each_opening(std::int32_t id, F&& f) {
  const Level here = columns_.run(id).contact();
  for (const std::int32_t link_id : columns_.run(id).links) {
    const Link& link = columns_.link(link_id);
    const std::int32_t other = link.other(id);
    const Level there = columns_.run(other).contact();
    if (std::max(here, there) > link.sill()) f(other, std::min(here, there) >= link.sill());
  }
}

template <class F>
void RunsAtRest::for_each_beside(std::int32_t id, F&& f) {
  ++looks_;
  const Known known = look_at(id);  // a copy: f may look at others
  for (std::uint8_t i = 0; known.all_beside && i < known.beside_count; ++i) f(known.beside[i]);
  if (known.all_beside) return;
  for_each_opening(id, [&f](std::int32_t beside, bool contact) {
    if (contact) f(beside);
  });
}

}  // namespace sluice::sim::hydro
