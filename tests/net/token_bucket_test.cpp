// Goal: a bucket lets its size through at once and its rate in the long run.
#include "server/net/token_bucket.h"

#include <gtest/gtest.h>

namespace sluice::net::token_bucket_test {
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

// Views that came too fast cost nothing, so 450 a second were let through instead of 200.
TEST(TokenBucket, WhatIsChargedIsOwed) {
  TokenBucket bucket(100, 10);
  const TokenBucket::Clock::time_point start{};
  for (int i = 0; i < 3; ++i) bucket.charge(20, start);  // 50 are owed
  EXPECT_FALSE(bucket.take(1, start + std::chrono::milliseconds(500)));
  EXPECT_TRUE(bucket.take(1, start + std::chrono::milliseconds(520)));
}

}  // namespace
}  // namespace sluice::net::token_bucket_test
