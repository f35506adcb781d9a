#include "server/host/record_writer.h"

#include <iterator>
#include <utility>

#include <spdlog/spdlog.h>

#include "server/sim/assert.h"

namespace sluice::host {

namespace {

constexpr std::chrono::seconds kCommitInterval{1};

}  // namespace

RecordWriter::RecordWriter(std::string name, std::unique_ptr<record::Recorder> recorder,
                           Deliver deliver)
    : name_(std::move(name)),
      recorder_(std::move(recorder)),
      deliver_(std::move(deliver)),
      pushed_tick_(recorder_->last_tick()),
      durable_tick_(recorder_->last_tick()),
      last_commit_(std::chrono::steady_clock::now()),
      thread_([this] { run(); }) {}

RecordWriter::~RecordWriter() {
  stop();
}

void RecordWriter::push(record::TickRecord tick, std::vector<net::CommandReply> replies) {
  std::unique_lock lock(mutex_);
  SLUICE_ASSERT(!stopping_);
  changed_.wait(lock, [this] { return queue_.size() < kMaxWaitingTicks || failed(); });
  pushed_tick_ = tick.tick;
  urgent_ = urgent_ || !tick.commands.empty() || !replies.empty();
  queue_.push_back({std::move(tick), std::move(replies), std::nullopt});
  if (urgent_ || failed() || queue_.size() == kMaxWaitingTicks) changed_.notify_all();
}

void RecordWriter::push_checkpoint(record::CheckpointImage image) {
  const std::lock_guard lock(mutex_);
  SLUICE_ASSERT(!stopping_);
  queue_.push_back({{}, {}, std::move(image)});
  urgent_ = true;
  changed_.notify_all();
}

void RecordWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::string RecordWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// Only with mutex_ held.
bool RecordWriter::worth_committing() const {
  return stopping_ || urgent_ || queue_.size() >= kMaxWaitingTicks || (failed() && !queue_.empty());
}

// False at the end.
bool RecordWriter::wait_for_items(std::vector<Item>& items) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, last_commit_ + kCommitInterval, [this] { return worth_committing(); });
  if (queue_.empty() && stopping_) return false;
  items = std::exchange(queue_, {});
  urgent_ = false;
  changed_.notify_all();  // there is room again
  return true;
}

void RecordWriter::run() {
  std::vector<Item> items;
  while (wait_for_items(items)) {
    last_commit_ = std::chrono::steady_clock::now();
    if (!items.empty()) write(std::exchange(items, {}));
  }
}

void RecordWriter::write(std::vector<Item> items) {
  if (failed()) return fail(failure(), items);
  if (const sim::Status status = write_items(items); !status.ok()) {
    return fail(status.error(), items);
  }
  std::vector<net::CommandReply> replies;
  for (Item& item : items) {
    if (!item.checkpoint) durable_tick_ = item.tick.tick;
    std::move(item.replies.begin(), item.replies.end(), std::back_inserter(replies));
  }
  if (!replies.empty()) deliver_(std::move(replies));
}

sim::Status RecordWriter::write_items(std::vector<Item>& items) {
  for (Item& item : items) {
    const sim::Status status = item.checkpoint
                                   ? recorder_->append_checkpoint(std::move(*item.checkpoint))
                                   : recorder_->append(item.tick);
    if (!status.ok()) return status;
  }
  return recorder_->commit();
}

void RecordWriter::fail(const std::string& why, std::vector<Item>& items) {
  if (!failed()) {
    spdlog::critical("{}: the recording failed and the world stops: {}", name_, why);
    const std::lock_guard lock(mutex_);
    failure_ = why;
    failed_ = true;
    changed_.notify_all();
  }
  std::vector<net::CommandReply> replies;
  for (Item& item : items) {
    for (net::CommandReply& reply : item.replies) {
      reply.result.applied = false;
      reply.result.reason = "the recording failed, the command may be lost: " + why;
      replies.push_back(std::move(reply));
    }
  }
  if (!replies.empty()) deliver_(std::move(replies));
}

}  // namespace sluice::host
