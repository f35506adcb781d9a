#include "tests/hunt/sweep.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hunt/shrink.h"

namespace sluice::hunt {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kSecondsOfProgress = 60;

volatile std::sig_atomic_t interrupted = 0;

/// The plan of a seed with what the options say over it.
Result<Plan> plan_of(const SweepOptions& options, std::uint64_t seed) {
  Plan plan = Plan::of_seed(seed);
  if (const Status read = plan.take(options.with); !read) return Error{"--with: " + read.error()};
  return plan;
}

/// A plan that replays it, and the files that the medium held, for `sluice verify` and `diff`.
std::string leave(const std::string& folder, const Plan& plan, const Outcome& outcome) {
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
  return "left in " + place.string() + "; hunt --replay " + (place / "plan").string() + "\n";
}

std::string report(const SweepOptions& options, const Plan& plan, const Outcome& outcome) {
  Shrunk small = shrink(plan, outcome, options.shrink_runs);
  small.outcome = with_first_difference(small.plan, std::move(small.outcome));
  std::string text = text_of_failure(small.plan, small.outcome);
  if (!options.folder.empty()) text += leave(options.folder, small.plan, small.outcome);
  return text;
}

bool is_over(const SweepOptions& options, Clock::time_point begin) {
  const double taken = std::chrono::duration<double>(Clock::now() - begin).count();
  return interrupted != 0 || (options.minutes > 0 && taken > 60 * options.minutes);
}

// What a process that runs seeds tells the one that made it: a line of JSON each.

void tell(int pipe, const Json& what) {
  const std::string line = what.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t wrote = write(pipe, line.data() + done, line.size() - done);
    if (wrote < 0 && errno != EINTR) _exit(1);  // nobody listens any more
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
}

/// Every seed of one process.
void run_seeds(const SweepOptions& options, std::uint64_t from, Clock::time_point begin, int pipe) {
  const auto step = static_cast<std::uint64_t>(options.cores);
  for (std::uint64_t seed = from; seed <= options.to && !is_over(options, begin); seed += step) {
    const Plan plan = plan_of(options, seed).value();
    if (options.log) std::cerr << "seed " << seed << "\n" << plan.text() << std::flush;
    tell(pipe, {{"begins", seed}});
    limit_processor_time();
    Outcome outcome = run(plan);
    limit_processor_time(0);  // making it small may take longer
    for (const auto& [place, count] : take_reached_places()) outcome.counts[place] = count;
    tell(pipe, {{"ticks", outcome.ticks},
                {"failed", outcome.failure.has_value()},
                {"counts", outcome.counts}});
    if (outcome.failure) tell(pipe, {{"says", report(options, plan, outcome)}});
    if (seed > options.to - step) return;
  }
}

struct Worker {
  pid_t process = 0;
  int pipe = -1;
  std::string partial;  // of a line
  std::uint64_t seed = 0;
};

class Sweep {
 public:
  explicit Sweep(const SweepOptions& options) : options_(options) { met_.enough = options.enough; }

  int go() {
    for (int core = 0; core < options_.cores; ++core) {
      const std::uint64_t first = options_.from + static_cast<std::uint64_t>(core);
      if (first > options_.to || !start(first)) break;
    }
    while (!workers_.empty()) listen();
    std::cout << met_.summary(taken()) << std::flush;
    return met_.failures > 0 || met_.in_vain() ? 1 : 0;
  }

 private:
  [[nodiscard]] double taken() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  bool start(std::uint64_t seed) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    std::cout.flush();
    const pid_t process = fork();
    if (process < 0) return false;
    if (process == 0) {
      // It ends when it is told to, or with whoever would tell it; at the keyboard that is the
      // sweep.
      std::signal(SIGINT, SIG_IGN);
      std::signal(SIGTERM, SIG_DFL);
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      close(ends[0]);
      run_seeds(options_, seed, begin_, ends[1]);
      _exit(0);
    }
    close(ends[1]);
    workers_.push_back({process, ends[0], {}, seed});
    return true;
  }

  void listen() {
    std::vector<pollfd> polled;
    for (const Worker& worker : workers_) polled.push_back({worker.pipe, POLLIN, 0});
    if (poll(polled.data(), polled.size(), 1000) > 0) {
      for (std::size_t i = polled.size(); i-- > 0;) {
        if (polled[i].revents != 0) hear(i);
      }
    }
    if (interrupted != 0) end_all();
    if (taken() - told_ < kSecondsOfProgress) return;
    std::cout << met_.progress(told_ = taken()) << std::flush;
  }

  void hear(std::size_t number) {
    Worker& worker = workers_[number];
    char bytes[65536];
    const ssize_t size = read(worker.pipe, bytes, sizeof(bytes));
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) return ended(number);
    worker.partial.append(bytes, static_cast<std::size_t>(size));
    for (std::size_t end = 0; (end = worker.partial.find('\n')) != std::string::npos;) {
      take(worker, Json::parse(worker.partial.substr(0, end)));
      worker.partial.erase(0, end + 1);
    }
  }

  void take(Worker& worker, const Json& told) {
    if (told.contains("begins")) worker.seed = told["begins"];
    if (told.contains("says")) {
      std::cout << told["says"].get<std::string>() << std::flush;
      if (options_.first) end_all();
    }
    if (!told.contains("counts")) return;
    ++met_.runs;
    met_.ticks += told["ticks"].get<std::uint64_t>();
    if (told["failed"]) ++met_.failures;
    met_.add(told["counts"]);
    if (isatty(STDERR_FILENO) == 0) return;
    std::cerr << "\r" << met_.runs << " runs, " << met_.failures << " failures " << std::flush;
  }

  void ended(std::size_t number) {
    const Worker worker = std::move(workers_[number]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(number));
    close(worker.pipe);
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (status == 0 || ending_) return;
    crashed(worker.seed, WIFSIGNALED(status) ? crash_text(WTERMSIG(status))
                                             : std::string(kCrash) + ": it ended with status " +
                                                   std::to_string(WEXITSTATUS(status)));
  }

  /// The seeds behind it go on.
  void crashed(std::uint64_t seed, std::string why) {
    ++met_.runs;
    ++met_.failures;
    Outcome outcome;
    outcome.failure = std::move(why);
    std::cout << "\nCRASHED seed " << seed << "\n"
              << report(options_, plan_of(options_, seed).value(), outcome) << std::flush;
    if (options_.first) return end_all();
    const auto step = static_cast<std::uint64_t>(options_.cores);
    if (!is_over(options_, begin_) && seed <= options_.to - step) (void)start(seed + step);
  }

  void end_all() {
    ending_ = true;
    for (const Worker& worker : workers_) kill(worker.process, SIGTERM);
  }

  const SweepOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<Worker> workers_;
  Coverage met_;
  double told_ = 0;
  bool ending_ = false;  // the workers were told to end
};

}  // namespace

std::string text_of_failure(const Plan& plan, const Outcome& outcome) {
  std::string text = "FAILED seed " + std::to_string(plan.seed) + " (" +
                     std::to_string(outcome.ticks) + " ticks, " + std::to_string(outcome.events) +
                     " events)\n" + *outcome.failure + "\n";
  if (!outcome.first_difference.empty()) {
    text += "where it differs first (recorded: the plain world, is: the one that lived):\n" +
            outcome.first_difference;
  }
  return text + "before it:\n" + outcome.last_events + "the plan:\n" + plan.text();
}

void interrupt_sweep() {
  interrupted = 1;
}

int sweep(const SweepOptions& options) {
  if (const auto plan = plan_of(options, options.from); !plan) {
    std::cerr << plan.error() << "\n";
    return 2;
  }
  return Sweep(options).go();
}

}  // namespace sluice::hunt
