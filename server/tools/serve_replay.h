// `sluice replay FILE [OTHER] --serve ADDRESS:PORT`: recordings in the browser viewer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::tools {

struct ServeReplayOptions {
  std::vector<std::string> files;  // one or two
  std::string listen;              // ADDRESS:PORT, as it was given
  std::optional<std::uint64_t> to;
  unsigned threads = 0;  // 0: one a core
};

/// Serves until SIGTERM or SIGINT; returns the exit status. Standard output gets one line, the
/// address.
[[nodiscard]] int serve_replay(const ServeReplayOptions& options);

}  // namespace sluice::tools
