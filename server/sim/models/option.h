// The options of a water model. Each is declared once, in the folder of its model; the world file,
// snapshots, digests, `sluice models` and the checks of bounds all follow from that declaration.
#pragma once

#include <cstdint>
#include <span>

namespace sluice::sim {

/// Written to disk; never reused. Named are those that others speak of: a model's id stands in its
/// row (registry.h).
enum class WaterModel : std::uint16_t { kCellular = 1, kBlock = 2, kStream = 3, kHydro = 4 };

/// A whole number, or one of a few names.
struct WaterOption {
  const char* name;  // as in a world file's [water]
  std::int32_t usual;
  std::int32_t low;
  std::int32_t high;
  const char* meaning;                            // for people, with its unit
  std::span<const char* const> values_by_name{};  // from 0 on; empty for a number

  [[nodiscard]] constexpr bool has_names() const { return !values_by_name.empty(); }
};

/// One of these names, the first one as usual.
constexpr WaterOption choice(const char* name, std::span<const char* const> values,
                             const char* meaning) {
  return {name, 0, 0, static_cast<std::int32_t>(values.size()) - 1, meaning, values};
}

/// In the order in which they stand on disk; none where no model has that id.
[[nodiscard]] std::span<const WaterOption> options_of(WaterModel model);

}  // namespace sluice::sim
