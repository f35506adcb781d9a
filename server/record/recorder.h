// Writing a recording: the save, the log of inputs and the replay file of one world, in one SQLite
// file. README.md describes the format.
//
//   host:   world.tick() -> append() -> ... -> commit()  durable: now acknowledge the commands
//                                              checkpoint()  now and then, and before stopping
//   start:  recover() -> the world -> Recorder::open() -> go on
//
// It opens the file, commits, and goes on after a failure; what a commit writes is in
// history_rows.h and checkpoint_rows.h, what a new file holds in foundation.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/checkpoint.h"
#include "server/record/checkpoint_rows.h"
#include "server/record/format.h"
#include "server/record/foundation.h"
#include "server/record/records.h"
#include "server/record/refusals.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::record {

class Reader;
class WriteLock;

/// The only writer of one file; used by one thread at a time. Errors begin with the file's path.
class Recorder {
 public:
  /// Makes the file, with the world's checkpoint of tick 0. Refuses to overwrite. A process that is
  /// killed meanwhile leaves no file of that name.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> create(const std::string& path,
                                                                std::string_view world_file_text,
                                                                const sim::World& world_at_tick_0,
                                                                const Limits& limits = {});
  /// The same for a history that begins anywhere: a bundle's, or what was left of a damaged file.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> create(const std::string& path,
                                                                Foundation foundation,
                                                                const Limits& limits = {});
  /// Goes on with a file whose world was brought back by recover().
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open(const std::string& path,
                                                              const Limits& limits = {});

  /// Leaves a single file that is not in WAL mode, where no reader is in the way. What was appended
  /// but not committed is dropped: nobody was told that it is safe.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Takes the tick after last_tick(), its texts cut and of its refused commands what is kept
  /// (bounds.h, refusals.h). Not yet durable. Refuses a tick that no row could hold.
  [[nodiscard]] Status append(TickRecord tick);
  /// The same of a tick from another recording: every command is kept.
  [[nodiscard]] Status append_copy(TickRecord tick);
  /// Takes the image of last_tick(), to go into the transaction of the next commit().
  [[nodiscard]] Status append_checkpoint(CheckpointImage image);
  /// All that was appended is on the medium when this returns ok. After a failure the state of the
  /// file is unknown to us, so every later call fails with the same message, until resume().
  [[nodiscard]] Status commit();
  /// After a failure: opens the file anew and brings what it holds onto the medium once more. When
  /// this returns ok, what was appended and is not in the file waits for the next commit(), and
  /// all goes on as before. An error (the disk is still full, say) changes nothing: try later.
  [[nodiscard]] Status resume();
  /// Goes on in the files that lie ready to take this one's place (exchange.h), the main one of
  /// which holds the same last tick and checkpoint: all that was appended must be committed.
  /// Returns the new names of the parts. An error while failed() is false means that all is as it
  /// was; else the recording failed, and resume() completes it.
  [[nodiscard]] Result<std::vector<std::string>> change_file();
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  /// Commits, and stores the image (of last_tick() or an earlier tick) in the same transaction.
  /// A tick that has a checkpoint keeps the one it has. Chunks of contents that the file holds
  /// already are not written again. An image that is not complete must follow, in this recorder,
  /// the image that it tells the changes from.
  [[nodiscard]] Status checkpoint(CheckpointImage image);

  /// The last tick that was appended; 0 before the first.
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Connection;
  Recorder(std::string path, std::unique_ptr<WriteLock> lock, const Limits& limits);

  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open_locked(
      const std::string& path, std::unique_ptr<WriteLock> lock, const Limits& limits);
  [[nodiscard]] Status connect();
  [[nodiscard]] Status follow_change();
  [[nodiscard]] Status drop_what_is_there(std::uint64_t last_tick_there);
  [[nodiscard]] Status in_transaction();
  void note_damage();

  const std::string path_;
  std::unique_ptr<WriteLock> lock_;
  const Limits limits_;
  std::unique_ptr<Connection> file_;  // null after a resume() that failed
  RefusalLimit refusals_;
  ImageRows rows_;                   // of the last image that was committed
  bool changing_file_ = false;       // and not yet at home in the new one
  std::vector<TickRecord> pending_;  // appended since the last commit that went well
  std::vector<CheckpointImage> pending_images_;
  std::uint64_t last_tick_ = 0;
  std::uint64_t durable_tick_ = 0;
  std::optional<Error> failure_;
};

struct Recovered {
  std::unique_ptr<sim::World> world;  // as of the last durable tick
  std::string world_file_text;
  std::uint64_t replayed_ticks = 0;  // since the checkpoint that it started from
  /// Checkpoints that could not be used, each with its reason; an earlier one was taken instead.
  std::vector<std::string> warnings;
};

/// Brings a world back: its last checkpoint and a replay of the rest, every digest compared. A
/// divergence is an error that names the tick. Changes nothing in the file.
[[nodiscard]] Result<Recovered> recover(const std::string& path, sim::Executor& executor);

}  // namespace sluice::record
