// When to take a checkpoint of a running world, and of what: every two seconds of ticks in which
// something happened, so that any tick is at most that far from one; at rest, where a replay costs
// next to nothing, every ten minutes. An image holds the chunks that changed since the one before:
// a large world that sleeps but for one spring costs that spring's chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "server/record/checkpoint.h"
#include "server/sim/world.h"

namespace sluice::record {

class CheckpointKeeper {
 public:
  static constexpr std::uint64_t kSeconds = 2;
  static constexpr std::uint64_t kRestSeconds = 600;

  /// Begins with a world whose recording may lack a checkpoint of it: the first image is complete.
  explicit CheckpointKeeper(const sim::World& world);

  /// Instead of kSeconds: a checkpoint after so many ticks in which something happened.
  void set_spacing(std::uint64_t ticks) { ticks_ = ticks; }

  /// After each tick, with whether it was given commands. An image, where one is due.
  [[nodiscard]] std::optional<CheckpointImage> after_tick(const sim::World& world,
                                                          const sim::TickReport& report,
                                                          bool commands);
  /// An image of now, due or not.
  [[nodiscard]] CheckpointImage take(const sim::World& world);

 private:
  std::uint64_t ticks_;
  std::uint64_t rest_ticks_;
  std::uint64_t last_tick_;
  bool complete_ = true;   // the next image must hold every chunk's bytes
  bool happened_ = false;  // since the last image
  std::set<ChunkCoord> changed_;
  std::vector<ChunkCoord> known_;  // the chunks of the last image, in order
  sim::CoreCopier copier_;
};

}  // namespace sluice::record
