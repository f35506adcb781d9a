#include "server/host/background_verifier.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <spdlog/spdlog.h>

#include "protocol/base/sometimes.h"
#include "server/record/bundle.h"
#include "server/record/files.h"

namespace sluice::host {

namespace {

constexpr std::chrono::milliseconds kSearchSlice{200};

/// Runs only when nobody else wants to. Where the system knows no such thing it runs as others do.
void give_way() {
#ifdef SCHED_IDLE
  const sched_param none = {};
  pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
#endif
}

}  // namespace

BackgroundVerifier::BackgroundVerifier(Options options) : options_(std::move(options)) {
  if (options_.drive.by == Drive::By::kThread) thread_ = std::thread([this] { run(); });
}

BackgroundVerifier::~BackgroundVerifier() {
  stop();
}

void BackgroundVerifier::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::string BackgroundVerifier::detail() const {
  const std::lock_guard lock(mutex_);
  return detail_;
}

// False at the end.
bool BackgroundVerifier::wait() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, options_.interval, [this] { return stopping_; });
}

void BackgroundVerifier::run() {
  give_way();
  // What was there before is looked through without a pause.
  while (step() && (search_ ? !stopping() : wait())) {
  }
}

Status BackgroundVerifier::open() {
  auto reader = record::Reader::open(options_.recording);
  if (!reader.ok()) return Error{reader.error()};
  reader_ = std::move(reader).value();
  record::VerifyOptions options;
  // What was there before the server started was compared when the world came back from it.
  options.from =
      follows_ ? std::max(verified_tick_.load(), reader_->first_tick()) : reader_->last_tick();
  verifier_.emplace(*reader_, std::move(options), executor_);
  if (!std::exchange(follows_, true)) search_.emplace(*reader_);
  return Done{};
}

// A file that was cut off from is compared to its end; then this goes on in the one that has its
// name, all of which was read when it was made.
void BackgroundVerifier::follow_file() {
  if (comparing_ && verified_tick_ < reader_->last_tick()) return;
  SLUICE_SOMETIMES("the verifier followed its recording into another file");
  verifier_.reset();
  search_.reset();
  reader_.reset();
}

bool BackgroundVerifier::in_vain(const std::string& why) {
  SLUICE_SOMETIMES("the verifier looked in vain");
  if (++looks_in_vain_ < kMostLooksInVain) return true;
  alarm("the recording cannot be read: " + why);
  return false;
}

bool BackgroundVerifier::step() {
  if (reader_ == nullptr) {
    if (const Status opened = open(); !opened) return in_vain(opened.error());
  }
  const bool replaced = reader_->replaced();  // then nothing is added to it any more
  if (const Status looked = reader_->refresh(); !looked) {
    if (!reader_->take_system_failure().empty()) return in_vain(looked.error());
    alarm("the recording cannot be read: " + looked.error());
    return false;
  }
  looks_in_vain_ = 0;
  if (comparing_) comparing_ = compare(*reader_, *verifier_, replaced);
  look_at(options_.mismatches, kMostMismatchBundles, "what viewers were sent differed", mismatches_,
          *reader_);
  look_at(options_.claimants, kMostClaimBundles, "a viewer says that its mirror differed", claims_,
          *reader_);
  if (search_ && !look_for_damage(*search_)) search_.reset();
  if (replaced) follow_file();
  return true;
}

bool BackgroundVerifier::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

// A world comes back from its last checkpoint and what follows it; what lies before that is read
// by nobody until somebody needs it. In slices, so that what happens meanwhile is compared, too.
// False when all was looked at.
bool BackgroundVerifier::look_for_damage(record::DamageSearch& search) {
  const Clock& clock = *options_.drive.clock;
  const auto end = clock.now() + kSearchSlice;
  for (;;) {
    const auto more = search.step();
    if (!more.ok()) {
      spdlog::warn("{}: the recording could not be looked through: {}", options_.name,
                   more.error());
      return false;
    }
    if (!*more) break;
    if (stopping() || clock.now() >= end) return true;
  }
  const record::Damage& found = search.found();
  if (found.whole()) return false;
  SLUICE_SOMETIMES("the verifier found damage");
  std::string what = "the recording is damaged: ";
  if (!found.ticks.empty()) {
    what += "ticks " + std::to_string(found.ticks.front().first) + " to " +
            std::to_string(found.ticks.front().last) + " cannot be read";
  } else if (!found.checkpoints.empty()) {
    what += "the checkpoint of tick " + std::to_string(found.checkpoints.front().tick) +
            " cannot be read";
  } else {
    what = found.troubles.front();
  }
  const std::size_t more =
      found.ticks.size() + found.checkpoints.size() + found.troubles.size() - 1;
  if (more > 0) what += " (and " + std::to_string(more) + " more places)";
  alarm(what + "; stop the server and run 'sluice repair' on it");
  return false;
}

bool BackgroundVerifier::compare(record::Reader& reader, record::Verifier& verifier, bool to_end) {
  const std::uint64_t behind = to_end ? 0 : kSecondsBehind * options_.tick_rate;
  if (reader.last_tick() <= behind) return true;
  const std::uint64_t end = reader.last_tick() - behind;
  // In pieces, so that a stop need not wait until all is compared that has gathered.
  for (std::uint64_t tick = verified_tick_; tick < end && !verifier.report().divergence;) {
    tick = std::min(end, std::max(tick, verifier.report().last_tick) + options_.tick_rate);
    if (const Status done = verifier.advance(tick); !done) {
      if (!reader.take_system_failure().empty()) return true;
      alarm("the recording cannot be replayed: " + done.error());
      return false;
    }
    if (!verifier.report().divergence) verified_tick_ = verifier.report().last_tick;
    if (stopping()) return true;
  }
  if (!verifier.report().divergence) return true;
  if (!verifier.finished()) {
    if (const Status done = verifier.advance(UINT64_MAX); !done) {
      spdlog::warn("{}: the divergence could not be located: {}", options_.name, done.error());
    }
  }
  const record::Divergence& divergence = *verifier.report().divergence;
  const Bundle left = bundle(reader, divergence.tick, record::describe(divergence));
  if (left.written) ++bundles_;
  alarm("the recording does not replay: " + record::describe(divergence) + "\n  " + left.said);
  return false;
}

void BackgroundVerifier::look_at(const std::function<std::uint64_t()>& count, std::uint64_t most,
                                 const char* what, Watched& watched, record::Reader& reader) {
  if (!count) return;
  const std::uint64_t now = count();
  if (now <= std::exchange(watched.seen, now) || watched.bundles >= most) return;
  ++watched.bundles;
  const std::string when =
      std::string(what) + " at about tick " + std::to_string(reader.last_tick());
  const Bundle left = bundle(reader, reader.last_tick(), what);
  spdlog::warn("{}: {}; {}", options_.name, when, left.said);
  // What is counted can be read: whoever sees the count asks for the detail.
  note(when + (left.written ? "; a bundle lies beside the recording" : "; without a bundle"));
  if (left.written) ++bundles_;
}

BackgroundVerifier::Bundle BackgroundVerifier::bundle(record::Reader& reader, std::uint64_t tick,
                                                      const std::string& reason) {
  record::BundleOptions options;
  options.around = tick;
  options.facts = {{"bundle_reason", reason}};
  const std::filesystem::path recording = options_.recording;
  const std::string name = recording.stem().string() + "-" + std::to_string(tick);
  std::string path;
  for (int copy = 1; path.empty() || record::files().exists(path); ++copy) {
    const std::string suffix = copy == 1 ? "" : "-" + std::to_string(copy);
    path = (recording.parent_path() / (name + suffix + ".bundle.sluice")).string();
  }
  SLUICE_SOMETIMES("a bundle was written");
  const auto written = record::write_bundle(reader, options, path);
  if (!written.ok()) return {false, "no bundle: " + written.error()};
  return {true, "bundle: " + path};
}

void BackgroundVerifier::alarm(const std::string& what) {
  spdlog::critical("{}: {}", options_.name, what);
  note(what);
  alarmed_ = true;
}

// What is noted is shown to everybody who asks, and a server's folders are not their business.
void BackgroundVerifier::note(const std::string& what) {
  std::string shown = what;
  const std::string folder = std::filesystem::path(options_.recording).parent_path().string() + "/";
  for (auto at = shown.find(folder); at != std::string::npos; at = shown.find(folder, at)) {
    shown.erase(at, folder.size());
  }
  const std::lock_guard lock(mutex_);
  detail_ += (detail_.empty() ? "" : "\n") + shown;
}

}  // namespace sluice::host
