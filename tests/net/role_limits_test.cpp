// Goal: what a role may take bounds its own connections, to the number and no further, says why and
// until when, and can change while they are there. Method: real WebSockets, limits made small.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/net/role_allowance.h"
#include "tests/net/test_server.h"
#include "tests/support/hand_clock.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::role_limits_test {
namespace {

using access::Role;
using Event = protocol::ClientSession::Event;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kDrop = R"({"cmd": "pour", "at": [150, 50, 0], "units": 1})";

access::LimitsByRole limits_of(Role role, const access::RoleLimits& limits) {
  access::LimitsByRole all;
  all[static_cast<std::size_t>(role)] = limits;
  return all;
}

/// A server on which whoever connects builds.
struct Bounded {
  explicit Bounded(const access::RoleLimits& limits, net::ServerOptions options = {}) {
    access::GateRules rules;
    rules.limits = limits_of(Role::kBuild, limits);
    gate = std::make_shared<access::Gate>(rules);
    options.gate = gate;
    server = std::make_unique<TestServer>(std::move(options));
  }
  void change(const access::RoleLimits& limits) {
    gate->set_limits(limits_of(Role::kBuild, limits));
    server->server().apply_roles();
  }
  std::shared_ptr<access::Gate> gate;
  std::unique_ptr<TestServer> server;
};

TEST(RoleLimits, CommandsGoToTheirRateAndNoFurther) {
  const HandClock clock;
  net::ServerOptions options;
  options.clock = &clock;
  Bounded bounded({.commands_per_second = 3}, std::move(options));
  WireClient client(bounded.server->port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  for (int i = 0; i < 5; ++i) client.session().send_command(kDrop);
  client.flush();
  int refused = 0;
  ASSERT_TRUE(client.pump_until([&](Event event) {
    if (event != Event::kResult) return false;
    EXPECT_EQ(client.session().last_result().reason,
              "too many commands: the role build may give 3 a second; again in 334 ms");
    return ++refused == 2;
  }));
  EXPECT_EQ(bounded.server->waiting_commands(), 3U);
  EXPECT_EQ(bounded.server->feed().counters().over_limits, 2U);
  EXPECT_EQ(bounded.server->feed().counters().commands_refused, 2U);
  bounded.change({});
  EXPECT_TRUE(wait_until([&] {
    client.session().send_command(kDrop);
    client.flush();
    return bounded.server->waiting_commands() > 3;
  })) << "at once, for who is there";
}

TEST(RoleLimits, ARefusalSaysWhenThereIsRoomAgain) {
  net::RoleAllowance allowance;
  allowance.set(Role::kBuild, {.commands_per_second = 4});
  auto now = net::TokenBucket::Clock::now();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(allowance.refusal_of_command(now), "");
  EXPECT_THAT(allowance.refusal_of_command(now), HasSubstr("again in 250 ms"));
  // What is set anew without a change forgets nothing.
  allowance.set(Role::kBuild, {.commands_per_second = 4});
  EXPECT_THAT(allowance.refusal_of_command(now + milliseconds(249)), HasSubstr("again in 1 ms"));
  EXPECT_EQ(allowance.refusal_of_command(now + milliseconds(250)), "");
}

TEST(RoleLimits, AViewGoesToItsBoundAndNoFurther) {
  Bounded bounded({.view_cells = 20 * 30});
  WireClient client(bounded.server->port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  bounded.server->tick();
  // Of what is asked for, what lies in the world counts.
  constexpr std::int32_t kFar = 1 << 30;
  for (const auto& [view, shows] :
       {std::pair(Box{{0, 0, 0}, {20, 30, 1}}, ChunkCoord{0, 0, 0}),
        {Box{{180, -kFar, -5}, {kFar, kFar + 30, 9}}, ChunkCoord{3, 0, 0}}}) {
    client.session().set_view(view);
    client.flush();
    const ChunkCoord coord = shows;
    ASSERT_TRUE(client.pump_until([&](Event) { return client.mirror().find(coord) != nullptr; }));
  }
  EXPECT_EQ(bounded.server->feed().counters().over_limits, 0U);
  client.session().set_view({{0, 0, 0}, {20, 31, 1}});
  client.flush();
  EXPECT_TRUE(client.wait_closed());
  EXPECT_EQ(client.session().reason(),
            "refused: not allowed: a view of 620 cells; the role build sees at most 600 at a time, "
            "until its view is smaller");
  EXPECT_EQ(client.session().refused()->code, protocol::RefusalCode::kNotAllowed);
  EXPECT_EQ(bounded.server->feed().counters().over_limits, 1U);
}

TEST(RoleLimits, OfAViewFromAfarCoarseCellsCount) {
  Bounded bounded({.view_cells = 20 * 25});
  WireClient client(bounded.server->port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  bounded.server->tick();
  ASSERT_EQ(client.mirror().welcome().levels_of_detail, protocol::kLevelsOfDetail);
  client.session().set_view({{0, 0, 0}, {80, 100, 1}}, 0, 2);
  client.flush();
  ASSERT_TRUE(client.pump_until([&](Event) { return client.mirror().coarse_cell(2, {}) != 0; }));
  EXPECT_EQ(client.mirror().chunk_count(), 0U);
  client.session().set_view({{0, 0, 0}, {81, 100, 1}}, 0, 2);
  client.flush();
  EXPECT_TRUE(client.wait_closed());
  EXPECT_THAT(client.session().reason(), HasSubstr("a view of 525 cells"));
}

TEST(RoleLimits, AViewThatIsTooLargeByNewLimitsEnds) {
  Bounded bounded({});
  WireClient client(bounded.server->port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  client.session().set_view({{0, 0, 0}, {200, 100, 1}});
  client.flush();
  bounded.server->tick();
  ASSERT_TRUE(client.pump_until([&](Event) { return client.mirror().chunk_count() > 0; }));
  bounded.change({.view_cells = 200 * 100});
  client.session().send_ping(1);
  client.flush();
  ASSERT_TRUE(client.pump_until([&](Event event) { return event == Event::kPong; }));
  bounded.change({.view_cells = 200 * 100 - 1});
  EXPECT_TRUE(client.wait_closed());
  EXPECT_THAT(client.session().reason(), HasSubstr("a view of 20000 cells"));
}

TEST(RoleLimits, BandwidthHoldsBackWhatIsSentAndNothingIsLost) {
  net::ServerOptions options;
  options.limits.stall = milliseconds(400);  // looks four times as often
  HandClock clock;
  options.clock = &clock;
  Bounded bounded({.bytes_per_second = 20'000}, std::move(options));
  WireClient client(bounded.server->port(), "/worlds/dam");
  // No faster than the machine's, by which it is looked.
  std::chrono::duration<double> took{};
  const auto let_pass = [&](milliseconds time) {
    client.pump_until([](Event) { return false; }, time);
    clock.move(time);
    took += time;
  };
  ASSERT_TRUE(client.greet());
  client.session().set_view({{0, 0, 0}, {200, 100, 1}});
  client.flush();
  for (int i = 0; i < 400; ++i) {
    bounded.server->tick();
    let_pass(milliseconds(2));
  }
  const net::HubCounters& counters = bounded.server->feed().counters();
  EXPECT_GT(counters.frames_skipped, 0U) << "it could not have had them all";
  // The world stands still now: what is owed comes all the same.
  const std::uint64_t last = bounded.server->world().tick_number();
  EXPECT_TRUE(wait_until([&] {
    let_pass(milliseconds(10));
    return client.mirror().tick() == last;
  }));
  const double most = 20'000 * (1 + took.count()) + 100'000;  // a message goes whole
  EXPECT_LT(static_cast<double>(counters.bytes.load()), most);
  EXPECT_EQ(client.mirror().stats().digest_mismatches, 0U);
}

}  // namespace
}  // namespace sluice::tests::role_limits_test
