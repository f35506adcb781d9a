// Parts of a configuration that are numbers with bounds: its tables [limits.ROLE] and
// [connections].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "protocol/base/result.h"
#include "server/access/role_limits.h"
#include "server/host/connection_bounds.h"

namespace sluice::host {

template <class Names>
std::string list_of(const Names& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

/// Errors of all of these name the file, the place and the key.
[[nodiscard]] Status set_number(const std::string& path, std::string_view key,
                                const toml::node& node, std::uint32_t least, std::uint32_t most,
                                std::uint32_t& set);
[[nodiscard]] Status set_limits(const std::string& path, const toml::node& node,
                                access::LimitsByRole& limits);
[[nodiscard]] Status set_connections(const std::string& path, const toml::node& node,
                                     ConnectionBounds& bounds);

}  // namespace sluice::host
