#include "server/sim/commands/resting_pour.h"

#include <algorithm>
#include <set>
#include <string>

#include "server/sim/at_rest.h"
#include "server/sim/commands/context.h"
#include "server/sim/limits.h"
#include "server/sim/range.h"
#include "server/sim/tracers/field.h"

namespace sluice::sim {

namespace {

/// The box's cells, and the water over and under it, column by column.
class Columns {
 public:
  Columns(const WaterMeasure& measure, const Grid& grid, const Box& box)
      : measure_(measure), grid_(grid), box_(box) {}

  /// False: too many.
  [[nodiscard]] bool read() {
    const Vec3 end = box_.end();
    for (std::int32_t z = box_.from.z; z < end.z; ++z) {
      for (std::int32_t x = box_.from.x; x < end.x; ++x) {
        if (!read_column(x, z)) return false;
      }
    }
    return true;
  }

  /// Returns the units for which there is no room.
  std::int32_t fill(std::int32_t units) {
    for (std::int32_t y = box_.from.y; y < box_.end().y && units > 0; ++y)
      units = fill_row(y, units);
    return units;
  }

  /// What the cells gained, each full one what it holds at rest besides.
  RestingWater laid() {
    if (measure_.load > 0) press();
    RestingWater water;
    for (const Column& column : columns_) {
      for (std::size_t i = 0; i < column.cells.size(); ++i) {
        const Vec3 at = {column.x, column.from + static_cast<std::int32_t>(i), column.z};
        if (!is_open(column.cells[i])) continue;
        const std::int32_t gain = column.cells[i] - grid_.cell(at);
        if (gain == 0) continue;
        water.poured.emplace_back(at, gain);
        water.units += gain;
      }
    }
    return water;
  }

 private:
  struct Column {
    std::int32_t x = 0;
    std::int32_t z = 0;
    std::int32_t from = 0;    // y of the first
    std::vector<Cell> cells;  // from the bottom up
  };

  [[nodiscard]] bool wet(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return water_of(grid_.cell({x, y, z})) > 0;
  }

  [[nodiscard]] bool read_column(std::int32_t x, std::int32_t z) {
    Column column = {x, z, box_.from.y, {}};
    std::int32_t end = box_.end().y;
    const auto fits = [&] { return cells_ + (end - column.from) <= kMostRestingCells; };
    while (fits() && wet(x, column.from - 1, z)) --column.from;
    while (fits() && wet(x, end, z)) ++end;
    if (!fits()) return false;
    cells_ += end - column.from;
    column.cells.reserve(static_cast<std::size_t>(end - column.from));
    for (std::int32_t y = column.from; y < end; ++y) column.cells.push_back(grid_.cell({x, y, z}));
    columns_.push_back(std::move(column));
    return true;
  }

  // Every open cell of the row is raised to one amount; what is left over then, a quantum each,
  // goes to the first of those that stand at it.
  std::int32_t fill_row(std::int32_t y, std::int32_t units) {
    std::vector<Cell*> row;
    for (Column& column : columns_) {
      Cell& cell = column.cells[static_cast<std::size_t>(y - column.from)];
      if (is_open(cell) && cell < measure_.full) row.push_back(&cell);
    }
    const std::int32_t quantum = measure_.quantum;
    const auto taken = [&](std::int32_t quanta) {
      std::int64_t sum = 0;
      for (const Cell* cell : row) sum += std::max(quanta * quantum - *cell, 0);
      return sum;
    };
    std::int32_t level = 0;  // quanta
    std::int32_t above = measure_.full / quantum + 1;
    while (above - level > 1) {
      const std::int32_t middle = level + (above - level) / 2;
      (taken(middle) <= units ? level : above) = middle;
    }
    units -= static_cast<std::int32_t>(taken(level));
    for (Cell* cell : row) {
      if (*cell > level * quantum) continue;
      *cell = level * quantum;
      if (units < quantum || *cell + quantum > measure_.full) continue;
      *cell += quantum;
      units -= quantum;
    }
    return units;
  }

  // Only a full cell is pressed; what is under a surface and is not full has air over it.
  void press() {
    std::vector<Box> boxes;
    for (const Column& column : columns_) {
      boxes.push_back({{column.x, column.from, column.z},
                       {1, static_cast<std::int32_t>(column.cells.size()), 1}});
    }
    for_each_at_rest(
        measure_, [this](Vec3 at) { return cell(at); }, boxes,
        [this](Vec3 at, Cell before, Cell at_rest) {
          if (before >= measure_.full) cell(at) = std::max(before, at_rest);
        });
  }

  Cell& cell(Vec3 at) {
    const std::int32_t index = (at.z - box_.from.z) * box_.size.x + (at.x - box_.from.x);
    Column& column = columns_[static_cast<std::size_t>(index)];
    return column.cells[static_cast<std::size_t>(at.y - column.from)];
  }

  const WaterMeasure& measure_;
  const Grid& grid_;
  Box box_;
  std::vector<Column> columns_;  // by z, then x
  std::int64_t cells_ = 0;
};

}  // namespace

Result<RestingWater> lay_at_rest(const WaterMeasure& measure, const Grid& grid, const Box& box,
                                 std::int32_t units) {
  Columns columns(measure, grid, box);
  if (!columns.read()) {
    return Error{"the box at " + to_string(box.from) + " of size " + to_string(box.size) +
                 ", with the water over and under it, has more cells than one pour lays at rest, " +
                 std::to_string(kMostRestingCells)};
  }
  const std::int32_t left = columns.fill(units);
  RestingWater water = columns.laid();
  water.left = left;
  return water;
}

Result<Box> CommandContext::box_of(const RestingPour& command) const {
  const Box world = world_.grid_.world_box();
  if (command.size) {
    if (command.above) {
      return Error{
          "a pour at rest fills a box of a 'size', or a column 'above' its cell: not both"};
    }
    const Box box = {command.at, *command.size};
    if (Status s = check_box(box); !s) return Error{s.error()};
    return box;
  }
  if (Status s = check_pour(command.at, command.units); !s) return Error{s.error()};
  const std::int32_t above = command.above.value_or(kMostPourAbove);
  if (Status s = check_range("above", above, 0, kMostPourAbove, " cells"); !s) {
    return Error{s.error()};
  }
  // Nothing is poured through a roof.
  Vec3 next = command.at;
  const std::int32_t top = std::min(command.at.y + above, world.size.y - 1);
  while (next.y <= top && is_open(world_.grid_.cell(next))) ++next.y;
  return Box{command.at, {1, next.y - command.at.y, 1}};
}

CommandOutcome CommandContext::apply(const RestingPour& command) {
  if (!command.at_rest) return apply_moving(command);
  if (Status s = check_range("units", command.units, 1, kMaxPourUnits); !s) return refused(s);
  if (Status s = check_quantum(command.units); !s) return refused(s);
  if (command.tracer) {
    if (Status s = check_tracers(*command.tracer); !s) return refused(s);
  }
  if (Status s = check_temperature(command.temperature); !s) return refused(s);
  const auto amounts = by_number(world_.core_.tracers, command.tracer.value_or(TracerAmounts{}));
  if (Status s = check_tracer_room(amounts); !s) return refused(s);
  const Result<Box> box = box_of(command);
  if (!box) return refused(box.error());
  const Result<RestingWater> water = lay_at_rest(measure_, world_.grid_, *box, command.units);
  if (!water) return refused(water.error());
  if (water->left > 0) {
    return refused("the cells from " + to_string(box->from) + " to " +
                   to_string(box->end() - Vec3{1, 1, 1}) + " have room for " +
                   std::to_string(command.units - water->left) + " units only");
  }
  std::set<ChunkCoord> new_chunks;
  for (const auto& [at, units] : water->poured) {
    if (!chunk_holds(at)) new_chunks.insert(world_.grid_.shape().chunk_of(at));
  }
  if (Status s = check_chunks(static_cast<std::int64_t>(new_chunks.size())); !s) return refused(s);
  if (Status s = check_intake(water->units); !s) return refused(s);
  for (const auto& [at, units] : water->poured) {
    rewrite_cell(at, world_.grid_.cell(at) + units);
  }
  if (command.tracer || command.temperature) {
    mix_into(water->poured, water->units, command.temperature, amounts);
  }
  return {};
}

CommandOutcome CommandContext::apply_moving(const RestingPour& command) {
  if (command.size) return {"'size' is of a pour with 'at_rest': true"};
  if (command.above) {
    return apply(
        MixedPour{command.at, command.units, *command.above, command.tracer, command.temperature});
  }
  if (command.tracer) {
    return apply(DyedPour{command.at, command.units, *command.tracer, command.temperature});
  }
  if (command.temperature) {
    return apply(WarmPour{command.at, command.units, *command.temperature});
  }
  return apply(Pour{command.at, command.units});
}

}  // namespace sluice::sim
