// Bringing a world up at a start: from its recording, which is made whole first where it is not, or
// new from its description.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "protocol/base/result.h"
#include "server/host/history_rule.h"
#include "server/net/result_book.h"
#include "server/record/recorder.h"
#include "server/record/repair.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::host {

struct LoadedWorld {
  std::unique_ptr<sim::World> world;
  std::unique_ptr<record::Recorder> recorder;
  /// Where the recording was damaged: what was lost and kept.
  std::optional<record::Repair> repaired;
  /// Of clients that may come back. Of a recording that begins now, or was damaged, or of which a
  /// repair or a cut was completed at this start, nothing is known of the time before.
  net::PastResults past;
};

struct WorldSource {
  std::string recording;   // its path
  std::string world_file;  // for messages
  std::string text;        // of the world file; empty: there is none to compare with
  record::RepairOptions repair;
  HistoryRule history = {};
  std::uint64_t ticks_per_hour = 0;  // 0: by the world's rate; tests have shorter hours
  /// Called before old history is cut off, if any rule says so; may be empty.
  std::function<void(const sim::World&)> before_cut = {};
};

/// Completes a repair or a cut of the recording that was ended in its last steps, and says so in
/// the log. Whether there was one.
[[nodiscard]] Result<bool> complete_interrupted(const std::string& recording);

/// A file that the medium damaged is repaired, and what was lost is said; a history that does not
/// replay is not damage, and is left for somebody to look at.
[[nodiscard]] Result<LoadedWorld> load_recorded(const WorldSource& source, sim::Executor& executor);

[[nodiscard]] Result<LoadedWorld> load_new(const WorldSource& source, const sim::WorldSpec& spec);

}  // namespace sluice::host
