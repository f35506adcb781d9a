// What a sweep met, over all its runs and processes, and what it should have met.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sluice::hunt {

/// A sweep of so many runs has met all that must be met, or hunted in vain.
inline constexpr std::uint64_t kRunsThatMeetAll = 5000;

struct Coverage {
  std::uint64_t enough = kRunsThatMeetAll;  // runs
  std::uint64_t runs = 0;
  std::uint64_t ticks = 0;
  std::uint64_t failures = 0;
  /// How often each event, phase, command and refusal was met, and each marked place as
  /// place_named() has it.
  std::map<std::string, std::uint64_t> counts;

  void add(const std::map<std::string, std::uint64_t>& met);
  /// What was not met that a long sweep meets.
  [[nodiscard]] std::vector<std::string> missed() const;
  [[nodiscard]] bool in_vain() const { return runs >= enough && !missed().empty(); }
  /// In one line.
  [[nodiscard]] std::string progress(double seconds_taken) const;
  /// All of it, and what it comes to.
  [[nodiscard]] std::string summary(double seconds_taken) const;
};

[[nodiscard]] std::string place_named(const std::string& place);
/// Of the marked places that this process reached: those reached since the last call.
[[nodiscard]] std::map<std::string, std::uint64_t> take_reached_places();

}  // namespace sluice::hunt
