#include "server/record/verify.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "server/record/checkpoint.h"
#include "server/record/flipped_bit.h"
#include "server/sim/text.h"

namespace sluice::record {

namespace {

constexpr std::size_t kListedDifferences = 4;
constexpr std::uint64_t kTicksPerReport = 256;

std::string hex(sim::Digest digest) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

/// Whether a world is, byte for byte, what a checkpoint holds. False also where both hold the same
/// in another form (an empty chunk more or less): then a look at the states decides.
bool same_bytes(const CheckpointImage& image, const sim::World& world) {
  const auto chunks = static_cast<std::size_t>(world.grid().chunk_count());
  if (image.chunks.size() != chunks || image.core != world.snapshot_core()) return false;
  return std::all_of(
      image.chunks.begin(), image.chunks.end(), [&world](const CheckpointImage::Chunk& chunk) {
        const sim::Chunk* living = world.grid().find(chunk.coord);
        return living != nullptr && sim::World::chunk_bytes(*living) == chunk.bytes &&
               sim::World::mark_bytes(*living) == chunk.marks;
      });
}

}  // namespace

Verifier::Verifier(Reader& reader, VerifyOptions options, sim::Executor& executor)
    : reader_(reader), options_(std::move(options)), executor_(executor) {}
Verifier::~Verifier() = default;

Status Verifier::advance(std::uint64_t to) {
  if (world_ == nullptr) {
    if (const Status started = start(); !started) return started;
  }
  to = std::min(to, reader_.last_tick());
  if (finished_ || world_->tick_number() >= to) return Done{};
  Status compared = Done{};
  const auto visit = [&](const TickRecord& record) {
    compared = take(record);
    return compared.ok() && !finished_;
  };
  const Status read = reader_.read_ticks(world_->tick_number() + 1, to, visit);
  return read ? compared : read;
}

Status Verifier::start() {
  const auto before = reader_.checkpoint_before(std::max(options_.from, reader_.first_tick()));
  if (!before) return Error{before.error()};
  if (!*before) return reader_.lacks_first_checkpoint();
  const CheckpointInfo first = **before;
  report_.first_tick = report_.last_tick = first.tick;
  auto world = reader_.restore(first.tick);
  if (!world) return Error{world.error()};
  world_ = std::move(world).value();
  if (first.tick == 0 && options_.described_world && *options_.described_world != first.digest) {
    note(DivergenceKind::kDescription, 0, first.digest, *options_.described_world,
         "tick 0 is not the world that the recording's world file describes");
    finished_ = true;
  }
  return Done{};
}

Status Verifier::take(const TickRecord& record) {
  commands_.clear();
  for (const RecordedCommand& recorded : record.commands) commands_.push_back(recorded.command);
  const sim::TickReport tick = world_->tick(commands_, executor_);
  if (!report_.divergence) {
    compare_outcomes(record, tick);
    compare_digest(record, tick.digest);
    report_.last_tick = record.tick;
    report_.commands += record.commands.size();
  }
  if (options_.progress && record.tick % kTicksPerReport == 0) options_.progress(record.tick);
  if (!next_ || next_->tick < record.tick) {
    if (const Status found = find_next_checkpoint(record.tick); !found) return found;
  }
  if (next_ && next_->tick == record.tick) {
    if (const Status compared = compare_checkpoint(*next_); !compared) return compared;
  }
  if (options_.restore_every_tick && !report_.divergence) return restore_world(record);
  // After a divergence the replay goes on to the next checkpoint, to be compared with it.
  if (report_.divergence && !next_) finished_ = true;
  return Done{};
}

Status Verifier::find_next_checkpoint(std::uint64_t from) {
  const auto next = reader_.checkpoint_after(from);
  if (!next) return Error{next.error()};
  next_ = *next;
  return Done{};
}

void Verifier::compare_outcomes(const TickRecord& record, const sim::TickReport& tick) {
  for (std::size_t i = 0; i < record.commands.size(); ++i) {
    const RecordedCommand& recorded = record.commands[i];
    const sim::CommandOutcome& outcome = tick.outcomes[i];
    if (recorded.applied == outcome.applied()) continue;
    note(DivergenceKind::kOutcome, record.tick, record.digest, tick.digest,
         "command " + std::to_string(i + 1) + " of the tick (" +
             std::string(sim::name_of(recorded.command)) + ") was " +
             (outcome.applied()
                  ? "applied, but is recorded as refused: " + sim::printable(recorded.reason)
                  : "refused (" + outcome.reason + "), but is recorded as applied"));
    report_.divergence->commands = record.commands;
    return;
  }
}

void Verifier::compare_digest(const TickRecord& record, sim::Digest replayed) {
  if (replayed == record.digest || report_.divergence) return;
  note(DivergenceKind::kDigest, record.tick, record.digest, replayed,
       "the world after the tick is not the recorded one");
  report_.divergence->commands = record.commands;
  report_.divergence->flipped_bit = find_flipped_bit(*world_, record.digest);
}

Status Verifier::compare_checkpoint(const CheckpointInfo& checkpoint) {
  next_.reset();
  const bool same = checkpoint.digest == world_->digest();
  if (!report_.divergence) {
    const auto image = reader_.read_checkpoint(checkpoint.tick);
    if (!image) return Error{image.error()};
    ++report_.checkpoints;
    if (same && same_bytes(*image, *world_)) return Done{};
    const auto recorded = reader_.restore(checkpoint.tick);
    if (!recorded) return Error{recorded.error()};
    if (same && compare_worlds(**recorded, *world_, 1).same()) return Done{};
    note(DivergenceKind::kCheckpoint, checkpoint.tick, checkpoint.digest, world_->digest(),
         "the checkpoint holds another state than the recorded history leads to");
  }
  finished_ = true;
  const auto recorded = reader_.restore(checkpoint.tick);
  // What cannot be read does not say where, and the divergence stands without it.
  if (!recorded) return Done{};
  report_.divergence->located_at = checkpoint.tick;
  if (!same || report_.divergence->kind == DivergenceKind::kCheckpoint) {
    report_.divergence->where = compare_worlds(**recorded, *world_, kListedDifferences);
  }
  return Done{};
}

Status Verifier::restore_world(const TickRecord& record) {
  auto restored = CheckpointImage::of(*world_).restore();
  if (!restored) return Error{"tick " + std::to_string(record.tick) + ": " + restored.error()};
  const sim::Digest digest = (*restored)->recompute_digest();
  const bool same = digest == world_->digest() && compare_worlds(*world_, **restored, 1).same() &&
                    (*restored)->active_chunks() == world_->active_chunks();
  if (same) {
    world_ = std::move(restored).value();
    return Done{};
  }
  note(DivergenceKind::kSnapshot, record.tick, world_->digest(), digest,
       "a world restored from a snapshot of it is not the same world");
  report_.divergence->commands = record.commands;
  report_.divergence->located_at = record.tick;
  report_.divergence->where = compare_worlds(*world_, **restored, kListedDifferences);
  finished_ = true;
  return Done{};
}

void Verifier::note(DivergenceKind kind, std::uint64_t tick, sim::Digest recorded,
                    sim::Digest replayed, std::string what) {
  Divergence divergence;
  divergence.kind = kind;
  divergence.tick = tick;
  divergence.recorded = recorded;
  divergence.replayed = replayed;
  divergence.what = std::move(what);
  report_.divergence = std::move(divergence);
}

Result<VerifyReport> verify(Reader& reader, const VerifyOptions& options, sim::Executor& executor,
                            std::uint64_t to) {
  Verifier verifier(reader, options, executor);
  if (const Status done = verifier.advance(to); !done) return Error{done.error()};
  if (verifier.report().divergence && !verifier.finished()) {
    if (const Status done = verifier.advance(UINT64_MAX); !done) {
      return Error{done.error()};
    }
  }
  return verifier.report();
}

std::string describe(const Divergence& divergence) {
  const std::string tick = std::to_string(divergence.tick);
  std::string text = "diverges at tick " + tick + ": " + divergence.what + "\n  digest recorded " +
                     hex(divergence.recorded) + ", replayed " + hex(divergence.replayed);
  text += "\n  commands in that tick: " + std::to_string(divergence.commands.size());
  if (divergence.kind == DivergenceKind::kDescription) return text;
  if (divergence.flipped_bit) {
    text += "\n  one flipped bit after that tick explains the recorded digest: " +
            to_string(*divergence.flipped_bit);
  }
  if (!divergence.located_at) {
    return text + "\n  no checkpoint after it to compare the state with";
  }
  const std::string at = std::to_string(*divergence.located_at);
  if (divergence.where.differences.empty()) {
    return text + "\n  the state agrees again at the checkpoint of tick " + at +
           ": only what is recorded of the ticks before it is wrong";
  }
  text += "\n  at the checkpoint of tick " + at + " these differ, " +
          std::to_string(divergence.where.cells) + " cells in " +
          std::to_string(divergence.where.chunks) + " chunks among them:";
  for (const Difference& difference : divergence.where.differences) {
    text += "\n    " + to_string(difference);
  }
  return text;
}

}  // namespace sluice::record
