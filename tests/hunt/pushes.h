// Commands that push on the surfaces of water, `explode` and `move_body`: drawn for the run's
// clients, and what became of them by name, so that a sweep shows which of their ways were taken.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "server/sim/commands/commands.h"
#include "tests/support/dice.h"

namespace sluice::hunt {

/// In a world of that size; some reach beyond it, or farther than is allowed.
[[nodiscard]] sim::Command random_push(tests::Dice& dice, Vec3 size);

enum class Push : std::uint8_t { kExplosion, kBody };
/// Nothing where it is another command.
[[nodiscard]] std::optional<Push> push_of(const sim::Command& command);
/// What became of it, for the journal. `reason` is empty where it was applied.
[[nodiscard]] const char* what_became(Push push, std::string_view reason);
/// All that a sweep is to see, but for "otherwise refused".
[[nodiscard]] std::span<const char* const> ways_of_pushes();

}  // namespace sluice::hunt
