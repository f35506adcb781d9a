// What befalls a run: each kind of fault at moments of its own.
#include <algorithm>
#include <utility>

#include "tests/hunt/run_state.h"

namespace sluice::hunt {

using std::chrono::milliseconds;

void Run::befall(const char* name, std::int64_t times, std::function<void()> fault) {
  const std::int64_t length = 1000 * ground_.plan.ticks / ground_.plan.tick_rate;
  tests::Dice dice(ground_.stream(name));
  for (std::int64_t i = 0; i < times; ++i) {
    const milliseconds when(dice.next() % static_cast<std::uint64_t>(length + 1));
    after(when, name, [this, name, fault] {
      if (calm_ || !life_ || stopping_) return;
      ground_.journal.add(name);
      fault();
    });
  }
}

void Run::plan_faults() {
  const Plan& plan = ground_.plan;
  befall("fault: crash", plan.crashes, [this] { crash(false); });
  befall("fault: power cut", plan.power_cuts, [this] { crash(true); });
  befall("fault: stop", plan.stops, [this] { stop_life(); });
  befall("fault: full disk", plan.full_disk, [this] { fail_disk(DiskFault::kFull); });
  befall("fault: disk gone", plan.gone_disk, [this] { fail_disk(DiskFault::kGone); });
  befall("fault: bad syncs", plan.bad_syncs, [this] { fail_disk(DiskFault::kSyncsFail); });
  befall("fault: bad reads", plan.bad_reads, [this] { fail_disk(DiskFault::kReadsFail); });
  befall("fault: flipped bit", plan.flips, [this] {
    ledger_.damaged();
    (void)ground_.disk.flip_a_bit(kRecording);
  });
  befall("fault: lost sector", plan.lost_sectors, [this] {
    ledger_.lost_a_sector();
    (void)ground_.disk.lose_a_sector(kRecording);
  });
  befall("fault: clock jumps", plan.clock_jumps,
         [this] { ground_.timeline.jump(milliseconds(dice_.roll(1, 30000))); });
  befall("fault: operator", plan.operator_acts, [this] { operate(); });
  befall("fault: seal", plan.seals,
         [this] { life_->seal(static_cast<std::uint64_t>(dice_of_seals_.roll(0, 60))); });
  befall("fault: reset", plan.resets, [this] { reset_world(); });
  befall("fault: admin", plan.admin_acts, [this] {
    admin_.act(*life_);
    if (ground_.disk.dead()) end_life(death_cuts_power_);
  });
}

void Run::crash(bool power) {
  death_cuts_power_ = power;
  if (ground_.plan.dying_writes == 0) return end_life(power);
  ground_.disk.die_in(static_cast<std::uint64_t>(dice_.roll(1, 40)));
}

void Run::fail_disk(DiskFault fault) {
  ground_.disk.set_fault(fault);
  after(milliseconds(dice_.roll(100, 8000)), "the disk is well again",
        [this] { ground_.disk.set_fault(DiskFault::kNone); });
}

void Run::operate() {
  host::WorldRunner& runner = life_->runner();
  switch (dice_.roll(0, 2)) {
    case 0:
      runner.pause();
      if (dice_.chance(50)) (void)runner.step(static_cast<std::uint64_t>(dice_.roll(1, 20)));
      break;
    case 1:
      (void)runner.set_speed(dice_.roll(100, 4000));
      break;
    default:
      runner.pause();
      break;
  }
  after(milliseconds(dice_.roll(10, 4000)), "goes on", [this] {
    if (!life_ || calm_) return;
    life_->runner().resume();
    (void)life_->runner().set_speed(host::kOwnSpeed);
  });
}

}  // namespace sluice::hunt
