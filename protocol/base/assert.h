// A program error stops the process, in release builds too: a world that went wrong must not be
// recorded as if it were right. Wrong input is never asserted; it is a `Result` (result.h).
#pragma once

namespace sluice {

/// Prints the failed condition to standard error and aborts. Never returns.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace sluice

#define SLUICE_ASSERT(condition)                       \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::sluice::assertion_failed(#condition, __FILE__, __LINE__))
