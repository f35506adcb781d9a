#include "tests/hunt/reset.h"

#include <string>

#include "server/record/durable.h"
#include "server/record/files.h"
#include "server/record/recorder.h"

namespace sluice::hunt {

namespace {

constexpr const char* kMade = "/world.sluice.reset";

}  // namespace

void Reset::may_die(std::int32_t percent, std::int32_t changes) {
  if (ground_.plan.dying_writes == 0 || !dice_.chance(percent)) return;
  ground_.disk.die_in(static_cast<std::uint64_t>(dice_.roll(1, changes)));
}

Status Reset::prepare() {
  const auto world = sim::World::create(ground_.spec);
  if (!world) return Error{world.error()};
  phase_ = Phase::kPreparing;
  may_die(40, 60);
  record::remove_recording(kMade);
  const auto made =
      record::Recorder::create(kMade, ground_.plan.text(), **world, ground_.plan.record_limits());
  if (!made) {
    if (!ground_.disk.dead()) phase_ = Phase::kNone;
    return Error{made.error()};
  }
  return Done{};
}

void Reset::set_aside() {
  phase_ = Phase::kSettingAside;
  may_die(70, 8);
  const std::string to = "/removed-" + std::to_string(++resets_) + ".sluice";
  bool alone = true;
  for (const char* companion : record::kCompanions) {
    alone = alone && !record::files().exists(std::string(kRecording) + companion);
  }
  // As HostedWorlds: to be kept it is renamed where nobody reads it, and else copied.
  if (dice_.chance(50)) {
    record::remove_recording(kRecording);
  } else if (alone) {
    if (record::rename_file(kRecording, to)) (void)record::sync_directory_of(to);
  } else if (record::backup(kRecording, to)) {
    record::remove_recording(kRecording);
  }
  (void)record::sync_directory_of(kRecording);
  record::remove_recording(to);  // nobody looks at it
}

Result<bool> Reset::finish() {
  if (phase_ == Phase::kNone) return false;
  const bool there = record::files().exists(kRecording);
  if (!record::files().exists(kMade)) {
    const bool anew = phase_ == Phase::kSettingAside;  // a start finished it, and died
    phase_ = Phase::kNone;
    return anew;
  }
  if (there) {
    record::remove_recording(kMade);
    if (ground_.disk.dead()) return Error{"the process died"};
    phase_ = Phase::kNone;
    return false;
  }
  if (Status done = record::take_place(kMade, kRecording); !done) return Error{done.error()};
  phase_ = Phase::kNone;
  return true;
}

}  // namespace sluice::hunt
