// What an account may do in a world. A role holds all of those before it.
//
//   none     nothing
//   watch    see the world
//   build    give commands
//   operate  pause, step and save it, and end connections (admins' listener or page)
//   admin    all else: accounts, limits, worlds that come and go
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::access {

enum class Role : std::uint8_t { kNone, kWatch, kBuild, kOperate, kAdmin };

inline constexpr std::array<std::string_view, 5> kRoleNames = {"none", "watch", "build", "operate",
                                                               "admin"};

constexpr std::string_view name_of(Role role) {
  return kRoleNames[static_cast<std::size_t>(role)];
}

constexpr std::optional<Role> role_named(std::string_view name) {
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace sluice::access
