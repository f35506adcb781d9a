#include "tests/hunt/rest.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/heat/field.h"
#include "tests/support/one_head.h"

namespace sluice::hunt {

namespace {

std::vector<sim::Command> closing_commands(const sim::World& world) {
  std::vector<sim::Command> commands;
  for (const auto& [at, spring] : world.sources()) commands.push_back({sim::RemoveSource{at}});
  for (const auto& [at, spring] : world.drains()) commands.push_back({sim::RemoveDrain{at}});
  for (const auto& [at, heater] : world.core().heat.heaters) {
    commands.push_back({sim::RemoveHeater{at}});
  }
  const sim::PipeNetwork& pipes = world.pipes();
  pipes.for_each_port([&](sim::Slot slot, Vec3 cell, const auto&) {
    commands.push_back({sim::RemovePort{std::string(pipes.node(slot).name), cell}});
  });
  for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
    if (!pipes.used(slot)) continue;
    const sim::NodeView node = pipes.node(slot);
    if (node.kind != NodeKind::kPump || node.rate == 0) continue;
    commands.push_back({sim::SetPump{std::string(node.name), 0}});
  }
  if (world.core().waves.on) commands.push_back({sim::SetWind{0}});
  return commands;
}

std::string close_all(sim::World& world) {
  sim::SerialExecutor serial;
  const std::vector<sim::Command> commands = closing_commands(world);
  std::span<const sim::Command> left(commands);
  while (!left.empty()) {
    const std::size_t some =
        std::min(left.size(), static_cast<std::size_t>(sim::kMaxCommandsPerTick));
    const sim::TickReport report = world.tick(left.first(some), serial);
    for (const sim::CommandOutcome& outcome : report.outcomes) {
      if (!outcome.applied()) return "what feeds it could not be closed: " + outcome.reason;
    }
    left = left.subspan(some);
  }
  return {};
}

/// Which of the layers that rest leaves as they are another tick changes; empty: none.
std::string moved_by_a_tick(sim::World& world) {
  sim::SerialExecutor serial;
  const auto before = world.layer_digests();
  (void)world.tick({}, serial);
  const auto after = world.layer_digests();
  constexpr std::array kLayers = {
      std::pair{sim::Layer::kCells, "cells"}, std::pair{sim::Layer::kMarks, "marks"},
      std::pair{sim::Layer::kPipes, "pipes"}, std::pair{sim::Layer::kWaves, "waves"},
      std::pair{sim::Layer::kHeat, "heat"},   std::pair{sim::Layer::kTracers, "tracers"}};
  std::string moved;
  for (const auto& [layer, name] : kLayers) {
    const auto i = static_cast<std::size_t>(layer);
    if (before[i] != after[i]) moved += (moved.empty() ? "" : ", ") + std::string(name);
  }
  return moved;
}

/// Whether water has only lost heat since, or only gained some. It ends, since there is only so
/// much; how soon is up to how well the air conducts. What turns in a circle gains what it loses.
bool goes_one_way(const sim::AmountTotals& since, const sim::AmountTotals& now) {
  return (now.in == since.in) != (now.out == since.out);
}

/// Whether they are looked at or not.
std::string moved_at_rest(sim::World& world) {
  world.set_run_options({.sleep = false});
  const std::string moved = moved_by_a_tick(world);
  return moved.empty() ? "" : "was at rest, and what moved is its " + moved;
}

/// An open interval of a column.
struct Interval {
  std::int32_t floor = 0;
  std::int32_t ceiling = 0;  // the first cell above it
  std::int64_t volume = 0;
  std::int64_t head = 0;  // level units; of a full one what presses on it
  [[nodiscard]] bool full() const { return volume == std::int64_t{ceiling - floor} * kFull; }
};

/// All of a world, and which of them share a face.
struct Intervals {
  std::vector<Interval> all;
  std::vector<std::pair<std::size_t, std::size_t>> openings;

  explicit Intervals(const sim::World& world);

 private:
  void add_column(const sim::World& world, std::int32_t x, std::int32_t z);
  void join(std::size_t column, std::size_t beside);
  void press();

  std::vector<std::size_t> begins_;  // of the columns' intervals: [z][x], and the end
};

Intervals::Intervals(const sim::World& world) {
  const Vec3 size = world.config().size;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t x = 0; x < size.x; ++x) add_column(world, x, z);
  }
  begins_.push_back(all.size());
  const auto wide = static_cast<std::size_t>(size.x);
  for (std::size_t column = 0; column + 1 < begins_.size(); ++column) {
    if ((column + 1) % wide != 0) join(column, column + 1);
    if (column + wide + 1 < begins_.size()) join(column, column + wide);
  }
  press();
}

void Intervals::add_column(const sim::World& world, std::int32_t x, std::int32_t z) {
  begins_.push_back(all.size());
  for (std::int32_t y = 0; y < world.config().size.y; ++y) {
    const Cell cell = world.cell({x, y, z});
    if (!is_open(cell)) continue;
    const bool goes_on = all.size() > begins_.back() && all.back().ceiling == y;
    if (!goes_on) all.push_back({y, y, 0, std::int64_t{y} * kFull});
    ++all.back().ceiling;
    all.back().volume += cell;
    all.back().head += cell;
  }
}

void Intervals::join(std::size_t column, std::size_t beside) {
  for (std::size_t i = begins_[column]; i < begins_[column + 1]; ++i) {
    for (std::size_t j = begins_[beside]; j < begins_[beside + 1]; ++j) {
      const bool share =
          std::max(all[i].floor, all[j].floor) < std::min(all[i].ceiling, all[j].ceiling);
      if (share) openings.emplace_back(i, j);
    }
  }
}

// Full ones hand on what presses on them, until none is pressed harder.
void Intervals::press() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [i, j] : openings) {
      const std::int64_t sill = std::int64_t{std::max(all[i].floor, all[j].floor)} * kFull;
      for (auto [low, high] : {std::pair(&all[i], &all[j]), std::pair(&all[j], &all[i])}) {
        if (!low->full() || high->head <= std::max(low->head, sill)) continue;
        low->head = high->head;
        changed = true;
      }
    }
  }
}

/// Of heads over an opening that the higher one reaches. Below the sill of a fall a head counts as
/// the sill.
std::int64_t difference_of_heads(const Interval& one, const Interval& two) {
  const std::int64_t sill = std::int64_t{std::max(one.floor, two.floor)} * kFull;
  return std::abs(std::max(one.head, sill) - std::max(two.head, sill));
}

}  // namespace

Rest bring_to_rest(sim::World& world, std::uint64_t most) {
  Rest rest;
  rest.wrong = close_all(world);
  if (!rest.wrong.empty()) return rest;
  sim::SerialExecutor serial;
  sim::TickReport report;
  sim::AmountTotals halfway;
  while (!report.at_rest && rest.ticks < most) {
    report = world.tick({}, serial);
    if (++rest.ticks == most / 2) halfway = world.core().heat.totals;
  }
  // Water that simmers kicks its waves (heat.md): under hot air for ever.
  if (!report.at_rest && world.heat() != nullptr && world.heat()->simmers()) return rest;
  if (!report.at_rest) {
    const bool cools = most > 1 && goes_one_way(halfway, world.core().heat.totals);
    const std::string moved = moved_by_a_tick(world);
    if (moved == "heat" && cools) return rest;
    rest.wrong = "after " + std::to_string(most) + " ticks without springs " +
                 std::to_string(report.active_chunks) +
                 " chunks are awake, and what moves is its " + moved;
    return rest;
  }
  rest.wrong = moved_at_rest(world);
  if (rest.wrong.empty()) rest.wrong = wrong_at_rest(world);
  return rest;
}

std::string wrong_at_rest(const sim::World& world) {
  std::string wrong = floating(world);
  if (!wrong.empty()) return wrong;
  switch (world.config().water) {
    case sim::WaterModel::kHydro:
      return uneven(world);
    case sim::WaterModel::kCellular:
      wrong = tests::not_at_one_head(world);
      return wrong.empty() ? wrong : "rests, and " + wrong;
    default:
      return {};
  }
}

std::string floating(const sim::World& world) {
  const Vec3 size = world.config().size;
  const bool no_floor = world.config().edges.bottom == sim::Edge::kOpen;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t x = 0; x < size.x; ++x) {
      Cell under = no_floor ? kAir : kOutside;
      for (std::int32_t y = 0; y < size.y; ++y) {
        const Cell cell = world.cell({x, y, z});
        const bool room = is_open(under) && under < world.measure().full;
        if (cell > 0 && room) {
          return "rests, and the " + std::to_string(cell) + " units at " +
                 to_string(Vec3{x, y, z}) + " stand on " + std::to_string(under);
        }
        under = cell;
      }
    }
  }
  return {};
}

std::string uneven(const sim::World& world) {
  const std::int64_t most = world.config().side_view() ? 1 : 3;
  const Intervals intervals(world);
  for (const auto& [i, j] : intervals.openings) {
    const std::int64_t difference = difference_of_heads(intervals.all[i], intervals.all[j]);
    if (difference <= most) continue;
    return "rests, and the heads on both sides of an opening, " +
           std::to_string(intervals.all[i].head) + " and " + std::to_string(intervals.all[j].head) +
           ", differ by " + std::to_string(difference);
  }
  return {};
}

}  // namespace sluice::hunt
