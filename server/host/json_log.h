// Log lines as JSON, one object a line, for programs that gather logs:
//
//   {"time":"2026-11-22T13:15:00.123Z","level":"info","message":"cave: begins, recorded in ..."}
#pragma once

#include <memory>

#include <spdlog/formatter.h>

namespace sluice::host {

[[nodiscard]] std::unique_ptr<spdlog::formatter> json_log_lines();

}  // namespace sluice::host
