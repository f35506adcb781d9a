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

Vec3 ColumnTops::top_of(Vec3 from) {
  const auto [place, is_new] = known_.try_emplace({from.x, from.z}, from.y, from.y);
  auto& [lowest, top] = place->second;
  // What was climbed before this tick's springs gave anything may have filled up since: it is gone
  // on from, not taken for the end.
  const bool within = !is_new && from.y >= lowest && from.y <= top;
  const Vec3 found = climb(within ? Vec3{from.x, top, from.z} : from);
  if (!within) lowest = from.y;
  top = found.y;
  return found;
}

Vec3 ColumnTops::climb(Vec3 from) {
  const ChunkShape& shape = grid_.shape();
  const std::int32_t column = shape.index_of({from.x, 0, from.z});
  Vec3 at = from;
  Chunk* chunk = grid_.find(shape.chunk_of(at));
  while (chunk != nullptr) {
    chunk->watched = true;
    const std::int32_t first = at.y & (shape.height() - 1);
    if (first == 0 && is_full(*chunk, column)) {
      at.y += shape.height();
    } else {
      const std::int32_t end = at.y - first + shape.height();
      while (at.y < end && chunk->cells[static_cast<std::size_t>(shape.index_of(at))] == full_) {
        ++at.y;
      }
      if (at.y < end) break;
    }
    chunk = chunk->above;
  }
  return at;
}

bool ColumnTops::is_full(Chunk& chunk, std::int32_t column) const {
  const auto slab = static_cast<std::size_t>(grid_.shape().slab());
  if (!chunk.full_columns_known) {
    std::array<Cell, kMostColumns> differs{};
    for (std::size_t i = 0; i < kChunkCells; ++i) differs[i % slab] |= chunk.cells[i] ^ full_;
    chunk.full_columns.fill(0);
    for (std::size_t i = 0; i < slab; ++i) {
      chunk.full_columns[i / 64] |= std::uint64_t{differs[i] == 0} << (i % 64);
    }
    chunk.full_columns_known = true;
  }
  const auto bit = static_cast<std::size_t>(column);
  return (chunk.full_columns[bit / 64] >> (bit % 64) & 1) != 0;
}

}  // namespace sluice::sim
