#include "server/playback/state_cache.h"

#include <algorithm>
#include <utility>

namespace sluice::playback {

namespace {

// Names, lists and tables that belong to a state or a chunk.
constexpr std::size_t kStateOverhead = 256;
constexpr std::size_t kChunkOverhead = 64;
constexpr std::size_t kChunkBytes = kChunkCells * sizeof(Cell) + kChunkOverhead;
// About what a pipe with its links takes in a core.
constexpr std::size_t kPipeBytes = 128;

std::size_t size_of(const record::CheckpointImage& image) {
  std::size_t bytes = kStateOverhead + image.core.capacity();
  for (const auto& chunk : image.chunks) bytes += kChunkOverhead + chunk.bytes.capacity();
  return bytes;
}

}  // namespace

StateCache::StateCache(std::shared_ptr<CacheBudget> budget) : budget_(std::move(budget)) {
  budget_->join();
}

StateCache::~StateCache() {
  budget_->give_back(bytes_);
  budget_->leave();
}

std::size_t StateCache::bytes_of(const sim::World& world) {
  return kStateOverhead + static_cast<std::size_t>(world.grid().chunk_count()) * kChunkBytes +
         std::size_t{world.pipes().slot_limit()} * kPipeBytes;
}

void StateCache::keep(const sim::World& world) {
  const std::uint64_t tick = world.tick_number();
  if (const auto held = states_.find(tick); held != states_.end()) {
    held->second.used = ++uses_;
    return;
  }
  const std::size_t share = budget_->share();
  if (bytes_of(world) > share) return;  // not worth the copy
  Entry entry{record::CheckpointImage::of(world), 0, ++uses_};
  entry.bytes = size_of(entry.image);
  if (entry.bytes > share) return;
  while (bytes_ + entry.bytes > share) drop_oldest();
  // Others may hold more than their share until their next look.
  while (!budget_->take(entry.bytes)) {
    if (states_.empty()) return;
    drop_oldest();
  }
  bytes_ += entry.bytes;
  states_.emplace(tick, std::move(entry));
}

const record::CheckpointImage* StateCache::nearest(std::uint64_t from, std::uint64_t to) {
  auto place = states_.upper_bound(to);
  if (place == states_.begin()) return nullptr;
  --place;
  if (place->first < from) return nullptr;
  place->second.used = ++uses_;
  return &place->second.image;
}

void StateCache::forget(std::uint64_t tick) {
  if (const auto place = states_.find(tick); place != states_.end()) drop(place);
}

void StateCache::keep_to_share() {
  const std::size_t share = budget_->share();
  while (bytes_ > share) drop_oldest();
}

void StateCache::drop_oldest() {
  drop(std::min_element(states_.begin(), states_.end(), [](const auto& a, const auto& b) {
    return a.second.used < b.second.used;
  }));
}

void StateCache::drop(std::map<std::uint64_t, Entry>::iterator entry) {
  bytes_ -= entry->second.bytes;
  budget_->give_back(entry->second.bytes);
  states_.erase(entry);
}

}  // namespace sluice::playback
