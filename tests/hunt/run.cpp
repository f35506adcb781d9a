#include "tests/hunt/run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/hunt/compare.h"
#include "tests/hunt/rest.h"
#include "tests/hunt/run_state.h"
#include "tests/hunt/sometimes.h"

namespace sluice::hunt {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// After that it is called stuck: no fault lasts so long.
constexpr Duration kPatience = seconds(600);
constexpr std::uint64_t kStepsToSettle = 3;
constexpr int kMostStarts = 60;

}  // namespace

void Run::start_life() {
  if (life_ || gave_up_ || failed()) return;
  if (!calm_ && dice_.roll(1, 100) <= ground_.plan.second_deaths) {
    ground_.disk.die_in(static_cast<std::uint64_t>(dice_.roll(1, 60)));
  }
  if (!calm_ && dice_of_deaths_.roll(1, 100) <= ground_.plan.name_deaths) {
    ground_.disk.die_in_names(static_cast<std::uint64_t>(dice_of_deaths_.roll(1, 30)));
  }
  if (!finish_reset()) return;
  repair_by_hand();
  auto started = Life::start(ground_, ++lives_,
                             {[this](const host::WorldRunner& runner) { on_tick(runner); },
                              [this] { end_life(death_cuts_power_); },
                              [this](const auto& shown) { on_looked_back(shown); }});
  if (ground_.disk.dead()) {
    if (started) started->reset();
    ground_.journal.add("dies while it starts");
    told_nobody_ = ledger_.is_damaged();  // what it may have repaired
    ground_.disk.restart(death_cuts_power_ = dice_.chance(50));
    return after(milliseconds(10), "start", [this] { start_life(); });
  }
  if (!started) return on_start_failed(started.error());
  ground_.disk.die_in(0);
  ground_.disk.die_in_names(0);
  starts_in_vain_ = 0;
  life_ = std::move(started).value();
  if (life_->repaired()) {
    ground_.journal.add("repaired");
    ledger_.lost(*life_->repaired());
    if (!ledger_.is_damaged()) fail("repair", "of a file that nothing damaged");
  }
  if (std::exchange(told_nobody_, false)) ledger_.lost_what_is_not_there();
  const std::uint64_t tick = life_->runner().world().tick_number();
  ground_.journal.add("lives", lives_, tick);
  ledger_.came_back(tick);
}

// `sluice repair`, while no server runs. It says what was lost to whoever called it, unless it
// dies.
void Run::repair_by_hand() {
  if (calm_ || !ground_.recording_is_there()) return;
  if (dice_of_deaths_.roll(1, 100) > ground_.plan.hand_repairs) return;
  const auto repaired = record::repair(kRecording, repair_options(ground_));
  if (!repaired || ground_.disk.dead()) return;  // the start finds what there is to find
  if (!ledger_.is_damaged() && !repaired->damage.whole()) {
    fail("repair", "of a file that nothing damaged");
  }
  ground_.journal.add("an operator repairs", repaired->lost.size());
  ledger_.lost(*repaired);
  told_nobody_ |= repaired->completed_another;
}

void Run::on_start_failed(const std::string& why) {
  ground_.journal.add("cannot start");
  if (ground_.disk.fault() != DiskFault::kNone && ++starts_in_vain_ < kMostStarts) {
    return after(milliseconds(500), "start", [this] { start_life(); });
  }
  if (!ledger_.is_damaged()) return fail("start", why);
  gave_up_ = true;
}

void Run::on_tick(const host::WorldRunner& runner) {
  ++ticks_;
  reached_ = std::max(reached_, begun_at_ + runner.world().tick_number());
  ledger_.ticked(runner.world());
  phases_.note(runner.world(), ground_.journal);
  if (const std::string what = life_->beyond_bounds(); !what.empty()) fail("bounds", what);
}

void Run::on_looked_back(const Result<LookBack::Shown>& shown) {
  if (shown) {
    if (ledger_.was_otherwise(shown->tick, shown->digest)) {
      fail("look back", "tick " + std::to_string(shown->tick) + " is not what it was");
    }
    return;
  }
  const bool excused = ledger_.is_damaged() || ground_.plan.bad_reads > 0 || ground_.disk.dead() ||
                       ground_.disk.fault() != DiskFault::kNone;
  if (!excused) fail("look back", shown.error());
}

// The process is gone. Destructors run, and whatever they try to do to the medium fails.
void Run::end_life(bool power) {
  ground_.journal.add(power ? "the power is cut" : "the process dies");
  ground_.disk.die();
  life_.reset();
  ground_.disk.restart(power);
  stopping_ = false;
  after(milliseconds(dice_.roll(1, 2000)), "start", [this] { start_life(); });
}

void Run::stop_life() {
  if (!life_ || stopping_) return;
  ground_.journal.add("stops");
  stopping_ = true;
  life_->stop();
  if (ground_.disk.dead()) return end_life(death_cuts_power_);
  after(milliseconds(100), "stopped", [this] {
    if (!std::exchange(stopping_, false)) return;
    life_.reset();
    after(milliseconds(dice_.roll(1, 500)), "start", [this] { start_life(); });
  });
}

void Run::reset_world() {
  // What a repair or a cut left beside it is of another history then, which nobody here tells
  // apart.
  if (ledger_.is_damaged() || ground_.plan.history > 0 || ground_.plan.seals > 0) return;
  death_cuts_power_ = dice_.chance(50);
  if (const Status prepared = reset_.prepare(); !prepared && !ground_.disk.dead()) {
    ground_.journal.add("a reset that a fault prevents");
    return;
  }
  if (ground_.disk.dead()) return end_life(death_cuts_power_);
  ground_.journal.add("a reset");
  life_->stop();
  life_.reset();
  reset_.set_aside();
  if (ground_.disk.dead()) return end_life(death_cuts_power_);
  after(milliseconds(dice_.roll(1, 500)), "start", [this] { start_life(); });
}

// False: the start has to wait, or the process died.
bool Run::finish_reset() {
  const Result<bool> anew = reset_.finish();
  if (!anew && !ground_.disk.dead()) {
    on_start_failed(anew.error());
    return false;
  }
  if (anew && *anew) {
    ground_.journal.add("the world begins anew");
    begun_at_ = reached_;
    ledger_.begins_anew();
  }
  return true;
}

std::string Run::state() const {
  std::string text;
  for (const auto& visitor : visitors_) {
    text += "\n  " + visitor->name() + ": " + (visitor->ready() ? "ready, " : "not ready, ") +
            std::to_string(visitor->unanswered()) + " without an answer";
  }
  text += "\n  " + std::to_string(ground_.timeline.messages()) + " messages";
  if (!life_) return text + ", no process";
  if (life_->runner().feed().awaited()) text += ", somebody waits for more of a layer";
  return text + ", " + std::to_string(life_->runner().waiting_commands()) + " commands wait, " +
         std::to_string(life_->runner().writer().lag_ticks()) + " ticks to write\n  " +
         life_->runner().trouble();
}

bool Run::wait_for(const char* what, const std::function<bool()>& reached) {
  // A small budget lets one command through in a tick.
  // Whoever sent what waits may be gone.
  std::size_t waiting = life_ ? life_->runner().waiting_commands() : 0;
  for (const auto& visitor : visitors_) waiting += visitor->unanswered();
  const Time latest = ground_.timeline.now() + kPatience +
                      seconds(static_cast<std::int64_t>(waiting) / ground_.plan.tick_rate);
  while (!failed() && !gave_up_ && !reached()) {
    if (ground_.timeline.now() > latest) {
      fail("liveness",
           std::string("in ten minutes without a fault, and a tick for each command: ") + what +
               state());
      break;
    }
    load_anew();
    step();
  }
  return !failed() && !gave_up_;
}

// A recording that failed goes on by itself when the disk is well. One that turns out to be damaged
// does not: the handbook has the operator load the world anew, which repairs it.
void Run::load_anew() {
  if (!life_ || stopping_ || !ledger_.is_damaged()) return;
  const std::string trouble = life_->runner().trouble();
  // The others: a file whose first page says another program's number, or another format's.
  const auto says = [&trouble](const char* what) {
    return trouble.find(what) != std::string::npos;
  };
  const bool stays =
      says("is damaged") || says("is not a recording") || says("is a recording of format version");
  if (!stays) return;
  ground_.journal.add("is loaded anew");
  stop_life();
}

void Run::live_to(std::uint64_t tick) {
  // Faults add to the time that it takes, each a while.
  const Time latest = ground_.timeline.now() + 4 * kPatience +
                      seconds(4 * ground_.plan.ticks / ground_.plan.tick_rate);
  while (!failed() && !gave_up_ && reached_ < tick) {
    load_anew();
    step();
    if (ground_.timeline.now() <= latest) continue;
    fail("liveness", "the world does not go on" + state());
  }
}

// Nothing befalls anybody for a while. What was let go wrong has to come right by itself.
void Run::settle() {
  calm_ = true;
  ground_.disk.set_fault(DiskFault::kNone);
  ground_.disk.die_in(0);
  ground_.disk.die_in_names(0);
  for (const auto& visitor : visitors_) {
    visitor->set_acting(false);
    visitor->recover();
  }
  if (life_ && !stopping_) {
    Admin::calm(*life_);
    life_->runner().resume();
    (void)life_->runner().set_speed(host::kOwnSpeed);
  }
  // Where damage is met meanwhile the world is loaded anew, and all begins again.
  while (!failed() && !gave_up_ && !has_settled()) {
  }
  if (failed() || gave_up_) return;
  look();
  if (!failed()) go_on();
}

/// False where the process changed before all was still.
bool Run::has_settled() {
  const auto all = [this](const auto& is_so) {
    return std::all_of(visitors_.begin(), visitors_.end(),
                       [&](const auto& one) { return !one->honest() || is_so(*one); });
  };
  if (!wait_for("no world, or not all clients are back", [&] {
        return life_ && !stopping_ && life_->runner().trouble().empty() &&
               all([](const Visitor& one) { return one.ready_to_stay(); });
      })) {
    return false;
  }
  const std::uint64_t life = lives_;
  const auto lives = [&] { return life_ && !stopping_ && lives_ == life; };
  if (!wait_for("commands are not answered", [&] {
        return !lives() || (life_->runner().waiting_commands() == 0 &&
                            all([](const Visitor& one) { return one.unanswered() == 0; }));
      })) {
    return false;
  }
  if (!lives()) return false;
  life_->runner().pause();
  // Somebody may have come since the last tick: what it waits for comes with the next ones.
  const std::uint64_t goal = life_->runner().world().tick_number() + kStepsToSettle;
  (void)life_->runner().step(kStepsToSettle);
  const bool still = wait_for("messages are still on their way", [&] {
    if (!lives()) return true;
    host::WorldRunner& runner = life_->runner();
    // A word that sends a client away may have been on its way, so that it comes again.
    return runner.world().tick_number() >= goal && ground_.timeline.messages() == 0 &&
           runner.writer().lag_ticks() == 0 && !runner.feed().awaited() &&
           all([](const Visitor& one) { return one.ready_to_stay() && one.heard(); });
  });
  return still && lives();
}

void Run::look() {
  host::WorldRunner& runner = life_->runner();
  ground_.journal.add("all is looked at", runner.world().tick_number());
  const net::HubCounters& counters = runner.feed().counters();
  for (const auto& visitor : visitors_) {
    if (!visitor->honest()) continue;
    if (visitor->unanswered() > 0) {
      fail("answers", std::to_string(visitor->unanswered()) + " commands of " + visitor->name() +
                          " were never answered");
    }
    const std::string what = difference(visitor->mirror(), visitor->asked(), runner.world());
    if (!what.empty()) fail("mirror", visitor->name() + "'s: " + what);
  }
  if (const std::string what = inconsistency(runner.world()); !what.empty()) fail("state", what);
  if (const std::string what = changed_rock(areas_of(ground_), runner.world(), ground_.spec);
      !what.empty()) {
    fail("areas", what + ", where nobody may");
  }
  if (counters.mismatches > 0) fail("mirror", "the server's own copy is not the world");
  const bool excused = ledger_.is_damaged() || ground_.plan.bad_reads > 0;
  if (life_->verifier().alarmed() && !excused) fail("verifier", life_->verifier().detail());
  ledger_.check(false);
  admin_.look(*life_);
}

void Run::go_on() {
  calm_ = false;
  for (const auto& visitor : visitors_) visitor->set_acting(true);
  life_->runner().resume();
}

// The last crash or stop, and what is then left.
void Run::end() {
  if (!life_) return;
  if (dice_.chance(50)) {
    life_->stop();
    life_.reset();
  } else {
    ground_.disk.die();
    life_.reset();
    ground_.disk.restart(dice_.chance(50));
  }
  if (ledger_.is_damaged()) {
    const auto repaired = record::repair(kRecording, repair_options(ground_));
    if (!repaired) return;  // it says why; there is nothing to compare
    ledger_.lost(*repaired);
  }
  ledger_.check(true);
  check_rest();
}

// Of what its history comes to: a world that nothing befalls any more.
void Run::check_rest() {
  const std::unique_ptr<sim::World> world = ledger_.take_replayed();
  if (ground_.plan.rest == 0 || failed() || !world) return;
  const Rest rest = bring_to_rest(*world, static_cast<std::uint64_t>(ground_.plan.rest));
  ground_.journal.add("is brought to rest", rest.ticks);
  if (!rest.wrong.empty()) fail("rest", rest.wrong);
}

Outcome Run::go() {
  const Plan& plan = ground_.plan;
  for (std::int64_t i = 0; i < plan.clients + plan.liars; ++i) {
    visitors_.push_back(std::make_unique<Visitor>(ground_, ledger_, i, i >= plan.clients,
                                                  [this](const std::shared_ptr<Wire>& wire) {
                                                    if (!life_ || stopping_) return false;
                                                    life_->accept(wire);
                                                    return true;
                                                  }));
    visitors_.back()->come();
  }
  start_life();
  plan_faults();
  const auto ticks = static_cast<std::uint64_t>(plan.ticks);
  const auto quiet = static_cast<std::uint64_t>(std::max<std::int64_t>(1, plan.quiet));
  while (!failed() && !gave_up_ && reached_ < ticks) {
    live_to(std::min(ticks, reached_ + quiet));
    if (!failed() && !gave_up_) settle();
  }
  if (!failed() && !gave_up_) end();
  Outcome outcome;
  outcome.failure = ground_.journal.failure();
  for (const std::string& name : ground_.disk.names()) {
    ground_.journal.pass(name, ground_.disk.find(name)->now);
  }
  outcome.hash = ground_.journal.hash();
  outcome.ticks = ticks_;
  outcome.events = ground_.timeline.happened();
  outcome.differs_at = ledger_.differs_at();
  outcome.first_difference = ledger_.first_difference();
  for (const auto& visitor : visitors_) outcome.commands.push_back(visitor->commands());
  if (failed()) {
    outcome.last_events = ground_.journal.text();
    for (const std::string& name : ground_.disk.names()) {
      outcome.files[name] = ground_.disk.find(name)->now;
    }
  }
  for (const auto& [name, count] : ground_.journal.counts()) {
    outcome.counts[std::string(name)] = count;
  }
  ground_.disk.die();
  return outcome;
}

Outcome run(const Plan& plan, std::uint64_t kept_tick) {
  return Run(plan, kept_tick).go();
}

Outcome with_first_difference(const Plan& plan, Outcome outcome) {
  return outcome.differs_at == 0 ? outcome : run(plan, outcome.differs_at);
}

}  // namespace sluice::hunt
