// The waves of a world: which columns move, how they follow the water, and what pushes them.
//
// Its state is WaveState, a part of the world's core; all else here is derived from that and from
// the cells. Whether more columns than those that move are looked at never changes a result.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "server/sim/carried/cell_move.h"
#include "server/sim/digest.h"
#include "server/sim/waves/sheet.h"

namespace sluice::sim {

/// Bodies whose waves are too small to go on are laid to rest in every tick of so many.
inline constexpr std::uint64_t kTicksToRest = 16;

/// A push that somebody asked for in the tick under way.
struct WavePush {
  enum class Kind : std::uint8_t { kSplash, kExplode, kBodyGoes, kBodyComes };
  Vec3 at;                     // any cell of the run
  std::int32_t radius = 0;     // columns
  std::int32_t energy = 0;     // as WaveEnergy::told(): what it adds at the most; not of bodies
  std::int32_t direction = 0;  // of a splash, in x; 0: none
  Kind kind = Kind::kSplash;
};

class WaveField {
 public:
  /// `full`: WaterMeasure::full of its world.
  explicit WaveField(std::int32_t full) : full_(full) {}

  /// Columns that the state names and no surface of the grid has are gone.
  void attach(WaveState& state, const Grid& grid);
  void push(const WavePush& push) { pushes_.push_back(push); }
  /// Ice went to other cells, with the shapes that it keeps.
  void ice_moved(std::span<const CellMove> moves, const Grid& grid, WaveState& state);
  /// One tick. `changed` lists the chunks whose cells may differ from what they were in the last
  /// one.
  void advance(std::uint64_t tick, std::uint64_t seed, bool sleep, const Grid& grid,
               std::span<const ChunkCoord> changed, WaveState& state);
  /// Whether the next tick has waves to move.
  [[nodiscard]] bool at_rest(const WaveState& state) const {
    return moving_ == 0 && state.wind == 0 && pushes_.empty() && !lands_;
  }
  [[nodiscard]] std::int64_t moving_columns() const { return moving_; }
  [[nodiscard]] std::int64_t columns() const { return sheet_.size(); }
  /// Of the columns that move and of what is frozen; 0 where there is neither.
  [[nodiscard]] Digest digest() const { return digest_ + frozen_digest_; }
  [[nodiscard]] const WaveSheet& sheet() const { return sheet_; }
  /// f(surface, sharpness) for each column that waves bend or let fall: by how many level units it
  /// stands above those beside it, all together, or falls in a tick; the greater of both.
  template <class F>
  void for_each_crest(const WaveState& state, F&& f) const {
    if (moving_ == 0) return;
    for (std::int32_t slot = 0; slot < sheet_.size(); ++slot) {
      const std::int32_t sharpness = sharpness_of(slot, state);
      if (sharpness > 0) f(sheet_.surfaces[static_cast<std::size_t>(slot)], sharpness);
    }
  }

 private:
  using Stacks = std::vector<ChunkCoord>;  // in their order, each once

  [[nodiscard]] std::int32_t sharpness_of(std::int32_t slot, const WaveState& state) const;
  [[nodiscard]] bool stays(const SurfacePatch& patch, const WaveState& state) const;
  void look(const Grid& grid, const Stacks& stacks, WaveState& state);
  [[nodiscard]] bool any_lands() const;
  [[nodiscard]] Stacks centres(const WaveState& state) const;
  void reach(const Grid& grid, WaveState& state);
  [[nodiscard]] static Stacks in_order(Stacks stacks);
  bool surround(const Grid& grid, const Stacks& centres);
  bool add_around(const Grid& grid, const Stacks& centres, std::int32_t rings);
  void drop_beyond(const Grid& grid, const Stacks& centres, std::int32_t rings, WaveState& state);
  void name_columns(WaveState& state);
  void carry_over(const Grid& grid, WaveState& state);
  void follow(const Grid& grid, WaveState& state);
  void fall_and_blow(std::uint64_t tick, std::uint64_t seed, const Grid& grid, WaveState& state);
  void lay_to_rest(WaveState& state);
  // frozen.cpp
  void attach_frozen(const Grid& grid, WaveState& state);
  void keep_shapes(const Grid& grid, bool sleep, std::span<const ChunkCoord> changed,
                   WaveState& state);
  void freeze(Vec3 at, std::int32_t height, const ChunkShape& shape, WaveState& state);
  void thaw(Vec3 at, const ChunkShape& shape, WaveState& state);
  void count(const WaveState& state);

  std::int32_t full_;
  SurfacePatches patches_;
  WaveSheet sheet_;
  // Of the digest, by slot; and what the sum of all is when they stand still.
  std::vector<std::uint32_t> height_keys_;
  std::vector<std::uint32_t> speed_keys_;
  Digest at_rest_digest_ = 0;
  std::vector<std::int32_t> beside_;  // room for a step
  std::vector<WavePush> pushes_;
  Stacks moving_stacks_;  // that hold columns that move
  Stacks surrounded_;     // around which all is looked at
  std::int64_t moving_ = 0;
  bool lands_ = false;  // water is about to fall on some surface
  bool blown_ = false;  // every stack is looked at, for the wind
  Digest digest_ = 0;
  Digest frozen_digest_ = 0;
  std::map<ChunkCoord, std::set<Vec3>> frozen_;  // the places that the state names
};

/// The digests of a state from scratch: their sum is what WaveField::digest() must be.
[[nodiscard]] Digest digest_of(const WaveColumns& columns);
[[nodiscard]] Digest digest_of(const std::map<Vec3, FrozenWave>& frozen);

/// Of all columns that move; `told()` is what people are told.
[[nodiscard]] WaveEnergy energy_of(const WaveOptions& options, const WaveSheet& sheet,
                                   const WaveColumns& columns);

/// Gives one push to the columns around a slot.
void give_push(const WavePush& push, std::int32_t slot, const WaveOptions& options,
               const WaveSheet& sheet, WaveColumns& columns);

/// Lowers the waves of each body that has more energy after the water moved than before, until it
/// has not. `moved[i]`: the slot of the new sheet that the old one's slot i became, or kNoColumn.
void keep_energy(const WaveOptions& options, const WaveSheet& before, const WaveColumns& old,
                 std::span<const std::int32_t> moved, const WaveSheet& after, WaveColumns& columns);

}  // namespace sluice::sim
