// `sluice sim FILE.toml`: runs a world without a network.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/record/checkpoint_keeper.h"
#include "server/record/recorder.h"
#include "server/sim/kernels.h"
#include "server/sim/world.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/frames.h"
#include "server/tools/output.h"
#include "server/tools/progress.h"
#include "server/tools/scene.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

/// Ticks recorded in one transaction: nobody waits for an acknowledgement here.
constexpr std::uint64_t kTicksPerCommit = 1000;

struct SimFlags {
  std::string world_file;
  std::uint64_t ticks = 1000;
  bool until_rest = false;
  unsigned threads = 0;
  std::optional<std::uint64_t> shuffle;
  std::string script;
  std::string record;
  std::string kernels;
  bool no_sleep = false;
  OutputFlags output;
};

void report_refusals(const std::vector<sim::Command>& commands, const sim::TickReport& report) {
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (report.outcomes[i].applied()) continue;
    std::fprintf(stderr, "sluice: tick %llu: %s refused: %s\n",
                 static_cast<unsigned long long>(report.tick),
                 std::string(sim::name_of(commands[i])).c_str(), report.outcomes[i].reason.c_str());
  }
}

Status record_tick(record::Recorder& recorder, record::CheckpointKeeper& keeper,
                   const sim::World& world, const std::vector<sim::Command>& commands,
                   const sim::TickReport& report, std::uint64_t& seq) {
  record::TickRecord tick;
  tick.tick = report.tick;
  tick.digest = report.digest;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const sim::CommandOutcome& outcome = report.outcomes[i];
    tick.commands.push_back({commands[i], "script", ++seq, outcome.applied(), outcome.reason});
  }
  if (Status s = recorder.append(tick); !s) return s;
  // Checkpoints go into the transactions of the ticks: nobody waits for these.
  if (auto image = keeper.after_tick(world, report, !commands.empty())) {
    if (Status s = recorder.append_checkpoint(std::move(*image)); !s) return s;
  }
  if (report.tick % kTicksPerCommit == 0) return recorder.commit();
  return Done{};
}

/// What the run needs besides the world.
struct Run {
  const SimFlags& flags;
  sim::World& world;
  sim::Executor& executor;
  ScriptPlayer script;
  std::unique_ptr<record::Recorder> recorder;  // null without --record
  record::CheckpointKeeper keeper;
  Frames frames;
  DigestFile digests;
  RunFacts facts;
  std::uint64_t commands_recorded = 0;

  Status all_ticks() {
    Progress progress("simulating", flags.ticks);
    frames.take(world);
    for (std::uint64_t i = 0; i < flags.ticks; ++i) {
      const std::vector<sim::Command> commands = script.take(world.tick_number() + 1);
      const auto start = std::chrono::steady_clock::now();
      const sim::TickReport report = world.tick(commands, executor);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      facts.add(report, spent.count());
      report_refusals(commands, report);
      digests.add(report.tick, report.digest);
      frames.take(world);
      if (!frames.status()) return frames.status();
      if (recorder) {
        Status s = record_tick(*recorder, keeper, world, commands, report, commands_recorded);
        if (!s) return s;
      }
      if (flags.until_rest && report.at_rest && script.done()) break;
      progress.at(i + 1);
    }
    if (recorder) return recorder->checkpoint(keeper.take(world));
    return Done{};
  }
};

Status run_sim(const SimFlags& flags) {
  if (!flags.kernels.empty() && !sim::select_kernels(flags.kernels)) {
    std::string known;
    for (const sim::Kernels& set : sim::all_kernels()) known += std::string(" ") + set.name;
    return Error{"--kernels: '" + flags.kernels + "' is not here; allowed:" + known};
  }
  auto scene = load_scene(flags.world_file, flags.script);
  if (!scene) return Error{scene.error()};
  sim::World& world = *scene->world;
  if (Status s = check(flags.output, world); !s) return s;
  workers::ThreadPool pool(flags.threads);
  std::optional<workers::ShuffledExecutor> shuffled;
  if (flags.shuffle) shuffled.emplace(pool, *flags.shuffle);
  sim::Executor& executor = shuffled ? static_cast<sim::Executor&>(*shuffled) : pool;

  world.set_run_options({!flags.no_sleep});
  auto frames = Frames::of(flags.output, world.tick_number(), world.tick_number() + flags.ticks);
  if (!frames) return Error{frames.error()};
  Run run{flags,
          world,
          executor,
          std::move(scene->script),
          nullptr,
          record::CheckpointKeeper(world),
          std::move(*frames),
          {},
          {},
          0};
  if (!flags.record.empty()) {
    auto recorder = record::Recorder::create(flags.record, scene->world_file_text, world);
    if (!recorder) return Error{recorder.error()};
    run.recorder = std::move(recorder).value();
  }
  if (Status s = run.digests.open(flags.output.digests); !s) return s;
  if (Status s = run.all_ticks(); !s) return s;
  if (Status s = run.digests.close(); !s) return s;
  if (!run.script.done()) {
    std::fprintf(stderr, "sluice: %zu commands of %s lie after the last tick %llu\n",
                 run.script.left(), flags.script.c_str(),
                 static_cast<unsigned long long>(world.tick_number()));
  }
  run.frames.tell();
  return print_results(flags.output, world, run.facts);
}

}  // namespace

void add_sim_command(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("sim", "Run a world without a network");
  command->footer("Example: sluice sim cave.toml --ticks 500 --script edits.jsonl --map");
  auto flags = std::make_shared<SimFlags>();
  command->add_option("FILE", flags->world_file, "the world file (TOML)")->required();
  command->add_option("--ticks", flags->ticks, "run that many ticks")
      ->check(whole_number())
      ->capture_default_str();
  command->add_flag("--until-rest", flags->until_rest,
                    "stop after the first tick at whose end nothing is active");
  command->add_option("--threads", flags->threads, "worker threads; 0: one a core")
      ->check(CLI::Range(0, kMostThreads));
  command->add_option("--shuffle", flags->shuffle, "process chunks in an order drawn from a seed")
      ->check(whole_number());
  command->add_option("--script", flags->script, "commands (JSON Lines)");
  command->add_option("--record", flags->record, "record the run into a new file");
  command->add_option("--kernels", flags->kernels,
                      "use this set of kernels ('scalar', ...) instead of the best one");
  command->add_flag("--no-sleep", flags->no_sleep, "process sleeping chunks too");
  flags->output.declare(*command);
  command->callback([flags, &exit_status] {
    if (Status s = run_sim(*flags); !s) {
      std::fprintf(stderr, "sluice: %s\n", s.error().c_str());
      exit_status = kExitWrongInput;
    }
  });
}

}  // namespace sluice::tools
