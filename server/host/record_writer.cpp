#include "server/host/record_writer.h"

#include <iterator>
#include <utility>

#include <spdlog/spdlog.h>

#include "protocol/base/assert.h"
#include "protocol/base/sometimes.h"
#include "server/record/bounds.h"

namespace sluice::host {

namespace {

constexpr std::chrono::seconds kCommitInterval{1};

std::size_t bytes_of(const record::CheckpointImage& image) {
  std::size_t bytes = image.core.size();
  for (const record::CheckpointImage::Chunk& chunk : image.chunks) {
    bytes += sizeof(chunk) + chunk.bytes.size() + chunk.marks.size();
  }
  return bytes;
}

}  // namespace

RecordWriter::RecordWriter(std::string name, std::unique_ptr<record::Recorder> recorder,
                           Deliver deliver, const Limits& limits, Drive drive)
    : name_(std::move(name)),
      recorder_(std::move(recorder)),
      deliver_(std::move(deliver)),
      limits_(limits),
      drive_(drive),
      pushed_tick_(recorder_->last_tick()),
      durable_tick_(recorder_->last_tick()),
      last_commit_(drive.clock->now()) {
  if (drive_.by == Drive::By::kThread) thread_ = std::thread([this] { run(); });
}

RecordWriter::~RecordWriter() {
  stop();
}

void RecordWriter::push(record::TickRecord tick, std::vector<net::CommandReply> replies) {
  for (record::RecordedCommand& recorded : tick.commands) record::bound(recorded);
  pushed_tick_ = tick.tick;
  const bool urgent = !tick.commands.empty() || !replies.empty();
  const std::size_t bytes = record::batch_bytes(tick);
  put({std::move(tick), std::move(replies), std::nullopt, bytes}, urgent);
}

void RecordWriter::push_checkpoint(record::CheckpointImage image) {
  const std::size_t bytes = bytes_of(image);
  put({{}, {}, std::move(image), bytes}, true);
}

void RecordWriter::put(Item item, bool urgent) {
  std::unique_lock lock(mutex_);
  SLUICE_ASSERT(!stopping_);
  // After a failure the world stands still, and what it did last must not be kept waiting.
  if (drive_.by == Drive::By::kThread) {
    changed_.wait(lock, [&] { return room_left() || failed(); });
  }
  urgent_ = urgent_ || urgent;
  queue_checkpoints_ += item.checkpoint ? std::size_t{1} : 0;
  queue_bytes_ += item.bytes;
  queue_.push_back(std::move(item));
  if (worth_committing()) changed_.notify_all();
}

void RecordWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  if (drive_.by == Drive::By::kOwner) run();
}

std::string RecordWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool RecordWriter::has_room() const {
  const std::lock_guard lock(mutex_);
  return room_left();
}

std::size_t RecordWriter::older_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t newest = 0;
  for (std::size_t i = queue_.size(); i-- > 0;) {
    newest += queue_[i].bytes;
    if (!queue_[i].checkpoint) break;
  }
  return queue_bytes_ - newest;
}

// Only with mutex_ held, as the next.
bool RecordWriter::room_left() const {
  return queue_.size() < limits_.ticks && queue_bytes_ < limits_.bytes &&
         queue_checkpoints_ < limits_.checkpoints;
}

bool RecordWriter::worth_committing() const {
  return stopping_ || change_ != nullptr || urgent_ || !room_left() ||
         (failed() && !queue_.empty());
}

Clock::Time RecordWriter::due() const {
  const auto interval = failed() ? limits_.retry : std::chrono::milliseconds(kCommitInterval);
  return last_commit_ + interval;
}

// False at the end.
bool RecordWriter::wait_for_items(std::vector<Item>& items) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, due(), [this] { return worth_committing(); });
  if (queue_.empty() && stopping_) return false;
  items = take_items();
  return true;
}

// Only with mutex_ held.
std::vector<RecordWriter::Item> RecordWriter::take_items() {
  queue_bytes_ = 0;
  queue_checkpoints_ = 0;
  urgent_ = false;
  changed_.notify_all();  // there is room again
  return std::exchange(queue_, {});
}

void RecordWriter::run() {
  std::vector<Item> items;
  while (wait_for_items(items)) {
    handle(std::exchange(items, {}));
    do_waiting_change();
  }
  if (failed()) try_again();  // for the last time
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

Status RecordWriter::between_commits(const std::function<Status(record::Recorder&)>& change) {
  if (drive_.by == Drive::By::kOwner) return do_change(change);
  std::unique_lock lock(mutex_);
  SLUICE_ASSERT(change_ == nullptr);
  change_ = &change;
  change_done_.reset();
  changed_.notify_all();
  changed_.wait(lock, [this] { return change_done_ || ended_; });
  change_ = nullptr;
  return change_done_.value_or(Error{"the world ends"});
}

void RecordWriter::do_waiting_change() {
  std::unique_lock lock(mutex_);
  if (change_ == nullptr || change_done_) return;
  const auto& change = *change_;
  lock.unlock();
  Status done = do_change(change);
  lock.lock();
  change_done_ = std::move(done);
  change_ = nullptr;
  changed_.notify_all();
}

// What was pushed and not committed is still in the queue, and none of it with the recorder.
Status RecordWriter::do_change(const std::function<Status(record::Recorder&)>& change) {
  if (failed()) return Error{"the recording failed: " + failure()};
  Status done = change(*recorder_);
  if (recorder_->failed()) fail(done.error());
  return done;
}

Clock::Time RecordWriter::step() {
  std::vector<Item> items;
  {
    const std::lock_guard lock(mutex_);
    if (!worth_committing() && drive_.clock->now() < due()) return due();
    items = take_items();
  }
  handle(std::move(items));
  return due();
}

void RecordWriter::handle(std::vector<Item> items) {
  if (!failed()) last_commit_ = drive_.clock->now();
  write_in_parts(std::move(items));
  if (failed() && drive_.clock->now() >= last_commit_ + limits_.retry) try_again();
}

std::vector<net::CommandReply> RecordWriter::take_replies(std::vector<Item>& items) {
  std::vector<net::CommandReply> replies;
  for (Item& item : items) {
    std::move(item.replies.begin(), item.replies.end(), std::back_inserter(replies));
    item.replies.clear();
  }
  return replies;
}

// A checkpoint may be long to write, and nobody waits for it: commands before it are acknowledged
// first.
void RecordWriter::write_in_parts(std::vector<Item> items) {
  std::vector<Item> part;
  for (Item& item : items) {
    if (item.checkpoint && !part.empty()) write(std::exchange(part, {}));
    const bool alone = item.checkpoint.has_value();
    part.push_back(std::move(item));
    if (alone) write(std::exchange(part, {}));
  }
  if (!part.empty()) write(std::move(part));
}

void RecordWriter::write(std::vector<Item> items) {
  if (failed()) {
    tell_of_failure(take_replies(items));
    std::move(items.begin(), items.end(), std::back_inserter(held_));
    return;
  }
  std::vector<net::CommandReply> replies = take_replies(items);
  held_ = std::move(items);
  Status status = append_held();
  if (status) status = recorder_->commit();
  if (!status) {
    fail(status.error());
    return tell_of_failure(std::move(replies));
  }
  durable_tick_ = recorder_->last_tick();
  if (!replies.empty()) deliver_(std::move(replies));
}

// What the recorder does not take stays held.
Status RecordWriter::append_held() {
  Status status = Done{};
  std::size_t taken = 0;
  for (; status && taken < held_.size(); ++taken) {
    Item& item = held_[taken];
    status = item.checkpoint ? recorder_->append_checkpoint(std::move(*item.checkpoint))
                             : recorder_->append(std::move(item.tick));
    if (!status) break;
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(taken));
  return status;
}

void RecordWriter::fail(const std::string& why) {
  spdlog::critical("{}: the recording failed and the world stands still: {}", name_, why);
  (void)set_failure(why);
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

bool RecordWriter::set_failure(const std::string& why) {
  const std::string prefix = recorder_->path() + ": ";
  // Clients and /readyz are shown this, and a server's paths are not their business.
  std::string shown = why.starts_with(prefix) ? why.substr(prefix.size()) : why;
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, shown) != shown;
}

void RecordWriter::tell_of_failure(std::vector<net::CommandReply> replies) {
  if (replies.empty()) return;
  SLUICE_SOMETIMES("a client was told that its command may be lost");
  for (net::CommandReply& reply : replies) {
    told_.push_back(reply);
    reply.result.applied = false;
    reply.result.kind = protocol::ResultKind::kUnknown;
    reply.result.reason = "the recording failed, the command may be lost: " + failure();
  }
  deliver_(std::move(replies));
}

void RecordWriter::try_again() {
  last_commit_ = drive_.clock->now();
  Status status = recorder_->resume();
  if (status) status = append_held();
  if (status) status = recorder_->commit();
  if (!status) {
    // A full disk may hide a file that was damaged meanwhile: then waiting does not help.
    if (set_failure(status.error())) {
      spdlog::critical("{}: the recording still fails: {}", name_, status.error());
    }
    return;
  }
  durable_tick_ = recorder_->last_tick();
  SLUICE_SOMETIMES("what was held back while the disk failed was written");
  spdlog::warn("{}: the recording goes on after tick {}; nothing that was acknowledged is lost",
               name_, recorder_->last_tick());
  tell_the_truth();
  const std::lock_guard lock(mutex_);
  failure_.clear();
  failed_ = false;
  changed_.notify_all();
}

// Clients that ask again what became of their commands are to learn it.
void RecordWriter::tell_the_truth() {
  if (told_.empty()) return;
  for (net::CommandReply& reply : told_) reply.late = true;
  deliver_(std::exchange(told_, {}));
}

}  // namespace sluice::host
