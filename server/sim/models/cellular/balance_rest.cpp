// Where the last units of a body come to lie, that cannot be shared out evenly: so that a mirror,
// or an exchange of x and z, changes nothing.
#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "server/sim/models/cellular/balance.h"

namespace sluice::sim {

/// Cells that compare equal lie where the symmetries of the body's box lead to each other, and held
/// as much: they get as much. There are at most two of them in a side view, and eight in 3D.
struct Balance::Place {
  bool lacks = false;  // a unit of the head's level: who has one keeps it
  std::int32_t farther =
      0;                    // in half cells from the middle of the body's box, the axis that counts
  std::int32_t nearer = 0;  // more first; and the other one
  Cell amount = 0;
  Vec3 at;

  [[nodiscard]] auto key() const { return std::tuple(lacks, farther, nearer, -amount); }
};

/// Those of one row, in their order.
std::vector<Balance::Place> Balance::places_in(std::int32_t y) {
  const auto by_x = std::minmax_element(body_.begin(), body_.end(),
                                        [](const auto& a, const auto& b) { return a.x < b.x; });
  const std::int32_t middle_x = by_x.first->x + by_x.second->x;
  const std::int32_t middle_z = body_.front().z + body_.back().z;
  std::vector<Place> places;
  for (const WaterRun& run : body_) {
    if (y < run.floor || y >= end_of(run)) continue;
    const std::int32_t dx = std::abs(2 * run.x - middle_x);
    const std::int32_t dz = std::abs(2 * run.z - middle_z);
    const Cell amount = cell(run, y);
    places.push_back(
        {amount <= row(y).held, std::max(dx, dz), std::min(dx, dz), amount, {run.x, y, run.z}});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.key() < b.key(); });
  return places;
}

/// Gives one unit to each cell of as many sets of equal places as there is enough for. Returns what
/// is left.
std::int64_t Balance::share_in_row(std::int32_t y, std::int64_t rest) {
  const std::vector<Place> places = places_in(y);
  for (std::size_t first = 0; first < places.size() && rest > 0;) {
    std::size_t end = first;
    while (end < places.size() && places[end].key() == places[first].key()) ++end;
    const auto count = static_cast<std::int64_t>(end - first);
    if (count <= rest) {
      const Vec3 at = places[first].at;
      const std::int64_t amount = (row(y).whole ? row(y).most : row(y).held) + ++singles_[at];
      strayed_ += count * (order_.level(y, static_cast<std::int32_t>(amount)) - head_);
      for (std::size_t i = first + 1; i < end; ++i) ++singles_[places[i].at];
      rest -= count;
    }
    first = end;
  }
  return rest;
}

/// Shares out the units of the head's own level. False where that would take a side.
bool Balance::share_rest() {
  singles_.clear();
  strayed_ = 0;
  std::int64_t rest = rest_;
  const auto rows = static_cast<std::int32_t>(rows_.size());
  const std::int32_t top = std::min(order_.row(head_), lowest_ + rows - 1);
  // As compression has it: row by row, from the surface down.
  for (std::int32_t y = top; y >= lowest_ && rest > 0; --y) {
    if (row(y).most == row(y).held) continue;
    row(y).whole = row(y).cells <= rest;
    rest = row(y).whole ? rest - row(y).cells : share_in_row(y, rest);
  }
  // A few that fit nowhere there lie a little higher than they should.
  for (bool shared = true; rest > 0 && shared;) {
    const std::int64_t before = rest;
    for (std::int32_t y = top; y >= lowest_ && rest > 0; --y) rest = share_in_row(y, rest);
    shared = rest < before;
  }
  return rest == 0;
}

}  // namespace sluice::sim
