// The equations of full runs: what a change of each head changes in what flows. Trees are solved at
// once (elimination.h), what forms rings by conjugate gradients in integers, with the diagonal as a
// preconditioner: sums of integers do not depend on their order, so neither the mirror image nor
// the order of runs matters. Gauss-Seidel and its red-black kind depend on both.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/models/hydro/elimination.h"
#include "server/sim/models/hydro/number.h"

namespace sluice::sim::hydro {

class Solver {
 public:
  void clear();
  /// A run that takes in `rest` more than is wanted, which is good to within `enough`; both Q16.
  /// Returns its number.
  std::int32_t add(Q16 rest, Q16 enough);
  /// A way between two of them.
  void join(std::int32_t low, std::int32_t high, Q16 conductance);
  /// A way to a run whose head stays.
  void hold(std::int32_t run, Q16 conductance);
  /// Finds the corrections.
  void solve();
  /// Of the head, Q16.
  [[nodiscard]] std::int64_t correction(std::int32_t run) const {
    return correction_[static_cast<std::size_t>(run)];
  }

 private:
  struct Held {
    std::int32_t run = 0;
    Q16 conductance = 0;
  };
  /// A number as mantissa * 2^exponent.
  struct Wide {
    std::int64_t mantissa = 0;
    int exponent = 0;
  };
  using List = std::vector<std::int64_t>;

  static Wide dot(const List& a, std::uint64_t bits_a, const List& b, std::uint64_t bits_b);
  static Wide quotient(Wide a, Wide b);
  static std::int64_t times(std::int64_t value, Wide factor);
  void divide(std::size_t i);
  void multiply();
  void eliminate();
  void search();
  void go_along(Wide factor);
  void turn(Wide factor);

  std::vector<Joined> joined_;
  std::vector<Held> held_;
  List correction_;
  List rest_;
  List direction_;
  List image_;  // of the direction
  List step_;   // the rest, divided by the diagonal
  List enough_;
  List diagonal_;
  std::vector<std::uint64_t> inverse_;  // of the diagonal, Q64
  // Each has every bit that any number in its list has.
  std::uint64_t bits_of_rest_ = 0;
  std::uint64_t bits_of_step_ = 0;
  std::uint64_t bits_of_direction_ = 0;
  std::uint64_t bits_of_image_ = 0;
  bool done_ = false;
  Elimination elimination_;
};

}  // namespace sluice::sim::hydro
