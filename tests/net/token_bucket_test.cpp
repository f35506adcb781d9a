// Goal: a bucket lets its size through at once and its rate in the long run.
#include "server/net/token_bucket.h"

#include <gtest/gtest.h>

namespace sluice::net {
namespace {

TEST(TokenBucket, LetsTheRateThrough) {
  TokenBucket bucket(100, 10);
  const TokenBucket::Clock::time_point start{};
  int taken = 0;
  for (int i = 0; i < 50; ++i) taken += bucket.take(1, start) ? 1 : 0;
  EXPECT_EQ(taken, 10);
  for (int millisecond = 1; millisecond <= 1000; ++millisecond) {
    const auto now = start + std::chrono::milliseconds(millisecond);
    for (int i = 0; i < 5; ++i) taken += bucket.take(1, now) ? 1 : 0;
  }
  EXPECT_NEAR(taken, 110, 1);
  EXPECT_FALSE(bucket.take(11, start + std::chrono::hours(1)));
  EXPECT_TRUE(bucket.take(10, start + std::chrono::hours(1)));
}

}  // namespace
}  // namespace sluice::net
