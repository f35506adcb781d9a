// What is kept of a world's tracers: how much of each every cell holds, what springs bring, and the
// books.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/carried/amounts.h"
#include "server/sim/tracers/options.h"

namespace sluice::sim {

struct WorldConfig;

/// So many units of tracers, by their names.
using TracerAmounts = std::map<std::string, std::int32_t>;

struct Tracer {
  TracerOptions options;
  AmountTotals totals;
  AmountPages pages;
};

/// A tracer as it is written down, by its name.
struct TracerImage {
  std::int32_t number = 0;  // in the world file's order, from 0
  TracerOptions options;
  AmountTotals totals;
  std::map<Vec3, AmountRun> amounts;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("number", self.number);
    v.field("options", self.options);
    v.field("totals", self.totals);
    v.field("amounts", self.amounts);
  }
};

using Tracers = std::array<Tracer, kMostTracers>;

/// The first `count` of them.
[[nodiscard]] std::map<std::string, TracerImage> images_of(const Tracers& tracers,
                                                           std::int32_t count,
                                                           const ChunkShape& shape);
/// What images_of() made of them; nothing if there can be no such images.
[[nodiscard]] std::optional<std::int32_t> take_images(
    const std::map<std::string, TracerImage>& images, const ChunkShape& shape, Tracers& tracers);

/// What the water of a spring holds of each tracer, units in 4,096 units of water.
struct SpringTracers {
  TracerAmounts shares;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("shares", self.shares);
  }
};

/// The layer's part of a world's core. A world without tracers has none of it.
struct TracerState {
  std::int32_t count = 0;
  Tracers tracers;
  std::map<Vec3, SpringTracers> springs;
  bool solid = false;  // the shape of chunks: 3D

  [[nodiscard]] bool on() const { return count > 0; }
  [[nodiscard]] ChunkShape shape() const { return solid ? kSolidShape : kSideViewShape; }
  /// The number of a tracer.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] std::vector<TracerOptions> options() const;
  /// Units that the world still takes in.
  [[nodiscard]] std::int64_t room(std::size_t tracer) const;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    auto images = images_of(self.tracers, self.count, self.shape());
    v.field("tracers", images);
    if (images.empty()) return;
    v.field("solid", self.solid);
    v.field("springs", self.springs);
    if constexpr (!std::is_const_v<Self>) {
      const auto taken = take_images(images, self.shape(), self.tracers);
      self.possible = taken.has_value();
      self.count = taken.value_or(0);
    }
  }

  bool possible = true;  // false after reading what cannot be
};

/// Errors name the key, as a world file has it, below `path`.
[[nodiscard]] Status validate(const TracerOptions& options, const std::string& path);
/// Of a snapshot.
[[nodiscard]] Status validate(const TracerState& state, const WorldConfig& config);
/// Names that the world has, and amounts of 0 to 2^30: of a command, or of a key of a world file.
[[nodiscard]] Status check_amounts(const std::vector<TracerOptions>& tracers,
                                   const TracerAmounts& amounts);

}  // namespace sluice::sim
