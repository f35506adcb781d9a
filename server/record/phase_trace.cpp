#include "server/record/phase_trace.h"

#include <algorithm>
#include <utility>

namespace sluice::record {

namespace {

class Tracer final : public sim::PhaseObserver {
 public:
  explicit Tracer(std::vector<TracedPhase>& phases) : phases_(phases) {}

  void after_phase(const char* phase, const sim::World& world) override {
    const StateImage* before = phases_.empty() ? nullptr : &phases_.back().state;
    TracedPhase traced{phase, world.recompute_digest(), world.recompute_layer_digests(),
                       StateImage::of(world, before)};
    phases_.push_back(std::move(traced));
  }

 private:
  std::vector<TracedPhase>& phases_;
};

}  // namespace

TickTrace trace_tick(sim::World& world, std::span<const sim::Command> commands,
                     sim::Executor& executor) {
  TickTrace trace;
  Tracer tracer(trace.phases);
  world.set_phase_observer(&tracer);
  const sim::TickReport report = world.tick(commands, executor);
  world.set_phase_observer(nullptr);
  trace.tick = report.tick;
  trace.digest = report.digest;
  trace.at_rest = report.at_rest;
  return trace;
}

std::optional<PhaseDifference> compare_traces(const TickTrace& expected, const TickTrace& actual,
                                              std::size_t limit) {
  PhaseDifference difference;
  const std::size_t phases = std::min(expected.phases.size(), actual.phases.size());
  for (std::size_t i = 0; i < phases; ++i) {
    const TracedPhase& a = expected.phases[i];
    const TracedPhase& b = actual.phases[i];
    const bool same_name = a.phase == b.phase;
    difference.digests.push_back(
        {same_name ? a.phase : a.phase + " / " + b.phase, a.digest, b.digest});
    const bool same = same_name && a.digest == b.digest;
    if (same || !difference.phase.empty()) continue;
    difference.phase = difference.digests.back().phase;
    difference.where = compare_states(a.state.view(), b.state.view(), limit);
  }
  if (difference.phase.empty() && expected.digest == actual.digest) return std::nullopt;
  if (difference.phase.empty()) difference.phase = kDigestCaches;
  return difference;
}

}  // namespace sluice::record
