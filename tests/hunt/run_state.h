// A run under way: one world, the lives of its process, its clients, and what befalls them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/hunt/admin.h"
#include "tests/hunt/ledger.h"
#include "tests/hunt/life.h"
#include "tests/hunt/phases.h"
#include "tests/hunt/reset.h"
#include "tests/hunt/run.h"
#include "tests/hunt/visitor.h"

namespace sluice::hunt {

class Run {
 public:
  Run(const Plan& plan, std::uint64_t kept_tick)
      : ground_(plan),
        ledger_(ground_),
        admin_(ground_, ledger_),
        reset_(ground_),
        dice_(ground_.stream("run")),
        dice_of_deaths_(ground_.stream("deaths")),
        dice_of_seals_(ground_.stream("seals")) {
    ledger_.keep(kept_tick);
  }

  Outcome go();

 private:
  [[nodiscard]] bool failed() const { return ground_.journal.failed(); }
  void fail(std::string_view oracle, const std::string& what) {
    ground_.journal.fail(oracle, what);
  }
  void after(Duration delay, const char* name, std::function<void()> action) {
    ground_.timeline.after(delay, name, Timeline::Kind::kRegular, std::move(action));
  }
  void step() { ground_.journal.pass(ground_.timeline.step()); }

  void start_life();
  void repair_by_hand();
  void on_start_failed(const std::string& why);
  void on_tick(const host::WorldRunner& runner);
  void on_looked_back(const Result<LookBack::Shown>& shown);
  void end_life(bool power);
  void stop_life();
  void reset_world();
  bool finish_reset();

  void plan_faults();
  void befall(const char* name, std::int64_t times, std::function<void()> fault);
  void crash(bool power);
  void fail_disk(DiskFault fault);
  void operate();

  void live_to(std::uint64_t tick);
  [[nodiscard]] std::string state() const;
  bool wait_for(const char* what, const std::function<bool()>& reached);
  void load_anew();
  void settle();
  [[nodiscard]] bool has_settled();
  void look();
  void go_on();
  void end();
  void check_rest();

  Ground ground_;
  Ledger ledger_;
  Admin admin_;
  Reset reset_;
  tests::Dice dice_;
  tests::Dice dice_of_deaths_;
  tests::Dice dice_of_seals_;
  std::vector<std::unique_ptr<Visitor>> visitors_;
  std::unique_ptr<Life> life_;
  std::uint64_t lives_ = 0;
  std::uint64_t ticks_ = 0;
  Phases phases_;
  std::uint64_t reached_ = 0;   // the latest tick of all
  std::uint64_t begun_at_ = 0;  // of those, when the world was reset last
  int starts_in_vain_ = 0;
  bool calm_ = false;  // nothing befalls anybody
  bool stopping_ = false;
  bool gave_up_ = false;  // the medium lost all
  bool death_cuts_power_ = false;
  bool told_nobody_ = false;  // somebody who died may have repaired the recording
};

}  // namespace sluice::hunt
