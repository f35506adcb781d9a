// The one or two files that a server shows, opened once for each position in them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/playback/cache_budget.h"
#include "server/playback/player.h"
#include "server/sim/executor.h"

namespace sluice::replay {

class Recordings {
 public:
  /// One path, or two to be shown side by side. All cursors of a file have
  /// playback::Cursor::kCacheBytes for their caches together. The executor must outlive them, and
  /// may be lent to several at once.
  Recordings(std::vector<std::string> paths, sim::Executor& executor);

  /// Cursors at the beginning, for a player of their own. Errors name the file and say what is
  /// wrong, with it or with the two together. For one thread at a time.
  [[nodiscard]] Result<std::vector<playback::Player::Recording>> open() const;

 private:
  struct File {
    std::string path;
    std::shared_ptr<playback::CacheBudget> budget;
  };
  std::vector<File> files_;
  sim::Executor& executor_;
};

/// "ticks 0 to 300": what the recording holds.
[[nodiscard]] std::string range_text(const playback::Cursor& cursor);

}  // namespace sluice::replay
