// What a world is made from: the world file's content as plain data. Reading the text is
// server/formats' work; here is only what the simulation needs to know, and its validation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/sim/heat/state.h"
#include "server/sim/models/measure.h"
#include "server/sim/models/option.h"
#include "server/sim/pipes/commands.h"
#include "server/sim/pipes/types.h"
#include "server/sim/tracers/state.h"
#include "server/sim/waves/state.h"

namespace sluice::sim {

enum class Edge : std::uint8_t { kWall = 0, kOpen = 1 };

/// What happens to water that crosses each side of the world.
struct Edges {
  Edge left = Edge::kWall;
  Edge right = Edge::kWall;
  Edge bottom = Edge::kWall;
  Edge top = Edge::kWall;
  Edge front = Edge::kWall;
  Edge back = Edge::kWall;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("left", self.left);
    v.field("right", self.right);
    v.field("bottom", self.bottom);
    v.field("top", self.top);
    v.field("front", self.front);
    v.field("back", self.back);
  }
};

/// The values of a model's options that are not as usual, by name.
using WaterOptionValues = std::map<std::string, std::int32_t, std::less<>>;

/// What a world may grow to. A command that would exceed one is refused; water that flows on is
/// drained where it would. So a world's memory is bounded, and equally in every replay.
struct WorldLimits {
  /// Chunks that hold anything: at most 16 KiB of cells each.
  std::int64_t chunks = kMaxChunks;
  /// Units that it takes in over its whole life.
  std::int64_t units = kMaxTakenIn;
  /// Pipes, pumps and valves; four times as many links.
  std::int64_t pipes = kMaxPipes;

  friend bool operator==(const WorldLimits&, const WorldLimits&) = default;
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("chunks", self.chunks);
    v.field("units", self.units);
    v.field("most_pipes", self.pipes);
  }
};

/// What stays the same over a world's life.
struct WorldConfig {
  std::string name = "world";  // [a-z0-9-]{1,64}
  Vec3 size = {64, 64, 1};     // cells; size.z == 1 is a side-view world
  WaterModel water = WaterModel::kCellular;
  std::uint64_t seed = 0;
  std::int32_t tick_rate = 20;  // ticks a second when hosted; the simulation itself ignores it
  Edges edges;
  WaterOptionValues options;  // of its water

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.field("size", self.size);
    v.field("water", self.water);
    v.field("seed", self.seed);
    v.field("tick_rate", self.tick_rate);
    v.field("edges", self.edges);
    // Every option of its model: a number in 32 bits, one of names in 8.
    for (const WaterOption& option : options_of(self.water)) {
      std::int32_t number = self.option(option);
      auto choice = static_cast<std::uint8_t>(number);
      option.has_names() ? v.field(option.name, choice) : v.field(option.name, number);
      if constexpr (!std::is_const_v<Self>) {
        self.options[option.name] = option.has_names() ? choice : number;
      }
    }
  }

  /// The value of an option of its own model.
  [[nodiscard]] std::int32_t option(std::string_view key) const;
  [[nodiscard]] std::int32_t option(const WaterOption& declared) const;

  [[nodiscard]] bool side_view() const { return size.z == 1; }
  [[nodiscard]] ChunkShape shape() const { return side_view() ? kSideViewShape : kSolidShape; }
  [[nodiscard]] Box box() const { return {{0, 0, 0}, size}; }
};

/// A box of one kind of cell; applied in order.
struct Fill {
  Box box;
  Cell cell = kAir;
  bool at_rest = false;        // amounts as they stand at rest (at_rest.h)
  TracerAmounts tracers = {};  // in 4,096 units of the water that stands there when all is placed
};

/// One cell of a drawing; applied after the fills.
struct PlacedCell {
  Vec3 at;
  Cell cell = kAir;
  bool at_rest = false;
};

/// A spring or a drain.
struct Spring {
  Vec3 at;
  std::int32_t rate = 0;   // units a tick
  std::int32_t head = -1;  // of a source, level units up to which it gives; -1: the model's default
  std::optional<std::int32_t> temperature = {};  // of its water, where the world has heat
  TracerAmounts tracers = {};                    // in 4,096 units of its water
};

enum class MarkKind : std::uint8_t { kLevel, kBubble };

/// Where water stands, or air stays, before the first tick (marks/marks.md).
struct Mark {
  Vec3 at;
  MarkKind kind = MarkKind::kLevel;
  std::int64_t level = -1;  // level units above the world's floor; -1: the top of its cell

  [[nodiscard]] std::int64_t level_or_default() const {
    return level >= 0 ? level : (std::int64_t{at.y} + 1) * kFull;
  }
};

/// A pipe, pump or valve.
struct PipeNode {
  PipeFields fields;
  NodeKind kind = NodeKind::kPipe;
  std::int32_t rate = 0;  // of a pump, units a tick
  bool open = true;       // of a valve
};

/// By the names of its nodes, which stand in WorldSpec::pipes.
struct PipeLink {
  std::string from;
  std::string to;
  bool one_way = false;
};

/// What heats a cell, or the water around it.
struct PlacedHeater {
  Vec3 at;
  std::int32_t rate = 0;  // units of energy a tick
};

using PipePort = AddPort;

struct WorldSpec {
  WorldConfig config;
  WorldLimits limits;
  WaveState waves;  // without columns
  HeatState heat;   // without energies and heaters
  std::vector<TracerOptions> tracers;
  std::vector<Fill> fills;
  std::vector<PlacedCell> cells;
  std::vector<Mark> marks;
  std::vector<Spring> sources;
  std::vector<Spring> drains;
  std::vector<PlacedHeater> heaters;
  std::vector<PipeNode> pipes;
  std::vector<PipeLink> pipe_links;
  std::vector<PipePort> ports;
};

/// As the world's model and its options have it.
[[nodiscard]] WaterMeasure measure_of(const WorldConfig& config);

/// Names and ranges: the error names the key, as a world file has it. Places (fills, springs) are
/// checked by World::create.
[[nodiscard]] Status validate(const WorldConfig& config);
[[nodiscard]] Status validate(const WorldLimits& limits);

[[nodiscard]] bool valid_world_name(std::string_view name);

}  // namespace sluice::sim
