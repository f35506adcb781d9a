#include "server/host/history_cutter.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "protocol/base/sometimes.h"
#include "server/playback/give_way.h"
#include "server/record/reader.h"

namespace sluice::host {

HistoryCutter::HistoryCutter(Options options, RecordWriter& writer)
    : options_(std::move(options)), writer_(writer), retry_(options_.retry) {
  if (options_.drive.by == Drive::By::kThread) thread_ = std::thread([this] { run(); });
}

HistoryCutter::~HistoryCutter() {
  stop();
}

void HistoryCutter::give_up() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void HistoryCutter::stop() {
  give_up();
  if (thread_.joinable()) thread_.join();
  if (options_.drive.by == Drive::By::kOwner) cut_.reset();
}

void HistoryCutter::run() {
  playback::give_way();
  while (!stopping_) {
    const bool more = step();
    std::unique_lock lock(mutex_);
    if (more) continue;
    changed_.wait_for(lock, options_.interval, [this] { return stopping_ || asked_; });
  }
  cut_.reset();
  if (turn_.owns_lock()) turn_.unlock();
}

bool HistoryCutter::step() {
  record::SealOptions options;
  if (cut_ != nullptr) {
    go_on();
  } else if (take_asked(options)) {
    begin(options);
  } else if (due()) {
    begin(seal_options(options_.rule, options_.ticks_per_hour));
  }
  return cut_ != nullptr;
}

bool HistoryCutter::take_asked(record::SealOptions& options) {
  const std::lock_guard lock(mutex_);
  if (!asked_) return false;
  options = *std::exchange(asked_, std::nullopt);
  for_asker_ = true;
  return true;
}

// What cannot be read is the verifier's to speak of.
bool HistoryCutter::knows_beginning() {
  if (first_tick_) return true;
  const auto reader = record::Reader::open(options_.recording, options_.limits);
  if (!reader.ok()) return false;
  {
    const std::lock_guard lock(mutex_);
    first_tick_ = (*reader)->first_tick();
  }
  const auto unsure = std::exchange(unsure_, std::nullopt);
  if (unsure && unsure->main.first_tick == *first_tick_) finish(unsure);
  return true;
}

/// By the rule.
bool HistoryCutter::due() {
  if (writer_.failed() || !knows_beginning() || options_.rule.hours == 0) return false;
  if (options_.drive.clock->now() < not_before_) return false;
  const auto options = seal_options(options_.rule, options_.ticks_per_hour);
  return writer_.durable_tick() - *first_tick_ >= options.keep + options.at_least;
}

void HistoryCutter::begin(const record::SealOptions& options) {
  rounds_ = 0;
  if (options_.turn != nullptr) turn_ = std::unique_lock(*options_.turn, std::try_to_lock);
  if (options_.turn != nullptr && !turn_.owns_lock()) {
    // One by the rule comes to it at one of the next looks.
    return answer(Error{"the history of another world is being cut; try again when that is done"});
  }
  const Status ready = prepare(options);
  if (!ready) return fail(ready.error());
  if (cut_ == nullptr) finish(std::nullopt);
}

// The longest part of it, by far.
Status HistoryCutter::prepare(const record::SealOptions& asked) {
  record::SealOptions options = asked;
  options.limits = options_.limits;
  options.stop = &stopping_;
  if (writer_.failed()) return Error{"the recording failed: " + writer_.failure()};
  auto found = record::Cut::find(options_.recording, options);
  if (!found.ok()) return Error{found.error()};
  if (*found == nullptr) return Done{};
  const std::string refusal = options_.no_room ? options_.no_room() : "";
  if (!refusal.empty()) return Error{refusal};
  if (options_.before_cut) {
    if (Status done = options_.before_cut(stopping_); !done) return done;
  }
  if (Status ready = (*found)->prepare(); !ready) return ready;
  cut_ = std::move(found).value();
  return Done{};
}

void HistoryCutter::go_on() {
  const auto added = cut_->catch_up();
  if (!added.ok()) return fail(added.error());
  std::optional<record::Sealed> sealed;
  if (*added <= options_.most_behind) {
    auto taken = take_place();
    if (!taken.ok()) return fail(taken.error());
    sealed = std::move(taken).value();
  }
  if (sealed) return finish(sealed);
  SLUICE_SOMETIMES("a cut was far behind its world, and caught up once more");
  if (++rounds_ < kMostRounds) return;
  fail("its world goes faster than its recording can be copied");
}

Result<std::optional<record::Sealed>> HistoryCutter::take_place() {
  std::optional<record::Sealed> sealed;
  Clock::Duration held_back{};
  const Status done = writer_.between_commits([&](record::Recorder& recorder) -> Status {
    const Clock::Time begun = options_.drive.clock->now();
    auto taken = cut_->take_place(recorder, options_.most_behind);
    if (!taken.ok()) return Error{taken.error()};
    sealed = std::move(taken).value();
    held_back = options_.drive.clock->now() - begun;
    return Done{};
  });
  if (!done) return Error{done.error()};
  if (sealed) {
    const std::lock_guard lock(mutex_);
    sample_.held_back_seconds = std::chrono::duration<double>(held_back).count();
  }
  return sealed;
}

void HistoryCutter::forget_beginning() {
  const std::lock_guard lock(mutex_);
  first_tick_.reset();
}

void HistoryCutter::finish(const std::optional<record::Sealed>& sealed) {
  cut_.reset();  // takes the old file's room back
  if (turn_.owns_lock()) turn_.unlock();
  if (sealed) {
    SLUICE_SOMETIMES("a world that ran had its old history cut off");
    spdlog::info("{}", record::describe(*sealed));
    retry_ = options_.retry;
    failure_.clear();
    const std::lock_guard lock(mutex_);
    first_tick_ = sealed->main.first_tick;
    ++sample_.made;
  }
  answer(Asked{sealed, false});
}

void HistoryCutter::fail(const std::string& why) {
  // Where the file was being changed, the recording completes that when it goes on.
  if (cut_ != nullptr && writer_.failed()) unsure_ = cut_->sealed();
  forget_beginning();
  cut_.reset();
  if (turn_.owns_lock()) turn_.unlock();
  if (stopping_) return answer(Error{"the world ends"});
  SLUICE_SOMETIMES("a cut of a world that ran failed");
  not_before_ = options_.drive.clock->now() + retry_;
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(retry_).count();
  retry_ = std::min(2 * retry_, options_.longest_retry);
  // It may fail for the same reason for weeks.
  if (std::exchange(failure_, why) != why) {
    spdlog::error(
        "{}: its old history is not cut off: {}; by the rule this is tried again in {} "
        "min, and later each time",
        options_.name, why, minutes);
  }
  {
    const std::lock_guard lock(mutex_);
    ++sample_.failures;
  }
  answer(Error{why});
}

void HistoryCutter::answer(Result<Asked> answer) {
  if (!std::exchange(for_asker_, false)) return;
  const std::lock_guard lock(mutex_);
  under_way_ = false;
  answer_ = std::move(answer);
  changed_.notify_all();
}

Result<HistoryCutter::Asked> HistoryCutter::ask(std::uint64_t keep, bool drop,
                                                std::chrono::milliseconds patience) {
  record::SealOptions options;
  options.keep = keep;
  options.drop = drop;
  std::unique_lock lock(mutex_);
  if (stopping_) return Error{"the world ends"};
  if (under_way_) return Error{"a cut that was asked for before is under way"};
  asked_ = options;
  under_way_ = true;
  answer_.reset();
  const std::uint64_t mine = ++number_;
  changed_.notify_all();
  if (options_.drive.by == Drive::By::kOwner) return Asked{std::nullopt, true};
  changed_.wait_for(lock, patience, [&] { return stopping_ || answer_ || number_ != mine; });
  if (stopping_ && !answer_) return Error{"the world ends"};
  if (!answer_ || number_ != mine) return Asked{std::nullopt, true};
  return *std::exchange(answer_, std::nullopt);
}

CutSample HistoryCutter::sample() const {
  const std::lock_guard lock(mutex_);
  CutSample sample = sample_;
  if (first_tick_) sample.kept_ticks = writer_.durable_tick() - *first_tick_;
  return sample;
}

}  // namespace sluice::host
