// `sluice sync-test WORLD`: two engines side by side, compared after every phase of every tick.
#include <chrono>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/record/sync_test.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/output.h"
#include "server/tools/progress.h"
#include "server/tools/report_text.h"
#include "server/tools/scene.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

constexpr SideNames kEngines = {"first", "second"};
constexpr SideNames kEngineTitles = {"the first", "the second"};

struct SyncFlags {
  std::string world_file;
  std::string script;
  std::uint64_t ticks = 1000;
  unsigned threads = 3;
  std::uint64_t shuffle = 1;
  std::uint64_t restore_every = 1;
  bool json = false;
};

std::vector<record::RecordedCommand> as_recorded(const std::vector<sim::Command>& commands) {
  std::vector<record::RecordedCommand> recorded;
  for (const sim::Command& command : commands) recorded.push_back({command, "script", 0, true, ""});
  return recorded;
}

void print_json(const record::SyncReport& report, double seconds) {
  nlohmann::ordered_json json = {{"same", !report.divergence.has_value()},
                                 {"ticks", report.ticks},
                                 {"commands", report.commands},
                                 {"restores", report.restores},
                                 {"seconds", seconds}};
  if (report.divergence) {
    const record::SyncDivergence& divergence = *report.divergence;
    auto& found = json["divergence"] = {{"tick", divergence.tick},
                                        {"phase", divergence.at.phase},
                                        {"what", divergence.what},
                                        {"first_digest", hex(divergence.first)},
                                        {"second_digest", hex(divergence.second)}};
    found.update(to_json(divergence.at.where, kEngines));
    found["commands"] = to_json(as_recorded(divergence.commands), divergence.tick);
  }
  std::cout << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
}

void print_text(const SyncFlags& flags, const record::SyncReport& report) {
  std::cout << flags.world_file << ": ";
  if (!report.divergence) {
    std::cout << "in sync: " << report.ticks << " ticks, " << report.commands << " commands and "
              << report.restores << " restored snapshots are the same on 1 thread and on "
              << flags.threads << ", shuffled\n";
    return;
  }
  const record::SyncDivergence& divergence = *report.divergence;
  std::cout << "differs at tick " << divergence.tick << ": " << divergence.what << '\n'
            << to_text(divergence.at.where, kEngineTitles, "    ");
  for (const record::PhaseDigests& phase : divergence.at.digests) {
    std::cout << "  after " << phase.phase << ": "
              << (phase.expected == phase.actual ? "equal" : "different") << '\n';
  }
  std::cout << "  commands in that tick: " << divergence.commands.size() << '\n'
            << to_text(as_recorded(divergence.commands), divergence.tick, "    ");
}

int run_sync_test(const SyncFlags& flags) {
  auto scene = load_scene(flags.world_file, flags.script);
  if (!scene) return fail(scene.error());
  sim::SerialExecutor serial;
  workers::ThreadPool pool(flags.threads);
  workers::ShuffledExecutor shuffled(pool, flags.shuffle);
  Progress progress("running side by side", flags.ticks);
  record::SyncOptions options;
  options.ticks = flags.ticks;
  options.restore_every = flags.restore_every;
  options.commands = [&scene](std::uint64_t tick) { return scene->script.take(tick); };
  options.progress = [&progress](std::uint64_t tick) { progress.at(tick); };
  const auto start = std::chrono::steady_clock::now();
  const auto report = record::sync_test(*scene->world, serial, shuffled, options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!report) return fail(flags.world_file + ": " + report.error(), kExitFound);
  print_text(flags, *report);
  if (flags.json) print_json(*report, seconds.count());
  if (!report->divergence && !scene->script.done()) {
    std::cerr << "sluice: " << scene->script.left() << " commands of " << flags.script
              << " lie after the last tick " << report->ticks << '\n';
  }
  return report->divergence ? kExitFound : kExitWell;
}

}  // namespace

void add_sync_test_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<SyncFlags>();
  CLI::App* command = app.add_subcommand(
      "sync-test", "Run a world on two engines that must not differ, and compare each phase");
  command->footer("Example: sluice sync-test cave.toml --ticks 200 --restore-every 10");
  command->add_option("WORLD", flags->world_file, "the world file (TOML)")->required();
  command->add_option("--script", flags->script, "commands (JSON Lines)");
  command->add_option("--ticks", flags->ticks, "run that many ticks (default: 1000)")
      ->check(whole_number());
  command->add_option("--threads", flags->threads, "of the second engine (default: 3)")
      ->check(CLI::Range(0, kMostThreads));
  command->add_option("--shuffle", flags->shuffle, "seed of the second engine's order (default: 1)")
      ->check(whole_number());
  command
      ->add_option("--restore-every", flags->restore_every,
                   "restore the second engine from its snapshot after so many ticks; 0: never "
                   "(default: 1)")
      ->check(whole_number());
  command->add_flag("--json", flags->json, "print one JSON object as the last line");
  command->callback([flags, &exit_status] { exit_status = run_sync_test(*flags); });
}

}  // namespace sluice::tools
