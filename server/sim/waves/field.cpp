#include "server/sim/waves/field.h"

#include <algorithm>
#include <utility>

#include "server/sim/waves/step.h"

namespace sluice::sim {

namespace {

/// Two keys of 32 bits in one word.
std::uint64_t key_of(Vec3 place) {
  const std::uint64_t key = combine(0x77617665U, static_cast<std::uint32_t>(place.x));
  return combine(combine(key, static_cast<std::uint32_t>(place.y)),
                 static_cast<std::uint32_t>(place.z));
}

/// What a column adds to the digest, and what it adds when it stands still: the product of both its
/// numbers, each with a key of its place (NH of Black, Halevi, Krawczyk, Krovetz and Rogaway's
/// UMAC).
inline std::uint64_t mixed(std::uint32_t height_key, std::uint32_t speed_key, std::int32_t height,
                           std::int32_t speed) {
  const std::uint32_t one = static_cast<std::uint32_t>(height) + height_key;
  const std::uint32_t other = static_cast<std::uint32_t>(speed) + speed_key;
  return std::uint64_t{one} * other;
}

ChunkCoord stack_of(ChunkCoord coord) {
  return {coord.x, 0, coord.z};
}

/// Chunks of columns that waves reach in one tick.
std::int32_t rings_of(const ChunkShape& shape, std::int32_t columns) {
  const std::int32_t width = std::min(shape.width(), shape.depth() > 1 ? shape.depth() : INT32_MAX);
  return (columns + width - 1) / width;
}

bool lies_in_world(const Grid& grid, ChunkCoord stack) {
  const Vec3 origin = grid.shape().origin(stack);
  const Vec3 size = grid.world_box().size;
  return stack.x >= 0 && stack.z >= 0 && origin.x < size.x && origin.z < size.z;
}

}  // namespace

Digest digest_of(const WaveColumns& columns) {
  Digest digest = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t key = key_of(columns.places[i]);
    const auto low = static_cast<std::uint32_t>(key);
    const auto high = static_cast<std::uint32_t>(key >> 32);
    const WaveColumn column = columns.at(i);
    digest += mixed(low, high, column.height, column.speed) - mixed(low, high, 0, 0);
  }
  return digest;
}

// In 64 bits: a speed may be twice the highest wave, in each of the steps.
std::int32_t WaveField::sharpness_of(std::int32_t slot, const WaveState& state) const {
  const WaveColumn column = state.columns.at(static_cast<std::size_t>(slot));
  std::int64_t bend = 0;
  sheet_.for_each_beside(slot, [&](std::int32_t beside) {
    bend += column.height - state.columns.at(static_cast<std::size_t>(beside)).height;
  });
  const std::int64_t fall = -std::int64_t{column.speed} * state.options.steps;
  return static_cast<std::int32_t>(std::max(bend, fall) >> kLogWaveUnit);
}

bool WaveField::stays(const SurfacePatch& patch, const WaveState& state) const {
  return patch.lands || (state.wind != 0 && !patch.surfaces.empty());
}

void WaveField::attach(WaveState& state, const Grid& grid) {
  attach_frozen(grid, state);
  patches_.clear();
  sheet_ = {};
  pushes_.clear();
  surrounded_.clear();
  Stacks all;
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells > 0) all.push_back(stack_of(chunk.coord));
  });
  blown_ = state.wind != 0;
  Stacks centres;
  for (const Vec3 place : state.columns.places) {
    centres.push_back(stack_of(grid.shape().chunk_of({place.x, 0, place.z})));
  }
  for (const ChunkCoord stack : in_order(std::move(all))) {
    SurfacePatch patch = scan_surfaces(grid, full_, stack);
    if (!stays(patch, state)) continue;
    patches_.emplace(stack, std::move(patch));
    centres.push_back(stack);
  }
  (void)add_around(grid, in_order(std::move(centres)), 2);
  carry_over(grid, state);
  count(state);
  lands_ = any_lands();
}

WaveField::Stacks WaveField::in_order(Stacks stacks) {
  if (!std::is_sorted(stacks.begin(), stacks.end())) std::sort(stacks.begin(), stacks.end());
  stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
  return stacks;
}

bool WaveField::any_lands() const {
  return std::any_of(patches_.begin(), patches_.end(),
                     [](const auto& patch) { return patch.second.lands; });
}

// Of all stacks around those; true where one was added.
bool WaveField::add_around(const Grid& grid, const Stacks& centres, std::int32_t rings) {
  bool added = false;
  const std::int32_t deep = grid.shape().depth() > 1 ? rings : 0;
  for (const ChunkCoord centre : centres) {
    for (std::int32_t z = centre.z - deep; z <= centre.z + deep; ++z) {
      for (std::int32_t x = centre.x - rings; x <= centre.x + rings; ++x) {
        const ChunkCoord stack = {x, 0, z};
        if (!lies_in_world(grid, stack) || patches_.contains(stack)) continue;
        patches_.emplace(stack, scan_surfaces(grid, full_, stack));
        added = true;
      }
    }
  }
  return added;
}

void WaveField::drop_beyond(const Grid& grid, const Stacks& centres, std::int32_t rings,
                            WaveState& state) {
  const std::int32_t deep = grid.shape().depth() > 1 ? rings : 0;
  Stacks kept;
  for (const ChunkCoord centre : centres) {
    for (std::int32_t z = centre.z - deep; z <= centre.z + deep; ++z) {
      for (std::int32_t x = centre.x - rings; x <= centre.x + rings; ++x) kept.push_back({x, 0, z});
    }
  }
  kept = in_order(std::move(kept));
  const std::size_t dropped = std::erase_if(patches_, [&](const auto& patch) {
    return !std::binary_search(kept.begin(), kept.end(), patch.first);
  });
  surrounded_.clear();
  if (dropped > 0) carry_over(grid, state);
}

// Columns at rest for the slots of the sheet.
void WaveField::name_columns(WaveState& state) {
  const std::size_t slots = sheet_.surfaces.size();
  state.columns.resize(slots);
  height_keys_.resize(slots);
  speed_keys_.resize(slots);
  at_rest_digest_ = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    state.columns.places[i] = sheet_.surfaces[i].at;
    const std::uint64_t key = key_of(sheet_.surfaces[i].at);
    height_keys_[i] = static_cast<std::uint32_t>(key);
    speed_keys_[i] = static_cast<std::uint32_t>(key >> 32);
    at_rest_digest_ += mixed(height_keys_[i], speed_keys_[i], 0, 0);
  }
}

// The same columns in a new order, and still ones that came or went: nothing has moved.
void WaveField::carry_over(const Grid& grid, WaveState& state) {
  sheet_ = make_sheet(grid.shape(), patches_);
  const WaveColumns old = std::exchange(state.columns, {});
  name_columns(state);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old.at(i).nothing()) continue;
    const std::int32_t slot = slot_of_run(grid.shape(), patches_, old.places[i]);
    if (slot != kNoColumn) state.columns.set(static_cast<std::size_t>(slot), old.at(i));
  }
}

// The water has moved: each wave goes with the surface of the run that it stood in. Where two come
// into one, the higher surface is the one that is left.
void WaveField::follow(const Grid& grid, WaveState& state) {
  const WaveSheet before = std::exchange(sheet_, make_sheet(grid.shape(), patches_));
  const WaveColumns old = std::exchange(state.columns, {});
  name_columns(state);
  std::vector<std::int32_t> moved(old.size(), kNoColumn);
  std::vector<std::int32_t> came(sheet_.surfaces.size(), kNoColumn);
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (old.at(i).nothing()) continue;
    moved[i] = slot_of_run(grid.shape(), patches_, old.places[i]);
    if (moved[i] == kNoColumn) continue;
    std::int32_t& from = came[static_cast<std::size_t>(moved[i])];
    const bool lower =
        from != kNoColumn && old.places[i].y < old.places[static_cast<std::size_t>(from)].y;
    if (!lower) from = static_cast<std::int32_t>(i);
  }
  for (std::size_t slot = 0; slot < came.size(); ++slot) {
    if (came[slot] == kNoColumn) continue;
    state.columns.set(slot, old.at(static_cast<std::size_t>(came[slot])));
  }
  keep_energy(state.options, before, old, moved, sheet_, state.columns);
}

// Takes notice of what became of the water there.
void WaveField::look(const Grid& grid, const Stacks& stacks, WaveState& state) {
  bool moved = false;
  bool came = false;
  for (const ChunkCoord stack : stacks) {
    if (!lies_in_world(grid, stack)) continue;
    SurfacePatch now = scan_surfaces(grid, full_, stack);
    const auto known = patches_.find(stack);
    if (known == patches_.end()) {
      if (!stays(now, state)) continue;
      patches_.emplace(stack, std::move(now));
      came = true;
      continue;
    }
    if (known->second.same_runs(now)) {
      // What lands may have changed, and no more.
      known->second.lands = now.lands;
      for (std::size_t i = 0; i < now.surfaces.size(); ++i) {
        Surface& surface = known->second.surfaces[i];
        surface.landing = now.surfaces[i].landing;
        sheet_.surfaces[static_cast<std::size_t>(surface.slot)].landing = surface.landing;
      }
      continue;
    }
    known->second = std::move(now);
    moved = true;
  }
  if (moved && moving_ > 0) {
    follow(grid, state);
  } else if (moved || came) {
    carry_over(grid, state);
  }
}

void WaveField::advance(std::uint64_t tick, std::uint64_t seed, bool sleep, const Grid& grid,
                        std::span<const ChunkCoord> changed, WaveState& state) {
  if (state.options.keep_shape) keep_shapes(grid, sleep, changed, state);
  Stacks stacks;
  for (const ChunkCoord coord : changed) stacks.push_back(stack_of(coord));
  const bool blows = state.wind != 0;
  if (!sleep || (blows && !blown_)) {
    grid.for_each([&](const Chunk& chunk) { stacks.push_back(stack_of(chunk.coord)); });
  }
  blown_ = blows;
  if (!stacks.empty()) look(grid, in_order(std::move(stacks)), state);
  lands_ = any_lands();
  if (patches_.empty() && pushes_.empty()) return;
  reach(grid, state);
  fall_and_blow(tick, seed, grid, state);
  for (std::int32_t i = 0; i < state.options.steps; ++i) {
    step_waves(state.options, sheet_, state.columns, beside_);
  }
  if (tick % kTicksToRest == 0) lay_to_rest(state);
  count(state);
  if (tick % kTicksToRest == 0 || at_rest(state)) drop_beyond(grid, centres(state), 2, state);
  // Whoever follows the water asks for the columns beside those that move.
  if (surround(grid, moving_stacks_)) carry_over(grid, state);
}

// One ring is what a tick's waves can reach; with two, the next ticks have nothing to add.
bool WaveField::surround(const Grid& grid, const Stacks& centres) {
  if (std::includes(surrounded_.begin(), surrounded_.end(), centres.begin(), centres.end())) {
    return false;
  }
  const bool added = add_around(grid, centres, 1);
  if (added) (void)add_around(grid, centres, 2);
  surrounded_ = centres;
  return added;
}

// All columns that this tick's waves may get to are looked at; then pushes are given.
void WaveField::reach(const Grid& grid, WaveState& state) {
  Stacks centres = this->centres(state);
  const ChunkShape& shape = grid.shape();
  bool added = false;
  for (const WavePush& push : pushes_) {
    const ChunkCoord stack = stack_of(shape.chunk_of({push.at.x, 0, push.at.z}));
    const std::int32_t rings = rings_of(shape, push.radius + kMaxWaveSteps);
    added = add_around(grid, {stack}, rings) || added;
    // All that it may have reached.
    const std::int32_t reached = rings_of(shape, push.radius);
    for (std::int32_t z = -reached; z <= reached; ++z) {
      for (std::int32_t x = -reached; x <= reached; ++x) {
        centres.push_back({stack.x + x, 0, stack.z + z});
      }
    }
  }
  if (surround(grid, in_order(std::move(centres))) || added) carry_over(grid, state);
  for (const WavePush& push : std::exchange(pushes_, {})) {
    const std::int32_t slot = slot_of_run(shape, patches_, push.at);
    if (slot != kNoColumn) give_push(push, slot, state.options, sheet_, state.columns);
  }
}

// Where waves move or may begin by themselves.
WaveField::Stacks WaveField::centres(const WaveState& state) const {
  Stacks centres = moving_stacks_;
  for (const auto& [stack, patch] : patches_) {
    if (stays(patch, state)) centres.push_back(stack);
  }
  return in_order(std::move(centres));
}

void WaveField::count(const WaveState& state) {
  digest_ = 0 - at_rest_digest_;
  moving_ = 0;
  std::vector<bool> moves(sheet_.stacks.size(), false);
  const std::int32_t* const heights = state.columns.heights.data() + 1;
  const std::int32_t* const speeds = state.columns.speeds.data();
  for (const WavePart& part : sheet_.parts) {
    std::int32_t moving = 0;
    std::uint64_t sum = 0;
    for (auto i = static_cast<std::size_t>(part.from); i < static_cast<std::size_t>(part.end);
         ++i) {
      sum += mixed(height_keys_[i], speed_keys_[i], heights[i], speeds[i]);
      moving += (heights[i] | speeds[i]) != 0 ? 1 : 0;
    }
    digest_ += sum;
    if (moving > 0) moves[static_cast<std::size_t>(part.stack)] = true;
    moving_ += moving;
  }
  moving_stacks_.clear();
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (moves[i]) moving_stacks_.push_back(sheet_.stacks[i]);
  }
}

// A body is what waves pass between. One in which every column is so low and slow that the steps'
// rounding could hold it there for ever is laid to rest, whole: then its energy is none.
void WaveField::lay_to_rest(WaveState& state) {
  const std::int32_t slots = sheet_.size();
  WaveColumns& columns = state.columns;
  // Columns that move and follow each other are one; only those are joined in z.
  std::vector<std::int32_t> chain_of(columns.size(), kNoColumn);
  std::vector<bool> goes_on;
  constexpr std::int32_t kSlow = 2;
  constexpr std::int32_t kLow = 4 << kLogWaveParts;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const WaveColumn column = columns.at(i);
    if (column.nothing()) continue;
    const bool joined = sheet_.passes_x[i] != 0 && chain_of[i - 1] != kNoColumn;
    if (!joined) goes_on.push_back(false);
    chain_of[i] = static_cast<std::int32_t>(goes_on.size()) - 1;
    const std::int32_t pull = state.options.tension * column.height;
    const bool still =
        column.speed >= -kSlow && column.speed <= kSlow && pull >= -kLow && pull <= kLow;
    if (!still) goes_on.back() = true;
  }
  SlotGroups bodies(goes_on.size());
  for (const WaveStretch& stretch : sheet_.stretches) {
    if (stretch.back == 0) continue;
    std::pair<std::int32_t, std::int32_t> last = {kNoColumn, kNoColumn};
    for (std::int32_t slot = stretch.from; slot < stretch.from + stretch.count; ++slot) {
      const std::pair pair = {chain_of[static_cast<std::size_t>(slot)],
                              chain_of[static_cast<std::size_t>(slot + stretch.back)]};
      if (pair == last || pair.first == kNoColumn || pair.second == kNoColumn) continue;
      bodies.join(pair.first, pair.second);
      last = pair;
    }
  }
  std::vector<bool> body_goes_on(goes_on.size(), false);
  for (std::size_t i = 0; i < goes_on.size(); ++i) {
    if (goes_on[i]) {
      body_goes_on[static_cast<std::size_t>(bodies.of(static_cast<std::int32_t>(i)))] = true;
    }
  }
  for (std::int32_t slot = 0; slot < slots; ++slot) {
    const std::int32_t chain = chain_of[static_cast<std::size_t>(slot)];
    if (chain == kNoColumn) continue;
    if (!body_goes_on[static_cast<std::size_t>(bodies.of(chain))]) {
      columns.set(static_cast<std::size_t>(slot), {});
    }
  }
}

}  // namespace sluice::sim
