// A world that an admin resets to its start: the steps that host::HostedWorlds::reset takes with
// files, in its order, so that a crash may come between any two.
#pragma once

#include <cstdint>

#include "protocol/base/result.h"
#include "tests/hunt/life.h"

namespace sluice::hunt {

class Reset {
 public:
  explicit Reset(Ground& ground) : ground_(ground), dice_(ground.stream("reset")) {}

  /// While the world lives: makes the recording that begins anew. Error: all stays as it was.
  [[nodiscard]] Status prepare();
  /// When the world is gone: so is its recording, or it lies elsewhere.
  void set_aside();
  /// Before each start. Returns whether the world begins anew. Error: that cannot be done now.
  [[nodiscard]] Result<bool> finish();

 private:
  enum class Phase : std::uint8_t { kNone, kPreparing, kSettingAside };

  /// The process, within so many changes of the medium.
  void may_die(std::int32_t percent, std::int32_t changes);

  Ground& ground_;
  tests::Dice dice_;
  Phase phase_ = Phase::kNone;
  std::uint64_t resets_ = 0;
  std::unique_ptr<record::Reader>
      other_;  // another process that reads: the log stays while it does
};

}  // namespace sluice::hunt
