// A property that does not hold: what it prints must be enough to draw the same case again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

RC_GTEST_PROP(FalseProperty, IsReportedWithAWayToReproduceIt, (int number)) {
  RC_ASSERT(number != number);
}

}  // namespace
