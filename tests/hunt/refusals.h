// What the world says when it refuses a command, and which commands it says it of. One row for each
// reason: an answer that fits none is a failure, so that a new reason gets its row; a sweep in
// which a command was never refused for a reason that its row names has hunted in vain there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::hunt {

/// In place of a command, of a reason that does not depend on it.
inline constexpr const char* kAnyCommand = "any";

struct Refusal {
  std::string_view says;  // as it stands in the reason, and in the product's source
  const char* name;       // in journals and coverage
  const char* commands;   // that are refused so now and then; of other rows no run is large enough
};

/// The first row that fits the reason; null where none does.
[[nodiscard]] const Refusal* refusal_of(std::string_view reason);
/// "refused: pour: rock"; lives for ever.
[[nodiscard]] const char* refused_as(std::string_view command, const Refusal& refusal);
/// "command: pour"; lives for ever.
[[nodiscard]] const char* applied_as(std::string_view command);
/// All that a long sweep must have met: every command applied, and refused in every way.
[[nodiscard]] std::vector<std::string> outcomes_that_must_be();

}  // namespace sluice::hunt
