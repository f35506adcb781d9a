#include "tests/hunt/shrink.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hunt/journal.h"

namespace sluice::hunt {

namespace {

class Shrinker {
 public:
  Shrinker(const Plan& plan, const Outcome& outcome, int most_runs, const Runner& runner)
      : best_{plan, outcome, 0},
        oracle_(oracle_of(outcome)),
        most_runs_(most_runs),
        runner_(runner) {}

  Shrunk go() {
    for (bool smaller = true; smaller && best_.runs < most_runs_;) {
      smaller = false;
      for (const PlanField& field : plan_fields()) smaller = shrink_field(field) || smaller;
    }
    leave_out_commands();
    return std::move(best_);
  }

 private:
  bool try_plan(Plan plan) {
    if (best_.runs >= most_runs_) return false;
    ++best_.runs;
    Outcome outcome = runner_(plan);
    if (!outcome.failure || oracle_of(outcome) != oracle_) return false;
    best_.plan = std::move(plan);
    best_.outcome = std::move(outcome);
    return true;
  }

  /// A size inside the code is put back to what ships; all else goes towards its least.
  bool shrink_field(const PlanField& field) {
    const Plan plain;
    const std::int64_t goal = field.ships ? plain.*field.value : field.least;
    bool smaller = false;
    const auto value = [&] { return best_.plan.*field.value; };
    if (value() == goal) return false;
    const auto attempt = [&](std::int64_t wanted) {
      Plan plan = best_.plan;
      plan.*field.value = wanted;
      return try_plan(std::move(plan));
    };
    if (attempt(goal)) return true;
    // An oracle goes by how long a world may take to rest: with less of it any world would fail.
    if (field.ships || field.value == &Plan::rest) return false;
    while (value() - goal > 1 && attempt(goal + (value() - goal) / 2)) smaller = true;
    return smaller;
  }

  void leave_out_commands() {
    for (std::size_t client = 0; client < best_.outcome.commands.size(); ++client) {
      const std::int64_t count = best_.outcome.commands[client];
      for (std::int64_t piece = std::max<std::int64_t>(1, count / 2); piece > 0; piece /= 2) {
        for (std::int64_t from = 1; from <= count; from += piece) {
          Plan plan = best_.plan;
          for (std::int64_t i = from; i < from + piece && i <= count; ++i) {
            plan.without.emplace(static_cast<std::int64_t>(client), i);
          }
          if (plan.without.size() > best_.plan.without.size()) (void)try_plan(std::move(plan));
        }
      }
    }
  }

  Shrunk best_;
  const std::string oracle_;
  const int most_runs_;
  const Runner& runner_;
};

}  // namespace

std::string crash_text(int signal) {
  const std::string what = signal == SIGVTALRM ? "it does not end" : strsignal(signal);
  return std::string(kCrash) + ": " + what + " (signal " + std::to_string(signal) + ")";
}

void limit_processor_time(int most_seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = most_seconds;
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

std::string oracle_of(const Outcome& outcome) {
  if (!outcome.failure) return {};
  return outcome.failure->substr(0, outcome.failure->find(':'));
}

Outcome apart(const std::function<Outcome()>& go) {
  std::fflush(nullptr);
  const EventLog::Shared log = EventLog::make();
  const pid_t child = fork();
  if (child == 0) {
    Journal::outlasting = log.get();
    limit_processor_time();
    (void)go();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  if (WIFSIGNALED(status)) {
    outcome.failure = crash_text(WTERMSIG(status));
    if (log) outcome.last_events = log->text();
  }
  return outcome;
}

Runner runner_of(const Outcome& outcome) {
  if (oracle_of(outcome) != kCrash) return [](const Plan& plan) { return run(plan); };
  return [](const Plan& plan) { return apart([&plan] { return run(plan); }); };
}

Shrunk shrink(const Plan& plan, const Outcome& outcome, int most_runs, const Runner& runner) {
  return Shrinker(plan, outcome, most_runs, runner).go();
}

}  // namespace sluice::hunt
