#include "server/sim/waves/field.h"

#include <algorithm>
#include <utility>

#include "server/sim/waves/step.h"

namespace sluice::sim {

namespace {

std::uint64_t key_of(Vec3 place) {
  const std::uint64_t key = combine(0x77617665U, static_cast<std::uint32_t>(place.x));
  return combine(combine(key, static_cast<std::uint32_t>(place.y)),
                 static_cast<std::uint32_t>(place.z)) |
         1;
}

/// What a column adds to the digest; 0 where it stands still.
std::uint64_t mixed(std::uint64_t key, WaveColumn column) {
  const std::uint64_t word = std::uint64_t{static_cast<std::uint32_t>(column.height)} << 32 |
                             static_cast<std::uint32_t>(column.speed);
  std::uint64_t product = word * key;
  product ^= product >> 32;
  return product * key;
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
    digest += mixed(key_of(columns.places[i]), columns.at(i));
  }
  return digest;
}

bool WaveField::stays(const SurfacePatch& patch, const WaveState& state) const {
  return patch.anything_lands() || (state.wind != 0 && !patch.surfaces.empty());
}

void WaveField::attach(WaveState& state, const Grid& grid) {
  patches_.clear();
  sheet_ = {};
  pushes_.clear();
  Stacks all;
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells > 0) all.insert(stack_of(chunk.coord));
  });
  blown_ = state.wind != 0;
  Stacks centres;
  for (const Vec3 place : state.columns.places) {
    centres.insert(stack_of(grid.shape().chunk_of({place.x, 0, place.z})));
  }
  for (const ChunkCoord stack : all) {
    SurfacePatch patch = scan_surfaces(grid, full_, stack);
    if (!stays(patch, state)) continue;
    patches_.emplace(stack, std::move(patch));
    centres.insert(stack);
  }
  (void)add_around(grid, centres, 2);
  carry_over(grid, state);
  count(state);
  lands_ = any_lands();
}

bool WaveField::any_lands() const {
  return std::any_of(patches_.begin(), patches_.end(),
                     [](const auto& patch) { return patch.second.anything_lands(); });
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
      for (std::int32_t x = centre.x - rings; x <= centre.x + rings; ++x) kept.insert({x, 0, z});
    }
  }
  const std::size_t dropped =
      std::erase_if(patches_, [&](const auto& patch) { return !kept.contains(patch.first); });
  if (dropped > 0) carry_over(grid, state);
}

// The same columns in a new order, and still ones that came or went: nothing has moved.
void WaveField::carry_over(const Grid& grid, WaveState& state) {
  sheet_ = make_sheet(grid.shape(), patches_);
  const WaveColumns old = std::exchange(state.columns, {});
  state.columns.resize(sheet_.surfaces.size());
  keys_.resize(sheet_.surfaces.size());
  for (std::size_t i = 0; i < sheet_.surfaces.size(); ++i) {
    state.columns.places[i] = sheet_.surfaces[i].at;
    keys_[i] = key_of(sheet_.surfaces[i].at);
  }
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
  state.columns.resize(sheet_.surfaces.size());
  keys_.resize(sheet_.surfaces.size());
  for (std::size_t i = 0; i < sheet_.surfaces.size(); ++i) {
    state.columns.places[i] = sheet_.surfaces[i].at;
    keys_[i] = key_of(sheet_.surfaces[i].at);
  }
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
void WaveField::look(const Grid& grid, Stacks stacks, WaveState& state) {
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
  Stacks stacks;
  for (const ChunkCoord coord : changed) stacks.insert(stack_of(coord));
  const bool blows = state.wind != 0;
  if (!sleep || (blows && !blown_)) {
    grid.for_each([&](const Chunk& chunk) { stacks.insert(stack_of(chunk.coord)); });
  }
  blown_ = blows;
  if (!stacks.empty()) look(grid, std::move(stacks), state);
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
  if (!add_around(grid, centres, 1)) return false;
  (void)add_around(grid, centres, 2);
  return true;
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
        centres.insert({stack.x + x, 0, stack.z + z});
      }
    }
  }
  if (surround(grid, centres) || added) carry_over(grid, state);
  for (const WavePush& push : std::exchange(pushes_, {})) {
    const std::int32_t slot = slot_of_run(shape, patches_, push.at);
    if (slot != kNoColumn) give_push(push, slot, state.options, sheet_, state.columns);
  }
}

// Where waves move or may begin by themselves.
WaveField::Stacks WaveField::centres(const WaveState& state) const {
  Stacks centres = moving_stacks_;
  for (const auto& [stack, patch] : patches_) {
    if (stays(patch, state)) centres.insert(stack);
  }
  return centres;
}

void WaveField::count(const WaveState& state) {
  digest_ = 0;
  moving_ = 0;
  moving_stacks_.clear();
  for (const WavePart& part : sheet_.parts) {
    std::int64_t moving = 0;
    for (std::int32_t slot = part.from; slot < part.end; ++slot) {
      const auto i = static_cast<std::size_t>(slot);
      const WaveColumn column = state.columns.at(i);
      digest_ += mixed(keys_[i], column);
      moving += column.nothing() ? 0 : 1;
    }
    if (moving > 0) moving_stacks_.insert(part.stack);
    moving_ += moving;
  }
}

// A body is what waves pass between. One in which every column is so low and slow that the steps'
// rounding could hold it there for ever is laid to rest, whole: then its energy is none.
void WaveField::lay_to_rest(WaveState& state) {
  const auto slots = static_cast<std::size_t>(sheet_.size());
  const WaveColumns& columns = state.columns;
  SlotGroups bodies(slots);
  const auto moves = [&](std::int32_t slot) {
    return !columns.at(static_cast<std::size_t>(slot)).nothing();
  };
  sheet_.for_each_pair([&](std::int32_t a, std::int32_t b) {
    if (moves(a) && moves(b)) bodies.join(a, b);
  });
  constexpr std::int32_t kSlow = 2;
  constexpr std::int32_t kLow = 4 << kLogWaveParts;
  std::vector<bool> goes_on(slots, false);
  for (std::size_t i = 0; i < slots; ++i) {
    const WaveColumn column = columns.at(i);
    const std::int64_t pull = std::int64_t{state.options.tension} * column.height;
    const bool still =
        column.speed >= -kSlow && column.speed <= kSlow && pull >= -kLow && pull <= kLow;
    if (!still) goes_on[static_cast<std::size_t>(bodies.of(static_cast<std::int32_t>(i)))] = true;
  }
  for (std::size_t i = 0; i < slots; ++i) {
    const auto body = static_cast<std::size_t>(bodies.of(static_cast<std::int32_t>(i)));
    if (!goes_on[body]) state.columns.set(i, {});
  }
}

}  // namespace sluice::sim
