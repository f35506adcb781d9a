// Springs, drains, heaters and open edges of a world: asked for beside the stream of ticks, since
// they seldom change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client_stub/picture.h"
#include "client_stub/screen.h"
#include "protocol/base/geometry.h"

namespace sluice::client {

struct Spring {
  Vec3 at;
  std::int32_t rate = 0;  // units a tick; of a heater of energy, below zero where it cools

  friend bool operator==(const Spring&, const Spring&) = default;
};

struct Fixtures {
  std::vector<Spring> sources;
  std::vector<Spring> drains;
  std::vector<Spring> heaters;
  std::vector<std::string> open;  // edges over which water leaves the world

  [[nodiscard]] const Spring* source_at(Vec3 cell) const;
  [[nodiscard]] const Spring* drain_at(Vec3 cell) const;
  [[nodiscard]] const Spring* heater_at(Vec3 cell) const;
};

/// From the server's answer to /worlds/NAME/fixtures. Nothing: it makes no sense.
[[nodiscard]] std::optional<Fixtures> read_fixtures(std::string_view json);

/// "spring, 512 units a tick", or empty.
[[nodiscard]] std::string describe_fixture(const Fixtures& fixtures, Vec3 cell);

/// S, D, H (heaters) and C (coolers) over the picture, in its slice; arrows out of the world along
/// its open edges.
void draw_fixtures(const Fixtures& fixtures, const Picture& picture, Vec3 size, Screen& screen);

}  // namespace sluice::client
