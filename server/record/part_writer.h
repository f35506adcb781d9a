// Writing a part of a recording into a file of its own, in pieces: what waits for a commit is
// bounded, however long the part is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"

namespace sluice::record {

class PartWriter {
 public:
  /// A commit comes after so many ticks, or bytes of commands and checkpoints.
  static constexpr std::size_t kTicksPerPiece = 2000;
  static constexpr std::size_t kBytesPerPiece = std::size_t{16} << 20;

  /// Refuses to overwrite.
  [[nodiscard]] static Result<std::unique_ptr<PartWriter>> create(const std::string& path,
                                                                  Foundation foundation,
                                                                  const Limits& limits);
  /// The next tick.
  [[nodiscard]] Status add(const TickRecord& tick);
  /// An image of the last tick that was added, complete.
  [[nodiscard]] Status add(CheckpointImage image);
  /// All is durable; to be called last.
  [[nodiscard]] Status finish();

 private:
  explicit PartWriter(std::unique_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}
  [[nodiscard]] Status commit_if_much();

  std::unique_ptr<Recorder> recorder_;
  std::size_t ticks_ = 0;  // since the last commit
  std::size_t bytes_ = 0;
};

struct CopiedTicks {
  std::uint64_t commands = 0;
  /// Checkpoints that cannot be read, which are left out: they would only make the part refuse
  /// itself.
  std::uint64_t left_out = 0;
};

/// The ticks after `after`, up to `last`, with the checkpoints among them. Both must be ticks of
/// the reader's history. What is there of the part is durable when this returns. Where `stop` is
/// given and turns true it ends with an error.
[[nodiscard]] Result<CopiedTicks> copy_ticks(Reader& reader, std::uint64_t after,
                                             std::uint64_t last, PartWriter& writer,
                                             const std::atomic<bool>* stop = nullptr);

/// What the recording says about itself, for a part of it.
[[nodiscard]] std::vector<Fact> facts_for_part(const Reader& reader);

}  // namespace sluice::record
