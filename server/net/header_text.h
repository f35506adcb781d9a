// Reading the values of HTTP's headers.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::net {

/// Without the blanks around it.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

}  // namespace sluice::net
