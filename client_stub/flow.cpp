#include "client_stub/flow.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "client_stub/arrows.h"

namespace sluice::client {

namespace {

/// Of the water on one side of a cell; nothing: none can pass there.
std::optional<double> head_beside(const Known& known, Vec3 at) {
  const std::int32_t cell = known.mirror.cell(at);
  if (cell < 0) return std::nullopt;
  // Into air, and over what falls, water spills from the cell's floor on.
  return known.surfaces.head(at.x, at.y).value_or(at.y);
}

}  // namespace

double Drive::strength() const {
  return std::hypot(right, up);
}

std::optional<Drive> drive_at(const Known& known, Vec3 cell) {
  if (known.mirror.cell(cell) <= 0) return std::nullopt;
  const auto own = known.surfaces.head(cell.x, cell.y);
  if (!own) return Drive{0, -1};
  const auto left = head_beside(known, cell - Vec3{1, 0, 0});
  const auto right = head_beside(known, cell + Vec3{1, 0, 0});
  const double sides = left && right ? 2 : 1;
  return Drive{(left.value_or(*own) - right.value_or(*own)) / sides, 0};
}

std::optional<Drive> drive_in(const Known& known, const Box& box) {
  Drive sum;
  int wet = 0;
  for (std::int32_t y = box.from.y; y < box.end().y; ++y) {
    for (std::int32_t x = box.from.x; x < box.end().x; ++x) {
      const auto drive = drive_at(known, {x, y, box.from.z});
      if (!drive) continue;
      sum.right += drive->right;
      sum.up += drive->up;
      ++wet;
    }
  }
  if (wet == 0) return std::nullopt;
  const Drive mean{sum.right / wet, sum.up / wet};
  return mean.strength() < kLeastDrive ? std::nullopt : std::optional(mean);
}

double share_of_drive(const Drive& drive) {
  return std::clamp(1 - std::log(drive.strength()) / std::log(kLeastDrive), 0.0, 1.0);
}

std::string_view arrow_of(const Drive& drive, bool unicode) {
  constexpr std::array<std::string_view, 4> kLetters = {">", "^", "<", "v"};
  return unicode ? kArrows.at(direction_of(drive.right, drive.up, 8))
                 : kLetters.at(direction_of(drive.right, drive.up, 4));
}

}  // namespace sluice::client
