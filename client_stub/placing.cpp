#include "client_stub/placing.h"

#include <string>
#include <string_view>

#include "client_stub/command_json.h"
#include "client_stub/layers.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

/// Units a tick, of springs and drains.
constexpr std::int32_t kSpringRate = 512;
/// Units of energy a tick, of heaters: a full cell becomes a fifth of a degree warmer.
constexpr std::int32_t kEnergy = 200'000;

struct Kind {
  const char* name;     // for people
  const char* command;  // what it is called after add_ and remove_
  std::int32_t rate;
};

/// `held`: what the key takes away; null: it puts one there.
Act toggle(const Kind& kind, Vec3 at, const Spring* held, const Mixture& mixture) {
  CommandJson command = {
      {"cmd", (held == nullptr ? "add_" : "remove_") + std::string(kind.command)},
      {"at", place_json(at)}};
  if (held != nullptr) return {{line_of(command)}, std::string("no ") + kind.name};
  command["rate"] = kind.rate;
  if (!mixture.tracer.empty()) command["tracer"] = CommandJson{{mixture.tracer, kMixedAmount}};
  if (mixture.temperature) command["temperature"] = *mixture.temperature;
  std::string said = std::string("a ") + kind.name;
  if (!mixture.is_plain()) said += ", " + mixture.describe();
  return {{line_of(command)}, said + "; again takes it away"};
}

/// From the cell up.
Act trap_air(Vec3 at) {
  return {
      {line_of(
          {{"cmd", "trap_air"}, {"at", place_json(at)}, {"level", std::int64_t{at.y} * kFull}})},
      "the air from here up stays; dig a cell of it to let it go"};
}

/// Up to the top of the cell.
Act bring_to_level(bool lowers, Vec3 at) {
  const std::int64_t level = (std::int64_t{at.y} + 1) * kFull;
  const std::string cells = std::to_string(at.y + 1) + " cells over the floor; no undo";
  return {{line_of({{"cmd", lowers ? "evaporate_level" : "fill_level"},
                    {"at", place_json(at)},
                    {"level", level}})},
          (lowers ? "lowered to " : "filled up to ") + cells};
}

}  // namespace

bool is_placed_by(char key) {
  return std::string_view("gUHJFV*").find(key) != std::string_view::npos;
}

Act place(char key, Vec3 cursor, const protocol::Mirror& mirror, const Fixtures& fixtures,
          const Mixture& mixture) {
  switch (key) {
    case 'g':
      return toggle({"spring", "source", kSpringRate}, cursor, fixtures.source_at(cursor), mixture);
    case 'U':
      return toggle({"drain", "drain", kSpringRate}, cursor, fixtures.drain_at(cursor), {});
    case 'F':
    case 'V':
      return bring_to_level(key == 'V', cursor);
    case '*':
      return trap_air(cursor);
    default:
      break;
  }
  if (!find_layer(mirror, protocol::kTemperatureLayer)) return {{}, "this world has no heat"};
  const bool cools = key == 'J';
  const Kind kind{cools ? "cooler" : "heater", "heater", cools ? -kEnergy : kEnergy};
  return toggle(kind, cursor, fixtures.heater_at(cursor), {});
}

}  // namespace sluice::client
