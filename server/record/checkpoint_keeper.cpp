#include "server/record/checkpoint_keeper.h"

#include <utility>

namespace sluice::record {

CheckpointKeeper::CheckpointKeeper(const sim::World& world)
    : ticks_(kSeconds * static_cast<std::uint64_t>(world.config().tick_rate)),
      rest_ticks_(kRestSeconds * static_cast<std::uint64_t>(world.config().tick_rate)),
      last_tick_(world.tick_number()) {}

std::optional<CheckpointImage> CheckpointKeeper::after_tick(const sim::World& world,
                                                            const sim::TickReport& report,
                                                            bool commands) {
  happened_ |= commands || !report.at_rest;
  changed_.insert(world.changed_chunks().begin(), world.changed_chunks().end());
  const std::uint64_t since = report.tick - last_tick_;
  if (since < (happened_ ? ticks_ : rest_ticks_)) return std::nullopt;
  return take(world);
}

CheckpointImage CheckpointKeeper::take(const sim::World& world) {
  // A chunk may be new without a change: one that was made for water that did not come.
  std::set<sim::ChunkCoord> stored;
  world.grid().for_each([this, &stored](const sim::Chunk& chunk) {
    stored.insert(stored.end(), chunk.coord);
    if (!known_.contains(chunk.coord)) changed_.insert(chunk.coord);
  });
  known_ = std::move(stored);
  if (complete_) changed_ = known_;
  CheckpointImage image = CheckpointImage::changes(world, changed_, core_.get());
  core_ = image.core_copy;
  image.complete = std::exchange(complete_, false);
  happened_ = false;
  last_tick_ = world.tick_number();
  changed_.clear();
  return image;
}

}  // namespace sluice::record
