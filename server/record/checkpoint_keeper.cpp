#include "server/record/checkpoint_keeper.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::record {

CheckpointKeeper::CheckpointKeeper(const sim::World& world)
    : ticks_(kSeconds * static_cast<std::uint64_t>(world.config().tick_rate)),
      rest_ticks_(kRestSeconds * static_cast<std::uint64_t>(world.config().tick_rate)),
      last_tick_(world.tick_number()) {
  copier_.prepare(world.pipes());
}

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
  std::vector<ChunkCoord> stored;
  stored.reserve(static_cast<std::size_t>(world.grid().chunk_count()));
  world.grid().for_each([&stored](const sim::Chunk& chunk) { stored.push_back(chunk.coord); });
  if (complete_) known_.clear();
  std::set_difference(stored.begin(), stored.end(), known_.begin(), known_.end(),
                      std::inserter(changed_, changed_.end()));
  known_ = std::move(stored);
  CheckpointImage image = CheckpointImage::changes(world, changed_, copier_);
  image.complete = std::exchange(complete_, false);
  happened_ = false;
  last_tick_ = world.tick_number();
  changed_.clear();
  return image;
}

}  // namespace sluice::record
