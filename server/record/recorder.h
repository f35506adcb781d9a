// Writing a recording: the save, the log of inputs and the replay file of one world, in one SQLite
// file. README.md describes the format.
//
//   host:   world.tick() -> append() -> ... -> commit()  durable: now acknowledge the commands
//                                              checkpoint()  now and then, and before stopping
//   start:  recover() -> the world -> Recorder::open() -> go on
//
// Short history rows, one a commit, are merged in passing into longer and then into full ones
// (format.h), so that a file that was committed at every tick is hardly larger than one that was
// committed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/checkpoint.h"
#include "server/record/facts.h"
#include "server/record/format.h"
#include "server/record/records.h"
#include "server/record/refusals.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::record {

class ChunkStore;
class CoreStore;
class Database;
class Statement;
class WriteLock;

/// What a new file holds before its first tick.
struct Foundation {
  std::string world_file_text;
  std::string made_by;
  std::vector<Fact> facts;  // but for "begins"
  CheckpointImage image;    // complete; the history begins after its tick
};

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
  /// Commits, and stores the image (of last_tick() or an earlier tick) in the same transaction.
  /// A tick that has a checkpoint keeps the one it has. Chunks of contents that the file holds
  /// already are not written again. An image that is not complete must follow, in this recorder,
  /// the image that it tells the changes from.
  [[nodiscard]] Status checkpoint(CheckpointImage image);

  /// The last tick that was appended; 0 before the first.
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Statements;
  Recorder(std::string path, std::unique_ptr<WriteLock> lock, const Limits& limits);

  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open_locked(
      const std::string& path, std::unique_ptr<WriteLock> lock, const Limits& limits);
  [[nodiscard]] static Status write_new(const std::string& path, Foundation& foundation,
                                        const Limits& limits);
  [[nodiscard]] Status connect();
  void disconnect();
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status load_tail();
  [[nodiscard]] Status drop_what_is_there();
  [[nodiscard]] Status in_transaction();
  [[nodiscard]] Status write_pending();
  [[nodiscard]] Status write_full_rows(std::size_t written);
  [[nodiscard]] Status remove_rows_from(std::size_t index, std::size_t written);
  [[nodiscard]] Status write_row(std::span<const TickRecord> ticks, int level);
  [[nodiscard]] Status write_checkpoint(CheckpointImage& image);
  /// What some ticks of the tail would take of one row.
  struct Load {
    std::size_t ticks = 0;
    std::size_t commands = 0;
    std::size_t bytes = 0;
    void add(const TickRecord& tick, std::size_t tick_bytes);
  };
  [[nodiscard]] Load load_of(std::size_t from, std::size_t to) const;
  [[nodiscard]] bool full(const Load& load) const;
  /// Where the contents of one chunk lie; 0: it has none.
  struct ChunkRows {
    std::int64_t cells = 0;
    std::int64_t marks = 0;
  };
  [[nodiscard]] Result<ChunkRows> store_chunk(const CheckpointImage::Chunk& chunk);

  const std::string path_;
  std::unique_ptr<WriteLock> lock_;
  const Limits limits_;
  std::unique_ptr<Database> database_;  // null after a resume() that failed
  std::unique_ptr<Statements> statements_;
  std::unique_ptr<ChunkStore> chunks_;
  std::unique_ptr<CoreStore> cores_;
  RefusalLimit refusals_;
  std::map<ChunkCoord, ChunkRows> rows_;  // of the last image's chunks
  std::vector<TickRecord> tail_;          // of the rows at the file's end that are not full
  std::vector<std::size_t> tail_bytes_;   // batch_bytes() of each
  std::size_t short_begin_ = 0;      // from here on the tail's rows are those of single commits
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
