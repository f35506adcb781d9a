// Goal: a bucket lets its size through at once and its rate in the long run; of messages each
// client has its own, and what all share goes to those who want more.
#include "server/net/token_bucket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/net/message_allowance.h"

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

struct Rates {
  double steady;
  double spare;
};
Limits limits_of(const Rates& rates) {
  Limits limits;
  limits.messages_per_second = 500;
  limits.steady_messages_per_second = rates.steady;
  limits.spare_messages_per_second = rates.spare;
  return limits;
}

// In each millisecond everybody sends as much as is taken, those of the flood first.
TEST(MessageAllowance, AFloodTakesWhatAllShareAndNobodysOwn) {
  const Limits limits = limits_of({.steady = 100, .spare = 300});
  TokenBucket spare(limits.spare_messages_per_second, limits.spare_messages_per_second);
  std::vector<MessageAllowance> flood(10, MessageAllowance(limits, spare));
  MessageAllowance modest(limits, spare);
  MessageAllowance::Time now{};
  int flooded = 0;
  for (int millisecond = 0; millisecond < 10'000; ++millisecond) {
    now += std::chrono::milliseconds(1);
    for (MessageAllowance& client : flood) {
      while (client.take(now)) ++flooded;
    }
    if (millisecond % 10 == 0) {
      EXPECT_TRUE(modest.take(now)) << millisecond;
    }
  }
  // Ten seconds, and what every bucket held at first.
  EXPECT_NEAR(flooded, 11 * (10 * 100 + 300), 20);
}

TEST(MessageAllowance, OneAloneGetsTheHighestRate) {
  const Limits limits = limits_of({.steady = 100, .spare = 1000});
  TokenBucket spare(limits.spare_messages_per_second, limits.spare_messages_per_second);
  MessageAllowance alone(limits, spare);
  MessageAllowance::Time now{};
  int taken = 0;
  for (int millisecond = 0; millisecond < 10'000; ++millisecond) {
    now += std::chrono::milliseconds(1);
    while (alone.take(now)) ++taken;
  }
  EXPECT_NEAR(taken, 11 * 500, 10);
}

// Whatever they cost: in the long run all of them together get no more than is there.
RC_GTEST_PROP(MessageAllowance, WhatIsChargedIsPaidBySomebody, ()) {
  Limits limits;
  limits.messages_per_second = 1e9;
  limits.steady_messages_per_second = *rc::gen::inRange(1, 50);
  limits.spare_messages_per_second = *rc::gen::inRange(1, 200);
  TokenBucket spare(limits.spare_messages_per_second, limits.spare_messages_per_second);
  const auto clients = *rc::gen::inRange<std::size_t>(1, 8);
  std::vector<MessageAllowance> all(clients, MessageAllowance(limits, spare));
  MessageAllowance::Time now{};
  const int seconds = 20;
  const double largest = *rc::gen::inRange(0, 60);
  double got = 0;
  for (int step = 0; step < seconds * 100; ++step) {
    now += std::chrono::milliseconds(10);
    for (MessageAllowance& client : all) {
      for (int i = 0; i < 3 && client.take(now); ++i) {
        const double more = (step * 7 + i) % 3 == 0 ? largest : 0;
        client.charge_work(more, now);
        got += 1 + more;
      }
    }
  }
  const double rate = static_cast<double>(clients) * limits.steady_messages_per_second +
                      limits.spare_messages_per_second;
  // What is charged last may be owed at the end: by each client once.
  RC_ASSERT(got <= rate * (seconds + 1) + static_cast<double>(clients) * (largest + 1));
}

}  // namespace
}  // namespace sluice::net::token_bucket_test
