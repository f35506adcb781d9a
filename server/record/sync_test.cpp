#include "server/record/sync_test.h"

#include <utility>

#include "server/record/checkpoint.h"

namespace sluice::record {

namespace {

constexpr std::uint64_t kStepsPerProgress = 64;
/// The phase in which what moved nothing goes to sleep.
constexpr const char* kSleep = "sleep";

/// Leaves the second engine's tick at the very phase. Not a value that is handed up: between phases
/// a world has no way to say "not further", and going on with a state that is known to be wrong
/// could end the process (the conservation law is asserted at the end of a tick).
struct Parted {};

class Comparer final : public sim::PhaseObserver {
 public:
  Comparer(const TickTrace& expected, const SyncOptions& options, PhaseDifference& out)
      : expected_(expected), options_(options), out_(out) {}

  void after_phase(const char* phase, const sim::World& world) override {
    if (options_.disturbance != nullptr) options_.disturbance->after_phase(phase, world);
    const TracedPhase& expected = expected_.phases.at(next_++);
    const sim::Digest digest = world.recompute_digest();
    out_.digests.push_back({phase, expected.digest, digest});
    if (digest == expected.digest) return;
    out_.phase = phase;
    out_.where = compare_states(expected.state.view(), StateView::of(world), options_.listed);
    throw Parted{};
  }

 private:
  const TickTrace& expected_;
  const SyncOptions& options_;
  PhaseDifference& out_;
  std::size_t next_ = 0;
};

class SyncTest {
 public:
  SyncTest(sim::World& world, sim::Executor& first, sim::Executor& second,
           const SyncOptions& options)
      : a_(world), first_(first), second_(second), options_(options) {}

  Result<SyncReport> run() {
    auto copy = CheckpointImage::of(a_).restore();
    if (!copy) return Error{copy.error()};
    b_ = std::move(copy).value();
    for (std::uint64_t i = 0; i < options_.ticks && !report_.divergence; ++i) {
      tick();
      const bool restores = options_.restore_every != 0 && (i + 1) % options_.restore_every == 0;
      if (restores && !report_.divergence) restore();
      if (options_.progress && i % kStepsPerProgress == 0) options_.progress(i + 1);
    }
    return std::move(report_);
  }

 private:
  void tick() {
    const std::uint64_t tick = a_.tick_number() + 1;
    std::vector<sim::Command> commands;
    if (options_.commands) commands = options_.commands(tick);
    ++report_.ticks;
    report_.commands += commands.size();
    const TickTrace expected = trace_tick(a_, commands, first_);
    PhaseDifference difference;
    Comparer comparer(expected, options_, difference);
    b_->set_phase_observer(&comparer);
    sim::TickReport actual;
    try {
      actual = b_->tick(commands, second_);
    } catch (const Parted&) {
      actual.digest = difference.digests.back().actual;
    }
    b_->set_phase_observer(nullptr);
    const bool same = difference.phase.empty() && actual.digest == expected.digest;
    if (same && actual.at_rest == expected.at_rest) return;
    if (same) {
      difference.phase = kSleep;
      note(tick,
           std::string("the second engine is ") + (actual.at_rest ? "" : "not ") +
               "at rest, and the first is" + (expected.at_rest ? "" : " not"),
           expected.digest, actual.digest);
    } else {
      if (difference.phase.empty()) difference.phase = kDigestCaches;
      note(tick, "the second engine parts from the first in phase " + difference.phase,
           expected.digest, actual.digest);
    }
    report_.divergence->at = std::move(difference);
    report_.divergence->commands = std::move(commands);
  }

  void restore() {
    auto restored = CheckpointImage::of(*b_).restore();
    if (!restored) {
      note(a_.tick_number(), "its snapshot cannot be restored: " + restored.error(), a_.digest(),
           b_->digest());
      return;
    }
    ++report_.restores;
    const Comparison where = compare_worlds(*b_, **restored, options_.listed);
    const sim::Digest digest = (*restored)->digest();
    if (!where.same() || digest != b_->digest()) {
      note(a_.tick_number(), "a world restored from its snapshot is not the same world",
           b_->digest(), digest);
      report_.divergence->at.phase = "restore";
      report_.divergence->at.where = where;
    }
    b_ = std::move(restored).value();
  }

  void note(std::uint64_t tick, std::string what, sim::Digest first, sim::Digest second) {
    report_.divergence = SyncDivergence{tick, std::move(what), first, second, {}, {}};
  }

  sim::World& a_;
  sim::Executor& first_;
  sim::Executor& second_;
  const SyncOptions& options_;
  std::unique_ptr<sim::World> b_;
  SyncReport report_;
};

}  // namespace

Result<SyncReport> sync_test(sim::World& world, sim::Executor& first, sim::Executor& second,
                             const SyncOptions& options) {
  return SyncTest(world, first, second, options).run();
}

}  // namespace sluice::record
