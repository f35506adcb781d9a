#include "server/sim/commands/context.h"

#include <algorithm>
#include <utility>

#include "server/sim/limits.h"
#include "server/sim/range.h"

namespace sluice::sim {

Status CommandContext::check_box(const Box& box) const {
  if (box.empty())
    return Error{"size " + to_string(box.size) + " holds no cell; every side must be at least 1"};
  const Box& world = world_.grid_.world_box();
  if (!lies_in(box, world)) {
    return Error{"the box at " + to_string(box.from) + " of size " + to_string(box.size) +
                 " leaves the world of size " + to_string(world.size)};
  }
  return Done{};
}

Status CommandContext::check_quantum(std::int32_t units) const {
  if (units % measure_.quantum == 0) return Done{};
  return Error{std::to_string(units) + " units: this world's water moves in parts of " +
               std::to_string(measure_.quantum) + " units, and takes no broken ones"};
}

Status CommandContext::check_intake(std::int64_t units) const {
  const std::int64_t taken = world_.core_.totals.taken_in();
  const std::int64_t most = world_.core_.limits.units;
  if (units <= most - taken) return Done{};
  return Error{"the world has taken in " + std::to_string(taken) + " units and takes " +
               std::to_string(most) + " over its whole life: not " + std::to_string(units) +
               " more"};
}

Status CommandContext::check_chunks(std::int64_t chunks) const {
  const std::int64_t held = world_.grid_.holding_count();
  const std::int64_t most = world_.core_.limits.chunks;
  if (chunks <= most - held) return Done{};
  return Error{std::to_string(held) + " chunks of 4096 cells hold something and " +
               std::to_string(chunks) + " more would; this world holds at most " +
               std::to_string(most)};
}

bool CommandContext::chunk_holds(Vec3 at) const {
  const Chunk* chunk = world_.grid_.find(world_.grid_.shape().chunk_of(at));
  return chunk != nullptr && (chunk->holds() || chunk->claimed);
}

Status CommandContext::check_place(Vec3 at) const {
  if (world_.grid_.world_box().contains(at)) return Done{};
  return Error{to_string(at) + " lies outside the world of size " +
               to_string(world_.grid_.world_box().size)};
}

Status CommandContext::check_pour(Vec3 at, std::int32_t units) const {
  if (Status s = check_place(at); !s) return s;
  if (Status s = check_range("units", units, 1, kMaxPourUnits); !s) return s;
  if (Status s = check_quantum(units); !s) return s;
  const Cell cell = world_.grid_.cell(at);
  if (is_open(cell)) return Done{};
  return Error{"the cell " + to_string(at) +
               (cell == kTrappedAir ? " is trapped air"
                : is_ice(cell)      ? " is ice"
                                    : " is rock")};
}

template <class Next>
void CommandContext::rewrite(Chunk& chunk, const Box& part, Next&& next) {
  const ChunkShape& shape = world_.grid_.shape();
  Change change;
  world_.grid_.edit(chunk, region_of(part, shape), [&](ChunkEdit& cells) {
    const Vec3 end = part.end();
    for (std::int32_t y = part.from.y; y < end.y; ++y) {
      for (std::int32_t z = part.from.z; z < end.z; ++z) {
        for (std::int32_t x = part.from.x; x < end.x; ++x) {
          const auto index = static_cast<std::size_t>(shape.index_of({x, y, z}));
          const Cell after = next(cells[index]);
          change.add(cells[index], after, 1);
          cells.set(index, after);
        }
      }
    }
  });
  count(change);
}

void CommandContext::refill(Chunk& chunk, Cell kind) {
  Change change;
  if (chunk.cells.is_shared()) {
    change.add(chunk.cells[0], kind, kChunkCells);
  } else {
    for (const Cell cell : chunk.cells) change.add(cell, kind, 1);
  }
  world_.grid_.edit(chunk, [&](ChunkEdit& cells) {
    if (change.any) cells.fill(kind);
  });
  count(change);
}

void CommandContext::count(const Change& change) {
  world_.core_.totals.sourced += change.came;
  world_.core_.totals.drained += change.went;
  world_.core_.totals.water += change.came - change.went;
}

template <class F>
void CommandContext::for_each_part(const Box& box, F&& f) {
  const ChunkShape& shape = world_.grid_.shape();
  const ChunkCoord first = shape.chunk_of(box.from);
  const ChunkCoord last = shape.chunk_of(box.end() - Vec3{1, 1, 1});
  for (std::int32_t z = first.z; z <= last.z; ++z) {
    for (std::int32_t x = first.x; x <= last.x; ++x) {
      for (std::int32_t y = first.y; y <= last.y; ++y) {
        f(ChunkCoord{x, y, z}, intersect(box, shape.box({x, y, z})));
      }
    }
  }
}

template <class F>
void CommandContext::for_each_stored_part(const Box& box, F&& f) {
  const ChunkShape& shape = world_.grid_.shape();
  const ChunkCoord first = shape.chunk_of(box.from);
  const ChunkCoord last = shape.chunk_of(box.end() - Vec3{1, 1, 1});
  const auto chunks = [](std::int32_t from, std::int32_t to) {
    return std::int64_t{to} - from + 1;
  };
  // Whichever is fewer: the places that the box covers or the chunks that are stored.
  const bool by_place =
      chunks(first.x, last.x) * chunks(first.y, last.y) <= kMaxChunks &&
      chunks(first.x, last.x) * chunks(first.y, last.y) * chunks(first.z, last.z) <=
          world_.grid_.chunk_count();
  if (by_place) {
    for_each_part(box, [&](ChunkCoord coord, const Box& part) {
      if (Chunk* chunk = world_.grid_.find(coord)) f(*chunk, part);
    });
    return;
  }
  world_.grid_.for_each([&](Chunk& chunk) {
    const Box part = intersect(box, shape.box(chunk.coord));
    if (!part.empty()) f(chunk, part);
  });
}

CommandOutcome CommandContext::apply(const SetCells& command) {
  const Box box = {command.from, command.size};
  if (Status s = check_box(box); !s) return refused(s);
  const bool solid = command.cell == kRock || command.cell == kTrappedAir;
  if ((command.cell < 0 && !solid) || command.cell > kMaxPourUnits) {
    return refused(
        "cell value " + std::to_string(command.cell) +
        " is neither rock (-1), trapped air (-3), air (0) nor an amount of water up to " +
        std::to_string(kMaxPourUnits) + " units");
  }
  if (command.cell > measure_.cell_max) {
    return refused("cell value " + std::to_string(command.cell) + ": a cell of this world holds " +
                   std::to_string(measure_.cell_max) + " units at the most");
  }
  if (Status s = check_quantum(water_of(command.cell)); !s) {
    return refused("cell value " + s.error());
  }
  const auto to_cell = [&](Cell /*before*/) { return command.cell; };
  if (command.cell == kAir) {  // what is not stored is air already
    for_each_stored_part(box,
                         [&](Chunk& chunk, const Box& part) { rewrite(chunk, part, to_cell); });
    return {};
  }
  const ChunkShape& shape = world_.grid_.shape();
  const ChunkCoord first = shape.chunk_of(box.from);
  const ChunkCoord last = shape.chunk_of(box.end() - Vec3{1, 1, 1});
  // Each factor is at most 2^16 and the product of three 2^48.
  std::int64_t filled = (std::int64_t{last.x} - first.x + 1) *
                        (std::int64_t{last.y} - first.y + 1) * (std::int64_t{last.z} - first.z + 1);
  if (!check_chunks(filled)) {
    for_each_stored_part(box, [&](const Chunk& chunk, const Box& /*part*/) {
      filled -= chunk.holds() || chunk.claimed ? 1 : 0;
    });
  }
  if (Status s = check_chunks(filled); !s) return refused(s);
  // At most 2^30 cells in so many chunks, of 2^30 units.
  if (Status s = check_intake(water_of(command.cell) * box.volume()); !s) {
    return refused(s);
  }
  for_each_part(box, [&](ChunkCoord coord, const Box& part) {
    Chunk& chunk = world_.grid_.obtain(coord);
    world_.grid_.claim(chunk);
    if (part == shape.box(coord) && CellPage::can_share(command.cell)) {
      refill(chunk, command.cell);
    } else {
      rewrite(chunk, part, to_cell);
    }
    if (command.cell == kTrappedAir) world_.trapped_air_.note(chunk.coord);
  });
  return {};
}

CommandOutcome CommandContext::apply(const Pour& command) {
  if (Status s = check_pour(command.at, command.units); !s) return refused(s);
  const Cell before = world_.grid_.cell(command.at);
  if (before > measure_.cell_max - command.units) {
    return refused("the cell " + to_string(command.at) + " has room for " +
                   std::to_string(measure_.cell_max - before) + " units only");
  }
  if (Status s = check_chunks(chunk_holds(command.at) ? 0 : 1); !s) {
    return refused(s);
  }
  if (Status s = check_intake(command.units); !s) {
    return refused(s);
  }
  rewrite_cell(command.at, before + command.units);
  return {};
}

CommandOutcome CommandContext::apply(const RisingPour& command) {
  std::vector<std::pair<Vec3, std::int32_t>> poured;
  return pour_upwards(command, poured);
}

CommandOutcome CommandContext::pour_upwards(const RisingPour& command,
                                            std::vector<std::pair<Vec3, std::int32_t>>& poured) {
  if (Status s = check_pour(command.at, command.units); !s) return refused(s);
  if (Status s = check_range("above", command.above, 0, kMostPourAbove, " cells"); !s) {
    return refused(s);
  }
  const std::int32_t top =
      std::min(command.at.y + command.above, world_.grid_.world_box().size.y - 1);
  std::int32_t left = command.units;
  std::int64_t new_chunks = 0;
  for (Vec3 at = command.at; at.y <= top && left > 0; ++at.y) {
    const Cell before = world_.grid_.cell(at);
    if (!is_open(before)) break;
    const std::int32_t room = std::max(kFull - before, 0) / measure_.quantum * measure_.quantum;
    const std::int32_t units = std::min(room, left);
    if (units == 0) continue;
    const bool same_chunk = !poured.empty() && world_.grid_.shape().chunk_of(poured.back().first) ==
                                                   world_.grid_.shape().chunk_of(at);
    if (!same_chunk && !chunk_holds(at)) ++new_chunks;
    poured.emplace_back(at, units);
    left -= units;
  }
  if (left > 0) {
    return refused("the cells from " + to_string(command.at) + " up to y " + std::to_string(top) +
                   " have room for " + std::to_string(command.units - left) + " units only");
  }
  if (Status s = check_chunks(new_chunks); !s) return refused(s);
  if (Status s = check_intake(command.units); !s) return refused(s);
  for (const auto& [at, units] : poured) rewrite_cell(at, world_.grid_.cell(at) + units);
  return {};
}

void CommandContext::rewrite_cell(Vec3 at, Cell cell) {
  Chunk& chunk = world_.grid_.obtain(world_.grid_.shape().chunk_of(at));
  world_.grid_.claim(chunk);
  rewrite(chunk, {at, {1, 1, 1}}, [&](Cell /*before*/) { return cell; });
}

CommandOutcome CommandContext::apply(const RemoveWater& command) {
  const Box box = {command.from, command.size};
  if (Status s = check_box(box); !s) return refused(s);
  for_each_stored_part(box, [&](Chunk& chunk, const Box& part) {
    rewrite(chunk, part, [](Cell cell) { return is_open(cell) ? kAir : cell; });
  });
  return {};
}

CommandOutcome CommandContext::add_spring(const SpringKind& kind, Vec3 at, std::int32_t rate) {
  if (Status s = check_place(at); !s) return refused(s);
  if (Status s = check_range("rate", rate, 1, kMaxPourUnits, " units a tick"); !s) {
    return refused(s);
  }
  if (kind.springs.contains(at)) {
    return refused("there is a " + std::string(kind.name) + " at " + to_string(at) +
                   " already; remove it first");
  }
  if (kind.springs.size() >= static_cast<std::size_t>(kMaxSprings)) {
    return refused("a world holds at most " + std::to_string(kMaxSprings) + " of each kind");
  }
  const auto [place, is_new] = kind.springs.try_emplace(at);
  place->second.rate = rate;
  kind.schedule.add(*place);
  world_.springs_digest_known_ = false;
  ++world_.springs_version_;
  return {};
}

CommandOutcome CommandContext::remove_spring(const SpringKind& kind, Vec3 at) {
  const auto place = kind.springs.find(at);
  if (place == kind.springs.end()) {
    return refused("there is no " + std::string(kind.name) + " at " + to_string(at));
  }
  kind.schedule.forget(*place);
  kind.springs.erase(place);
  if (&kind.springs == &world_.core_.sources) {
    world_.core_.source_heads.erase(at);
    world_.core_.heat.springs.erase(at);
    world_.core_.tracers.springs.erase(at);
  }
  world_.springs_digest_known_ = false;
  ++world_.springs_version_;
  return {};
}

CommandOutcome CommandContext::apply(const AddSourceUpTo& command) {
  if (command.head < 0) return refused("head " + std::to_string(command.head) + " is below zero");
  CommandOutcome made = add_spring(sources(), command.at, command.rate);
  if (made.applied()) world_.core_.source_heads[command.at] = command.head;
  return made;
}
CommandOutcome CommandContext::apply(const AddSource& command) {
  return add_spring(sources(), command.at, command.rate);
}
CommandOutcome CommandContext::apply(const RemoveSource& command) {
  return remove_spring(sources(), command.at);
}
CommandOutcome CommandContext::apply(const AddDrain& command) {
  return add_spring(drains(), command.at, command.rate);
}
CommandOutcome CommandContext::apply(const RemoveDrain& command) {
  return remove_spring(drains(), command.at);
}

}  // namespace sluice::sim
