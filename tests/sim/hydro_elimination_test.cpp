// Goal: full runs that form trees are solved at once, nearly exactly, and rings are left to the
// search. Method: chains and a star of any length, beside what is left by the definition.
#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "server/sim/models/hydro/elimination.h"

namespace sluice::tests::hydro_elimination_test {
namespace {

/// Rests that corrections leave, by the definition.
std::vector<std::int64_t> left_over(const std::vector<sim::hydro::Joined>& joined,
                                    const std::vector<std::int64_t>& diagonal,
                                    std::vector<std::int64_t> rest,
                                    const std::vector<std::int64_t>& correction) {
  std::vector<double> left(rest.begin(), rest.end());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    left[i] -= static_cast<double>(diagonal[i]) / 65536 * static_cast<double>(correction[i]);
  }
  for (const auto& way : joined) {
    const auto low = static_cast<std::size_t>(way.low);
    const auto high = static_cast<std::size_t>(way.high);
    const double conductance = static_cast<double>(way.conductance) / 65536;
    left[low] += conductance * static_cast<double>(correction[high]);
    left[high] += conductance * static_cast<double>(correction[low]);
  }
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = std::llround(left[i]);
  return rest;
}

TEST(HydroElimination, SolvesAChainOfAnyLengthAndAStarInOneStepNearlyExactly) {
  for (const std::int32_t count : {1, 2, 3, 10, 501}) {
    for (const bool star : {false, true}) {
      std::vector<sim::hydro::Joined> joined;
      std::vector<std::int64_t> diagonal(static_cast<std::size_t>(count), 4);
      std::vector<std::int64_t> rest;
      for (std::int32_t i = 0; i < count; ++i) {
        rest.push_back((i * 7919 % 1000 - 500) * std::int64_t{65536});
        if (i == 0) continue;
        const std::int32_t before = star ? 0 : i - 1;
        joined.push_back({before, i, 20000 + i});
        diagonal[static_cast<std::size_t>(before)] += 20000 + i;
        diagonal[static_cast<std::size_t>(i)] += 20000 + i;
      }
      diagonal[0] += 30000;  // a way to a run whose head stays
      sim::hydro::Elimination elimination;
      ASSERT_TRUE(elimination.prepare(joined, diagonal));
      std::vector<std::int64_t> correction;
      elimination.solve(rest, correction);
      for (const std::int64_t left : left_over(joined, diagonal, rest, correction)) {
        EXPECT_LE(std::abs(left), 65536) << count << (star ? " star" : " chain");
      }
    }
  }
}

TEST(HydroElimination, LeavesRingsToTheSearch) {
  sim::hydro::Elimination elimination;
  const std::vector<sim::hydro::Joined> joined = {{0, 1, 9}, {1, 2, 9}, {2, 0, 9}, {2, 3, 9}};
  EXPECT_FALSE(elimination.prepare(joined, std::vector<std::int64_t>{22, 22, 31, 13}));
}

}  // namespace
}  // namespace sluice::tests::hydro_elimination_test
