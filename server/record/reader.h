// Reading a recording, that of a running server too.
//
// History only ever grows: what a reader saw of a tick stays so, whichever row holds it. So each
// read is a short transaction of its own. One long transaction for a whole verification would give
// the same answers, but would keep the writer's log from ever being folded back into the file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/checkpoint.h"
#include "server/record/facts.h"
#include "server/record/format.h"
#include "server/record/packing.h"
#include "server/record/records.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::record {

class ChunkStore;
class CoreStore;
class Database;

struct CheckpointInfo {
  std::uint64_t tick = 0;
  sim::Digest digest = 0;
};

/// A history row that cannot be trusted.
struct DamagedRow {
  std::uint64_t last_tick = 0;    // of the ticks that it stands for, as far as one can tell
  bool has_commands = false;      // it holds some, whether they can be read or not
  std::vector<TickRecord> ticks;  // empty where they cannot
  bool mended = false;        // one bit was hit, and is as it was: what is here is what was written
  Bytes commands;             // as stored
  std::int64_t checksum = 0;  // as stored
};

/// Used by one thread at a time. Never changes the file. Any file is safe to open; errors begin
/// with its path and say what is wrong and where.
class Reader {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(const std::string& path,
                                                            const Limits& limits = {});
  /// For repair: of a damaged file, too, as long as its tables are there. What of the file's head
  /// cannot be trusted is named in troubles().
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open_damaged(const std::string& path,
                                                                    const Limits& limits = {});
  /// Of a recording that lies in memory (and is not in WAL mode); `image` must outlive the reader.
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open_image(std::span<const std::byte> image);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const std::string& world_file_text() const { return world_file_text_; }
  /// Format version, as of open().
  [[nodiscard]] std::int64_t format_version() const { return format_version_; }
  /// In the order of their names; none in files of format version 1.
  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }
  /// The name of its world's water model, for a world file that names none. Recordings that do not
  /// say are older than the other models.
  [[nodiscard]] std::string water() const;
  /// Empty where the file does not have it.
  [[nodiscard]] std::string fact(std::string_view name) const;
  /// The program that made the file, and its version.
  [[nodiscard]] const std::string& made_by() const { return made_by_; }
  /// The tick of the first checkpoint, at which history begins: 0 but for a bundle.
  [[nodiscard]] std::uint64_t first_tick() const { return first_tick_; }
  /// The last durable tick as of open() or refresh(); 0 before the first.
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  /// What open_damaged() found wrong.
  [[nodiscard]] const std::vector<std::string>& troubles() const { return troubles_; }
  /// Of a damaged file: nothing in it says where its history ends, and last_tick() may come before.
  [[nodiscard]] bool end_unknown() const { return end_unknown_; }
  /// Likewise of where it begins, and there may have been ticks before first_tick().
  [[nodiscard]] bool begin_unknown() const { return begin_unknown_; }
  /// Whether the system failed, and not the file (no memory, no descriptors, a device that did not
  /// read), since the last call: then what could not be read may well be whole. Empty: it did not.
  [[nodiscard]] std::string take_system_failure();
  /// Whether SQLite met damage since the last call, be it that it reads the same rows now: it
  /// checks a page when it first looks at it, and not again while it remembers it.
  [[nodiscard]] std::optional<Error> take_damage();
  /// Whether another file has its name now: a running server has cut old history off (cut.h). What
  /// is open stays as it was, and grows no more.
  [[nodiscard]] bool replaced() const;
  /// Looks whether the file has grown.
  [[nodiscard]] Status refresh();

  /// Ticks of [from, to] in their order, until `visit` returns false. Both must be in
  /// [1, last_tick()].
  [[nodiscard]] Status read_ticks(std::uint64_t from, std::uint64_t to,
                                  const std::function<bool(const TickRecord&)>& visit);
  /// Those of them that hold commands; rows without any are passed over.
  [[nodiscard]] Status read_commands(std::uint64_t from, std::uint64_t to,
                                     const std::function<bool(const TickRecord&)>& visit);
  /// The digests of [from, to], in order.
  [[nodiscard]] Result<std::vector<sim::Digest>> digests(std::uint64_t from, std::uint64_t to);
  /// All ticks of the row in which `tick` stands.
  [[nodiscard]] Result<std::vector<TickRecord>> row_at(std::uint64_t tick);
  /// The same of a row whose checksum does not fit: what there is, which may be wrong anywhere.
  [[nodiscard]] Result<DamagedRow> damaged_row_at(std::uint64_t tick);

  /// The last one at or before `tick`, at or after first_tick().
  [[nodiscard]] Result<std::optional<CheckpointInfo>> checkpoint_before(std::uint64_t tick);
  /// The first one at or after `tick`.
  [[nodiscard]] Result<std::optional<CheckpointInfo>> checkpoint_after(std::uint64_t tick);
  /// Of a damaged recording, too: the ticks of all that can be come to.
  [[nodiscard]] std::set<std::uint64_t> stored_checkpoints();
  /// The tables in whose order readers trust.
  enum class Keyed : std::uint8_t { kHistory, kCheckpoints };
  /// Says so where one of these tables is not in order: some rows cannot be found then, though each
  /// of them is whole. Where a page of it cannot be read this says nothing. Reads all of its keys.
  [[nodiscard]] std::optional<Error> check_order(Keyed table);
  /// What to say where checkpoint_before() finds none.
  [[nodiscard]] Error lacks_first_checkpoint() const;
  /// In rising order; the first is that of first_tick().
  [[nodiscard]] Result<std::vector<CheckpointInfo>> checkpoints();
  /// A checkpoint as it is stored, with the bytes of every chunk; not yet a world.
  [[nodiscard]] Result<CheckpointImage> read_checkpoint(std::uint64_t checkpoint_tick);
  /// The world of a checkpoint; its digest, computed from scratch, is that of the checkpoint.
  [[nodiscard]] Result<std::unique_ptr<sim::World>> restore(std::uint64_t checkpoint_tick);
  /// Whether that world comes back. One that other rules made counts as whole where its checksums
  /// fit. Takes the memory of the world once more.
  [[nodiscard]] Status check_checkpoint(std::uint64_t checkpoint_tick);

 private:
  Reader(std::unique_ptr<Database> database, const Limits& limits, bool damaged);
  /// What came back of a checkpoint, if it is what the checkpoint states.
  [[nodiscard]] Result<std::unique_ptr<sim::World>> compared(
      Result<std::unique_ptr<sim::World>> world, const CheckpointImage& image) const;
  [[nodiscard]] static Result<std::unique_ptr<Reader>> check(std::unique_ptr<Database> database,
                                                             const Limits& limits, bool damaged);
  [[nodiscard]] Status check_kind();
  [[nodiscard]] Status check_schema();
  [[nodiscard]] Status read_world_row();
  [[nodiscard]] Status read_facts();
  [[nodiscard]] Status read_begin();
  /// Fails, or, of a damaged file, takes note of it and goes on.
  [[nodiscard]] Status trouble(const Error& error);
  [[nodiscard]] Result<std::uint64_t> end_of_history();
  [[nodiscard]] Status find_end();
  [[nodiscard]] Status bound_end();
  [[nodiscard]] Error out_of_order(Keyed table) const;
  [[nodiscard]] Result<std::optional<CheckpointInfo>> find_checkpoint(std::string_view sql,
                                                                      std::uint64_t tick);
  [[nodiscard]] Result<std::vector<TickRecord>> read_row(std::uint64_t tick, bool with_commands);

  std::unique_ptr<Database> database_;
  const Limits limits_;
  const bool damaged_;
  bool history_in_order_ = true;  // as far as one that is damaged knows
  std::unique_ptr<ChunkStore> chunks_;
  std::unique_ptr<CoreStore> cores_;  // null in files of a format that has none
  std::vector<std::string> troubles_;
  bool end_unknown_ = false;
  bool begin_unknown_ = false;
  std::uint64_t written_to_ = 0;  // as a writer noted that met damage
  std::int64_t format_version_ = 0;
  std::vector<Fact> facts_;
  std::string world_file_text_;
  std::string made_by_;
  std::uint64_t first_tick_ = 0;
  std::uint64_t last_tick_ = 0;
  std::uint64_t mending_ = kMendingOfAFile;  // what is left of it
};

/// The world after `tick` (at most last_tick()): the nearest checkpoint before it that can be used,
/// and a replay of the rest, every digest compared. `visit`, where given, is shown each replayed
/// tick. Unusable checkpoints are named in `warnings`. Where `stop` is given and turns true the
/// replay ends with an error. `begin_by`: no checkpoint after that tick is taken, unless there is
/// none before it.
struct WorldAt {
  std::unique_ptr<sim::World> world;
  std::uint64_t replayed_ticks = 0;
  std::vector<std::string> warnings;
};
using TickVisitor = std::function<void(const sim::World&, const sim::TickReport&)>;
[[nodiscard]] Result<WorldAt> world_at(Reader& reader, std::uint64_t tick, sim::Executor& executor,
                                       const TickVisitor& visit = nullptr,
                                       const std::atomic<bool>* stop = nullptr,
                                       std::uint64_t begin_by = UINT64_MAX);

}  // namespace sluice::record
