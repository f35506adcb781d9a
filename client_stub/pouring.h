// What the tools of cells send. Pouring adds water and never takes any: rock and ice are left
// alone, a cell is filled up to a full one, and where it is full already the water comes to stand
// on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client_stub/shapes.h"
#include "protocol/mirror.h"

namespace sluice::client {

enum class Tool : std::uint8_t { kDig, kRock, kPour, kTake };

[[nodiscard]] const char* name_of(Tool tool);

/// What water holds that is poured, or that a spring brings. Nothing of both: the world's own
/// water.
struct Mixture {
  std::string tracer;                       // its name; empty: none
  std::optional<std::int32_t> temperature;  // in 1/256 degree

  [[nodiscard]] bool is_plain() const { return tracer.empty() && !temperature; }
  /// "clear water", "'red' in it", "at 80 C".
  [[nodiscard]] std::string describe() const;

  friend bool operator==(const Mixture&, const Mixture&) = default;
};

/// Units of a tracer in a full cell of a mixture: well seen, and far from the most.
inline constexpr std::int32_t kMixedAmount = 2048;

/// The next one that the world has: plain, each tracer, hot, cold.
[[nodiscard]] Mixture next_mixture(const protocol::Mirror& mirror, const Mixture& mixture);

[[nodiscard]] bool has_room(const protocol::Mirror& mirror, Vec3 cell);

/// The cells that a brush over the box, one slice deep, pours into. A column that is full within it
/// gets one cell's worth where its water ends above.
[[nodiscard]] std::vector<Vec3> pours_at(const protocol::Mirror& mirror, const Box& box);

/// Fills the cells, which have room, up: lines of a command script, a pour for as many cells on top
/// of each other as one rises through. Not a box of full cells: that would take from those that
/// hold more by the time it comes. Nor one poured at rest: that is refused as a whole when water
/// has come into it meanwhile.
[[nodiscard]] std::vector<std::string> commands_to_fill(const protocol::Mirror& mirror,
                                                        std::vector<Vec3> cells,
                                                        const Mixture& mixture = {});

/// Of the cells that a pour may rise into, so many for water that comes to stand there before the
/// pour does.
inline constexpr std::int32_t kPourSpare = 16;

/// `rows`: the cell and those above it that the units are for.
[[nodiscard]] std::string pour_line(Vec3 at, std::int32_t units, const Mixture& mixture = {},
                                    std::int32_t rows = 1);
[[nodiscard]] std::string take_line(const Box& box);
/// `cell` is a letter of the maps' alphabet.
[[nodiscard]] std::string set_line(const Box& box, const char* cell);
[[nodiscard]] std::string set_water_line(const Box& box, std::int32_t units);

}  // namespace sluice::client
