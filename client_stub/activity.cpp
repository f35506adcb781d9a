#include "client_stub/activity.h"

#include <cmath>

namespace sluice::client {

namespace {

/// Seconds over which bytes are averaged.
constexpr double kSpan = 3;

double fading(Activity::Clock::duration since) {
  return std::exp(-std::chrono::duration<double>(since).count() / kSpan);
}

}  // namespace

void Activity::note(const protocol::Mirror& mirror, Clock::time_point now) {
  for (const protocol::ChunkChange& change : mirror.changed()) {
    if (mirror.find(change.coord) == nullptr) {
      entries_.erase(change.coord);
      continue;
    }
    Entry& entry = entries_[change.coord];
    entry.bytes = entry.bytes * fading(now - entry.at) + static_cast<double>(change.bytes);
    entry.at = now;
    // A chunk that comes into view is sent as it is, and may have been at rest for long.
    if (!change.came_in) entry.changed = now;
  }
}

std::optional<std::chrono::milliseconds> Activity::since_change(ChunkCoord chunk,
                                                                Clock::time_point now) const {
  const auto entry = entries_.find(chunk);
  if (entry == entries_.end() || !entry->second.changed) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - *entry->second.changed);
}

double Activity::bytes_per_second(ChunkCoord chunk, Clock::time_point now) const {
  const auto entry = entries_.find(chunk);
  if (entry == entries_.end()) return 0;
  return entry->second.bytes * fading(now - entry->second.at) / kSpan;
}

}  // namespace sluice::client
