// The memory that a run is given: what was never written holds other bytes each time, and what
// comes later lies elsewhere. Whatever depends on either differs between a world that lived and
// the plain one.
#pragma once

#include <string>
#include <vector>

#include <malloc.h>

#include "tests/support/dice.h"

namespace sluice::hunt {

class Memory {
 public:
  Memory() = default;
  ~Memory() { mallopt(M_PERTURB, 0); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// From now on. Writing to all memory that is given or taken costs a fifth of a run, so it is
  /// rarely done.
  void stir(tests::Dice& dice) {
    mallopt(M_PERTURB, dice.chance(20) ? dice.roll(1, 255) : 0);
    ballast_.clear();
    for (int blocks = dice.roll(0, 40); blocks > 0; --blocks) {
      ballast_.emplace_back(static_cast<std::size_t>(dice.roll(1, 20'000)), '\0');
    }
  }

 private:
  std::vector<std::string> ballast_;
};

}  // namespace sluice::hunt
