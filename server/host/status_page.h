// What the admins' listener shows people at /status: how the server and its worlds stand, on one
// page without scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/host/disk_guard.h"

namespace sluice::host {

struct WorldStatus {
  std::string name;
  std::string state;  // "runs", "paused", why it stands still
  bool well = true;
  std::uint64_t tick = 0;
  std::int64_t viewers = 0;
  std::uint64_t verified_tick = 0;  // replayed in the background; 0: none, or not yet
  std::uint64_t backup_tick = 0;    // of the newest one since the start; 0: none
  DiskSample disk;
};

struct ServerStatus {
  std::string version;
  std::string address;
  std::vector<WorldStatus> worlds;
  std::vector<std::string> notes;  // what else there is to say; a line each
};

/// A whole page of HTML. Whatever the texts hold, they are shown as they are.
[[nodiscard]] std::string status_page(const ServerStatus& status);

}  // namespace sluice::host
