// A world's recording, on a thread of its own, so that no fsync delays a tick.
//
//   world's thread:   push(tick, replies) ──► queue ──► writer: append... commit ──►
//   deliver(replies)
//
// A reply leaves only after the commit that holds its command is durable. Ticks that nobody sent a
// command in are committed together, once a second.
//
// Between two commits the recording may be given another file (between_commits()): what is pushed
// meanwhile waits in the queue, and the world's thread waits for none of it.
//
// When the recording fails (a full disk, say), replies that wait say that their command may be
// lost, and the world's owner is to hold the world still (failed()). What was pushed stays here,
// and is tried again each second: once it is durable the world may go on. So nothing that was
// acknowledged is lost, and of what was not, only what a stop or a crash overtakes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/host/drive.h"
#include "server/net/world_feed.h"
#include "server/record/recorder.h"

namespace sluice::host {

class RecordWriter {
 public:
  using Deliver = std::function<void(std::vector<net::CommandReply>)>;

  /// What may wait for the disk before push() waits, too.
  struct Limits {
    std::size_t ticks = 4096;
    std::size_t bytes = std::size_t{64} << 20;  // of commands and of checkpoints' chunks
    std::size_t checkpoints = 4;                // each with a copy of the world's pipes
    /// How long a failed recording waits before it is tried again.
    std::chrono::milliseconds retry{1000};
  };

  /// `deliver` is called on the writer's thread. `name` is for the log.
  RecordWriter(std::string name, std::unique_ptr<record::Recorder> recorder, Deliver deliver)
      : RecordWriter(std::move(name), std::move(recorder), std::move(deliver), Limits()) {}
  RecordWriter(std::string name, std::unique_ptr<record::Recorder> recorder, Deliver deliver,
               const Limits& limits, Drive drive = {});
  /// Stops.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Takes the next tick. Waits only when the disk is so far behind that its limits are reached;
  /// not even then where there is no thread that could make room.
  void push(record::TickRecord tick, std::vector<net::CommandReply> replies);
  /// Takes an image of the last tick that was pushed.
  void push_checkpoint(record::CheckpointImage image);
  /// Writes all that was pushed, as far as it can be written, and ends the thread.
  void stop();

  /// Has `change` done with the recorder between two commits, on the writer's thread, and waits for
  /// it; what is pushed meanwhile waits, too, and with it its replies. Error: the recording has
  /// failed, or the writer ends; or that of `change`, by which the recording may fail. One at a
  /// time, from any thread but the writer's.
  [[nodiscard]] Status between_commits(const std::function<Status(record::Recorder&)>& change);

  /// Writes what is worth it now, and tries again what failed, if that is due. Returns when it is
  /// to be called again, if nothing is pushed before. For its owner, where it has no thread.
  Clock::Time step();

  /// Whether the limits leave room for more.
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool failed() const { return failed_.load(); }
  /// Why, without the file's path; empty when not failed().
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] std::uint64_t durable_tick() const { return durable_tick_.load(); }
  /// Of what waits to be taken, but for the newest tick and its checkpoint.
  [[nodiscard]] std::size_t older_bytes() const;
  /// Ticks that were pushed and are not yet durable.
  [[nodiscard]] std::uint64_t lag_ticks() const {
    return pushed_tick_.load() - durable_tick_.load();
  }

 private:
  struct Item {
    record::TickRecord tick;
    std::vector<net::CommandReply> replies;
    std::optional<record::CheckpointImage> checkpoint;  // then the rest is not used
    std::size_t bytes = 0;
  };

  void run();
  void put(Item item, bool urgent);
  [[nodiscard]] bool wait_for_items(std::vector<Item>& items);
  [[nodiscard]] std::vector<Item> take_items();
  void handle(std::vector<Item> items);
  [[nodiscard]] Status do_change(const std::function<Status(record::Recorder&)>& change);
  void do_waiting_change();
  [[nodiscard]] Clock::Time due() const;
  [[nodiscard]] bool room_left() const;
  [[nodiscard]] bool worth_committing() const;
  void write_in_parts(std::vector<Item> items);
  void write(std::vector<Item> items);
  [[nodiscard]] static std::vector<net::CommandReply> take_replies(std::vector<Item>& items);
  [[nodiscard]] Status append_held();
  void fail(const std::string& why);
  /// Whether it is another reason than before.
  bool set_failure(const std::string& why);
  void tell_of_failure(std::vector<net::CommandReply> replies);
  void try_again();
  void tell_the_truth();

  const std::string name_;
  const std::unique_ptr<record::Recorder> recorder_;
  const Deliver deliver_;
  const Limits limits_;
  const Drive drive_;
  std::atomic<std::uint64_t> pushed_tick_;
  std::atomic<std::uint64_t> durable_tick_;
  std::atomic<bool> failed_{false};
  Clock::Time last_commit_;              // the writer's thread alone, as the next
  std::vector<Item> held_;               // taken from the queue, not yet by the recorder
  std::vector<net::CommandReply> told_;  // that their command may be lost; these are their results

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> queue_;            // guarded by mutex_
  std::size_t queue_bytes_ = 0;        // guarded by mutex_
  std::size_t queue_checkpoints_ = 0;  // guarded by mutex_
  bool urgent_ = false;                // guarded by mutex_: somebody waits for what is in the queue
  bool stopping_ = false;              // guarded by mutex_
  std::string failure_;                // guarded by mutex_
  /// What is to be done between two commits; null: nothing.
  const std::function<Status(record::Recorder&)>* change_ = nullptr;  // guarded by mutex_
  std::optional<Status> change_done_;                                 // guarded by mutex_
  bool ended_ = false;                                                // guarded by mutex_
  std::thread thread_;
};

}  // namespace sluice::host
