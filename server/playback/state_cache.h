// States of ticks that were visited, so that stepping back need not begin at a checkpoint each
// time. Holds no more than its share of a budget: the state that was used longest ago goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "server/playback/cache_budget.h"
#include "server/record/checkpoint.h"

namespace sluice::playback {

class StateCache {
 public:
  explicit StateCache(std::shared_ptr<CacheBudget> budget);
  ~StateCache();
  StateCache(const StateCache&) = delete;
  StateCache& operator=(const StateCache&) = delete;

  /// About what a world's state takes here.
  [[nodiscard]] static std::size_t bytes_of(const sim::World& world);

  /// Keeps the world's state, if it fits at all.
  void keep(const sim::World& world);
  /// The newest state kept of a tick in [from, to], or null. Valid until the next call of keep() or
  /// forget().
  [[nodiscard]] const record::CheckpointImage* nearest(std::uint64_t from, std::uint64_t to);
  void forget(std::uint64_t tick);
  /// Lets go of what is beyond the share, which is smaller since another cache joined.
  void keep_to_share();

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t count() const { return states_.size(); }

 private:
  struct Entry {
    record::CheckpointImage image;
    std::size_t bytes = 0;
    std::uint64_t used = 0;  // counts uses: the higher, the later
  };

  void drop(std::map<std::uint64_t, Entry>::iterator entry);
  void drop_oldest();

  const std::shared_ptr<CacheBudget> budget_;
  std::map<std::uint64_t, Entry> states_;  // by tick
  std::size_t bytes_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace sluice::playback
