#include "server/sim/models/cellular/head.h"

#include <algorithm>
#include <limits>

namespace sluice::sim {

namespace {

/// Where a column of full cells ends.
struct Surface {
  Cell cell = kOutside;  // the first that is not full: open, or a roof
  std::int32_t y = 0;
};

Surface surface_over(const CellularRule& rule, const Grid& grid, Vec3 at) {
  const Vec3 top = grid.top_over(at, rule.full);
  return {grid.cell(top), top.y};
}

std::int64_t level_in(const CellularRule& rule, std::int32_t y, std::int32_t units) {
  return std::int64_t{y} * kFull + std::int64_t{units} * kFull / rule.full;
}

/// What the topmost of `units` in a full cell at `y` is worth: the level of the unit that rests in
/// balance with it, so many cells higher as there is compression (models/cellular/cellular.md, "It
/// comes to rest": t(j)).
std::int64_t compressed_level(const CellularRule& rule, std::int32_t y, std::int32_t units) {
  const std::int32_t excess = units - rule.full;
  if (rule.uniform || rule.extra == 0 || excess <= 0) return std::int64_t{y + 1} * kFull;
  const std::int32_t cells = (excess - 1) / rule.extra;
  const std::int32_t rest = excess - cells * rule.extra;  // 1 to extra
  const std::int64_t over =
      (std::int64_t{rest} * (rule.full + rule.extra) + rule.extra - 1) / rule.extra;
  return std::int64_t{y + 1 + cells} * kFull + (over - rest) * kFull / rule.full;
}

}  // namespace

WaterHead cellular_head(const CellularRule& rule, const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (!is_open(cell)) return {std::int64_t{at.y} * kFull, 1};
  if (cell < rule.full) return {level_in(rule, at.y, cell), 1};
  const Surface surface = surface_over(rule, grid, at);
  if (is_open(surface.cell)) return {level_in(rule, surface.y, surface.cell), 1};
  // Behind an open top nothing presses back.
  const std::int64_t roof = std::int64_t{surface.y} * kFull;
  const std::int32_t rise = rule.extra > 0 ? (kFull + rule.extra - 1) / rule.extra : kFull;
  return {std::max(roof, compressed_level(rule, at.y, cell)), rise};
}

std::int32_t cellular_most(const CellularRule& rule, const Grid& grid, Vec3 at, std::int64_t head) {
  constexpr std::int64_t kMost = kMaxCellUnits;
  const Cell cell = grid.cell(at);
  const std::int64_t bottom = std::int64_t{at.y} * kFull;
  if (!is_open(cell) || head <= bottom) return 0;
  if (head < bottom + kFull) return static_cast<std::int32_t>((head - bottom) * rule.full / kFull);
  const std::int64_t pressed =
      rule.full + (rule.uniform ? rule.extra : (head - bottom - kFull) * rule.extra / kFull);
  // What does not fit here rises in the same sweep, as far as the column has room below the head.
  const Surface surface = surface_over(rule, grid, at);
  std::int64_t room = 0;
  if (is_open(surface.cell) && head > level_in(rule, surface.y, surface.cell)) {
    const std::int64_t most = (head - std::int64_t{surface.y} * kFull) * rule.full / kFull;
    room = std::min<std::int64_t>(rule.full, most) - surface.cell;
    room = std::max<std::int64_t>(room, 0) + std::max(cell, rule.full);
  }
  return static_cast<std::int32_t>(std::min(std::max(pressed, room), kMost));
}

}  // namespace sluice::sim
