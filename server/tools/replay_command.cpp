// `sluice replay FILE [--to TICK]`: the world of a recording at a tick, printed as `sluice sim`
// prints its own; with --serve in the browser viewer, beside another recording if there are two.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/record/reader.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/frames.h"
#include "server/tools/output.h"
#include "server/tools/progress.h"
#include "server/tools/serve_replay.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

struct ReplayOptions {
  std::string file;
  std::string other;
  std::optional<std::string> serve;
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> to;
  unsigned threads = 0;
  OutputFlags output;
};

/// The recorded digests up to `tick`: those of the replayed ticks were compared with them.
Status write_digests(record::Reader& reader, std::uint64_t tick, const std::string& path) {
  if (path.empty()) return Done{};
  DigestFile file;
  if (const Status opened = file.open(path); !opened) return opened;
  if (tick > 0) {
    const Status read = reader.read_ticks(1, tick, [&](const record::TickRecord& record) {
      file.add(record.tick, record.digest);
      return true;
    });
    if (!read) return read;
  }
  return file.close();
}

/// What a world without any replayed tick can say of itself.
RunFacts facts_at_checkpoint(const sim::World& world) {
  RunFacts facts;
  facts.last.tick = world.tick_number();
  facts.last.digest = world.digest();
  facts.last.active_chunks = world.active_chunks();
  facts.last.at_rest = world.active_chunks() == 0;
  if (facts.last.at_rest) facts.rest_tick = world.tick_number();
  return facts;
}

/// Whether the world rests at the end of a tick, which a checkpoint does not tell.
Result<bool> rests_at(record::Reader& reader, std::uint64_t tick, sim::Executor& executor) {
  if (tick <= reader.first_tick()) return false;
  bool rests = false;
  const auto at = record::world_at(
      reader, tick, executor,
      [&](const sim::World&, const sim::TickReport& report) { rests = report.at_rest; }, nullptr,
      tick - 1);
  if (!at) return Error{at.error()};
  return rests;
}

/// Since when the world has rested that rests at `tick`. What rests goes on resting until there is
/// a command: so between two of them the first such tick is found by halves.
Result<std::uint64_t> rest_began(record::Reader& reader, std::uint64_t tick,
                                 sim::Executor& executor) {
  std::vector<std::uint64_t> commanded;
  const Status read = reader.read_ticks(reader.first_tick() + 1, tick, [&](const auto& record) {
    if (!record.commands.empty()) commanded.push_back(record.tick);
    return true;
  });
  if (!read) return Error{read.error()};
  for (;;) {
    std::uint64_t low = commanded.empty() ? reader.first_tick() + 1 : commanded.back();
    const std::uint64_t first = low;
    while (low < tick) {
      const std::uint64_t middle = low + (tick - low) / 2;
      const auto rests = rests_at(reader, middle, executor);
      if (!rests) return Error{rests.error()};
      *rests ? tick = middle : low = middle + 1;
    }
    if (commanded.empty() || tick > first) return tick;
    // The command changed nothing, perhaps: it may have rested before.
    const auto rested = rests_at(reader, tick - 1, executor);
    if (!rested) return Error{rested.error()};
    if (!*rested) return tick;
    --tick;
    while (!commanded.empty() && commanded.back() > tick) commanded.pop_back();
  }
}

/// Draws the world at `from`, where pictures of the way from there are wanted.
Result<Frames> begin_frames(record::Reader& reader, const ReplayOptions& options,
                            std::uint64_t from, std::uint64_t to, sim::Executor& executor) {
  auto frames = Frames::of(options.output, from, to);
  if (!frames || !options.output.every) return frames;
  const auto at = record::world_at(reader, from, executor);
  if (!at) return Error{at.error()};
  if (const Status checked = check(options.output, *at->world); !checked) {
    return Error{checked.error()};
  }
  frames->take(*at->world);
  if (!frames->status()) return Error{frames->status().error()};
  return frames;
}

int run_serve(const ReplayOptions& options) {
  if (options.output.any()) {
    return fail(
        "--serve shows the recording in a browser: --map, --dump, --digests, --png and --json "
        "go without it",
        kExitWrongInput);
  }
  ServeReplayOptions serve{{options.file}, *options.serve, options.to, options.threads};
  if (!options.other.empty()) serve.files.push_back(options.other);
  return serve_replay(serve);
}

/// What is wrong with the flags themselves; empty: nothing.
std::string problem_of(const ReplayOptions& options) {
  if (const auto picture = options.output.picture(); !picture) return picture.error();
  if (options.from && !options.output.every) {
    return "--from is the tick of the first picture of --every, which is not given";
  }
  if (!options.serve && !options.other.empty()) {
    return "two recordings are shown side by side with --serve ADDRESS:PORT, and compared by "
           "'sluice diff " +
           options.file + " " + options.other + "'; without --serve give one";
  }
  return {};
}

/// Of the recording: which ticks are replayed; an error where it does not have them.
struct Span {
  std::uint64_t from = 0;  // the first picture of --every
  std::uint64_t to = 0;
};
Result<Span> span_of(const ReplayOptions& options, const record::Reader& reader) {
  const std::uint64_t first = reader.first_tick();
  const std::uint64_t last = reader.last_tick();
  const Span span{options.from.value_or(first), options.to.value_or(last)};
  if (span.to > last) {
    return Error{options.file + ": ends at tick " + std::to_string(last) + ", before --to " +
                 std::to_string(span.to)};
  }
  if (options.from && (span.from < first || span.from > span.to)) {
    return Error{"--from " + std::to_string(span.from) + ": allowed are " + std::to_string(first) +
                 " to " + std::to_string(span.to)};
  }
  return span;
}

/// The world at the end of the span, and what its last ticks were; draws the pictures on the way.
Result<record::WorldAt> replay_to(record::Reader& reader, const ReplayOptions& options,
                                  const Span& span, sim::Executor& executor, Frames& frames,
                                  RunFacts& facts) {
  Progress progress("replaying", span.to);
  std::atomic<bool> stop = false;
  auto before = std::chrono::steady_clock::now();
  const auto visit = [&](const sim::World& world, const sim::TickReport& report) {
    const auto now = std::chrono::steady_clock::now();
    facts.add(report, std::chrono::duration<double>(now - before).count());
    before = now;
    progress.at(report.tick);
    frames.take(world);
    if (!frames.status()) stop = true;
  };
  std::uint64_t begin_by = options.output.every ? span.from : span.to;
  // Whether a world rests is told by a tick.
  if (options.output.json && span.to > 0) begin_by = std::min(begin_by, span.to - 1);
  auto at = record::world_at(reader, span.to, executor, visit, &stop, begin_by);
  if (!frames.status()) return Error{frames.status().error()};
  return at;
}

int run_replay(const ReplayOptions& options) {
  if (const std::string problem = problem_of(options); !problem.empty()) {
    return fail(problem, kExitWrongInput);
  }
  if (options.serve) return run_serve(options);
  auto reader = record::Reader::open(options.file);
  if (!reader) return fail(reader.error(), kExitWrongInput);
  const auto span = span_of(options, **reader);
  if (!span) return fail(span.error(), kExitWrongInput);
  workers::ThreadPool pool(options.threads);
  auto frames = begin_frames(**reader, options, span->from, span->to, pool);
  if (!frames) return fail(frames.error(), kExitWrongInput);
  RunFacts facts;
  const auto at = replay_to(**reader, options, *span, pool, *frames, facts);
  if (!at) return fail(at.error(), frames->status() ? kExitFound : kExitWrongInput);
  for (const std::string& warning : at->warnings) {
    std::cerr << "sluice: warning: " << warning << "; began at an earlier checkpoint\n";
  }
  frames->tell();
  if (at->replayed_ticks == 0) facts = facts_at_checkpoint(*at->world);
  const std::uint64_t begun = span->to - at->replayed_ticks;
  if (options.output.json && facts.rest_tick == begun + 1 && begun > (*reader)->first_tick()) {
    const auto began = rest_began(**reader, begun + 1, pool);
    if (!began) return fail(began.error(), kExitFound);
    facts.rest_tick = *began;
  }
  if (const auto written = write_digests(**reader, span->to, options.output.digests); !written) {
    return fail(written.error(), kExitWrongInput);
  }
  if (const auto printed = print_results(options.output, *at->world, facts); !printed) {
    return fail(printed.error(), kExitWrongInput);
  }
  return kExitWell;
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command =
      app.add_subcommand("replay", "Bring back the world of a recording at any tick");
  command->footer(
      "Example: sluice replay cave.sluice --to 900 --png tick-900.png\nor:      sluice replay "
      "cave.sluice --serve 127.0.0.1:8090");
  command->add_option("FILE", options->file, "a recording (NAME.sluice)")
      ->required()
      ->check(recording_file());
  command->add_option("OTHER", options->other, "with --serve: a recording to be shown beside it");
  command
      ->add_option("--to", options->to,
                   "the tick (default: the last one recorded; with --serve: the first)")
      ->check(whole_number());
  command
      ->add_option("--from", options->from,
                   "with --every: the tick of the first picture (default: the first recorded)")
      ->check(whole_number());
  command->add_option(
      "--serve", options->serve,
      "show it in the browser viewer, with a timeline, at this ADDRESS:PORT; port 0 "
      "picks a free one");
  command->add_option("--threads", options->threads, "worker threads (default: one a core)")
      ->check(CLI::Range(0, kMostThreads));
  options->output.declare(*command);
  command->callback([options, &exit_status] { exit_status = run_replay(*options); });
}

}  // namespace sluice::tools
