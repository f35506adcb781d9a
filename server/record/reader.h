// Reading a recording, that of a running server too.
//
// History only ever grows: what a reader saw of a tick stays so, whichever row holds it. So each
// read is a short transaction of its own. One long transaction for a whole verification would give
// the same answers, but would keep the writer's log from ever being folded back into the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/record/records.h"
#include "server/sim/executor.h"
#include "server/sim/result.h"
#include "server/sim/world.h"

namespace sluice::record {

class Database;

struct CheckpointInfo {
  std::uint64_t tick = 0;
  sim::Digest digest = 0;
};

/// This program and its version, as recordings name it.
[[nodiscard]] std::string program_name();

/// Used by one thread at a time. Never changes the file. Any file is safe to open; errors begin
/// with its path and say what is wrong and where.
class Reader {
 public:
  [[nodiscard]] static sim::Result<std::unique_ptr<Reader>> open(const std::string& path);
  /// Of a recording that lies in memory (and is not in WAL mode); `image` must outlive the reader.
  [[nodiscard]] static sim::Result<std::unique_ptr<Reader>> open_image(
      std::span<const std::byte> image);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const std::string& world_file_text() const { return world_file_text_; }
  /// The program that made the file, and its version.
  [[nodiscard]] const std::string& made_by() const { return made_by_; }
  /// The tick of the first checkpoint, at which history begins: 0 but for a bundle.
  [[nodiscard]] std::uint64_t first_tick() const { return first_tick_; }
  /// The last durable tick as of open() or refresh(); 0 before the first.
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  /// Looks whether the file has grown.
  [[nodiscard]] sim::Status refresh();

  /// Ticks of [from, to] in their order, until `visit` returns false. Both must be in
  /// [1, last_tick()].
  [[nodiscard]] sim::Status read_ticks(std::uint64_t from, std::uint64_t to,
                                       const std::function<bool(const TickRecord&)>& visit);
  /// The digests of [from, to], in order.
  [[nodiscard]] sim::Result<std::vector<sim::Digest>> digests(std::uint64_t from, std::uint64_t to);
  /// All ticks of the row in which `tick` stands.
  [[nodiscard]] sim::Result<std::vector<TickRecord>> row_at(std::uint64_t tick);

  /// In rising order; the first is that of tick 0.
  [[nodiscard]] sim::Result<std::vector<CheckpointInfo>> checkpoints();
  /// The world of a checkpoint; its digest, computed from scratch, is that of the checkpoint.
  [[nodiscard]] sim::Result<std::unique_ptr<sim::World>> restore(std::uint64_t checkpoint_tick);

 private:
  explicit Reader(std::unique_ptr<Database> database);
  [[nodiscard]] static sim::Result<std::unique_ptr<Reader>> check(
      std::unique_ptr<Database> database);
  [[nodiscard]] sim::Status check_kind();
  [[nodiscard]] sim::Status check_schema();
  [[nodiscard]] sim::Status read_world_row();
  [[nodiscard]] sim::Result<std::vector<TickRecord>> read_row(std::uint64_t tick,
                                                              bool with_commands);
  [[nodiscard]] sim::Result<std::vector<std::byte>> read_chunk(std::int64_t row_id);

  std::unique_ptr<Database> database_;
  std::string world_file_text_;
  std::string made_by_;
  std::uint64_t first_tick_ = 0;
  std::uint64_t last_tick_ = 0;
};

/// The world after `tick` (at most last_tick()): the nearest checkpoint before it that can be used,
/// and a replay of the rest, every digest compared. `visit`, where given, is shown each replayed
/// tick. Unusable checkpoints are named in `warnings`.
struct WorldAt {
  std::unique_ptr<sim::World> world;
  std::uint64_t replayed_ticks = 0;
  std::vector<std::string> warnings;
};
using TickVisitor = std::function<void(const sim::World&, const sim::TickReport&)>;
[[nodiscard]] sim::Result<WorldAt> world_at(Reader& reader, std::uint64_t tick,
                                            sim::Executor& executor,
                                            const TickVisitor& visit = nullptr);

}  // namespace sluice::record
