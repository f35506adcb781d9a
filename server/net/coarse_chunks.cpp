#include "server/net/coarse_chunks.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/base/cell.h"

namespace sluice::net {

namespace {

/// What a coarse cell is made of.
struct CellSum {
  std::int64_t open = 0;  // cells, trapped air among them
  std::int64_t rock = 0;
  std::int64_t ice = 0;
  std::int64_t water = 0;   // units in open cells
  std::int64_t frozen = 0;  // and in ice

  void add(Cell cell) {
    if (is_open(cell) || cell == kTrappedAir) {
      ++open;
      water += water_of(cell);
    } else if (is_ice(cell)) {
      ++ice;
      frozen += held_in(cell);
    } else {
      ++rock;
    }
  }
  [[nodiscard]] Cell mean() const {
    const auto rounded_up = [](std::int64_t units, std::int64_t cells) {
      constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / kCoarseUnits - 1;
      const std::int64_t step = cells * kCoarseUnits;
      return kCoarseUnits * static_cast<std::int32_t>(std::min(kMost, (units + step - 1) / step));
    };
    if (rock + ice < open) return rounded_up(water, open);
    if (ice > 0 && ice >= rock) return ice_of(rounded_up(frozen, ice));
    return rock > 0 ? kRock : kAir;
  }
};

/// And a coarse number of a layer. No number is below 0, so a half is rounded up.
struct NumberSum {
  std::int64_t sum = 0;
  std::int64_t cells = 0;  // that have a number

  void add(std::int32_t number) {
    sum += number;
    cells += number != 0 ? 1 : 0;
  }
  [[nodiscard]] std::int32_t mean() const {
    return cells == 0 ? 0 : static_cast<std::int32_t>((2 * sum + cells) / (2 * cells));
  }
};

}  // namespace

CoarseChunks::CoarseChunks(Of of, const ChunkShape& sides, Vec3 size, std::int32_t level,
                           std::size_t thorough_chunks, const protocol::LessonTerms& lessons)
    : PublishedChunks(sides, thorough_chunks, lessons),
      of_(of),
      shape_(sides),
      size_(size),
      level_(level) {
  SLUICE_ASSERT(sides.log_x >= level || size.x == 1);
  SLUICE_ASSERT(sides.log_y >= level || size.y == 1);
  SLUICE_ASSERT(sides.log_z >= level || size.z == 1);
}

void CoarseChunks::begin(std::uint64_t tick, const PublishedChunks& fine) {
  if (std::exchange(wanted_, true)) return;
  std::vector<ChunkCoord> changed(missed_.begin(), missed_.end());
  missed_.clear();
  if (!std::exchange(made_, true)) {
    fine.for_each_chunk([&](ChunkCoord coord) { changed.push_back(coord); });
  }
  take_in(tick, fine, std::move(changed));
}

void CoarseChunks::follow(std::uint64_t tick, const PublishedChunks& fine) {
  if (!made_) return;
  std::vector<ChunkCoord> changed;
  for (const ChunkChange& change : fine.changes()) changed.push_back(change.key);
  if (wanted_) return take_in(tick, fine, std::move(changed));
  PublishedChunks::pause(tick, false);
  missed_.insert(changed.begin(), changed.end());
}

void CoarseChunks::pause(std::uint64_t tick, bool forget) {
  PublishedChunks::pause(tick, forget);
  if (!forget) return;
  made_ = false;
  missed_.clear();
}

// Chunk by chunk of the coarse ones: each is copied once, however much of it changed.
void CoarseChunks::take_in(std::uint64_t tick, const PublishedChunks& fine,
                           std::vector<ChunkCoord> changed) {
  std::sort(changed.begin(), changed.end(), [&](ChunkCoord a, ChunkCoord b) {
    return std::pair(coarse(a), a) < std::pair(coarse(b), b);
  });
  ChunkPictures pictures;
  for (auto first = changed.begin(); first != changed.end();) {
    const ChunkCoord at = coarse(*first);
    const protocol::ChunkCells* before = cells(at);
    auto now = before == nullptr ? std::make_shared<protocol::ChunkCells>()
                                 : std::make_shared<protocol::ChunkCells>(*before);
    for (; first != changed.end() && coarse(*first) == at; ++first) {
      if (of_ == Of::kCells) {
        fill_part<CellSum>(*now, *first, fine.cells(*first));
      } else {
        fill_part<NumberSum>(*now, *first, fine.cells(*first));
      }
    }
    const bool empty = std::all_of(now->begin(), now->end(), [](auto cell) { return cell == 0; });
    pictures.emplace(at, empty ? nullptr : std::move(now));
  }
  apply(tick, std::move(pictures), false);
}

// The cells that a fine chunk decides; null: it is all air, or all 0.
template <class Sum>
void CoarseChunks::fill_part(protocol::ChunkCells& cells, ChunkCoord from,
                             const protocol::ChunkCells* fine) const {
  const Vec3 origin = shape_.origin(from);
  const Vec3 end = {std::min(origin.x + shape_.width(), size_.x),
                    std::min(origin.y + shape_.height(), size_.y),
                    std::min(origin.z + shape_.depth(), size_.z)};
  const std::int32_t step = 1 << level_;
  for (std::int32_t y = origin.y; y < end.y; y += step) {
    for (std::int32_t z = origin.z; z < end.z; z += step) {
      for (std::int32_t x = origin.x; x < end.x; x += step) {
        const Vec3 corner = {std::min(x + step, end.x), std::min(y + step, end.y),
                             std::min(z + step, end.z)};
        Sum sum;
        for (Vec3 p = {x, y, z}; fine != nullptr && p.y < corner.y; ++p.y) {
          for (p.z = z; p.z < corner.z; ++p.z) {
            const auto row = static_cast<std::size_t>(shape_.index_of({x, p.y, p.z}));
            for (p.x = x; p.x < corner.x; ++p.x) {
              sum.add((*fine)[row + static_cast<std::size_t>(p.x - x)]);
            }
          }
        }
        const Vec3 at = {x >> level_, y >> level_, z >> level_};
        cells[static_cast<std::size_t>(shape_.index_of(at))] = sum.mean();
      }
    }
  }
}

}  // namespace sluice::net
