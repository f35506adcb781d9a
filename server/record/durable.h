// Making files and names outlast a loss of power.
#pragma once

#include <string>

#include "server/sim/result.h"

namespace sluice::record {

[[nodiscard]] sim::Status sync_file(const std::string& path);
/// After a file was made, renamed or removed in it.
[[nodiscard]] sim::Status sync_directory_of(const std::string& path);

}  // namespace sluice::record
