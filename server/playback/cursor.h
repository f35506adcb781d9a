// The world of a recording at any tick, forwards and backwards.
//
//   seek(T) begins at the latest of       and replays the rest, every digest compared
//     the world as it stands                (when T lies ahead of it)
//     a state kept in the cache
//     the checkpoint before T
//
// A step back also keeps the states of the ticks before, so that going on backwards is quick.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/playback/state_cache.h"
#include "server/record/reader.h"
#include "server/record/tick_cursor.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::playback {

/// Used by one thread at a time.
class Cursor {
 public:
  static constexpr std::size_t kCacheBytes = std::size_t{256} << 20;
  /// A seek back by at most this many ticks counts as a step, and keeps as many states at the most.
  static constexpr std::uint64_t kStepTicks = 16;

  /// Stands at the recording's first tick. Errors begin with the path and say what is wrong. The
  /// executor must outlive the cursor. Its cache takes from the budget.
  [[nodiscard]] static Result<std::unique_ptr<Cursor>> open(const std::string& path,
                                                            sim::Executor& executor,
                                                            std::shared_ptr<CacheBudget> budget);
  /// With a budget of kCacheBytes to itself.
  [[nodiscard]] static Result<std::unique_ptr<Cursor>> open(const std::string& path,
                                                            sim::Executor& executor);

  [[nodiscard]] const sim::World& world() const { return *world_; }
  [[nodiscard]] std::uint64_t tick() const { return world_->tick_number(); }
  [[nodiscard]] record::Reader& reader() { return *reader_; }
  [[nodiscard]] std::uint64_t first_tick() const { return reader_->first_tick(); }
  [[nodiscard]] std::uint64_t last_tick() const { return reader_->last_tick(); }
  [[nodiscard]] const StateCache& cache() const { return cache_; }
  /// Ticks that the last seek() replayed.
  [[nodiscard]] std::uint64_t replayed_ticks() const { return replayed_ticks_; }

  /// Goes to a tick of [first_tick(), last_tick()]. After an error, which says why that tick cannot
  /// be reached, the world is that of some earlier or later tick that could be.
  [[nodiscard]] Status seek(std::uint64_t tick);
  /// Goes on by one tick, which must be there. After an error it stands where it stood.
  [[nodiscard]] Status advance();
  /// Looks whether the recording has grown, or has another file now, in which it goes on: a running
  /// server has cut old history off (record::Reader::replaced). It may stand before first_tick()
  /// then, where it cannot go back to.
  [[nodiscard]] Status refresh();
  /// Lets go of states that others need the room of. To be called now and then.
  void keep_to_share() { cache_.keep_to_share(); }

  /// What is under way, and whatever is asked for later, ends with an error within a tick. Any
  /// thread.
  void give_up() { given_up_ = true; }

  /// What was found wrong and gone around, damaged checkpoints for instance. Empties the list.
  [[nodiscard]] std::vector<std::string> take_warnings();

 private:
  Cursor(std::unique_ptr<record::Reader> reader, sim::Executor& executor,
         std::shared_ptr<CacheBudget> budget);
  [[nodiscard]] Status replay_to(std::uint64_t tick);
  [[nodiscard]] Status tick_once();
  [[nodiscard]] Status restore(std::uint64_t tick, std::uint64_t keep_from);
  [[nodiscard]] Error with_way_on(const Status& failed, std::uint64_t tick);
  [[nodiscard]] std::uint64_t trail_begin(std::uint64_t tick) const;
  void adopt(std::unique_ptr<sim::World> world);

  std::unique_ptr<record::Reader> reader_;
  sim::Executor& executor_;
  StateCache cache_;
  std::unique_ptr<sim::World> world_;
  std::optional<record::TickCursor> history_;  // stands before the tick after the world's
  std::vector<sim::Command> commands_;
  std::vector<std::string> warnings_;
  std::uint64_t replayed_ticks_ = 0;
  std::atomic<bool> given_up_{false};
  bool sound_ = false;  // the world is what the recording says it is
};

}  // namespace sluice::playback
