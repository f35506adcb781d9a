// Marks and the commands of levels: what they ask for is planned first, and written if it fits.
#include <algorithm>
#include <limits>
#include <string>

#include "server/sim/command_context.h"

namespace sluice::sim {

std::string CommandContext::level_problem(std::int64_t level) const {
  const std::int64_t top = std::int64_t{world_.config().size.y} * kFull;
  if (level < 0 || level > top) {
    return "level " + std::to_string(level) + " is out of range; allowed: 0 to " +
           std::to_string(top) + ", the world's top";
  }
  return quantum_problem(static_cast<std::int32_t>(level % kFull));
}

CommandOutcome CommandContext::write(Filling& filling, const LevelSums& sums) {
  if (std::string problem = chunks_problem(sums.chunks); !problem.empty()) return {problem};
  if (std::string problem = intake_problem(sums.came); !problem.empty()) return {problem};
  filling.write();
  Totals& totals = world_.core_.totals;
  totals.sourced += sums.came;
  totals.drained += sums.went;
  totals.water += sums.came - sums.went;
  return {};
}

CommandOutcome CommandContext::apply(const FillLevel& command) {
  if (std::string problem = place_problem(command.at); !problem.empty()) return {problem};
  if (std::string problem = level_problem(command.level); !problem.empty()) return {problem};
  Filling filling(world_.config(), world_.grid_, kMostLevelCells);
  const auto filled = filling.fill(command.at, command.level, 0);
  if (!filled) return {filled.error() + "; fill it in parts, or by marks of its world file"};
  if (!*filled) return {"the cell " + to_string(command.at) + " is rock"};
  return write(filling, filling.sums(1));
}

CommandOutcome CommandContext::apply(const EvaporateLevel& command) {
  if (std::string problem = place_problem(command.at); !problem.empty()) return {problem};
  if (std::string problem = level_problem(command.level); !problem.empty()) return {problem};
  if (water_of(world_.grid_.cell(command.at)) == 0) {
    return {"there is no water at " + to_string(command.at)};
  }
  const auto gone =
      evaporate(world_.config(), world_.grid_, command.at, command.level, kMostLevelCells);
  if (!gone) return {gone.error() + "; take its water away in parts"};
  world_.core_.totals.evaporated += *gone;
  world_.core_.totals.water -= *gone;
  return {};
}

CommandOutcome CommandContext::fill(std::span<const Mark> marks, std::vector<std::int64_t>& units) {
  // Levels from the highest down, then pockets likewise; of equal ones the first.
  std::vector<std::size_t> order(marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) order[i] = i;
  const auto level_of = [&](std::size_t i) {
    return marks[i].level >= 0 ? marks[i].level : (std::int64_t{marks[i].at.y} + 1) * kFull;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (marks[a].kind != marks[b].kind) return marks[a].kind == MarkKind::kLevel;
    return level_of(a) > level_of(b);
  });
  Filling filling(world_.config(), world_.grid_, std::numeric_limits<std::int64_t>::max());
  for (const std::size_t i : order) {
    const std::string name = "mark[" + std::to_string(i) + "]: ";
    const std::int64_t level = level_of(i);
    if (std::string problem = place_problem(marks[i].at); !problem.empty()) {
      return {name + problem};
    }
    // A pocket begins at a whole cell in any case.
    const std::int64_t checked = marks[i].kind == MarkKind::kLevel ? level : level / kFull * kFull;
    if (std::string problem = level_problem(checked); !problem.empty()) return {name + problem};
    const auto mark = static_cast<std::int32_t>(i);
    const auto done = marks[i].kind == MarkKind::kLevel ? filling.fill(marks[i].at, level, mark)
                                                        : filling.trap(marks[i].at, level, mark);
    if (!done) return {name + done.error()};
  }
  const LevelSums sums = filling.sums(static_cast<std::int32_t>(marks.size()));
  units = sums.units;
  const CommandOutcome written = write(filling, sums);
  if (!written.applied()) return {"marks: " + written.reason};
  world_.grid_.for_each([&](const Chunk& chunk) {
    if (std::find(chunk.cells.begin(), chunk.cells.end(), kTrappedAir) != chunk.cells.end()) {
      world_.trapped_air_.note(chunk.coord);
    }
  });
  return {};
}

}  // namespace sluice::sim
