// Goal: the clock keeps its rate, catches up by a bounded number of ticks, and counts what it
// drops.
#include "server/host/tick_clock.h"

#include <gtest/gtest.h>

namespace sluice::host::tick_clock_test {
namespace {

using std::chrono::milliseconds;

constexpr TickClock::Time kStart{};

TEST(TickClock, TicksOnTimeAreDueAPeriodApart) {
  TickClock clock(20, kStart);
  for (int i = 1; i <= 1000; ++i) {
    EXPECT_EQ(clock.due(), kStart + milliseconds(50 * i));
    EXPECT_EQ(clock.begin_tick(clock.due()), TickClock::Duration::zero());
  }
  EXPECT_EQ(clock.dropped(), 0U);
}

TEST(TickClock, LatenessDoesNotAddUp) {
  TickClock clock(20, kStart);
  EXPECT_EQ(clock.begin_tick(clock.due() + milliseconds(30)), milliseconds(30));
  EXPECT_EQ(clock.due(), kStart + milliseconds(100));
}

TEST(TickClock, AShortDelayIsCaughtUpWhole) {
  TickClock clock(20, kStart);
  const TickClock::Time now = kStart + milliseconds(50 * 9);
  int ticks = 0;
  for (; clock.due() <= now; ++ticks) clock.begin_tick(now);
  EXPECT_EQ(ticks, 9);
  EXPECT_EQ(clock.dropped(), 0U);
}

TEST(TickClock, ALongDelayIsLetGoButForABoundedNumberOfTicks) {
  TickClock clock(20, kStart);
  const TickClock::Time now = kStart + milliseconds(50 * 1000);
  int ticks = 0;
  for (; clock.due() <= now; ++ticks) clock.begin_tick(now);
  EXPECT_LE(ticks, TickClock::kMaxBehind + 2);
  EXPECT_EQ(static_cast<std::uint64_t>(ticks) + clock.dropped(), 1000U);
  EXPECT_EQ(clock.due(), now + milliseconds(50));
}

}  // namespace
}  // namespace sluice::host::tick_clock_test
