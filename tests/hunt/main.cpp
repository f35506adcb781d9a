// The program `hunt`: runs seeds until it is stopped, and says what it found.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hunt/journal.h"
#include "tests/hunt/planted.h"
#include "tests/hunt/refusals.h"
#include "tests/hunt/run.h"
#include "tests/hunt/shrink.h"
#include "tests/hunt/sometimes.h"

namespace sluice::hunt {
namespace {

struct Options {
  std::string seeds;
  std::optional<std::uint64_t> seed;
  std::uint64_t from = 1;
  double minutes = 0;
  std::string replay;
  std::string plant;
  std::string with;
  std::string folder;  // for what a failure leaves
  int shrink_runs = 150;
  bool list_plants = false;
  bool log = false;
  bool first = false;
};

// The sweep is a process of its own, so that one that dies is a failure like others. It shares the
// seed that runs with the process that waits for it.
std::atomic<std::uint64_t>* running = nullptr;
volatile std::sig_atomic_t interrupted = 0;
volatile pid_t sweeping = 0;

void print_failure(const Plan& plan, const Outcome& outcome) {
  std::cout << "FAILED seed " << plan.seed << " (" << outcome.ticks << " ticks, " << outcome.events
            << " events)\n"
            << *outcome.failure << "\n";
  if (!outcome.first_difference.empty()) {
    std::cout << "where it differs first (recorded: the plain world, is: the one that lived):\n"
              << outcome.first_difference;
  }
  std::cout << "before it:\n" << outcome.last_events << "the plan:\n" << plan.text();
}

/// A plan that replays it, and the files that the medium held, for `sluice verify` and `diff`.
void leave(const std::string& folder, const Plan& plan, const Outcome& outcome) {
  const std::filesystem::path place =
      std::filesystem::path(folder) / ("seed-" + std::to_string(plan.seed));
  std::filesystem::create_directories(place);
  std::istringstream reasons(*outcome.failure);
  std::ofstream file(place / "plan");
  for (std::string line; std::getline(reasons, line);) file << "# " << line << "\n";
  file << plan.text();
  for (const auto& [name, content] : outcome.files) {
    std::ofstream(place / std::filesystem::path(name).filename(), std::ios::binary) << content;
  }
  std::cout << "left in " << place.string() << "; hunt --replay " << (place / "plan").string()
            << "\n";
}

void report(const Options& options, const Plan& plan, const Outcome& outcome) {
  Shrunk small = shrink(plan, outcome, options.shrink_runs);
  small.outcome = with_first_difference(small.plan, std::move(small.outcome));
  print_failure(small.plan, small.outcome);
  if (!options.folder.empty()) leave(options.folder, small.plan, small.outcome);
}

// A sweep of so many runs has met all that must be met, or hunted in vain.
constexpr std::uint64_t kRunsThatMeetAll = 5000;
constexpr double kSecondsOfProgress = 60;

struct Sweep {
  std::uint64_t runs = 0;
  std::uint64_t ticks = 0;
  std::uint64_t failures = 0;
  std::map<std::string, std::uint64_t> counts;

  void add(const Outcome& outcome) {
    ++runs;
    ticks += outcome.ticks;
    for (const auto& [name, count] : outcome.counts) counts[name] += count;
  }
  /// What was not met that a long sweep meets.
  [[nodiscard]] std::vector<std::string> missed() const {
    std::vector<std::string> all;
    for (const char* place : marked_places()) {
      if (!reached_places().contains(place)) all.push_back(std::string("sometimes: ") + place);
    }
    for (const std::string& what : outcomes_that_must_be()) {
      if (!counts.contains(what)) all.push_back(what);
    }
    return all;
  }
  void print_progress(double seconds_taken, std::uint64_t seed) const {
    const std::size_t wanted = marked_places().size() + outcomes_that_must_be().size();
    std::cout << runs << " runs up to seed " << seed << ", " << ticks << " ticks, " << failures
              << " failures, " << static_cast<std::uint64_t>(seconds_taken) << " s; met "
              << counts.size() << " kinds of events, and " << wanted - missed().size() << " of "
              << wanted << " places, commands and refusals\n"
              << std::flush;
  }
  void print(double seconds_taken) const {
    std::cout << runs << " runs, " << ticks << " ticks, " << failures << " failures, "
              << static_cast<std::uint64_t>(static_cast<double>(runs) * 60 / seconds_taken)
              << " runs a minute\n";
    for (const auto& [name, count] : counts) std::cout << "  " << count << "  " << name << "\n";
    for (const char* place : marked_places()) {
      const auto found = reached_places().find(place);
      std::cout << "  " << (found == reached_places().end() ? 0 : found->second)
                << "  sometimes: " << place << "\n";
    }
    for (const std::string& what : missed()) std::cout << "  not met: " << what << "\n";
  }
};

int replay(const Options& options) {
  std::ifstream in(options.replay);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto plan = Plan::parse(text);
  if (!plan) {
    std::cerr << options.replay << ": " << plan.error() << "\n";
    return 2;
  }
  const Outcome outcome = with_first_difference(*plan, run(*plan));
  if (outcome.failure) print_failure(*plan, outcome);
  return outcome.failure ? 1 : 0;
}

/// The plan of a seed with what the options say over it.
Result<Plan> plan_of(const Options& options, std::uint64_t seed) {
  Plan plan = Plan::of_seed(seed);
  if (const Status read = plan.take(options.with); !read) return Error{"--with: " + read.error()};
  return plan;
}

using Clock = std::chrono::steady_clock;

int sweep(const Options& options, std::uint64_t from, std::uint64_t to, Clock::time_point begin) {
  const auto taken = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  Sweep all;
  double told = 0;
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    if (interrupted != 0 || (options.first && all.failures > 0)) break;
    if (options.minutes > 0 && taken() > 60 * options.minutes) break;
    const auto drawn = plan_of(options, seed);
    if (!drawn) {
      std::cerr << drawn.error() << "\n";
      return 2;
    }
    const Plan& plan = *drawn;
    running->store(seed);
    limit_processor_time();
    if (options.log) std::cerr << "seed " << seed << "\n" << plan.text() << std::flush;
    const Outcome outcome = run(plan);
    limit_processor_time(0);  // making it small may take longer
    all.add(outcome);
    if (outcome.failure) {
      ++all.failures;
      report(options, plan, outcome);
    }
    if (isatty(STDERR_FILENO) != 0) {
      std::cerr << "\r" << all.runs << " runs, " << all.failures << " failures " << std::flush;
    }
    if (taken() - told > kSecondsOfProgress) all.print_progress(told = taken(), seed);
  }
  all.print(taken());
  if (all.runs < kRunsThatMeetAll && !all.missed().empty()) {
    std::cout << "too few runs to tell whether all that must be met is: " << kRunsThatMeetAll
              << " do\n";
  }
  if (all.runs < kRunsThatMeetAll || all.missed().empty()) return all.failures == 0 ? 0 : 1;
  std::cout << "HUNTED IN VAIN: " << all.runs << " runs did not meet all that they must\n";
  return 1;
}

/// The signal that the sweep died of; 0: it ended with `status`.
int wait_for_sweep(int& status) {
  while (waitpid(sweeping, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  status = WEXITSTATUS(status);
  return 0;
}

/// Sweeps, and goes on behind each seed that crashes.
int sweep_all(const Options& options, std::uint64_t from, std::uint64_t to) {
  void* const shared =
      mmap(nullptr, sizeof(*running), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  running = new (shared) std::atomic<std::uint64_t>(from);
  const auto begin = Clock::now();
  for (bool crashed = false;;) {
    std::cout.flush();
    sweeping = fork();
    if (sweeping < 0) return 2;
    if (sweeping == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      const int status = sweep(options, from, to, begin);
      std::cout.flush();
      _exit(status);
    }
    int status = 0;
    const int signal = wait_for_sweep(status);
    if (signal == 0) return crashed ? 1 : status;
    if (signal == SIGKILL || signal == SIGTERM || signal == SIGINT || interrupted != 0) return 1;
    const std::uint64_t seed = running->load();
    const auto plan = plan_of(options, seed);
    if (!plan) return 2;
    Outcome outcome;
    outcome.failure = crash_text(signal);
    std::cout << "\nCRASHED seed " << seed << "; what was met before it is not counted\n";
    report(options, *plan, outcome);
    if (options.first || seed >= to) return 1;
    from = seed + 1;
    crashed = true;
  }
}

int go(int argc, char** argv) {
  Options options;
  CLI::App app("Hunts through the whole system for faults, by simulation from seeds");
  app.add_option("--seeds", options.seeds, "FROM..TO");
  app.add_option("--seed", options.seed, "one seed");
  app.add_option("--from", options.from, "the first of all seeds from there on");
  app.add_option("--minutes", options.minutes, "ends after so long");
  app.add_option("--replay", options.replay, "a file that a failure left");
  app.add_option("--plant", options.plant, "wakes a planted bug");
  app.add_option("--with", options.with, "lines of a plan that every seed is given: 'flips = 3'");
  app.add_flag("--list-plants", options.list_plants);
  app.add_option("--folder", options.folder, "for what failures leave");
  app.add_option("--shrink", options.shrink_runs, "runs spent on making a failure smaller");
  app.add_option("--events", Journal::kept, "shown before a failure");
  app.add_flag("--first", options.first, "ends with the first failure");
  app.add_flag("--log", options.log, "each plan before it runs");
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(spdlog::level::off);
  // Worlds are made and dropped all the time: memory that goes back to the system each time and
  // comes anew took a tenth of a run.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  for (const int signal : {SIGINT, SIGTERM}) {
    std::signal(signal, [](int) {
      interrupted = 1;
      if (sweeping > 0) kill(sweeping, SIGTERM);
    });
  }
  wake_plant(options.plant);
  for (const Plant& plant : plants()) {
    if (plant.name == options.plant && options.with.empty()) options.with = plant.focus;
  }
  if (options.list_plants) {
    for (const Plant& plant : plants()) std::cout << plant.name << ": " << plant.what << "\n";
    return 0;
  }
  if (!options.replay.empty()) return replay(options);
  std::uint64_t from = options.from;
  std::uint64_t to = UINT64_MAX;
  if (options.seed) from = to = *options.seed;
  if (!options.seeds.empty()) {
    const std::size_t dots = options.seeds.find("..");
    if (dots == std::string::npos) {
      std::cerr << "--seeds FROM..TO\n";
      return 2;
    }
    from = std::stoull(options.seeds.substr(0, dots));
    to = std::stoull(options.seeds.substr(dots + 2));
  }
  return sweep_all(options, from, to);
}

}  // namespace
}  // namespace sluice::hunt

int main(int argc, char** argv) {
  return sluice::hunt::go(argc, argv);
}
