// What a world is made from: the world file's content as plain data. Reading the text is
// server/formats' work; here is only what the simulation needs to know, and its validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/sim/cell.h"
#include "server/sim/heat/state.h"
#include "server/sim/pipes/commands.h"
#include "server/sim/pipes/types.h"
#include "server/sim/waves/state.h"

namespace sluice::sim {

/// Written to disk; never reused.
enum class WaterModel : std::uint16_t { kCellular = 1, kBlock = 2, kStream = 3, kHydro = 4 };

enum class Edge : std::uint8_t { kWall = 0, kOpen = 1 };

enum class Compression : std::uint8_t { kHydrostatic = 0, kUniform = 1 };

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

/// Options of the cellular model; models/cellular/cellular.md explains them.
struct CellularOptions {
  std::int32_t full = kFull;           // units at which a cell counts as full
  std::int32_t compressed_max = 4137;  // units: full plus what one cell of depth adds
  std::int32_t smallest_flow = 41;     // units: smaller sideways flows have one sweep a tick
  std::int32_t max_sweeps = 8;         // sweeps a tick at the most
  Compression compression = Compression::kHydrostatic;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("full", self.full);
    v.field("compressed_max", self.compressed_max);
    v.field("smallest_flow", self.smallest_flow);
    v.field("max_sweeps", self.max_sweeps);
    v.field("compression", self.compression);
  }
};

/// The pressure with which block water moves down.
enum class Downward : std::uint8_t {
  kGreatest = 0,  // above every other: what can fall, falls
  kHead = 1,      // one more than the depth: a tall column can hold back high falling water
};

/// Options of the block model; models/block/block.md explains them.
struct BlockOptions {
  std::int32_t parts = 1;        // parts of a full cell that move as one: 1 (whole blocks) to 8
  std::int32_t walk_steps = 64;  // steps that water left alone on a ledge walks at the most
  Downward downward = Downward::kGreatest;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("parts", self.parts);
    v.field("walk_steps", self.walk_steps);
    v.field("downward", self.downward);
  }
};

/// Options of the stream model; models/stream/stream.md explains them.
struct StreamOptions {
  std::int32_t drying = 8;  // a level that nothing flows through is lost in one of so many ticks

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("drying", self.drying);
  }
};

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
  CellularOptions cellular;  // of these, only those of the world's own model are state
  BlockOptions block;
  StreamOptions stream;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.field("size", self.size);
    v.field("water", self.water);
    v.field("seed", self.seed);
    v.field("tick_rate", self.tick_rate);
    v.field("edges", self.edges);
    if (self.water == WaterModel::kCellular) v.field("cellular", self.cellular);
    if (self.water == WaterModel::kBlock) v.field("block", self.block);
    if (self.water == WaterModel::kStream) v.field("stream", self.stream);
  }

  [[nodiscard]] bool side_view() const { return size.z == 1; }
  [[nodiscard]] ChunkShape shape() const { return side_view() ? kSideViewShape : kSolidShape; }
  [[nodiscard]] Box box() const { return {{0, 0, 0}, size}; }
};

/// A box of one kind of cell; applied in order.
struct Fill {
  Box box;
  Cell cell = kAir;
  bool at_rest = false;  // amounts as they stand at rest (at_rest.h)
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
