#include "server/host/worlds_file.h"

#include <array>
#include <utility>

#include "server/host/toml_file.h"
#include "server/host/write_whole.h"
#include "server/record/files.h"
#include "server/sim/spec.h"

namespace sluice::host {

namespace {

constexpr std::array<std::string_view, 3> kStates = {"hosted", "unloaded", "removed"};

std::optional<WorldState> state_named(std::string_view name) {
  for (std::size_t i = 0; i < kStates.size(); ++i) {
    if (kStates[i] == name) return static_cast<WorldState>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(WorldState state) {
  return kStates[static_cast<std::size_t>(state)];
}

Result<WorldsFile> WorldsFile::read(const std::string& path) {
  WorldsFile file(path);
  if (!record::files().exists(path)) return file;
  const Result<toml::table> table = read_toml(path);
  if (!table) return Error{table.error()};
  for (const auto& [key, node] : *table) {
    const toml::table* const worlds = node.as_table();
    if (key.str() != "worlds" || worlds == nullptr) {
      return error_at(path, node.source(), "there are tables [worlds.NAME] alone here");
    }
    for (const auto& [name, entry] : *worlds) {
      const toml::table* const world = entry.as_table();
      const auto state =
          world == nullptr ? std::nullopt : (*world)["state"].value_exact<std::string>();
      const auto known = state ? state_named(*state) : std::nullopt;
      if (!known || world->size() != 1 || !sim::valid_world_name(name.str())) {
        return error_at(path, entry.source(),
                        "expected [worlds.NAME] with state = \"hosted\", \"unloaded\" or "
                        "\"removed\"");
      }
      file.states_.emplace(name.str(), *known);
    }
  }
  return file;
}

std::optional<WorldState> WorldsFile::state_of(std::string_view world) const {
  const auto place = states_.find(world);
  return place == states_.end() ? std::nullopt : std::optional(place->second);
}

Status WorldsFile::set(const std::string& world, std::optional<WorldState> state) {
  auto changed = states_;
  if (state) {
    changed[world] = *state;
  } else {
    changed.erase(world);
  }
  if (changed == states_) return Done{};
  std::string text = "# What admins made of this server's worlds; the server writes it.\n";
  for (const auto& [name, its_state] : changed) {
    text += "[worlds." + name + "]\nstate = \"" + std::string(name_of(its_state)) + "\"\n";
  }
  if (Status written = write_whole(path_, text); !written) return written;
  states_ = std::move(changed);
  return Done{};
}

}  // namespace sluice::host
