#include "tests/hunt/pushes.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "server/sim/waves/options.h"
#include "tests/support/random_world.h"

namespace sluice::hunt {

namespace {

// What a reason says of why, and the way's name: of an explosion, of a body.
struct Way {
  std::string_view reason;
  std::array<const char*, 2> names;
};
constexpr std::array kWays = {
    Way{"has no waves", {"an explosion where no waves are", "a body where no waves are"}},
    Way{"there is no free surface", {"an explosion in no water", "a body in no water"}},
    Way{"lies farther from it", {"an explosion too deep or too high", nullptr}},
    Way{"radius", {"an explosion that is too large", "a body that is too large"}},
    Way{"lies outside", {"an explosion beyond the world", "a body beyond the world"}},
    Way{"not allowed: ", {"an explosion where it is forbidden", "a body where it is forbidden"}},
};
constexpr std::array kApplied = {"an explosion", "a body moved"};
constexpr std::array kOtherwise = {"an explosion otherwise refused", "a body otherwise refused"};

}  // namespace

sim::Command random_push(tests::Dice& dice, Vec3 size) {
  const bool outside = dice.chance(5);
  const Vec3 room = outside ? Vec3{2 * size.x, 2 * size.y, 2 * size.z} : size;
  const Vec3 at = tests::random_place(dice, room);
  // Wide ones reach a surface from afar; most are small, as those of games are.
  std::int32_t radius = dice.chance(70) ? dice.roll(0, 8) : dice.roll(0, sim::kMaxSplashRadius);
  if (dice.chance(5)) radius = sim::kMaxSplashRadius + dice.roll(1, 1000);
  if (dice.chance(50)) {
    const std::int32_t energy = dice.chance(80) ? dice.roll(1, 4'000'000) : INT32_MAX;
    return {sim::Explode{at, radius, energy}};
  }
  // Half of them go a step, over columns that both pushes meet.
  Vec3 to = tests::random_place(dice, room);
  if (dice.chance(50)) to = {std::clamp(at.x + dice.roll(-2, 2), 0, room.x - 1), at.y, at.z};
  return {sim::MoveBody{at, to, radius}};
}

std::optional<Push> push_of(const sim::Command& command) {
  if (std::holds_alternative<sim::Explode>(command.body)) return Push::kExplosion;
  if (std::holds_alternative<sim::MoveBody>(command.body)) return Push::kBody;
  return std::nullopt;
}

const char* what_became(Push push, std::string_view reason) {
  const auto which = static_cast<std::size_t>(push);
  if (reason.empty()) return kApplied[which];
  for (const Way& way : kWays) {
    const bool is = reason.find(way.reason) != std::string_view::npos;
    if (is && way.names[which] != nullptr) return way.names[which];
  }
  return kOtherwise[which];
}

std::span<const char* const> ways_of_pushes() {
  static constexpr std::array kAll = {
      kApplied[0],       kApplied[1],       kWays[0].names[0], kWays[0].names[1], kWays[1].names[0],
      kWays[1].names[1], kWays[2].names[0], kWays[3].names[0], kWays[3].names[1], kWays[4].names[0],
      kWays[4].names[1], kWays[5].names[0], kWays[5].names[1],
  };
  return kAll;
}

}  // namespace sluice::hunt
