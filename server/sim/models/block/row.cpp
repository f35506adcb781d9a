#include "server/sim/models/block/row.h"

#include <algorithm>
#include <utility>

namespace sluice::sim {

void BlockRow::assign(const std::vector<RowCell>& sorted) {
  pages_.clear();
  size_ = sorted.size();
  // Half full, so that the next cells find room.
  const std::size_t step = std::max<std::size_t>(most_in_page_ / 2, 1);
  for (std::size_t i = 0; i < size_; i += step) {
    const auto from = sorted.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = static_cast<std::ptrdiff_t>(std::min(step, size_ - i));
    pages_.push_back({{from, from + count}, {}});
  }
}

/// The one whose last cell is not before this one; the last page, if there is none.
std::vector<BlockRow::Page>::iterator BlockRow::page_of(const RowCell& entry) {
  const auto found = std::lower_bound(
      pages_.begin(), pages_.end(), entry,
      [](const Page& page, const RowCell& sought) { return page.cells.back() < sought; });
  return found == pages_.end() ? std::prev(found) : found;
}

void BlockRow::insert(const RowCell& entry) {
  ++size_;
  if (pages_.empty()) {
    pages_.push_back({{entry}, {}});
    return;
  }
  const auto page = page_of(entry);
  std::vector<RowCell>& cells = page->cells;
  cells.insert(std::upper_bound(cells.begin(), cells.end(), entry), entry);
  page->corners.known = false;
  if (cells.size() <= most_in_page_) return;
  const auto middle = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() / 2);
  Page upper = {{middle, cells.end()}, {}};
  cells.erase(middle, cells.end());
  pages_.insert(std::next(page), std::move(upper));
}

void BlockRow::erase(const RowCell& entry) {
  --size_;
  const auto page = page_of(entry);
  page->cells.erase(std::lower_bound(page->cells.begin(), page->cells.end(), entry));
  page->corners.known = false;
  if (page->cells.empty()) pages_.erase(page);
}

const BlockRow::Corners& BlockRow::corners_of(const Page& page) {
  Corners& corners = page.corners;
  if (corners.known) return corners;
  const auto sum = [](const RowCell& cell) { return std::int64_t{cell.x} + cell.z; };
  const auto difference = [](const RowCell& cell) { return std::int64_t{cell.x} - cell.z; };
  const RowCell& first = page.cells.front();
  corners = {true, sum(first), sum(first), difference(first), difference(first)};
  for (const RowCell& cell : page.cells) {
    corners.least_sum = std::min(corners.least_sum, sum(cell));
    corners.greatest_sum = std::max(corners.greatest_sum, sum(cell));
    corners.least_difference = std::min(corners.least_difference, difference(cell));
    corners.greatest_difference = std::max(corners.greatest_difference, difference(cell));
  }
  return corners;
}

const RowCell& BlockRow::farthest(std::int64_t places, std::int64_t sum_x,
                                  std::int64_t sum_z) const {
  const Page* farthest_page = nullptr;
  std::int64_t farthest = -1;
  for (const Page& page : pages_) {
    const Corners& corners = corners_of(page);
    const std::int64_t of_page = std::max({places * corners.greatest_sum - (sum_x + sum_z),
                                           (sum_x + sum_z) - places * corners.least_sum,
                                           places * corners.greatest_difference - (sum_x - sum_z),
                                           (sum_x - sum_z) - places * corners.least_difference});
    if (of_page <= farthest) continue;
    farthest = of_page;
    farthest_page = &page;
  }
  return *std::find_if(farthest_page->cells.begin(), farthest_page->cells.end(),
                       [&](const RowCell& cell) {
                         const std::int64_t x = places * cell.x - sum_x;
                         const std::int64_t z = places * cell.z - sum_z;
                         return (x < 0 ? -x : x) + (z < 0 ? -z : z) == farthest;
                       });
}

}  // namespace sluice::sim
