// `sluice verify FILE`: replays a recording and compares every digest, outcome and checkpoint.
#include <chrono>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/formats/world_file.h"
#include "server/record/verify.h"
#include "server/tools/commands.h"
#include "server/tools/output.h"
#include "server/tools/progress.h"
#include "server/workers/thread_pool.h"

namespace sluice::tools {

namespace {

struct VerifyFlags {
  std::string file;
  std::uint64_t from = 0;
  unsigned threads = 0;
  std::uint64_t shuffle = 0;
  CLI::Option* shuffle_given = nullptr;
  bool json = false;
};

/// The digest of the world that the recording's own world file describes. A file that this program
/// can no longer read is a warning, because the checkpoint of tick 0 holds all that a replay needs.
std::optional<sim::Digest> described_world(const record::Reader& reader) {
  const auto spec = formats::parse_world(reader.world_file_text(), reader.path() + " (world file)");
  if (!spec) {
    std::cerr << "sluice: warning: " << spec.error() << '\n';
    return std::nullopt;
  }
  const auto world = sim::World::create(*spec);
  if (!world) {
    std::cerr << "sluice: warning: " << world.error() << '\n';
    return std::nullopt;
  }
  return (*world)->digest();
}

void print_json(const record::VerifyReport& report, double seconds) {
  nlohmann::ordered_json json = {{"verified", !report.divergence.has_value()},
                                 {"first_tick", report.first_tick},
                                 {"last_tick", report.last_tick},
                                 {"commands", report.commands},
                                 {"checkpoints", report.checkpoints},
                                 {"seconds", seconds}};
  if (report.divergence) {
    const record::Divergence& divergence = *report.divergence;
    json["divergence"] = {{"tick", divergence.tick},
                          {"what", divergence.what},
                          {"recorded", hex(divergence.recorded)},
                          {"replayed", hex(divergence.replayed)},
                          {"cells", divergence.where.cells},
                          {"chunks", divergence.where.chunks}};
    auto& where = json["divergence"]["differences"] = nlohmann::ordered_json::array();
    for (const record::Difference& difference : divergence.where.differences) {
      where.push_back({{"layer", difference.layer},
                       {"place", difference.place},
                       {"field", difference.field},
                       {"recorded", difference.expected},
                       {"replayed", difference.actual}});
    }
    if (divergence.located_at) json["divergence"]["located_at"] = *divergence.located_at;
  }
  std::cout << json.dump() << '\n';
}

int run_verify(const VerifyFlags& flags) {
  auto reader = record::Reader::open(flags.file);
  if (!reader) {
    std::cerr << "sluice: " << reader.error() << '\n';
    return kExitWrongInput;
  }
  if (flags.from > (*reader)->last_tick()) {
    std::cerr << "sluice: " << flags.file << ": ends at tick " << (*reader)->last_tick()
              << ", before --from " << flags.from << '\n';
    return kExitWrongInput;
  }
  workers::ThreadPool pool(flags.threads);
  workers::ShuffledExecutor shuffled(pool, flags.shuffle);
  sim::Executor* executor = &pool;
  if (flags.shuffle_given->count() > 0) executor = &shuffled;
  Progress progress("verifying", (*reader)->last_tick());
  record::VerifyOptions options;
  options.from = flags.from;
  options.described_world = described_world(**reader);
  options.progress = [&progress](std::uint64_t tick) { progress.at(tick); };
  const auto start = std::chrono::steady_clock::now();
  const auto report = record::verify(**reader, options, *executor);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!report) {
    std::cerr << "sluice: " << report.error() << '\n';
    return kExitFound;
  }
  if (report->divergence) {
    std::cout << flags.file << ": " << record::describe(*report->divergence) << '\n';
  } else {
    std::cout << flags.file << ": verified: " << report->last_tick - report->first_tick
              << " ticks (" << report->first_tick << " to " << report->last_tick << "), "
              << report->commands << " commands and " << report->checkpoints
              << " checkpoints replay bit for bit\n";
  }
  if (flags.json) print_json(*report, seconds);
  return report->divergence ? kExitFound : kExitWell;
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* command =
      app.add_subcommand("verify", "Replay a recording and compare every digest on the way");
  command->add_option("FILE", flags->file, "a recording (NAME.sluice), of a running server too")
      ->required();
  command
      ->add_option("--from", flags->from,
                   "begin at the last checkpoint at or before this tick (default: 0)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--threads", flags->threads, "worker threads (default: one a core)")
      ->check(CLI::Range(0, kMostThreads));
  flags->shuffle_given =
      command
          ->add_option("--shuffle", flags->shuffle,
                       "process in an order shuffled by this seed: changes nothing")
          ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", flags->json, "print one JSON object as the last line");
  command->callback([flags, &exit_status] { exit_status = run_verify(*flags); });
}

}  // namespace sluice::tools
