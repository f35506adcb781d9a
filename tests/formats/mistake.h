// A small world's file to which keys are added, and what is said of a mistake in them.
#pragma once

#include <string>

#include "server/formats/world_file.h"

namespace sluice::tests {

/// Three lines.
inline constexpr const char* kHead = "[world]\nname = \"a\"\nsize = [5, 6, 1]\n";

inline std::string mistake(const std::string& text) {
  const auto spec = formats::parse_world(text, "a.toml");
  return spec ? "" : spec.error();
}

}  // namespace sluice::tests
