// Which cells a tool means: geometry on one slice, as client_stub/web/src/shapes.ts has it. Boxes,
// since a command takes a box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/mirror.h"

namespace sluice::client {

enum class Shape : std::uint8_t { kBrush, kLine, kBox, kFill };

[[nodiscard]] const char* name_of(Shape shape);

/// Cells that one fill or one copy may take; the server has limits of its own.
inline constexpr std::size_t kMostFilled = 40'000;

/// A square of `side` cells about the cell, cut to the world; empty beside it.
[[nodiscard]] Box dab_at(Vec3 size, std::int32_t side, Vec3 at);

/// Both corners and all between, in any order, cut to the world.
[[nodiscard]] Box box_between(Vec3 size, Vec3 from, Vec3 to);

/// The places of dabs after `from` up to `to`, so close that a brush of `side` leaves out none.
[[nodiscard]] std::vector<Vec3> steps_between(Vec3 from, Vec3 to, std::int32_t side);

/// Cells of the slice that hang together with the cell, all rock or all open as it is, none higher
/// than `ceiling`; of open ones, where `is_wet`, those alone that hold water. Nothing: there are
/// more than a fill may take.
[[nodiscard]] std::optional<std::vector<Vec3>> flood(const protocol::Mirror& mirror, Vec3 from,
                                                     std::int32_t ceiling, bool is_wet = false);

/// The cells of one slice as few boxes: runs of a row, and equal runs on top of each other.
[[nodiscard]] std::vector<Box> boxes_of(std::vector<Vec3> cells);

/// All cells of a box, from below.
[[nodiscard]] std::vector<Vec3> cells_of(const Box& box);

}  // namespace sluice::client
