// The program `hunt`: runs seeds until it is stopped, and says what it found.
#include <climits>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <spdlog/spdlog.h>

#include "tests/hunt/journal.h"
#include "tests/hunt/planted.h"
#include "tests/hunt/sweep.h"

namespace sluice::hunt {
namespace {

struct Options {
  SweepOptions sweep;
  std::string seeds;
  std::optional<std::uint64_t> seed;
  std::string replay;
  std::string plant;
  bool list_plants = false;
};

int replay(const std::string& path) {
  std::ifstream in(path);
  if (!in) {
    std::cerr << path << ": cannot be read\n";
    return 2;
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto plan = Plan::parse(text);
  if (!plan) {
    std::cerr << path << ": " << plan.error() << "\n";
    return 2;
  }
  const Outcome outcome = with_first_difference(*plan, run(*plan));
  if (outcome.failure) std::cout << text_of_failure(*plan, outcome);
  return outcome.failure ? 1 : 0;
}

/// FROM..TO
bool read_seeds(const std::string& text, SweepOptions& options) {
  const std::size_t dots = text.find("..");
  return dots != std::string::npos &&
         CLI::detail::lexical_cast(text.substr(0, dots), options.from) &&
         CLI::detail::lexical_cast(text.substr(dots + 2), options.to) && options.from <= options.to;
}

void add_options(CLI::App& app, Options& options) {
  SweepOptions& sweep = options.sweep;
  sweep.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  app.add_option("--seeds", options.seeds, "FROM..TO");
  app.add_option("--seed", options.seed, "one seed");
  app.add_option("--from", sweep.from, "the first of all seeds from there on");
  app.add_option("--minutes", sweep.minutes, "ends after so long");
  app.add_option("--cores", sweep.cores, "processes that run seeds; all cores, if not given")
      ->check(CLI::Range(1, 1024));
  app.add_option("--replay", options.replay, "a file that a failure left");
  app.add_option("--plant", options.plant, "wakes a planted bug");
  app.add_option("--with", sweep.with, "lines of a plan that every seed is given: 'flips = 3'");
  app.add_flag("--list-plants", options.list_plants);
  app.add_option("--folder", sweep.folder, "for what failures leave");
  app.add_option("--shrink", sweep.shrink_runs, "runs spent on making a failure smaller");
  app.add_option("--enough", sweep.enough, "runs that must have met all that must be met");
  app.add_option("--events", Journal::kept, "shown before a failure");
  app.add_flag("--first", sweep.first, "ends with the first failure");
  app.add_flag("--log", sweep.log, "each plan before it runs");
}

int go(int argc, char** argv) {
  Options options;
  CLI::App app("Hunts through the whole system for faults, by simulation from seeds");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(spdlog::level::off);
  // Worlds are made and dropped all the time: memory that goes back to the system each time and
  // comes anew took a tenth of a run.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupt_sweep(); });
  wake_plant(options.plant);
  for (const Plant& plant : plants()) {
    if (plant.name == options.plant && options.sweep.with.empty()) options.sweep.with = plant.focus;
  }
  if (options.list_plants) {
    for (const Plant& plant : plants()) std::cout << plant.name << ": " << plant.what << "\n";
    return 0;
  }
  if (!options.replay.empty()) return replay(options.replay);
  if (options.seed) options.sweep.from = options.sweep.to = *options.seed;
  if (!options.seeds.empty() && !read_seeds(options.seeds, options.sweep)) {
    std::cerr << "--seeds FROM..TO, with numbers: '" << options.seeds << "'\n";
    return 2;
  }
  return sweep(options.sweep);
}

}  // namespace
}  // namespace sluice::hunt

int main(int argc, char** argv) {
  return sluice::hunt::go(argc, argv);
}
