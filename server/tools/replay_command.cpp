// `sluice replay FILE [--to TICK]`: the world of a recording at a tick, printed as `sluice sim`
// prints its own; with --serve in the browser viewer, beside another recording if there are two.
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/record/reader.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
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

int run_replay(const ReplayOptions& options) {
  if (options.serve) return run_serve(options);
  if (!options.other.empty()) {
    return fail(
        "two recordings are shown side by side with --serve ADDRESS:PORT, and compared by "
        "'sluice diff " +
            options.file + " " + options.other + "'; without --serve give one",
        kExitWrongInput);
  }
  if (const auto checked = options.output.picture(); !checked) {
    return fail(checked.error(), kExitWrongInput);
  }
  auto reader = record::Reader::open(options.file);
  if (!reader) return fail(reader.error(), kExitWrongInput);
  const std::uint64_t last = (*reader)->last_tick();
  const std::uint64_t to = options.to.value_or(last);
  if (to > last) {
    return fail(options.file + ": ends at tick " + std::to_string(last) + ", before --to " +
                    std::to_string(to),
                kExitWrongInput);
  }
  workers::ThreadPool pool(options.threads);
  Progress progress("replaying", to);
  RunFacts facts;
  auto before = std::chrono::steady_clock::now();
  const auto visit = [&](const sim::World&, const sim::TickReport& report) {
    const auto now = std::chrono::steady_clock::now();
    facts.add(report, std::chrono::duration<double>(now - before).count());
    before = now;
    progress.at(report.tick);
  };
  // Whether a world rests is told by a tick.
  const std::uint64_t begin_by = options.output.json && to > 0 ? to - 1 : to;
  const auto at = record::world_at(**reader, to, pool, visit, nullptr, begin_by);
  if (!at) return fail(at.error(), kExitFound);
  for (const std::string& warning : at->warnings) {
    std::cerr << "sluice: warning: " << warning << "; began at an earlier checkpoint\n";
  }
  if (at->replayed_ticks == 0) facts = facts_at_checkpoint(*at->world);
  const std::uint64_t begun = to - at->replayed_ticks;
  if (options.output.json && facts.rest_tick == begun + 1 && begun > (*reader)->first_tick()) {
    const auto began = rest_began(**reader, begun + 1, pool);
    if (!began) return fail(began.error(), kExitFound);
    facts.rest_tick = *began;
  }
  if (const auto written = write_digests(**reader, to, options.output.digests); !written) {
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
