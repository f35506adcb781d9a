// The water models and their options, as people and programs read them. All follows from what each
// model declares (server/sim/models/option.h).
#pragma once

#include <string>

namespace sluice::formats {

/// A paragraph for each model, a line for each option: its key in [water], what is usual, what is
/// allowed, what it means.
[[nodiscard]] std::string model_list();

/// The same as JSON: an array of {"model", "version", "meaning", "options": [{"name", "default",
/// "from", "to" or "values", "meaning"}]}.
[[nodiscard]] std::string model_list_json();

}  // namespace sluice::formats
