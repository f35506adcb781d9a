// How many cases a test draws. Builds that check every cache in every tick, and the sanitizers,
// take ten to fifty times as long for each case: there a test draws a tenth of them. None is left
// out.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sluice::tests {

#if defined(__has_feature)
#define SLUICE_HAS_FEATURE(name) __has_feature(name)
#else
#define SLUICE_HAS_FEATURE(name) 0
#endif
#if defined(SLUICE_CHECKED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    SLUICE_HAS_FEATURE(address_sanitizer) || SLUICE_HAS_FEATURE(thread_sanitizer)
inline constexpr std::uint64_t kCasesDividedBy = 10;
#else
inline constexpr std::uint64_t kCasesDividedBy = 1;
#endif
#undef SLUICE_HAS_FEATURE

/// Of so many cases in a build that is as fast as what ships, those that this build draws: not
/// fewer than `at_least`, for instance one for each model of water.
[[nodiscard]] constexpr std::uint64_t cases(std::uint64_t in_full, std::uint64_t at_least = 1) {
  return std::max(at_least, in_full / kCasesDividedBy);
}

}  // namespace sluice::tests
