#include "server/sim/models/nearest_places.h"

#include <iterator>
#include <tuple>

namespace sluice::sim {

namespace {

std::int64_t apart(std::int32_t a, std::int32_t b) {
  return a < b ? std::int64_t{b} - a : std::int64_t{a} - b;
}

}  // namespace

void NearestPlaces::add_all(const NearestPlaces& other) {
  for (const auto& [z, row] : other.rows_) {
    for (const std::int32_t x : row) add({x, 0, z});
  }
}

void NearestPlaces::remove(Vec3 at) {
  const auto row = rows_.find(at.z);
  if (row == rows_.end() || row->second.erase(at.x) == 0) return;
  --size_;
  if (row->second.empty()) rows_.erase(row);
}

std::optional<Vec3> NearestPlaces::nearest(Vec3 at) const {
  std::optional<std::tuple<std::int64_t, std::int32_t, std::int32_t>> best;  // distance, x, z
  const auto try_place = [&](std::int32_t x, std::int32_t z) {
    const std::tuple place(apart(x, at.x) + apart(z, at.z), x, z);
    if (!best || place < *best) best = place;
  };
  // False where this row, and so all behind it, lies farther away than the best.
  const auto try_row = [&](const auto& row) {
    if (best && apart(row.first, at.z) > std::get<0>(*best)) return false;
    const auto right = row.second.lower_bound(at.x);
    if (right != row.second.end()) try_place(*right, row.first);
    if (right != row.second.begin()) try_place(*std::prev(right), row.first);
    return true;
  };
  auto behind = rows_.lower_bound(at.z);
  auto in_front = std::make_reverse_iterator(behind);
  bool goes_back = true;
  bool goes_front = true;
  while (goes_back || goes_front) {
    goes_back = goes_back && behind != rows_.end() && try_row(*behind++);
    goes_front = goes_front && in_front != rows_.rend() && try_row(*in_front++);
  }
  if (!best) return std::nullopt;
  return Vec3{std::get<1>(*best), at.y, std::get<2>(*best)};
}

}  // namespace sluice::sim
