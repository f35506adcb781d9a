#include "server/record/diff.h"

#include <algorithm>
#include <utility>

#include "server/record/checkpoint.h"
#include "server/record/flipped_bit.h"
#include "server/record/tick_cursor.h"
#include "server/sim/fields.h"
#include "server/sim/text.h"

namespace sluice::record {

namespace {

constexpr std::uint64_t kTicksPerProgress = 4096;
/// Where a side cannot be replayed its checkpoints show the spread; at most so many of them.
constexpr std::size_t kSpreadCheckpoints = 5;

/// Whether a tick was given the same and made the same of it. Who sent a command, and the words in
/// which one was refused, may differ between two true records of one history.
bool same_commands(const TickRecord& a, const TickRecord& b) {
  if (a.commands.size() != b.commands.size()) return false;
  std::vector<std::byte> left;
  std::vector<std::byte> right;
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    if (a.commands[i].applied != b.commands[i].applied) return false;
    left.clear();
    right.clear();
    sim::append_command(a.commands[i].command, left);
    sim::append_command(b.commands[i].command, right);
    if (left != right) return false;
  }
  return true;
}

std::vector<sim::Command> bare(const std::vector<RecordedCommand>& recorded) {
  std::vector<sim::Command> commands;
  commands.reserve(recorded.size());
  for (const RecordedCommand& command : recorded) commands.push_back(command.command);
  return commands;
}

Spread spread_at(std::uint64_t tick, const Comparison& comparison) {
  return {tick, comparison.cells, comparison.chunks, comparison.fields, comparison.cell_box};
}

class Differ {
 public:
  Differ(Reader& a, Reader& b, const DiffOptions& options, sim::Executor& executor)
      : a_(a), b_(b), options_(options), executor_(executor) {}

  Result<DiffReport> run() {
    for (const auto step : {&Differ::check_beginnings, &Differ::find_first_tick, &Differ::locate}) {
      if (const Status done = (this->*step)(); !done) return Error{done.error()};
      if (finished_) break;
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] Error both(const std::string& what) const {
    return {a_.path() + " and " + b_.path() + ": " + what};
  }

  Status check_beginnings() {
    auto first_a = a_.restore(a_.first_tick());
    if (!first_a) return Error{first_a.error()};
    auto first_b = b_.restore(b_.first_tick());
    if (!first_b) return Error{first_b.error()};
    const sim::World& world_a = **first_a;
    const sim::World& world_b = **first_b;
    report_.world = world_a.config().name;
    report_.first_tick = std::max(a_.first_tick(), b_.first_tick());
    report_.last_tick_a = a_.last_tick();
    report_.last_tick_b = b_.last_tick();
    report_.last_tick = std::min(a_.last_tick(), b_.last_tick());
    if (world_a.config().name != world_b.config().name) {
      return both("are recordings of different worlds: \"" + world_a.config().name + "\" and \"" +
                  world_b.config().name + "\"");
    }
    const Comparison beginnings = compare_worlds(world_a, world_b, options_.listed);
    const bool same_text = a_.world_file_text() == b_.world_file_text();
    const bool same_begin = a_.first_tick() == b_.first_tick();
    const bool same_config =
        sim::canonical_bytes(world_a.config()) == sim::canonical_bytes(world_b.config());
    if (!same_text && (!same_config || (same_begin && !beginnings.same()))) {
      const Difference& first = beginnings.differences.front();
      return both("are recordings of different worlds: they begin from different world files; " +
                  first.layer + ": " + (first.place.empty() ? "" : first.place + ": ") +
                  first.field + " is " + first.expected + " in the first and " + first.actual +
                  " in the second");
    }
    if (report_.first_tick > report_.last_tick) {
      return both("have no tick in common: the first holds ticks " +
                  std::to_string(a_.first_tick()) + " to " + std::to_string(a_.last_tick()) +
                  ", the second " + std::to_string(b_.first_tick()) + " to " +
                  std::to_string(b_.last_tick()));
    }
    if (same_begin && !beginnings.same()) begin_differently(world_a, world_b, beginnings);
    return Done{};
  }

  void begin_differently(const sim::World& a, const sim::World& b, const Comparison& where) {
    finished_ = true;
    FirstDifference& found = report_.difference.emplace();
    found.tick = found.seen_at = report_.first_tick;
    found.a.recorded = found.a.replayed = a.digest();
    found.b.recorded = found.b.replayed = b.digest();
    found.same_commands = true;
    found.phase = "beginning";
    found.seen_by = SeenBy::kCheckpoint;
    found.where = where;
    found.remark = "the world file is the same, and was read differently by the two programs";
  }

  Status find_first_tick() {
    TickCursor cursor_a(a_, report_.first_tick + 1);
    TickCursor cursor_b(b_, report_.first_tick + 1);
    for (std::uint64_t tick = report_.first_tick + 1; tick <= report_.last_tick; ++tick) {
      const auto a = cursor_a.next();
      if (!a) return Error{a.error()};
      const auto b = cursor_b.next();
      if (!b) return Error{b.error()};
      compare_tick(**a, **b);
      if (options_.progress && tick % kTicksPerProgress == 0) options_.progress(tick);
    }
    finished_ = !report_.difference;
    return Done{};
  }

  void compare_tick(const TickRecord& a, const TickRecord& b) {
    const bool same = a.digest == b.digest;
    // Commands are looked at as long as they may be the cause.
    if (!report_.difference && !report_.commands_differ_at && !same_commands(a, b)) {
      report_.commands_differ_at = a.tick;
    }
    if (!same && !report_.difference) {
      FirstDifference& found = report_.difference.emplace();
      found.tick = a.tick;
      found.a.recorded = a.digest;
      found.b.recorded = b.digest;
      found.a.commands = a.commands;
      found.b.commands = b.commands;
      found.same_commands = same_commands(a, b);
    }
    if (!report_.difference) return;
    if (!same) {
      ++report_.difference->differing_ticks;
    } else if (!report_.difference->agrees_again) {
      report_.difference->agrees_again = a.tick;
    }
  }

  /// The world before the first differing tick, which both sides agree on.
  Result<std::unique_ptr<sim::World>> world_before(std::uint64_t tick) {
    const auto in_a = a_.checkpoint_before(tick - 1);
    if (!in_a) return Error{in_a.error()};
    const auto in_b = b_.checkpoint_before(tick - 1);
    if (!in_b) return Error{in_b.error()};
    const bool b_is_nearer = *in_b && (!*in_a || (*in_b)->tick > (*in_a)->tick);
    Reader& better = b_is_nearer ? b_ : a_;
    Reader& other = b_is_nearer ? a_ : b_;
    auto at = world_at(better, tick - 1, executor_);
    if (!at) at = world_at(other, tick - 1, executor_);
    if (!at) return Error{at.error()};
    return std::move(at->world);
  }

  Status locate() {
    FirstDifference& found = *report_.difference;
    std::optional<TickTrace> trace_a;
    std::optional<TickTrace> trace_b;
    auto before = world_before(found.tick);
    if (before) {
      world_a_ = std::move(before).value();
      auto copy = CheckpointImage::of(*world_a_).restore();
      if (!copy) return Error{copy.error()};
      world_b_ = std::move(copy).value();
      trace_a = replay(*world_a_, found.a);
      trace_b = replay(*world_b_, found.b);
    } else {
      found.remark = "this program replays neither side up to there: " + before.error();
    }
    if (const auto used = use_given(options_.trace_a, a_, found.a, trace_a); !used) return used;
    if (const auto used = use_given(options_.trace_b, b_, found.b, trace_b); !used) return used;
    if (trace_a && trace_b) compare_phases(*trace_a, *trace_b);
    if (found.a.replays && found.b.replays) return follow_both();
    if (found.a.replays) {
      look_at_other(*world_a_, a_, b_, found.b, false);
    } else if (found.b.replays) {
      look_at_other(*world_b_, b_, a_, found.a, true);
    } else if (found.seen_by == SeenBy::kNothing) {
      compare_checkpoints();
    }
    return Done{};
  }

  std::optional<TickTrace> replay(sim::World& world, DiffSide& side) {
    TickTrace trace = trace_tick(world, bare(side.commands), executor_);
    side.replayed = trace.digest;
    side.replays = trace.digest == side.recorded;
    if (!side.replays) return std::nullopt;
    return trace;
  }

  Status use_given(const TraceFile* given, const Reader& reader, const DiffSide& side,
                   std::optional<TickTrace>& trace) {
    if (given == nullptr) return Done{};
    const std::uint64_t tick = report_.difference->tick;
    std::string problem;
    if (given->world != report_.world) {
      problem = "of the world \"" + given->world + "\"";
    } else if (given->trace.tick != tick) {
      problem = "of tick " + std::to_string(given->trace.tick) +
                ", and the first tick that differs is " + std::to_string(tick);
    } else if (given->trace.digest != side.recorded) {
      problem = "by a program (" + sim::printable(given->made_by) +
                ") that does not replay that tick either";
    }
    if (!problem.empty()) return Error{reader.path() + ": its trace is " + problem};
    trace = given->trace;
    return Done{};
  }

  void compare_phases(const TickTrace& a, const TickTrace& b) {
    FirstDifference& found = *report_.difference;
    auto difference = compare_traces(a, b, options_.listed);
    SLUICE_ASSERT(difference.has_value());  // their digests differ
    found.phase = std::move(difference->phase);
    found.digests = std::move(difference->digests);
    found.where = std::move(difference->where);
    found.seen_by = SeenBy::kReplay;
    found.seen_at = found.tick;
    found.remark.clear();
  }

  /// `world` stands after the first differing tick, as the side that replays has it. `swapped`:
  /// that side is B.
  void look_at_other(sim::World& world, Reader& good, Reader& bad, const DiffSide& bad_side,
                     bool swapped) {
    FirstDifference& found = *report_.difference;
    if (found.seen_by == SeenBy::kNothing) look_for_flip(world, bad, bad_side, swapped);
    const auto bad_checkpoints = bad.checkpoints();
    if (!bad_checkpoints) return;
    const std::uint64_t end =
        std::min(found.tick + kSpreadCheckpoints * options_.spread_ticks, report_.last_tick);
    for (const CheckpointInfo& checkpoint : *bad_checkpoints) {
      if (checkpoint.tick < found.tick) continue;
      const bool wanted = found.seen_by == SeenBy::kNothing || checkpoint.tick <= end;
      if (!wanted || checkpoint.tick > report_.last_tick) break;
      if (found.spread.size() == kSpreadCheckpoints) break;
      if (!advance(world, good, checkpoint.tick)) break;
      const auto other = bad.restore(checkpoint.tick);
      if (!other) continue;
      const Comparison where = swapped ? compare_worlds(**other, world, options_.listed)
                                       : compare_worlds(world, **other, options_.listed);
      found.spread.push_back(spread_at(checkpoint.tick, where));
      if (found.seen_by != SeenBy::kNothing) continue;
      found.seen_by = SeenBy::kCheckpoint;
      found.seen_at = checkpoint.tick;
      found.where = where;
    }
  }

  void look_for_flip(const sim::World& world, const Reader& bad, const DiffSide& bad_side,
                     bool swapped) {
    FirstDifference& found = *report_.difference;
    found.remark = "this program does not replay " + bad.path() +
                   " in that tick. With the program that made it ('" +
                   sim::printable(bad.made_by()) + "'): sluice trace " + bad.path() + " --tick " +
                   std::to_string(found.tick) + " --out FILE, and then give --trace-" +
                   (swapped ? "a" : "b") + " FILE here";
    const auto flip = find_flipped_bit(world, bad_side.recorded);
    if (!flip) return;
    found.seen_by = SeenBy::kDigest;
    found.seen_at = found.tick;
    found.where.differences = {*flip};
    Difference& only = found.where.differences.front();
    if (swapped) std::swap(only.expected, only.actual);
    found.where.cells = found.where.chunks = 1;
    found.where.cell_box = {*flip->cell, {1, 1, 1}};
  }

  /// Replays to `tick`. False when the replay does not agree with the recording.
  bool advance(sim::World& world, Reader& reader, std::uint64_t tick) {
    if (world.tick_number() >= tick) return world.tick_number() == tick;
    bool agrees = true;
    const Status read =
        reader.read_ticks(world.tick_number() + 1, tick, [&](const TickRecord& record) {
          agrees = world.tick(bare(record.commands), executor_).digest == record.digest;
          return agrees;
        });
    return read.ok() && agrees;
  }

  /// Neither side replays: the first tick at or after the difference that both have a checkpoint
  /// of.
  void compare_checkpoints() {
    FirstDifference& found = *report_.difference;
    const auto in_a = a_.checkpoints();
    const auto in_b = b_.checkpoints();
    if (!in_a || !in_b) return;
    for (const CheckpointInfo& one : *in_a) {
      const bool common = std::any_of(in_b->begin(), in_b->end(), [&one](const CheckpointInfo& b) {
        return b.tick == one.tick;
      });
      if (one.tick < found.tick || !common) continue;
      const auto a = a_.restore(one.tick);
      const auto b = b_.restore(one.tick);
      if (!a || !b) continue;
      found.where = compare_worlds(**a, **b, options_.listed);
      found.seen_by = SeenBy::kCheckpoint;
      found.seen_at = one.tick;
      return;
    }
  }

  Status follow_both() {
    FirstDifference& found = *report_.difference;
    const std::uint64_t end = std::min(found.tick + options_.spread_ticks, report_.last_tick);
    found.spread.push_back(
        spread_at(found.tick, compare_worlds(*world_a_, *world_b_, options_.listed)));
    for (std::uint64_t tick = found.tick + 1; tick <= end; ++tick) {
      if (!advance(*world_a_, a_, tick) || !advance(*world_b_, b_, tick)) {
        found.remark = "from tick " + std::to_string(tick) +
                       " on this program does not replay both sides: the spread ends there";
        break;
      }
      found.spread.push_back(
          spread_at(tick, compare_worlds(*world_a_, *world_b_, options_.listed)));
    }
    return Done{};
  }

  Reader& a_;
  Reader& b_;
  const DiffOptions& options_;
  sim::Executor& executor_;
  std::unique_ptr<sim::World> world_a_;
  std::unique_ptr<sim::World> world_b_;
  DiffReport report_;
  bool finished_ = false;
};

}  // namespace

Result<std::optional<std::uint64_t>> first_differing_tick(Reader& a, Reader& b,
                                                          const std::atomic<bool>& stop) {
  using Found = std::optional<std::uint64_t>;
  constexpr std::uint64_t kTicksAtATime = 20'000;
  const std::uint64_t first = std::max(a.first_tick(), b.first_tick());
  const std::uint64_t last = std::min(a.last_tick(), b.last_tick());
  if (a.first_tick() == b.first_tick()) {
    const auto in_a = a.checkpoint_before(first);
    const auto in_b = b.checkpoint_before(first);
    if (!in_a) return Error{in_a.error()};
    if (!in_b) return Error{in_b.error()};
    if (*in_a && *in_b && (*in_a)->digest != (*in_b)->digest) return Found(first);
  }
  for (std::uint64_t tick = first + 1; tick <= last && !stop; tick += kTicksAtATime) {
    const std::uint64_t end = std::min(last, tick + kTicksAtATime - 1);
    const auto in_a = a.digests(tick, end);
    const auto in_b = b.digests(tick, end);
    if (!in_a) return Error{in_a.error()};
    if (!in_b) return Error{in_b.error()};
    const auto differs = std::mismatch(in_a->begin(), in_a->end(), in_b->begin());
    if (differs.first != in_a->end()) {
      return Found(tick + static_cast<std::uint64_t>(differs.first - in_a->begin()));
    }
  }
  return Found();
}

Result<DiffReport> diff(Reader& a, Reader& b, const DiffOptions& options, sim::Executor& executor) {
  return Differ(a, b, options, executor).run();
}

}  // namespace sluice::record
