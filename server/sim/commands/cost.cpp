#include "server/sim/commands/cost.h"

#include <algorithm>

#include "server/sim/models/registry.h"

namespace sluice::sim {

namespace {

/// What waves, heat and tracers add to a flowing cell, in a side view and in 3D.
struct WorkOfLayer {
  std::int64_t side_view;
  std::int64_t solid;
};
constexpr WorkOfLayer kWorkOfWaves = {8, 60};
constexpr WorkOfLayer kWorkOfHeat = {160, 300};
constexpr WorkOfLayer kWorkOfTracers = {60, 100};  // of each
constexpr std::int64_t kMostWorkOfFlowing = 1400;  // of a model and all layers together
/// Below a box, for what it stands on; more are not looked at, and it is taken to fall.
constexpr std::int64_t kMostColumnsLookedAt = 512;
/// Of a cell that the sweep over its chunk reaches anyway.
constexpr std::int64_t kWorkOfSweptCell = 2;

const WorkOfWater& work_of_water(const World& world) {
  return find_water_model(world.config().water)->work;
}

std::int64_t capped(std::int64_t work) {
  return std::min(work, kTooMuchWork);
}

/// Chunks that a box covers; saturates.
std::int64_t chunks_covered(const ChunkCoord& first, const ChunkCoord& last) {
  const auto along = [](std::int32_t from, std::int32_t to) {
    return std::max<std::int64_t>(0, std::int64_t{to} - from + 1);
  };
  const std::int64_t plane = along(first.x, last.x) * along(first.y, last.y);
  const std::int64_t depth = along(first.z, last.z);
  return depth == 0 || plane <= kTooMuchWork / depth ? plane * depth : kTooMuchWork;
}

class CostOf {
 public:
  explicit CostOf(const World& world) : grid_(world.grid()), world_(world) {}

  CommandCost operator()(const SetCells& command) const {
    const Box box{command.from, command.size};
    CommandCost cost = of_box(box, command.cell != kAir);
    if (command.cell <= 0 || box.empty() || !lies_in(box, grid_.world_box())) return cost;
    const std::int64_t each = work_of_flowing_cell(world_);
    // Where a chunk is swept as a whole, more water in one that is awake costs nothing more.
    if (!cost.sets_in_motion && each <= kWorkOfSweptCell) return cost;
    const std::int64_t cells = std::min(box.volume(), kTooMuchWork / kMostWorkOfFlowing);
    cost.work = capped(cost.work + (each + work_of_fall(box)) * cells);
    cost.sets_in_motion = true;
    return cost;
  }
  CommandCost operator()(const RemoveWater& command) const {
    return of_box({command.from, command.size}, false);
  }
  CommandCost operator()(const Pour& command) const {
    CommandCost cost = of_cell(command.at);
    // A cell can be given more than fits it: that spreads.
    const std::int64_t cells = std::max(command.units, 0) / kFull;
    cost.work = capped(cost.work + work_of_flowing_cell(world_) * cells);
    cost.sets_in_motion = cost.sets_in_motion || work_of_flowing_cell(world_) > kWorkOfSweptCell;
    return cost;
  }
  CommandCost operator()(const RisingPour& command) const {
    CommandCost cost = (*this)(Pour{command.at, command.units});
    cost.work = capped(cost.work + std::clamp(command.above, 0, kMostPourAbove));
    return cost;
  }
  CommandCost operator()(const MixedPour& command) const {
    const CoreState& core = world_.core();
    if ((command.tracer && !core.tracers.on()) || (command.temperature && !core.heat.on)) {
      return {kWorkOfAnyCommand};
    }
    const CommandCost cost = (*this)(RisingPour{command.at, command.units, command.above});
    return command.tracer || command.temperature ? of_layers(cost) : cost;
  }
  CommandCost operator()(const RestingPour& command) const {
    const CoreState& core = world_.core();
    if ((command.tracer && !core.tracers.on()) || (command.temperature && !core.heat.on)) {
      return {kWorkOfAnyCommand};
    }
    const Vec3 size = command.size.value_or(
        Vec3{1, std::clamp(command.above.value_or(kMostPourAbove), 0, kMostPourAbove) + 1, 1});
    CommandCost cost = of_box({command.at, size}, true);
    cost.work = capped(cost.work + (*this)(Pour{command.at, command.units}).work);
    cost.sets_in_motion = true;
    // Of its cells and of those over and under it each is looked at when the box is filled, when
    // its bodies are found, when they are laid at rest and when it is written.
    constexpr std::int64_t kLooks = 16;
    const Vec3 world = grid_.world_box().size;
    if (size.x < 1 || size.x > world.x || size.z < 1 || size.z > world.z) return cost;
    const std::int64_t columns = std::min(std::int64_t{size.x} * size.z, kMostRestingCells);
    const std::int64_t cells = std::min(columns * world.y, kMostRestingCells);
    cost.work = capped(cost.work + columns * kWorkOfRun + cells * kLooks);
    return command.tracer || command.temperature ? of_layers(cost) : cost;
  }
  CommandCost operator()(const AddSource& command) const { return of_source(command.at); }
  CommandCost operator()(const AddSourceUpTo& command) const { return of_source(command.at); }
  CommandCost operator()(const AddDrain& command) const { return {of_cell(command.at).work, true}; }
  CommandCost operator()(const RemoveSource& command) const {
    CommandCost cost = removed_from(world_.sources());
    cost.to_fall = -fall_below(command.at) * grid_.shape().height();
    return cost;
  }
  CommandCost operator()(const RemoveDrain& /*command*/) const {
    return removed_from(world_.drains());
  }
  CommandCost operator()(const FillLevel& command) const { return of_level(command.at); }
  CommandCost operator()(const EvaporateLevel& command) const { return of_level(command.at); }
  CommandCost operator()(const TrapAir& command) const { return of_level(command.at); }
  CommandCost operator()(const Splash& command) const {
    // Beyond a ripple it may move water, too, and strengths of that are tried likewise.
    const WaveOptions& options = world_.core().waves.options;
    const bool moves =
        command.energy > most_ripple(options, std::clamp(command.radius, 0, kMaxSplashRadius),
                                     world_.config().side_view());
    return of_pushes(moves ? 3 : 1, command.radius);
  }
  CommandCost operator()(const Explode& command) const { return of_pushes(1, command.radius); }
  CommandCost operator()(const MoveBody& command) const { return of_pushes(2, command.radius); }
  /// Wind moves every free surface there is, from now on.
  CommandCost operator()(const SetWind& command) const {
    if (!world_.core().waves.on || command.speed == 0) return {kWorkOfAnyCommand};
    const std::int64_t climb = of_climb() / grid_.shape().height();
    return {capped(kWorkOfAnyCommand + grid_.chunk_count() * (kWorkOfWaking + climb)), true};
  }
  CommandCost operator()(const WarmPour& command) const {
    return of_warmth((*this)(Pour{command.at, command.units}));
  }
  CommandCost operator()(const AddWarmSource& command) const {
    return world_.core().heat.on ? of_source(command.at) : CommandCost{kWorkOfAnyCommand};
  }
  CommandCost operator()(const DyedPour& command) const {
    if (!world_.core().tracers.on()) return {kWorkOfAnyCommand};
    return of_layers((*this)(Pour{command.at, command.units}));
  }
  CommandCost operator()(const AddDyedSource& command) const {
    return world_.core().tracers.on() ? of_source(command.at) : CommandCost{kWorkOfAnyCommand};
  }
  /// Every surface meets the air, and what it sets in motion spreads.
  CommandCost operator()(const SetAir& /*command*/) const {
    if (!world_.core().heat.on) return {kWorkOfAnyCommand};
    const std::int64_t chunks = grid_.chunk_count();
    return {capped(kWorkOfAnyCommand + chunks * kWorkOfHeatStep), true};
  }
  CommandCost operator()(const AddHeater& /*command*/) const {
    return of_warmth({kWorkOfAnyCommand});
  }
  CommandCost operator()(const RemoveHeater& /*command*/) const {
    return {kWorkOfAnyCommand + static_cast<std::int64_t>(world_.core().heat.heaters.size()) / 4};
  }
  /// Commands of pipes.
  template <class Row>
  CommandCost operator()(const Row& command) const {
    const bool removes = std::is_same_v<Row, RemovePipe> || std::is_same_v<Row, UnlinkPipes> ||
                         std::is_same_v<Row, RemovePort>;
    CommandCost cost{capped(kWorkOfAnyCommand + world_.pipes().cost_of(command)), !removes};
    if constexpr (std::is_same_v<Row, AddPort>) cost.to_fall = of_source(command.cell).to_fall;
    return cost;
  }

 private:
  /// Of surfaces, so many columns to each side.
  [[nodiscard]] CommandCost of_pushes(std::int64_t count, std::int32_t radius) const {
    if (!world_.core().waves.on) return {kWorkOfAnyCommand};
    const std::int64_t side = 2 * std::clamp(radius, 0, kMaxSplashRadius) + 1;
    const std::int64_t columns = world_.config().side_view() ? side : side * side;
    return {kWorkOfAnyCommand + count * (of_climb() + kWorkOfSplashedColumn * columns), true};
  }
  [[nodiscard]] CommandCost of_source(Vec3 at) const {
    const std::int64_t chunks = fall_below(at);
    CommandCost cost{capped(of_cell(at).work + chunks), true};
    cost.to_fall = chunks * grid_.shape().height();
    if (chunks == kMostChunksCounted) cost.work = kTooMuchWork;
    cost.work = of_layers(cost).work;
    return cost;
  }
  /// The chunk of a cell and those around it have their heat looked at.
  [[nodiscard]] CommandCost of_warmth(CommandCost cost) const {
    if (!world_.core().heat.on) return {kWorkOfAnyCommand};
    return of_layers(cost);
  }
  /// Likewise, of all that its water carries.
  [[nodiscard]] CommandCost of_layers(CommandCost cost) const {
    constexpr std::int64_t kAround = 7;
    const CoreState& core = world_.core();
    const std::int64_t work =
        (core.heat.on ? kWorkOfHeatStep : 0) + core.tracers.count * kWorkOfTracerStep;
    if (work == 0) return cost;
    return {capped(cost.work + kAround * work), true};
  }
  /// How far it reaches is known when it has been looked at, so the largest region is paid for.
  [[nodiscard]] CommandCost of_level(Vec3 at) const {
    if (!grid_.world_box().contains(at)) return {kWorkOfAnyCommand};
    constexpr std::int64_t kLooks = 4;  // at each cell: beside, around, summed up, written
    return {kWorkOfAnyCommand + kLooks * kMostLevelCells + kWorkOfRun * kMostLevelRuns +
                kMostLevelChunks * (kWorkOfChunk + kWorkOfNewChunk + kWorkOfWaking),
            true};
  }
  /// One column of the world from the floor to the top.
  [[nodiscard]] std::int64_t of_climb() const { return grid_.world_box().size.y; }
  /// Lists of springs are looked through.
  static CommandCost removed_from(const Springs& springs) {
    return {kWorkOfAnyCommand + static_cast<std::int64_t>(springs.size()) / 4};
  }
  [[nodiscard]] CommandCost of_cell(Vec3 at) const { return of_box({at, {1, 1, 1}}, true); }

  /// Empty chunks below that cell, one under the other: what falls there without an end keeps each
  /// of them awake.
  [[nodiscard]] std::int64_t fall_below(Vec3 at) const {
    if (!grid_.world_box().contains(at)) return 0;
    ChunkCoord coord = grid_.shape().chunk_of(at);
    std::int64_t count = 0;
    for (; coord.y > 0 && count < kMostChunksCounted; ++count) {
      --coord.y;
      const Chunk* const chunk = grid_.find(coord);
      if (chunk != nullptr && !chunk->cells.is_shared_air()) break;
    }
    return count;
  }

  /// `makes`: chunks that are not stored are made, instead of passed over.
  [[nodiscard]] CommandCost of_box(const Box& box, bool makes) const {
    if (box.empty() || !lies_in(box, grid_.world_box())) return {kWorkOfAnyCommand};
    const ChunkShape& shape = grid_.shape();
    const ChunkCoord first = shape.chunk_of(box.from);
    const ChunkCoord last = shape.chunk_of(box.end() - Vec3{1, 1, 1});
    const std::int64_t covered = chunks_covered(first, last);
    if (covered > kMostChunksCounted) return of_large_box(box, covered, makes);
    CommandCost cost{kWorkOfAnyCommand};
    for (std::int32_t z = first.z; z <= last.z; ++z) {
      for (std::int32_t x = first.x; x <= last.x; ++x) {
        for (std::int32_t y = first.y; y <= last.y; ++y) add_chunk({x, y, z}, box, makes, cost);
      }
    }
    return cost;
  }

  /// For each cell of a box of water, on top of work_of_flowing_cell(): water that falls takes more
  /// work. So it is the work of a falling cell times the share of the box's columns with air or
  /// part-filled water below them.
  [[nodiscard]] std::int64_t work_of_fall(const Box& box) const {
    const std::int64_t falling = work_of_water(world_).falling;
    if (falling == 0 || box.from.y == 0) return 0;
    const std::int64_t columns = std::int64_t{box.size.x} * box.size.z;
    if (columns > kMostColumnsLookedAt) return falling;
    std::int64_t unsupported = 0;
    for (std::int32_t z = box.from.z; z < box.end().z; ++z) {
      for (std::int32_t x = box.from.x; x < box.end().x; ++x) {
        const Cell below = grid_.cell({x, box.from.y - 1, z});
        unsupported += is_open(below) && below < kFull ? 1 : 0;
      }
    }
    return (falling * unsupported + columns - 1) / columns;
  }

  [[nodiscard]] std::int64_t work_of_new_chunk() const {
    const WorkOfWater& water = work_of_water(world_);
    return kWorkOfNewChunk + (world_.config().side_view() ? water.new_side_view : water.new_solid);
  }

  void add_chunk(ChunkCoord coord, const Box& box, bool makes, CommandCost& cost) const {
    const Chunk* chunk = grid_.find(coord);
    if (chunk == nullptr && !makes) {
      cost.work += 1;
      return;
    }
    cost.work += kWorkOfChunk + intersect(box, grid_.shape().box(coord)).volume();
    if (chunk == nullptr) cost.work += work_of_new_chunk();
    if (chunk != nullptr && chunk->wake != 0) return;
    cost.work += kWorkOfWaking;
    cost.sets_in_motion = true;
  }

  [[nodiscard]] CommandCost of_large_box(const Box& box, std::int64_t covered, bool makes) const {
    const std::int64_t stored = grid_.chunk_count();
    const std::int64_t touched = makes ? covered : std::min(covered, stored);
    const std::int64_t cells = std::min(box.volume(), touched * kChunkCells);
    // Nothing is looked up beyond what is stored or covered, whichever is less.
    const std::int64_t looked_at = std::min(covered, stored);
    return {capped(kWorkOfAnyCommand + looked_at + cells +
                   touched * (kWorkOfChunk + work_of_new_chunk() + kWorkOfWaking)),
            touched > 0};
  }

  const Grid& grid_;
  const World& world_;
};

}  // namespace

std::int64_t work_of_flowing_cell(const World& world) {
  const bool side_view = world.config().side_view();
  const WorkOfWater& water = work_of_water(world);
  std::int64_t work = side_view ? water.side_view : water.solid;
  if (world.core().waves.on) work += side_view ? kWorkOfWaves.side_view : kWorkOfWaves.solid;
  if (world.core().heat.on) work += side_view ? kWorkOfHeat.side_view : kWorkOfHeat.solid;
  work +=
      world.core().tracers.count * (side_view ? kWorkOfTracers.side_view : kWorkOfTracers.solid);
  return work;
}

CommandCost cost_of(const Command& command, const World& world) {
  return std::visit(CostOf(world), command.body);
}

}  // namespace sluice::sim
