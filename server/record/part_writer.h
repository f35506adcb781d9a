// Writing a part of a recording into a file of its own, in pieces: what waits for a commit is
// bounded, however long the part is.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "protocol/base/result.h"
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

}  // namespace sluice::record
