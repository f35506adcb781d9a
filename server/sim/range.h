// Numbers that lie out of range, and what is said of them.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"

namespace sluice::sim {

/// Of a world file's key: "water.parts: 9 is out of range; allowed: 1 to 8".
[[nodiscard]] inline Error out_of_range(const std::string& key, std::int64_t value,
                                        std::int64_t low, std::int64_t high) {
  return Error{key + ": " + std::to_string(value) +
               " is out of range; allowed: " + std::to_string(low) + " to " + std::to_string(high)};
}

/// Likewise, or well.
[[nodiscard]] inline Status check_key(const std::string& key, std::int64_t value, std::int64_t low,
                                      std::int64_t high) {
  if (low <= value && value <= high) return Done{};
  return out_of_range(key, value, low, high);
}

/// Of a command's field: "rate 0 is out of range; allowed: 1 to 8 units a tick", with that `unit`.
[[nodiscard]] inline Status check_range(const char* field, std::int64_t value, std::int64_t low,
                                        std::int64_t high, const char* unit = "") {
  if (low <= value && value <= high) return Done{};
  return Error{std::string(field) + " " + std::to_string(value) + " is out of range; allowed: " +
               std::to_string(low) + " to " + std::to_string(high) + unit};
}

}  // namespace sluice::sim
