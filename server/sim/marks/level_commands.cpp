// Marks and the commands of levels: what they ask for is planned first, and written if it fits.
#include <algorithm>
#include <string>

#include "server/sim/commands/context.h"
#include "server/sim/range.h"

namespace sluice::sim {

namespace {

/// Of one command: what keeps a tick short (limits.h).
constexpr LevelBounds kBounds{kMostLevelCells, kMostLevelRuns, kMostLevelChunks};

}  // namespace

Status CommandContext::check_level(std::int64_t level) const {
  const std::int64_t top = std::int64_t{world_.config().size.y} * kFull;
  if (Status s = check_range("level", level, 0, top, ", the world's top"); !s) return s;
  return check_quantum(static_cast<std::int32_t>(level % kFull));
}

CommandOutcome CommandContext::write(Filling& filling, const LevelSums& sums) {
  if (Status s = check_chunks(sums.new_chunks); !s) return refused(s);
  if (Status s = check_intake(sums.came); !s) return refused(s);
  for (const ChunkCoord chunk : filling.write()) world_.trapped_air_.note(chunk);
  Totals& totals = world_.core_.totals;
  totals.sourced += sums.came;
  totals.drained += sums.went;
  totals.water += sums.came - sums.went;
  return {};
}

CommandOutcome CommandContext::apply(const FillLevel& command) {
  if (Status s = check_place(command.at); !s) return refused(s);
  if (Status s = check_level(command.level); !s) return refused(s);
  Filling filling(world_.config(), world_.grid_, kBounds);
  const auto too_large = [](const std::string& why) {
    return CommandOutcome{why + "; fill it in parts, or by marks of its world file"};
  };
  const auto filled = filling.fill(command.at, command.level, 0);
  if (!filled) return too_large(filled.error());
  if (!*filled) return {"the cell " + to_string(command.at) + " is rock"};
  const auto sums = filling.sums(1);
  return sums ? write(filling, *sums) : too_large(sums.error());
}

CommandOutcome CommandContext::apply(const EvaporateLevel& command) {
  if (Status s = check_place(command.at); !s) return refused(s);
  if (Status s = check_level(command.level); !s) return refused(s);
  if (water_of(world_.grid_.cell(command.at)) == 0) {
    return {"there is no water at " + to_string(command.at)};
  }
  const auto gone = evaporate(world_.config(), world_.grid_, command.at, command.level, kBounds);
  if (!gone) return {gone.error() + "; take its water away in parts"};
  world_.core_.totals.evaporated += *gone;
  world_.core_.totals.water -= *gone;
  return {};
}

CommandOutcome CommandContext::apply(const TrapAir& command) {
  if (Status s = check_place(command.at); !s) return refused(s);
  const std::int64_t top = std::int64_t{world_.config().size.y} * kFull;
  if (Status s = check_range("level", command.level, 0, top, ", the world's top"); !s) {
    return refused(s);
  }
  Filling filling(world_.config(), world_.grid_, kBounds);
  const auto kept = filling.enclose(command.at, command.level);
  if (!kept) return {kept.error()};
  if (!*kept) return {"the cell " + to_string(command.at) + " is rock"};
  const auto sums = filling.sums(1);
  if (!sums) return {sums.error()};
  return write(filling, *sums);
}

CommandOutcome CommandContext::fill(std::span<const Mark> marks, std::vector<std::int64_t>& units) {
  // Levels from the highest down, then pockets likewise; of equal ones the first.
  std::vector<std::size_t> order(marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (marks[a].kind != marks[b].kind) return marks[a].kind == MarkKind::kLevel;
    return marks[a].level_or_default() > marks[b].level_or_default();
  });
  Filling filling(world_.config(), world_.grid_, {});
  for (const std::size_t i : order) {
    const std::string name = "mark[" + std::to_string(i) + "]: ";
    const std::int64_t level = marks[i].level_or_default();
    if (Status s = check_place(marks[i].at); !s) {
      return {name + s.error()};
    }
    // A pocket begins at a whole cell in any case.
    const std::int64_t checked = marks[i].kind == MarkKind::kLevel ? level : level / kFull * kFull;
    if (Status s = check_level(checked); !s) return {name + s.error()};
    const auto mark = static_cast<std::int32_t>(i);
    const auto done = marks[i].kind == MarkKind::kLevel ? filling.fill(marks[i].at, level, mark)
                                                        : filling.trap(marks[i].at, level, mark);
    if (!done) return {name + done.error()};
  }
  const auto sums = filling.sums(static_cast<std::int32_t>(marks.size()));
  if (!sums) return {"marks: " + sums.error()};
  units = sums->units;
  const CommandOutcome written = write(filling, *sums);
  if (!written.applied()) return {"marks: " + written.reason};
  return {};
}

}  // namespace sluice::sim
