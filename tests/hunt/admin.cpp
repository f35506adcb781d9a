#include "tests/hunt/admin.h"

#include <array>
#include <string>

#include "server/record/durable.h"
#include "server/record/repair.h"

namespace sluice::hunt {

namespace {

constexpr const char* kSave = "admin: a save";
constexpr const char* kBackup = "admin: a backup";
constexpr const char* kNoBackup = "admin: a backup that a fault prevents";
constexpr const char* kKick = "admin: clients are sent away";
constexpr const char* kReadOnly = "admin: nobody builds";
constexpr const char* kNoEdits = "admin: edits are refused";
constexpr const char* kWrong = "admin: wrong calls";
constexpr std::array kActs = {kSave, kBackup, kNoBackup, kKick, kReadOnly, kNoEdits, kWrong};

}  // namespace

std::span<const char* const> admin_acts() {
  return kActs;
}

void Admin::act(Life& life) {
  switch (dice_.roll(0, 5)) {
    case 0:
      return save(life);
    case 1:
      return back_up(life);
    case 2:
      ground_.journal.add(kKick, life.kick(dice_));
      return;
    case 3:
      ground_.journal.add(kReadOnly);
      return life.gate().set_read_only("hunt", dice_.chance(60));
    case 4:
      ground_.journal.add(kNoEdits);
      return life.runner().refuse_edits(dice_.chance(60) ? "the disk is nearly full" : "");
    default:
      return call_wrongly(life);
  }
}

void Admin::calm(Life& life) {
  life.gate().set_read_only("hunt", false);
  life.runner().refuse_edits("");
}

// Whoever asks waits for the world's thread and the writer's. Here nobody can wait, so that it is
// too late at once; what was asked for is done all the same.
void Admin::save(Life& life) {
  host::WorldRunner& runner = life.runner();
  ground_.journal.add(kSave, runner.world().tick_number());
  if (runner.save(std::chrono::milliseconds(0)).ok()) fail("a save was done before its time");
  const Plan& plan = ground_.plan;
  const bool sound = plan.full_disk + plan.gone_disk + plan.bad_syncs + plan.bad_reads == 0;
  if (sound) saved_ = Saved{life.number(), runner.world().tick_number()};
}

bool Admin::disk_is_well() const {
  return !ground_.disk.dead() && ground_.disk.fault() == DiskFault::kNone &&
         ground_.plan.bad_reads == 0 && !ledger_.is_damaged();
}

void Admin::back_up(Life& life) {
  const std::string copy = "/backup-" + std::to_string(++backups_) + ".sluice";
  const auto made = record::backup(kRecording, copy);
  ground_.journal.add(made ? kBackup : kNoBackup, made ? *made : 0);
  const bool well = disk_is_well();
  if (!made && well && !life.runner().writer().failed()) fail("no backup: " + made.error());
  if (made && well) ledger_.check_copy(copy, *made);
  record::remove_recording(copy);
}

void Admin::call_wrongly(Life& life) {
  ground_.journal.add(kWrong);
  host::WorldRunner& runner = life.runner();
  const host::Pace before = runner.pace();
  const bool refused = !runner.step(0) && !runner.step(UINT64_MAX) && !runner.set_speed(0) &&
                       !runner.set_speed(INT32_MAX) && (before.paused || !runner.step(1));
  const host::Pace after = runner.pace();
  const bool unchanged =
      before.paused == after.paused && before.steps == after.steps && before.speed == after.speed;
  if (!refused || !unchanged) fail("a wrong call was obeyed");
}

void Admin::look(const Life& life) {
  if (!saved_) return;
  const Saved saved = *saved_;
  saved_.reset();
  if (saved.life != life.number() || ledger_.is_damaged()) return;
  auto reader = record::Reader::open(kRecording, ground_.plan.record_limits());
  if (!reader) return fail("what was saved cannot be read: " + reader.error());
  if (saved.tick < (*reader)->first_tick()) return;  // old history was cut off meanwhile
  const auto found = (*reader)->checkpoint_before(saved.tick);
  if (!found) return fail(found.error());
  if (!*found || (*found)->tick != saved.tick) {
    fail("the world of tick " + std::to_string(saved.tick) + " was not saved");
  }
}

}  // namespace sluice::hunt
