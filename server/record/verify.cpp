#include "server/record/verify.h"

#include <cstdio>
#include <utility>

namespace sluice::record {

namespace {

constexpr std::size_t kListedDifferences = 4;
constexpr std::uint64_t kTicksPerProgress = 256;

std::string hex(sim::Digest digest) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(digest));
  return text;
}

class Verifier {
 public:
  Verifier(Reader& reader, const VerifyOptions& options, sim::Executor& executor)
      : reader_(reader), options_(options), executor_(executor) {}

  sim::Result<VerifyReport> run() {
    if (const sim::Status started = start(); !started) return sim::Error{started.error()};
    sim::Status compared = sim::Done{};
    const auto visit = [&](const TickRecord& record) {
      compared = take(record);
      return compared.ok() && !finished_;
    };
    if (!report_.divergence && report_.first_tick < reader_.last_tick()) {
      const sim::Status read =
          reader_.read_ticks(report_.first_tick + 1, reader_.last_tick(), visit);
      if (!read) return sim::Error{read.error()};
    }
    if (!compared) return sim::Error{compared.error()};
    return std::move(report_);
  }

 private:
  sim::Status start() {
    auto checkpoints = reader_.checkpoints();
    if (!checkpoints) return sim::Error{checkpoints.error()};
    checkpoints_ = std::move(checkpoints).value();
    while (next_ + 1 < checkpoints_.size() && checkpoints_[next_ + 1].tick <= options_.from) {
      ++next_;
    }
    const CheckpointInfo& first = checkpoints_[next_++];
    report_.first_tick = report_.last_tick = first.tick;
    auto world = reader_.restore(first.tick);
    if (!world) return sim::Error{world.error()};
    world_ = std::move(world).value();
    if (first.tick == 0 && options_.described_world && *options_.described_world != first.digest) {
      note(DivergenceKind::kDescription, 0, first.digest, *options_.described_world,
           "tick 0 is not the world that the recording's world file describes");
    }
    return sim::Done{};
  }

  sim::Status take(const TickRecord& record) {
    commands_.clear();
    for (const RecordedCommand& recorded : record.commands) commands_.push_back(recorded.command);
    const sim::TickReport tick = world_->tick(commands_, executor_);
    if (!report_.divergence) {
      compare_outcomes(record, tick);
      compare_digest(record, tick.digest);
      report_.last_tick = record.tick;
      report_.commands += record.commands.size();
    }
    if (options_.progress && record.tick % kTicksPerProgress == 0) options_.progress(record.tick);
    const bool at_checkpoint =
        next_ < checkpoints_.size() && checkpoints_[next_].tick == record.tick;
    if (at_checkpoint) return compare_checkpoint(checkpoints_[next_++]);
    // After a divergence the replay goes on to the next checkpoint, to be compared with it.
    finished_ = report_.divergence && next_ >= checkpoints_.size();
    return sim::Done{};
  }

  void compare_outcomes(const TickRecord& record, const sim::TickReport& tick) {
    for (std::size_t i = 0; i < record.commands.size(); ++i) {
      const RecordedCommand& recorded = record.commands[i];
      const sim::CommandOutcome& outcome = tick.outcomes[i];
      if (recorded.applied == outcome.applied()) continue;
      note(
          DivergenceKind::kOutcome, record.tick, record.digest, tick.digest,
          "command " + std::to_string(i + 1) + " of the tick (" +
              std::string(sim::name_of(recorded.command)) + ") was " +
              (outcome.applied() ? "applied, but is recorded as refused: " + recorded.reason
                                 : "refused (" + outcome.reason + "), but is recorded as applied"));
      report_.divergence->commands = record.commands;
      return;
    }
  }

  void compare_digest(const TickRecord& record, sim::Digest replayed) {
    if (replayed == record.digest || report_.divergence) return;
    note(DivergenceKind::kDigest, record.tick, record.digest, replayed,
         "the world after the tick is not the recorded one");
    report_.divergence->commands = record.commands;
  }

  sim::Status compare_checkpoint(const CheckpointInfo& checkpoint) {
    auto recorded = reader_.restore(checkpoint.tick);
    if (!recorded) return sim::Error{recorded.error()};
    const bool same = checkpoint.digest == world_->digest();
    if (!report_.divergence) {
      ++report_.checkpoints;
      if (same) return sim::Done{};
      note(DivergenceKind::kCheckpoint, checkpoint.tick, checkpoint.digest, world_->digest(),
           "the checkpoint holds another state than the recorded history leads to");
    }
    report_.divergence->located_at = checkpoint.tick;
    if (!same) {
      report_.divergence->where = compare_worlds(**recorded, *world_, kListedDifferences);
    }
    finished_ = true;
    return sim::Done{};
  }

  void note(DivergenceKind kind, std::uint64_t tick, sim::Digest recorded, sim::Digest replayed,
            std::string what) {
    Divergence divergence;
    divergence.kind = kind;
    divergence.tick = tick;
    divergence.recorded = recorded;
    divergence.replayed = replayed;
    divergence.what = std::move(what);
    report_.divergence = std::move(divergence);
  }

  Reader& reader_;
  const VerifyOptions& options_;
  sim::Executor& executor_;
  std::vector<CheckpointInfo> checkpoints_;
  std::size_t next_ = 0;  // the next checkpoint to be compared
  std::unique_ptr<sim::World> world_;
  std::vector<sim::Command> commands_;
  VerifyReport report_;
  bool finished_ = false;
};

}  // namespace

sim::Result<VerifyReport> verify(Reader& reader, const VerifyOptions& options,
                                 sim::Executor& executor) {
  return Verifier(reader, options, executor).run();
}

std::string describe(const Divergence& divergence) {
  const std::string tick = std::to_string(divergence.tick);
  std::string text = "diverges at tick " + tick + ": " + divergence.what + "\n  digest recorded " +
                     hex(divergence.recorded) + ", replayed " + hex(divergence.replayed);
  text += "\n  commands in that tick: " + std::to_string(divergence.commands.size());
  if (divergence.kind == DivergenceKind::kDescription) return text;
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
