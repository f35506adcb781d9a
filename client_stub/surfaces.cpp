#include "client_stub/surfaces.h"

#include <algorithm>
#include <cmath>

#include "client_stub/far.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

/// From here on a cell bears what stands on it.
constexpr std::int32_t kSettled = kFull * 9 / 10;
/// Sweeps over all links: each carries a head as far as a passage keeps one direction.
constexpr int kSweeps = 6;
/// Sweeps that draw out a step between the heads at the two ends of a tunnel.
constexpr int kSmoothings = 6;

/// The cells of the level that stand for those of the box.
Box coarse(const Box& box, int level) {
  if (box.empty()) return box;
  const Vec3 last = box.end() - Vec3{1, 1, 1};
  const Vec3 from = {box.from.x >> level, box.from.y >> level, box.from.z >> level};
  return {from,
          {(last.x >> level) - from.x + 1, (last.y >> level) - from.y + 1,
           (last.z >> level) - from.z + 1}};
}

}  // namespace

void Surfaces::settle(const protocol::Mirror& mirror, const Box& box, int level) {
  level_ = level;
  box_ = coarse(intersect(box, {{}, mirror.welcome().size}), level);
  known_ = !box_.empty() && box_.volume() <= kMostCells;
  deepest_ = 0;
  heads_.reset();
  stems_.clear();
  links_.clear();
  if (!known_) return;
  gather(mirror);
  owners_.assign(cells_.size(), -1);
  first_.clear();
  for (std::int32_t column = 0; column < box_.size.x; ++column) cut_column(mirror, column);
  first_.push_back(stems_.size());
  for (std::int32_t column = 0; column + 1 < box_.size.x; ++column) link_columns(column);
  spread();
  for (const Stem& stem : stems_) {
    deepest_ = std::max(deepest_, stem.head - box_.from.y - stem.low - 0.5);
    heads_ =
        heads_ ? std::pair{std::min(heads_->first, stem.head), std::max(heads_->second, stem.head)}
               : std::pair{stem.head, stem.head};
  }
}

/// Row by row and chunk by chunk: a look-up for each cell would cost most.
void Surfaces::gather(const protocol::Mirror& mirror) {
  const ChunkShape& sides = mirror.welcome().sides;
  cells_.assign(static_cast<std::size_t>(box_.size.x) * static_cast<std::size_t>(box_.size.y), 0);
  const auto take = [&](ChunkCoord coord, const protocol::ChunkCells& held) {
    gather_chunk(sides, coord, held);
  };
  if (level_ > 0) return mirror.for_each_chunk_of(mirror.layer_of_detail(level_), take);
  const ChunkCoord low = sides.chunk_of(box_.from);
  const ChunkCoord high = sides.chunk_of(box_.end() - Vec3{1, 1, 1});
  for (std::int32_t cy = low.y; cy <= high.y; ++cy) {
    for (std::int32_t cx = low.x; cx <= high.x; ++cx) {
      const protocol::ChunkCells* const held = mirror.find({cx, cy, low.z});
      if (held != nullptr) take({cx, cy, low.z}, *held);
    }
  }
}

void Surfaces::gather_chunk(const ChunkShape& sides, ChunkCoord coord,
                            const protocol::ChunkCells& held) {
  const auto width = static_cast<std::size_t>(box_.size.x);
  const Box part = intersect(box_, sides.box(coord));
  if (part.empty()) return;
  for (std::int32_t y = part.from.y; y < part.end().y; ++y) {
    const auto from = held.begin() + sides.index_of({part.from.x, y, box_.from.z});
    const auto to = static_cast<std::size_t>(y - box_.from.y) * width +
                    static_cast<std::size_t>(part.from.x - box_.from.x);
    std::copy_n(from, part.size.x, cells_.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

std::int32_t Surfaces::cell(std::int32_t column, std::int32_t row) const {
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(box_.size.x) +
                static_cast<std::size_t>(column)];
}

void Surfaces::cut_column(const protocol::Mirror& mirror, std::int32_t column) {
  first_.push_back(stems_.size());
  const std::int32_t x = box_.from.x + column;
  const auto beyond = [&](std::int32_t y) {
    const std::int32_t side = 1 << level_;
    return shown_cell(mirror, level_, {x * side, y * side, box_.from.z * side});
  };
  std::int32_t below = beyond(box_.from.y - 1);
  std::int32_t row = 0;
  while (row < box_.size.y) {
    const std::int32_t here = cell(column, row);
    if (here <= 0 || (here < kSettled && below >= 0 && below < kSettled)) {
      below = here;
      ++row;
      continue;
    }
    Stem stem;
    stem.low = row;
    while (row < box_.size.y && cell(column, row) >= kSettled) ++row;
    const bool inside = row < box_.size.y;
    const std::int32_t above = inside ? cell(column, row) : beyond(box_.end().y);
    // A part-filled cell on top is the surface, whatever lies over it.
    const bool partial = inside && above > 0;
    stem.high = partial ? row : row - 1;
    stem.top = box_.from.y + row + (partial ? above / double{kFull} : 0);
    stem.roofed = !partial && above < 0;
    stem.is_known = !stem.roofed;
    stem.head = stem.top;
    for (std::int32_t y = stem.low; y <= stem.high; ++y) {
      owners_[static_cast<std::size_t>(y) * static_cast<std::size_t>(box_.size.x) +
              static_cast<std::size_t>(column)] = static_cast<std::int32_t>(stems_.size());
    }
    stems_.push_back(stem);
    if (partial) ++row;
    below = above;
  }
}

void Surfaces::link_columns(std::int32_t column) {
  const auto left = static_cast<std::size_t>(column);
  std::size_t a = first_[left];
  std::size_t b = first_[left + 1];
  while (a < first_[left + 1] && b < first_[left + 2]) {
    const bool touch = stems_[a].low <= stems_[b].high && stems_[b].low <= stems_[a].high;
    // Nobody else looks at another one's head.
    if (touch && (stems_[a].roofed || stems_[b].roofed)) links_.emplace_back(a, b);
    if (stems_[a].high < stems_[b].high) {
      ++a;
    } else {
      ++b;
    }
  }
}

void Surfaces::spread() {
  for (int i = 0; i < kSweeps && carry(); ++i) {
  }
  for (int i = 0; i < kSmoothings; ++i) smooth();
  seal();
}

/// Stems without a surface get the heads of those that they are linked with. Whether any did.
bool Surfaces::carry() {
  bool any = false;
  const auto give = [&](std::pair<std::size_t, std::size_t> link) {
    Stem& a = stems_[link.first];
    Stem& b = stems_[link.second];
    if (a.is_known == b.is_known) return;
    (a.is_known ? b : a).head = (a.is_known ? a : b).head;
    a.is_known = b.is_known = any = true;
  };
  for (auto link = links_.begin(); link != links_.end(); ++link) give(*link);
  for (auto link = links_.rbegin(); link != links_.rend(); ++link) give(*link);
  return any;
}

/// Each stem under a roof towards the mean of those beside it.
void Surfaces::smooth() {
  std::vector<double> sums(stems_.size());
  std::vector<int> counts(stems_.size());
  for (const auto& [a, b] : links_) {
    if (!stems_[a].is_known || !stems_[b].is_known) continue;
    sums[a] += stems_[b].head;
    sums[b] += stems_[a].head;
    ++counts[a];
    ++counts[b];
  }
  for (std::size_t i = 0; i < stems_.size(); ++i) {
    if (stems_[i].roofed && counts[i] > 0)
      stems_[i].head = (stems_[i].head + sums[i] / counts[i]) / 2;
  }
}

/// A full chamber without any surface: its highest place counts as one.
void Surfaces::seal() {
  for (int i = 0; i < kSweeps; ++i) {
    bool any = false;
    for (const auto& [a, b] : links_) {
      Stem& one = stems_[a];
      Stem& other = stems_[b];
      if (one.is_known || other.is_known || one.head == other.head) continue;
      one.head = other.head = std::max(one.head, other.head);
      any = true;
    }
    if (!any) return;
  }
}

std::optional<double> Surfaces::head(std::int32_t x, std::int32_t y) const {
  const Vec3 at = {x >> level_, y >> level_, box_.from.z};
  if (!known_ || !box_.contains(at)) return std::nullopt;
  const std::int32_t owner =
      owners_[static_cast<std::size_t>(at.y - box_.from.y) * static_cast<std::size_t>(box_.size.x) +
              static_cast<std::size_t>(at.x - box_.from.x)];
  if (owner < 0) return std::nullopt;
  return std::ldexp(stems_[static_cast<std::size_t>(owner)].head, level_);
}

std::optional<double> Surfaces::depth(std::int32_t x, std::int32_t y) const {
  const auto surface = head(x, y);
  if (!surface) return std::nullopt;
  return std::max(0.0, *surface - y - 0.5);
}

}  // namespace sluice::client
