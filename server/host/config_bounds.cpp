#include "server/host/config_bounds.h"

#include <algorithm>
#include <array>

#include "server/host/toml_file.h"

namespace sluice::host {

namespace {

Status set_limit(const std::string& path, const std::string& section, std::string_view key,
                 const toml::node& node, access::RoleLimits& limits) {
  struct Key {
    std::string_view name;
    std::uint32_t access::RoleLimits::*value;
    std::uint32_t least;
  };
  constexpr std::array<Key, 6> kLimits = {
      Key{"bytes_per_second", &access::RoleLimits::bytes_per_second, access::kLeastBytesPerSecond},
      {"cells_owned", &access::RoleLimits::cells_owned, 1},
      {"commands_per_second", &access::RoleLimits::commands_per_second, 1},
      {"pipes_owned", &access::RoleLimits::pipes_owned, 1},
      {"view_cells", &access::RoleLimits::view_cells, 1},
      {"work_per_second", &access::RoleLimits::work_per_second, access::kLeastWorkPerSecond}};
  for (const Key& one : kLimits) {
    if (one.name != key) continue;
    if (node.value_exact<std::int64_t>() == 0) {
      limits.*one.value = 0;
      return Done{};
    }
    return set_number(path, key, node, one.least, UINT32_MAX, limits.*one.value);
  }
  return error_at(path, node.source(),
                  "unknown key \"" + std::string(key) + "\" in [limits." + section +
                      "]; allowed: bytes_per_second, cells_owned, commands_per_second, "
                      "pipes_owned, view_cells, work_per_second");
}

}  // namespace

Status set_number(const std::string& path, std::string_view key, const toml::node& node,
                  std::uint32_t least, std::uint32_t most, std::uint32_t& set) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || *number < std::int64_t{least} || *number > std::int64_t{most}) {
    return error_at(path, node.source(),
                    std::string(key) + " must be a number from " + std::to_string(least) + " to " +
                        std::to_string(most));
  }
  set = static_cast<std::uint32_t>(*number);
  return Done{};
}

Status set_limits(const std::string& path, const toml::node& node, access::LimitsByRole& limits) {
  const std::string wrong =
      "limits must be tables of watch, build, operate or admin, as in [limits.build]";
  const toml::table* const roles = node.as_table();
  if (roles == nullptr) return error_at(path, node.source(), wrong);
  for (const auto& [name, entry] : *roles) {
    const auto role = access::role_named(name.str());
    const toml::table* const keys = entry.as_table();
    if (keys == nullptr || !role || *role == access::Role::kNone) {
      return error_at(path, entry.source(), wrong);
    }
    for (const auto& [key, value] : *keys) {
      Status status = set_limit(path, std::string(name.str()), key.str(), value,
                                limits[static_cast<std::size_t>(*role)]);
      if (!status.ok()) return status;
    }
  }
  return Done{};
}

Status set_connections(const std::string& path, const toml::node& node, ConnectionBounds& bounds) {
  const toml::table* const keys = node.as_table();
  if (keys == nullptr) {
    return error_at(path, node.source(), "connections must be a table, as in [connections]");
  }
  for (const auto& [key, value] : *keys) {
    const auto* const known =
        std::find_if(kConnectionKeys.begin(), kConnectionKeys.end(),
                     [&name = key](const ConnectionKey& one) { return one.name == name.str(); });
    if (known == kConnectionKeys.end()) {
      std::array<std::string_view, kConnectionKeys.size()> names;
      std::transform(kConnectionKeys.begin(), kConnectionKeys.end(), names.begin(),
                     [](const ConnectionKey& one) { return one.name; });
      return error_at(path, value.source(),
                      "unknown key \"" + std::string(key.str()) +
                          "\" in [connections]; allowed: " + list_of(names));
    }
    Status status = set_number(path, key.str(), value, 1, known->most, bounds.*known->value);
    if (!status.ok()) return status;
  }
  return Done{};
}

}  // namespace sluice::host
