// Which way water is driven, worked out from what a viewer holds: by the difference between the
// heads to both sides, and down where it falls. What moves upright within a body is not told, for
// all of a column has one head.
#pragma once

#include <optional>
#include <string_view>

#include "client_stub/known.h"
#include "protocol/base/geometry.h"

namespace sluice::client {

/// In cells of head a cell, to the right and up; what falls is driven down by 1.
struct Drive {
  double right = 0;
  double up = 0;

  [[nodiscard]] double strength() const;
};

/// Less than this is rest: bodies come to rest with heads that differ by a little.
inline constexpr double kLeastDrive = 1.0 / 64;

/// Nothing: the cell holds no water.
[[nodiscard]] std::optional<Drive> drive_at(const Known& known, Vec3 cell);

/// The mean of the water in a box, one slice deep. Nothing: there is none, or it rests.
[[nodiscard]] std::optional<Drive> drive_in(const Known& known, const Box& box);

/// From 0 at the least drive to 1 where water falls, by powers.
[[nodiscard]] double share_of_drive(const Drive& drive);

/// One of eight, or of four where there are only ASCII letters.
[[nodiscard]] std::string_view arrow_of(const Drive& drive, bool unicode);

}  // namespace sluice::client
