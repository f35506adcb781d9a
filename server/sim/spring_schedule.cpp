#include "server/sim/spring_schedule.h"

#include <algorithm>

namespace sluice::sim {

void SpringSchedule::wake_all(Springs& springs) {
  asleep_.clear();
  awake_.clear();
  for (Entry& spring : springs) awake_.push_back(&spring);
  sorted_ = awake_.size();
}

void SpringSchedule::add(Entry& spring) {
  awake_.push_back(&spring);
}

void SpringSchedule::forget(const Entry& spring) {
  const auto erase = [&spring](std::vector<Entry*>& list) {
    const auto place = std::find(list.begin(), list.end(), &spring);
    if (place == list.end()) return false;
    list.erase(place);
    return true;
  };
  if (erase(awake_)) {
    sorted_ = 0;
    return;
  }
  for (auto column = asleep_.begin(); column != asleep_.end(); ++column) {
    if (!erase(column->second)) continue;
    if (column->second.empty()) asleep_.erase(column);
    return;
  }
}

void SpringSchedule::wake(ChunkCoord chunk) {
  const auto column = asleep_.find(column_of(chunk));
  if (column == asleep_.end()) return;
  awake_.insert(awake_.end(), column->second.begin(), column->second.end());
  asleep_.erase(column);
}

void SpringSchedule::sort_awake() {
  const auto in_order = [](const Entry* a, const Entry* b) { return a->first < b->first; };
  if (sorted_ < awake_.size()) std::sort(awake_.begin(), awake_.end(), in_order);
  sorted_ = awake_.size();
}

}  // namespace sluice::sim
