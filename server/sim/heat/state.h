// What is kept of a world's heat: the energy of each cell, who heats, and the books.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/sim/heat/options.h"

namespace sluice::sim {

struct WorldConfig;

/// The energies of one chunk's cells. Where all are equal they are kept as one number.
class HeatPage {
 public:
  [[nodiscard]] std::int64_t at(std::size_t index) const {
    return own_.empty() ? all_ : own_[index];
  }
  [[nodiscard]] bool uniform() const { return own_.empty(); }
  [[nodiscard]] bool nothing() const { return own_.empty() && all_ == 0; }
  /// kChunkCells numbers, to be written to.
  [[nodiscard]] std::int64_t* edit() {
    if (own_.empty()) own_.assign(kChunkCells, all_);
    return own_.data();
  }
  /// Null where all are equal.
  [[nodiscard]] const std::int64_t* data() const { return own_.empty() ? nullptr : own_.data(); }
  void fill(std::int64_t energy) {
    own_ = {};
    all_ = energy;
  }
  /// Keeps one number where all are equal.
  void share_if_uniform() {
    if (own_.empty()) return;
    const std::int64_t first = own_.front();
    if (std::all_of(own_.begin(), own_.end(), [&](std::int64_t e) { return e == first; })) {
      fill(first);
    }
  }

 private:
  std::int64_t all_ = 0;
  std::vector<std::int64_t> own_;
};

using HeatPages = std::map<ChunkCoord, HeatPage>;

/// Cells with the same energy, one after the other in their chunk's order.
struct HeatRun {
  std::int32_t cells = 0;
  std::int64_t energy = 0;  // of each

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("cells", self.cells);
    v.field("energy", self.energy);
  }
};

/// By the first cell, without those that hold nothing.
[[nodiscard]] std::map<Vec3, HeatRun> runs_of(const HeatPages& pages, const ChunkShape& shape);
/// What runs_of() made of them; false if there can be no such runs.
[[nodiscard]] bool take_runs(const std::map<Vec3, HeatRun>& runs, const ChunkShape& shape,
                             HeatPages& pages);

struct Heater {
  std::int32_t rate = 0;  // units of energy a tick; below zero it cools

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("rate", self.rate);
  }
};

/// Of a spring that does not give water of the usual temperature.
struct SpringHeat {
  std::int32_t temperature = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("temperature", self.temperature);
  }
};

/// initial + in - out == now, always, in the arithmetic of 64 bits.
struct HeatTotals {
  std::int64_t initial = 0;
  std::int64_t now = 0;  // in the grid
  std::int64_t in = 0;   // from the air, with water, from heaters
  std::int64_t out = 0;  // to the air, with water, to coolers

  void come(std::int64_t energy) {
    now = wrapped(now, energy);
    in = wrapped(in, energy);
  }
  void go(std::int64_t energy) {
    now = wrapped(now, -energy);
    out = wrapped(out, energy);
  }
  [[nodiscard]] bool balanced() const { return wrapped(wrapped(initial, in), -out) == now; }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("initial", self.initial);
    v.field("now", self.now);
    v.field("in", self.in);
    v.field("out", self.out);
  }

 private:
  static std::int64_t wrapped(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};

/// The layer's part of a world's core.
struct HeatState {
  bool on = false;  // a world without [heat] has none of what follows
  HeatOptions options;
  std::int32_t air = 10 * kDegree;  // without the day's swing
  std::map<Vec3, Heater> heaters;
  std::map<Vec3, SpringHeat> springs;
  HeatTotals totals;
  HeatPages pages;     // of chunks that hold any energy
  bool solid = false;  // the shape of those: 3D

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("on", self.on);
    if (!self.on) return;
    v.field("options", self.options);
    v.field("air", self.air);
    v.field("heaters", self.heaters);
    v.field("springs", self.springs);
    v.field("totals", self.totals);
    v.field("solid", self.solid);
    std::map<Vec3, HeatRun> runs;
    if constexpr (std::is_const_v<Self>) runs = runs_of(self.pages, self.shape());
    v.field("heats", runs);
    if constexpr (!std::is_const_v<Self>) self.possible = take_runs(runs, self.shape(), self.pages);
  }
  [[nodiscard]] ChunkShape shape() const { return solid ? kSolidShape : kSideViewShape; }

  bool possible = true;  // false after reading runs that cannot be
};

/// Errors name the key, as a world file has it.
[[nodiscard]] Status validate(const HeatOptions& options);
[[nodiscard]] Status validate_temperature(const char* key, std::int64_t temperature);
/// Of a snapshot.
[[nodiscard]] Status validate(const HeatState& state, const WorldConfig& config);

}  // namespace sluice::sim
