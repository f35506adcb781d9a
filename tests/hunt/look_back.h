// Looking back in a living world on one thread: what host::LookBack does with threads of its own,
// with the product's reading of what is asked for and its cursor in the recording.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "protocol/base/result.h"
#include "server/playback/cursor.h"
#include "server/sim/digest.h"
#include "server/sim/executor.h"

namespace sluice::hunt {

/// A position in the recording that the world's writer writes meanwhile.
class LookBack {
 public:
  struct Shown {
    std::uint64_t tick = 0;
    sim::Digest digest = 0;
  };

  explicit LookBack(std::string recording) : recording_(std::move(recording)) {}
  /// Goes to a tick, or to the nearest that is recorded. After an error it begins anew next time.
  [[nodiscard]] Result<Shown> go_to(std::uint64_t tick);
  /// Reads the recording no more.
  void close() { cursor_.reset(); }

 private:
  [[nodiscard]] Result<Shown> go(std::uint64_t tick);

  const std::string recording_;
  sim::SerialExecutor executor_;
  std::unique_ptr<playback::Cursor> cursor_;
};

}  // namespace sluice::hunt
