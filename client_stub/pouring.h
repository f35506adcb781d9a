// What the tools of cells send. Pouring adds water and never takes any: rock and ice are left
// alone, a cell is filled up to a full one, and where it is full already the water comes to stand
// on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client_stub/shapes.h"
#include "protocol/mirror.h"

namespace sluice::client {

enum class Tool : std::uint8_t { kDig, kRock, kPour };

[[nodiscard]] const char* name_of(Tool tool);

/// More cells than the largest brush has are not poured into one by one where they are empty.
inline constexpr std::size_t kMostSinglePours = 256;

[[nodiscard]] bool has_room(const protocol::Mirror& mirror, Vec3 cell);

/// The cells that a brush over the box, one slice deep, pours into. A column that is full within it
/// gets one cell's worth where its water ends above.
[[nodiscard]] std::vector<Vec3> pours_at(const protocol::Mirror& mirror, const Box& box);

/// Fills the cells, which have room, up: lines of a command script.
[[nodiscard]] std::vector<std::string> commands_to_fill(const protocol::Mirror& mirror,
                                                        const std::vector<Vec3>& cells);

/// Cells above its own that a pour may rise into, where water has come before it.
inline constexpr std::int32_t kPourSpare = 16;

[[nodiscard]] std::string pour_line(Vec3 at, std::int32_t units);
/// `cell` is a letter of the maps' alphabet.
[[nodiscard]] std::string set_line(const Box& box, const char* cell);
[[nodiscard]] std::string set_water_line(const Box& box, std::int32_t units);

}  // namespace sluice::client
