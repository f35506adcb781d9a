// Goal: no client delays another, no tick spends more on commands than its budget, every client's
// commands keep their order, and every command is taken or turned away with a reason.
// Method: a queue with tiny limits and costs that the test makes up; then properties.
#include "server/host/command_queue.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sluice::host::command_queue_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int32_t kTickRate = 10;

/// A pour whose units are its cost; odd ones set in motion what is at rest.
QueuedCommand costing(std::int32_t work, std::uint64_t session, std::uint64_t seq) {
  return {{{sim::Pour{{}, work}}, "client", seq}, session};
}

sim::CommandCost cost_of(const sim::Command& command) {
  const std::int32_t units = std::get<sim::Pour>(command.body).units;
  return {units, units % 2 == 1};
}

struct Tick {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // session, seq
  std::vector<std::string> reasons;
  std::int64_t work = 0;
};

Tick take(CommandQueue& queue, double own_seconds = 0) {
  std::vector<QueuedCommand> turned_away;
  Tick tick;
  queue.begin_tick(own_seconds);
  while (const auto one = queue.next(cost_of, turned_away)) {
    tick.taken.emplace_back(one->session, one->seq);
    tick.work += cost_of(one->command).work;
  }
  for (const QueuedCommand& one : turned_away) tick.reasons.push_back(one.reason);
  return tick;
}

using Taken = std::pair<std::uint64_t, std::uint64_t>;

/// Makes them clients who have been there long enough to have saved all that they may.
void rest(CommandQueue& queue, const std::vector<std::uint64_t>& sessions) {
  for (const std::uint64_t session : sessions) ASSERT_TRUE(queue.push(costing(2, session, 0)).ok());
  for (int tick = 0; tick < 100; ++tick) (void)take(queue);
}

TEST(CommandQueue, TakesFromEachClientInTurn) {
  CommandQueue queue({}, kTickRate);
  for (std::uint64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(queue.push(costing(2, 7, seq)).ok());
  ASSERT_TRUE(queue.push(costing(2, 8, 1)).ok());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{7, 1}, Taken{8, 1}, Taken{7, 2}, Taken{7, 3}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(CommandQueue, WhatATickCannotSpendWaitsAndIsNextOne) {
  CommandQueue queue({.tick_work = 10, .client_work_per_second = 1000}, kTickRate);
  for (std::uint64_t session = 1; session <= 3; ++session) {
    ASSERT_TRUE(queue.push(costing(6, session, 1)).ok());
  }
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 1}));
  ASSERT_TRUE(queue.push(costing(6, 1, 2)).ok());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{2, 1}));
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{3, 1}));
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 2}));
}

TEST(CommandQueue, AClientThatUsedItsAllowanceWaitsAloneAndInOrder) {
  // Saves up to 10, gets 2 a tick.
  CommandQueue queue({.tick_work = 10, .client_work_per_second = 20}, kTickRate);
  rest(queue, {1, 2});
  ASSERT_TRUE(queue.push(costing(10, 1, 1)).ok());
  ASSERT_TRUE(queue.push(costing(4, 1, 2)).ok());
  ASSERT_TRUE(queue.push(costing(2, 1, 3)).ok());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 1}));
  ASSERT_TRUE(queue.push(costing(10, 2, 1)).ok());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{2, 1}));
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 2}));
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 3}));
}

// Of a role with 20 units a second a client saves a second's, and gets 2 a tick; of others all.
TEST(CommandQueue, ARoleBoundsItsOwnClients) {
  CommandQueue queue({.tick_work = 100, .client_work_per_second = 1000}, kTickRate);
  CommandQueue::WorkByRole work{};
  work[static_cast<std::size_t>(access::Role::kBuild)] = 20;
  queue.set_role_work(work);
  const auto push = [&queue](std::int32_t cost, std::uint64_t session, access::Role role) {
    QueuedCommand command = costing(cost, session, static_cast<std::uint64_t>(cost));
    command.role = role;
    ASSERT_TRUE(queue.push(std::move(command)).ok());
  };
  push(20, 1, access::Role::kBuild);  // to the bound
  push(21, 2, access::Role::kBuild);  // and one beyond
  push(100, 3, access::Role::kOperate);
  Tick tick = take(queue);
  // Who has just come has saved nothing; what finding out costs is paid first.
  EXPECT_THAT(tick.taken, ElementsAre(Taken{3, 100}));
  int ticks = 1;
  std::vector<std::string> reasons;
  bool taken = false;
  for (; ticks < 20; ++ticks) {
    tick = take(queue);
    taken = taken || !tick.taken.empty();
    reasons.insert(reasons.end(), tick.reasons.begin(), tick.reasons.end());
    if (taken) break;
  }
  EXPECT_EQ(ticks, 9) << "20 units at 2 a tick";
  EXPECT_THAT(reasons, ElementsAre("too much at once: the command takes 21 units of work, the role "
                                   "build gives 20 a second; send it in smaller parts"));
  // The bound of a role can be taken away while it runs.
  queue.set_role_work({});
  push(100, 2, access::Role::kBuild);
  for (ticks = 0; ticks < 20 && take(queue).taken.empty(); ++ticks) {
  }
  EXPECT_LT(ticks, 2);
}

TEST(CommandQueue, AFullLineOfABoundRoleSaysHowItMovesOn) {
  CommandQueue queue({.tick_work = 100, .client_commands = 1}, kTickRate);
  CommandQueue::WorkByRole work{};
  work[static_cast<std::size_t>(access::Role::kBuild)] = 20;
  queue.set_role_work(work);
  ASSERT_TRUE(queue.push(costing(5, 1, 1)).ok());
  EXPECT_EQ(queue.push(costing(5, 1, 2)).error(),
            "too much at once: 1 of your commands wait for their turn; the role build gives 20 "
            "units of work a second, and they come as it does");
}

// One that connected anew for each of its commands had a full allowance for each.
TEST(CommandQueue, ComingAnewGainsNothing) {
  const WorkLimits limits{.tick_work = 10, .client_work_per_second = 20, .rested_clients = 2};
  CommandQueue queue(limits, kTickRate);
  std::int64_t spent = 0;
  for (std::uint64_t session = 1; session <= 50; ++session) {
    for (std::uint64_t seq = 1; seq <= 5; ++seq) {
      ASSERT_TRUE(queue.push(costing(2, session, seq)).ok());
    }
    spent += take(queue).work - 2;  // who stays has that much in each tick
    (void)queue.clear();
  }
  EXPECT_LE(spent, 0);
  // Of those who rested, so many are remembered: the others save anew.
  rest(queue, {101, 102, 103});
  for (const std::uint64_t session : {101U, 102U, 103U}) {
    ASSERT_TRUE(queue.push(costing(10, session, 1)).ok());
  }
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{102, 1}));
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{103, 1}));
  EXPECT_THAT(take(queue).taken, ElementsAre());
  EXPECT_THAT(take(queue).taken, ElementsAre());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{101, 1}));
}

TEST(CommandQueue, WhatNoTickCanSpendIsTurnedAway) {
  CommandQueue queue({.tick_work = 10}, kTickRate);
  ASSERT_TRUE(queue.push(costing(10, 1, 1)).ok());
  ASSERT_TRUE(queue.push(costing(11, 2, 1)).ok());
  const Tick tick = take(queue);
  EXPECT_THAT(tick.taken, ElementsAre(Taken{1, 1}));
  EXPECT_TRUE(tick.reasons.empty());  // finding out costs something, too
  EXPECT_THAT(take(queue).reasons,
              ElementsAre(HasSubstr("takes 11 units of work, a tick gives commands 10")));
}

TEST(CommandQueue, ABusyWorldTakesWhatSetsNothingInMotion) {
  CommandQueue queue({.busy_seconds = 0.010}, kTickRate);
  ASSERT_TRUE(queue.push(costing(3, 1, 1)).ok());
  ASSERT_TRUE(queue.push(costing(4, 1, 2)).ok());
  const Tick tick = take(queue, 0.011);
  EXPECT_THAT(tick.taken, ElementsAre(Taken{1, 2}));
  EXPECT_THAT(tick.reasons, ElementsAre(HasSubstr("the world is busy")));
  ASSERT_TRUE(queue.push(costing(3, 1, 3)).ok());
  EXPECT_THAT(take(queue, 0.010).taken, ElementsAre(Taken{1, 3}));
}

// What moves by itself leaves less for commands: 100 units are 400 ns.
TEST(CommandQueue, TheWorldsOwnMotionIsTakenOffTheBudget) {
  CommandQueue queue({.tick_work = 100, .least_tick_work = 10, .client_work_per_second = 1000},
                     kTickRate);
  ASSERT_TRUE(queue.push(costing(41, 1, 1)).ok());
  ASSERT_TRUE(queue.push(costing(39, 1, 2)).ok());
  EXPECT_TRUE(take(queue, 60 * kSecondsOfWork).reasons.empty());  // it costs something, too
  const Tick tick = take(queue, 60 * kSecondsOfWork);
  EXPECT_THAT(tick.taken, ElementsAre(Taken{1, 2}));
  EXPECT_THAT(tick.reasons, ElementsAre(HasSubstr("the world is busy")));
}

// What sets nothing in motion waits until a busy world saved enough for it.
TEST(CommandQueue, ABusyWorldSavesForWhoWaits) {
  CommandQueue queue({.tick_work = 100, .least_tick_work = 10, .client_work_per_second = 1000},
                     kTickRate);
  ASSERT_TRUE(queue.push(costing(40, 1, 1)).ok());
  for (int tick = 0; tick < 3; ++tick) EXPECT_TRUE(take(queue, 1).taken.empty());
  EXPECT_THAT(take(queue, 1).taken, ElementsAre(Taken{1, 1}));
}

// What moves takes its time to spread. Until then it counts as its cost says.
TEST(CommandQueue, WhatWasSetInMotionIsTakenOffTheBudgetUntilItIsSeen) {
  CommandQueue queue({.tick_work = 100, .least_tick_work = 10, .client_work_per_second = 1 << 30},
                     kTickRate);
  rest(queue, {1, 2});
  ASSERT_TRUE(queue.push(costing(51, 1, 1)).ok());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 1}));
  for (std::size_t tick = 1; tick < kTicksUntilSeen; ++tick) {
    ASSERT_TRUE(queue.push(costing(51, 1, tick)).ok());
    ASSERT_TRUE(queue.push(costing(40, 2, tick)).ok());
    const Tick now = take(queue);
    EXPECT_THAT(now.taken, ElementsAre(Taken{2, tick})) << "it sets nothing in motion";
    EXPECT_THAT(now.reasons, ElementsAre(HasSubstr("the world is busy")));
  }
  ASSERT_TRUE(queue.push(costing(51, 1, 2)).ok());
  EXPECT_THAT(take(queue).taken, ElementsAre(Taken{1, 2}));
  // Also within one tick.
  for (std::size_t tick = 0; tick < kTicksUntilSeen; ++tick) (void)take(queue);
  for (const std::uint64_t seq : {3U, 4U, 5U}) ASSERT_TRUE(queue.push(costing(35, 1, seq)).ok());
  const Tick now = take(queue);
  EXPECT_THAT(now.taken, ElementsAre(Taken{1, 3}, Taken{1, 4}));
}

// Springs that are taken while little moves move all that a tick can bear when their strands are
// long.
TEST(CommandQueue, WhatHasYetToFallIsTakenOffTheBudget) {
  constexpr std::int64_t kRoom = 10 * sim::kWorkOfFallingCell + 12;  // and of the commands
  CommandQueue queue({.tick_work = kRoom, .client_work_per_second = 1 << 30}, kTickRate);
  const auto spring = [](const sim::Command& command) {
    return sim::CommandCost{1, true, std::get<sim::Pour>(command.body).units};
  };
  const auto taken = [&](std::int32_t falls) {
    std::vector<QueuedCommand> turned_away;
    EXPECT_TRUE(queue.push(costing(falls, 1, 1)).ok());
    queue.begin_tick(0);
    const auto one = queue.next(spring, turned_away);
    if (one) queue.let_fall(one->to_fall);
    EXPECT_FALSE(queue.next(spring, turned_away));
    EXPECT_EQ(turned_away.size(), one ? 0U : 1U);
    return one.has_value();
  };
  rest(queue, {1});
  EXPECT_FALSE(taken(11));
  EXPECT_TRUE(taken(7));
  EXPECT_FALSE(taken(5)) << "6 of the 7 have yet to fall";
  EXPECT_TRUE(taken(4)) << "5 and 4";
  EXPECT_FALSE(taken(4)) << "4, 3 and 4";
  queue.let_fall(-3);  // the second spring is removed
  EXPECT_TRUE(taken(7)) << "3 and 7";
  for (int tick = 0; tick < 7; ++tick) (void)take(queue);
  EXPECT_TRUE(taken(10)) << "all have fallen";
}

TEST(CommandQueue, ALongerTickTakesMore) {
  const WorkLimits usual;
  const WorkLimits same = WorkLimits::for_ticks_of(kDefaultTickBudget);
  EXPECT_EQ(same.tick_work, usual.tick_work);
  EXPECT_EQ(same.busy_seconds, usual.busy_seconds);
  const WorkLimits twice = WorkLimits::for_ticks_of(2 * kDefaultTickBudget);
  EXPECT_EQ(twice.tick_work, 2 * usual.tick_work);
  EXPECT_EQ(twice.client_work_per_second, 2 * usual.client_work_per_second);
  EXPECT_EQ(twice.busy_seconds, 2 * usual.busy_seconds);
}

// One quick tick among slow ones is no sign of room.
TEST(CommandQueue, TheUsualTickCountsToo) {
  CommandQueue queue({.busy_seconds = 0.010}, kTickRate);
  for (int tick = 0; tick < 60; ++tick) (void)take(queue, 0.014);
  ASSERT_TRUE(queue.push(costing(3, 1, 1)).ok());
  EXPECT_THAT(take(queue, 0.001).reasons, ElementsAre(HasSubstr("the world is busy")));
  // And one slow tick soon is forgotten, however slow.
  for (int tick = 0; tick < 60; ++tick) (void)take(queue, 0.001);
  (void)take(queue, 10);
  ASSERT_TRUE(queue.push(costing(3, 1, 2)).ok());
  EXPECT_THAT(take(queue, 0.001).taken, ElementsAre(Taken{1, 2}));
}

TEST(CommandQueue, WhatEverySixteenthTickTakesCountsInAll) {
  CommandQueue queue({.busy_seconds = 0.010}, kTickRate);
  for (int tick = 0; tick < 40; ++tick) (void)take(queue, tick % 16 == 0 ? 0.014 : 0.001);
  ASSERT_TRUE(queue.push(costing(3, 1, 1)).ok());
  EXPECT_THAT(take(queue, 0.001).reasons, ElementsAre(HasSubstr("the world is busy")));
}

// A command's cost is asked for when those before it are out, never earlier.
TEST(CommandQueue, CostsAreThoseOfTheMoment) {
  CommandQueue queue({.tick_work = 10, .client_work_per_second = 1000}, kTickRate);
  for (std::uint64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(queue.push(costing(2, 1, seq)).ok());
  std::int64_t made = 2;
  const auto growing = [&](const sim::Command&) { return sim::CommandCost{made, false}; };
  std::vector<QueuedCommand> turned_away;
  queue.begin_tick(0);
  ASSERT_TRUE(queue.next(growing, turned_away).has_value());
  made = 9;
  EXPECT_FALSE(queue.next(growing, turned_away).has_value());
  EXPECT_EQ(queue.size(), 2U);
}

TEST(CommandQueue, FullLinesRefuseAtOnce) {
  CommandQueue queue({.client_commands = 2, .commands = 3}, kTickRate);
  ASSERT_TRUE(queue.push(costing(2, 1, 1)).ok());
  ASSERT_TRUE(queue.push(costing(2, 1, 2)).ok());
  EXPECT_EQ(queue.push(costing(2, 1, 3)).error(),
            "too much at once: 2 of your commands wait for their turn");
  ASSERT_TRUE(queue.push(costing(2, 2, 1)).ok());
  EXPECT_EQ(queue.push(costing(2, 3, 1)).error(), "the world has too many commands waiting (3)");
  EXPECT_EQ(queue.clear().size(), 3U);
  EXPECT_EQ(queue.size(), 0U);
}

RC_GTEST_PROP(CommandQueue, KeepsItsPromises, ()) {
  const bool moves = *rc::gen::arbitrary<bool>();
  const WorkLimits limits{.tick_work = *rc::gen::inRange<std::int64_t>(2, 40),
                          .client_work_per_second = *rc::gen::inRange<std::int64_t>(1, 200)};
  CommandQueue queue(limits, kTickRate);
  std::map<std::uint64_t, std::uint64_t> sent;
  std::map<std::uint64_t, std::uint64_t> taken;
  std::map<std::uint64_t, std::int64_t> spent;
  std::size_t waiting = 0;
  const auto run = [&](std::int64_t ticks) {
    for (std::int64_t t = 0; t < ticks; ++t) {
      const Tick tick = take(queue);
      RC_ASSERT(tick.work <= limits.tick_work);
      for (const auto& [session, seq] : tick.taken) {
        // In the order in which it was sent; what sets nothing in motion is never turned away.
        RC_ASSERT((moves ? seq > taken[session] : seq == taken[session] + 1));
        taken[session] = seq;
      }
      waiting -= tick.taken.size() + tick.reasons.size();
      RC_ASSERT(queue.size() == waiting);
    }
  };
  const auto pushes = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(1, 1000)));
  for (const auto& [session, dice] : pushes) {
    const auto id = static_cast<std::uint64_t>(session);
    const auto drawn = static_cast<std::int32_t>(1 + dice % limits.tick_work);
    const std::int32_t work = moves ? drawn : std::max(2, drawn / 2 * 2);
    RC_ASSERT(queue.push(costing(work, id, ++sent[id])).ok());
    ++waiting;
    if (dice % 3 == 0) run(1);
  }
  // Nobody waits for ever: each command needs at most a full allowance and everybody's turn.
  run(static_cast<std::int64_t>(waiting + 1) * 8 * (1 + limits.tick_work));
  RC_ASSERT(waiting == 0U);
  RC_ASSERT(moves || taken == sent);
}

}  // namespace
}  // namespace sluice::host::command_queue_test
