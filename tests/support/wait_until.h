// Waiting for what another thread or another program does.
#pragma once

#include <chrono>
#include <thread>

namespace sluice::tests {

/// Looks at the condition again and again until it holds. False: it did not in a time that no busy
/// machine takes, only a program that never comes to it.
template <class Condition>
[[nodiscard]] bool wait_until(Condition condition) {
  constexpr std::chrono::seconds kPatience{60};
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace sluice::tests
