// The reader's checkpoints, and the worlds that come back from them.
#include <algorithm>
#include <utility>

#include "server/record/checkpoint.h"
#include "server/record/chunk_store.h"
#include "server/record/core_store.h"
#include "server/record/database.h"
#include "server/record/packing.h"
#include "server/record/reader.h"
#include "server/sim/snapshot.h"

namespace sluice::record {

namespace {

std::string checkpoint_text(std::uint64_t tick) {
  return "the checkpoint of tick " + std::to_string(tick);
}

bool is_of_other_rules(const std::string& error) {
  return error.starts_with(sim::kMadeByOtherRules);
}

}  // namespace

Result<std::vector<CheckpointInfo>> Reader::checkpoints() {
  auto rows = database_->prepare("SELECT tick, digest FROM checkpoints ORDER BY tick");
  if (!rows) return Error{rows.error()};
  std::vector<CheckpointInfo> checkpoints;
  for (;;) {
    const Result<bool> found = rows->step();
    if (!found) return Error{found.error() + ", in its table of checkpoints"};
    if (!*found) break;
    checkpoints.push_back(
        {static_cast<std::uint64_t>(rows->integer(0)), static_cast<sim::Digest>(rows->integer(1))});
  }
  if (checkpoints.empty() || checkpoints.front().tick != first_tick_) {
    return lacks_first_checkpoint();
  }
  return checkpoints;
}

Error Reader::lacks_first_checkpoint() const {
  return database_->error("is damaged: it lacks " + checkpoint_text(first_tick_));
}

// Where a page was hit, its rows may stand in any order, and those that cannot be come to from one
// end are come to from the other.
std::set<std::uint64_t> Reader::stored_checkpoints() {
  std::set<std::uint64_t> ticks;
  for (const char* const sql : {"SELECT tick FROM checkpoints ORDER BY tick",
                                "SELECT tick FROM checkpoints ORDER BY tick DESC"}) {
    auto rows = database_->prepare(sql);
    if (!rows) continue;
    for (;;) {
      const Result<bool> found = rows->step();
      if (!found || !*found) break;
      const std::int64_t tick = rows->integer(0);
      if (tick >= static_cast<std::int64_t>(first_tick_)) {
        ticks.insert(static_cast<std::uint64_t>(tick));
      }
    }
  }
  return ticks;
}

Result<std::optional<CheckpointInfo>> Reader::find_checkpoint(std::string_view sql,
                                                              std::uint64_t tick) {
  auto row = database_->prepare(sql);
  if (!row) return Error{row.error()};
  constexpr std::uint64_t kMost = INT64_MAX;
  const auto bound = static_cast<std::int64_t>(std::min(tick, kMost));
  const Result<bool> found = row->bind(1, bound).step();
  if (!found) return Error{found.error() + ", in its table of checkpoints"};
  if (!*found || row->integer(0) < static_cast<std::int64_t>(first_tick_)) {
    return std::optional<CheckpointInfo>();
  }
  return std::optional(CheckpointInfo{static_cast<std::uint64_t>(row->integer(0)),
                                      static_cast<sim::Digest>(row->integer(1))});
}

// SQLite takes a damaged table's word for its order: who looks for the next one again and again
// would never end.
Error Reader::out_of_order(Keyed table) const {
  const std::string name = table == Keyed::kHistory ? "history" : "checkpoints";
  return database_->error("is damaged: its table of " + name + " is not in order");
}

Result<std::optional<CheckpointInfo>> Reader::checkpoint_before(std::uint64_t tick) {
  auto found = find_checkpoint(
      "SELECT tick, digest FROM checkpoints WHERE tick <= ?1 ORDER BY tick DESC LIMIT 1", tick);
  if (found && *found && (*found)->tick > tick) return out_of_order(Keyed::kCheckpoints);
  return found;
}

Result<std::optional<CheckpointInfo>> Reader::checkpoint_after(std::uint64_t tick) {
  auto found = find_checkpoint(
      "SELECT tick, digest FROM checkpoints WHERE tick >= ?1 ORDER BY tick LIMIT 1", tick);
  if (found && *found && (*found)->tick < tick) return out_of_order(Keyed::kCheckpoints);
  return found;
}

Result<CheckpointImage> Reader::read_checkpoint(std::uint64_t checkpoint_tick) {
  const std::string name = checkpoint_text(checkpoint_tick);
  constexpr const char* kByKey =
      "SELECT digest, core, chunks, checksum FROM checkpoints WHERE tick = ?1";
  // In a table that is not in order its row may stand where nobody looks by its key.
  constexpr const char* kAmongAll =
      "SELECT digest, core, chunks, checksum FROM checkpoints WHERE +tick = ?1";
  auto row = database_->prepare(kByKey);
  if (!row) return Error{row.error()};
  Result<bool> found = row->bind(1, static_cast<std::int64_t>(checkpoint_tick)).step();
  if (found && !*found) {
    row = database_->prepare(kAmongAll);
    if (!row) return Error{row.error()};
    found = row->bind(1, static_cast<std::int64_t>(checkpoint_tick)).step();
  }
  if (!found) return Error{found.error() + ", in " + name};
  if (!*found) return database_->error("lacks " + name);
  const auto digest = static_cast<sim::Digest>(row->integer(0));
  if (row_checksum(sim::combine(checkpoint_tick, digest), row->blob(1), row->blob(2)) !=
      row->integer(3)) {
    return database_->error("is damaged: the checksum of " + name + " does not fit");
  }
  const Result<Bytes> core =
      cores_ == nullptr ? unpack(row->blob(1), limits_.core_bytes) : cores_->load(row->blob(1));
  if (!core) return database_->error("is damaged: the core of " + name + " " + core.error());
  const auto listed = decode_chunk_list(row->blob(2), limits_.chunk_list_bytes);
  if (!listed) return database_->error("is damaged: " + name + ": " + listed.error());

  CheckpointImage image;
  image.tick = checkpoint_tick;
  image.digest = digest;
  image.core = *core;
  for (const ListedChunk& chunk : *listed) {
    Result<Bytes> bytes = chunks_->load(chunk.row_id);
    if (!bytes) {
      return database_->error("is damaged: chunk " + std::to_string(chunk.row_id) + ", of " + name +
                              ", " + bytes.error());
    }
    image.chunks.push_back({chunk.coord, chunk.wake, std::move(bytes).value(), {}});
    if (chunk.marks_row_id == 0) continue;
    Result<Bytes> marks = chunks_->load(chunk.marks_row_id);
    if (!marks) {
      return database_->error("is damaged: the marks " + std::to_string(chunk.marks_row_id) +
                              ", of " + name + ", " + marks.error());
    }
    image.chunks.back().marks = std::move(marks).value();
  }
  return image;
}

Result<std::unique_ptr<sim::World>> Reader::restore(std::uint64_t checkpoint_tick) {
  const Result<CheckpointImage> image = read_checkpoint(checkpoint_tick);
  if (!image) return Error{image.error()};
  return compared(image->restore(), *image);
}

Status Reader::check_checkpoint(std::uint64_t checkpoint_tick) {
  const Result<CheckpointImage> image = read_checkpoint(checkpoint_tick);
  if (!image) return Error{image.error()};
  auto world = image->restore();
  if (!world && is_of_other_rules(world.error())) return Done{};
  const auto same = compared(std::move(world), *image);
  return same ? Status(Done{}) : Status(Error{same.error()});
}

Result<std::unique_ptr<sim::World>> Reader::compared(Result<std::unique_ptr<sim::World>> world,
                                                     const CheckpointImage& image) const {
  const std::string name = checkpoint_text(image.tick);
  if (!world) {
    // Its checksum fits: what other rules made is whole, and not this program's to read.
    const char* const what = is_of_other_rules(world.error()) ? "cannot be used: " : "is damaged: ";
    return database_->error(what + name + ": " + world.error());
  }
  if ((*world)->tick_number() != image.tick || (*world)->recompute_digest() != image.digest) {
    return database_->error("is damaged: the state in " + name + " has another digest than stated");
  }
  return world;
}

Result<WorldAt> world_at(Reader& reader, std::uint64_t tick, sim::Executor& executor,
                         const TickVisitor& visit, const std::atomic<bool>* stop,
                         std::uint64_t begin_by) {
  SLUICE_ASSERT(tick <= reader.last_tick());
  WorldAt result;
  const std::uint64_t most = std::max(begin_by, reader.first_tick());
  for (std::uint64_t latest = std::min(tick, most); result.world == nullptr;) {
    const auto checkpoint = reader.checkpoint_before(latest);
    if (!checkpoint) return Error{checkpoint.error()};
    if (!*checkpoint) break;
    auto world = reader.restore((*checkpoint)->tick);
    if (world) {
      result.world = std::move(world).value();
    } else {
      result.warnings.push_back(world.error());
      if ((*checkpoint)->tick == reader.first_tick()) break;
      latest = (*checkpoint)->tick - 1;
    }
  }
  if (result.world == nullptr && result.warnings.empty()) return reader.lacks_first_checkpoint();
  if (result.world == nullptr) return Error{result.warnings.front()};
  sim::World& world = *result.world;
  if (world.tick_number() == tick) return result;

  std::string failure;
  std::vector<sim::Command> commands;
  const auto replay = [&](const TickRecord& record) {
    if (stop != nullptr && *stop) {
      failure = reader.path() + ": the replay was stopped";
      return false;
    }
    commands.clear();
    for (const RecordedCommand& recorded : record.commands) commands.push_back(recorded.command);
    const sim::TickReport report = world.tick(commands, executor);
    ++result.replayed_ticks;
    if (report.digest != record.digest) {
      failure = reader.path() + ": the replay diverges from the recording at tick " +
                std::to_string(record.tick) + "; 'sluice verify' tells more";
      return false;
    }
    if (visit) visit(world, report);
    return true;
  };
  const Status read = reader.read_ticks(world.tick_number() + 1, tick, replay);
  if (!read) return Error{read.error()};
  if (!failure.empty()) return Error{failure};
  return result;
}

}  // namespace sluice::record
