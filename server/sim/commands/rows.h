// The commands for cells, springs, marks, waves and heat, each a struct: its id (written to disk,
// never reused), its name (as scripts, logs and clients spell it) and its fields. Those of pipes
// stand in pipes/commands.h; the manifest of all of them is in commands.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "server/sim/tracers/state.h"

namespace sluice::sim {

/// Makes every cell of the box the given one. Water that was there counts as drained, water that
/// comes as sourced.
struct SetCells {
  static constexpr std::uint16_t kOpcode = 1;
  static constexpr std::string_view kName = "set_cells";
  Vec3 from;
  Vec3 size;
  Cell cell = kAir;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("from", self.from);
    v.field("size", self.size);
    v.cell("cell", self.cell);
  }
};

/// Adds water to one open cell.
struct Pour {
  static constexpr std::uint16_t kOpcode = 2;
  static constexpr std::string_view kName = "pour";
  Vec3 at;
  std::int32_t units = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("units", self.units);
  }
};

/// Drains every open cell of the box; rock stays.
struct RemoveWater {
  static constexpr std::uint16_t kOpcode = 3;
  static constexpr std::string_view kName = "remove_water";
  Vec3 from;
  Vec3 size;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("from", self.from);
    v.field("size", self.size);
  }
};

/// The four spring commands share their shape; `rate` is in units a tick.
template <std::uint16_t Opcode>
struct AddSpring {
  static constexpr std::uint16_t kOpcode = Opcode;
  static constexpr std::string_view kName = Opcode == 4 ? "add_source" : "add_drain";
  Vec3 at;
  std::int32_t rate = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("rate", self.rate);
  }
};

template <std::uint16_t Opcode>
struct RemoveSpring {
  static constexpr std::uint16_t kOpcode = Opcode;
  static constexpr std::string_view kName = Opcode == 5 ? "remove_source" : "remove_drain";
  Vec3 at;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
  }
};

/// A source that gives up to a head: a row of its own, so that recordings from before sources had
/// one are read as they are. In scripts it has the same name.
struct AddSourceUpTo {
  static constexpr std::uint16_t kOpcode = 19;
  static constexpr std::string_view kName = "add_source";
  static constexpr const char* kWithKey = "head";  // tells it from the row without
  Vec3 at;
  std::int32_t rate = 0;
  std::int32_t head = 0;  // level units above the world's floor

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("rate", self.rate);
    v.field("head", self.head);
  }
};

/// fill_level fills all that water reaches from a cell up to a level, as it stands at rest;
/// evaporate_level takes away what stands above one in the body of water that holds the cell;
/// trap_air keeps air in what is open above one around the cell.
template <std::uint16_t Opcode>
struct SetLevel {
  static constexpr std::uint16_t kOpcode = Opcode;
  static constexpr std::string_view kName = Opcode == 20   ? "fill_level"
                                            : Opcode == 21 ? "evaporate_level"
                                                           : "trap_air";
  Vec3 at;
  std::int32_t level = 0;  // level units above the world's floor

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("level", self.level);
  }
};

/// Sets the free surface that stands in the run of cells around a place waving.
struct Splash {
  static constexpr std::uint16_t kOpcode = 22;
  static constexpr std::string_view kName = "splash";
  Vec3 at;
  std::int32_t radius = 0;     // columns to each side
  std::int32_t energy = 0;     // that it gives at the most (waves/waves.md)
  std::int32_t direction = 0;  // in x, -1, 0 or 1

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("radius", self.radius);
    v.field("energy", self.energy);
    v.optional("direction", self.direction);
  }
};

/// Throws up the free surface that stands in the run of cells around a place.
struct Explode {
  static constexpr std::uint16_t kOpcode = 33;
  static constexpr std::string_view kName = "explode";
  Vec3 at;
  std::int32_t radius = 0;  // cells, in all directions
  std::int32_t energy = 0;  // that it gives at the most (waves/waves.md)

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("radius", self.radius);
    v.field("energy", self.energy);
  }
};

/// A ball has gone from one place to another: the surface comes back where it was, and gives way
/// where it is now.
struct MoveBody {
  static constexpr std::uint16_t kOpcode = 34;
  static constexpr std::string_view kName = "move_body";
  Vec3 from;
  Vec3 to;
  std::int32_t radius = 0;  // cells around the one in the middle

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("from", self.from);
    v.field("to", self.to);
    v.field("radius", self.radius);
  }
};

struct SetWind {
  static constexpr std::uint16_t kOpcode = 23;
  static constexpr std::string_view kName = "set_wind";
  std::int32_t speed = 0;  // towards greater x

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("speed", self.speed);
  }
};

/// Water of a temperature, in 1/256 degree: a row of its own, as that of sources with a head.
struct WarmPour {
  static constexpr std::uint16_t kOpcode = 24;
  static constexpr std::string_view kName = "pour";
  static constexpr const char* kWithKey = "temperature";
  Vec3 at;
  std::int32_t units = 0;
  std::int32_t temperature = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("units", self.units);
    v.field("temperature", self.temperature);
  }
};

/// As MixedPour, of water as it usually is. Only older recordings have it.
struct RisingPour {
  static constexpr std::uint16_t kOpcode = 30;
  static constexpr std::string_view kName = "pour";
  static constexpr bool kOnlyRecorded = true;
  Vec3 at;
  std::int32_t units = 0;
  std::int32_t above = 0;  // so many cells above `at`

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("units", self.units);
    v.field("above", self.above);
  }
};

struct AddWarmSource {
  static constexpr std::uint16_t kOpcode = 25;
  static constexpr std::string_view kName = "add_source";
  static constexpr const char* kWithKey = "temperature";
  Vec3 at;
  std::int32_t rate = 0;
  std::int32_t temperature = 0;
  std::int32_t head = -1;  // as AddSourceUpTo has it; -1: none

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("rate", self.rate);
    v.field("temperature", self.temperature);
    v.optional("head", self.head);
  }
};

/// Water that holds tracers, so many units of each by its name; of a temperature, if that is told.
struct DyedPour {
  static constexpr std::uint16_t kOpcode = 31;
  static constexpr std::string_view kName = "pour";
  static constexpr const char* kWithKey = "tracer";
  Vec3 at;
  std::int32_t units = 0;
  TracerAmounts tracer;
  std::optional<std::int32_t> temperature = {};

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("units", self.units);
    v.field("tracer", self.tracer);
    v.optional("temperature", self.temperature);
  }
};

/// What a full cell has no room for goes into the cells above it, in turn, so that a pour into
/// water that moves is not refused. The water is of a temperature and holds tracers, if those are
/// told.
struct MixedPour {
  static constexpr std::uint16_t kOpcode = 35;
  static constexpr std::string_view kName = "pour";
  static constexpr const char* kWithKey = "above";
  Vec3 at;
  std::int32_t units = 0;
  std::int32_t above = 0;                    // so many cells above `at`
  std::optional<TracerAmounts> tracer = {};  // units of each in all cells together
  std::optional<std::int32_t> temperature = {};

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("units", self.units);
    v.field("above", self.above);
    v.optional("tracer", self.tracer);
    v.optional("temperature", self.temperature);
  }
};

/// Water that lies as it stands at rest from the start: it fills a box from its lowest row up, or a
/// column, and what it presses into the cells under it comes besides (resting_pour.h).
struct RestingPour {
  static constexpr std::uint16_t kOpcode = 36;
  static constexpr std::string_view kName = "pour";
  static constexpr const char* kWithKey = "at_rest";
  Vec3 at;                 // the cell, or the lowest corner of the box
  std::int32_t units = 0;  // without what is pressed into cells that are full
  bool at_rest = true;     // false: the pour without this key
  std::optional<Vec3> size = {};
  std::optional<std::int32_t> above = {};    // of a column: so many cells above `at`
  std::optional<TracerAmounts> tracer = {};  // units of each in all cells together
  std::optional<std::int32_t> temperature = {};

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("units", self.units);
    v.field("at_rest", self.at_rest);
    v.optional("size", self.size);
    v.optional("above", self.above);
    v.optional("tracer", self.tracer);
    v.optional("temperature", self.temperature);
  }
};

/// A source whose water holds tracers, so many units of each in 4,096 units of water.
struct AddDyedSource {
  static constexpr std::uint16_t kOpcode = 32;
  static constexpr std::string_view kName = "add_source";
  static constexpr const char* kWithKey = "tracer";
  Vec3 at;
  std::int32_t rate = 0;
  TracerAmounts tracer;
  std::optional<std::int32_t> temperature = {};
  std::optional<std::int32_t> head = {};  // as AddSourceUpTo has it

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("rate", self.rate);
    v.field("tracer", self.tracer);
    v.optional("temperature", self.temperature);
    v.optional("head", self.head);
  }
};

/// The air's temperature, without the swing of the day.
struct SetAir {
  static constexpr std::uint16_t kOpcode = 26;
  static constexpr std::string_view kName = "set_air";
  std::int32_t temperature = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("temperature", self.temperature);
  }
};

/// Warms the water of a cell in every tick, or of the cells that touch it, if it is rock.
struct AddHeater {
  static constexpr std::uint16_t kOpcode = 27;
  static constexpr std::string_view kName = "add_heater";
  Vec3 at;
  std::int32_t rate = 0;  // units of energy a tick; below zero it cools

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
    v.field("rate", self.rate);
  }
};

struct RemoveHeater {
  static constexpr std::uint16_t kOpcode = 28;
  static constexpr std::string_view kName = "remove_heater";
  Vec3 at;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("at", self.at);
  }
};

using FillLevel = SetLevel<20>;
using EvaporateLevel = SetLevel<21>;
using TrapAir = SetLevel<37>;
using AddSource = AddSpring<4>;
using RemoveSource = RemoveSpring<5>;
using AddDrain = AddSpring<6>;
using RemoveDrain = RemoveSpring<7>;

}  // namespace sluice::sim
