// `sluice-server check`: what a configuration comes to, without starting anything.
#pragma once

#include <string>

#include "protocol/base/result.h"
#include "server/host/config.h"

namespace sluice::host {

/// Text for people, a line for each thing. The error is what starting would have failed with, as
/// far as files tell: what is not looked at is whether addresses are free, and recordings.
[[nodiscard]] Result<std::string> explain(const Config& config);

}  // namespace sluice::host
