// Goal: clients get the world as it is, commands get one result each, and what one client does
// wrong, or does not do, touches no other. Method: real WebSockets against a server in this process
// whose world is ticked by hand.
#include <thread>

#include <gtest/gtest.h>

#include "tests/net/test_server.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::session_test {
namespace {

using Event = protocol::ClientSession::Event;
using std::chrono::milliseconds;

constexpr Box kWholeDam = {{0, 0, 0}, {200, 100, 1}};

// Sets the view and waits until the server has obeyed: the pong comes behind it.
bool look_at(WireClient& client, const Box& box) {
  client.session().set_view(box);
  client.session().send_ping(7);
  client.flush();
  return client.pump_until([](Event event) { return event == Event::kPong; });
}

// Ticks until the client shows the given tick or a later one.
bool catch_up(TestServer& server, WireClient& client, int ticks) {
  for (int i = 0; i < ticks; ++i) server.tick();
  const std::uint64_t wanted = server.world().tick_number();
  return client.pump_until([&](Event) { return client.mirror().tick() >= wanted; });
}

void expect_same(const protocol::Mirror& mirror, const sim::World& world, Box box) {
  int wrong = 0;
  const Vec3 end = box.end();
  for (std::int32_t z = box.from.z; z < end.z; ++z) {
    for (std::int32_t y = box.from.y; y < end.y; ++y) {
      for (std::int32_t x = box.from.x; x < end.x; ++x) {
        wrong += mirror.cell({x, y, z}) == world.cell({x, y, z}) ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "cells differ at tick " << world.tick_number();
  EXPECT_EQ(mirror.stats().digest_mismatches, 0U);
}

TEST(Session, KeyframesAndDeltasAddUpToTheWorld) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  EXPECT_EQ(client.mirror().welcome().world, "dam");
  EXPECT_EQ(client.mirror().welcome().tick_rate, 50U);
  ASSERT_TRUE(look_at(client, kWholeDam));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(catch_up(server, client, 5));
    expect_same(client.mirror(), server.world(), server.world().config().box());
  }
  EXPECT_EQ(client.mirror().counters().water, server.world().totals().water);
  EXPECT_GT(client.mirror().stats().chunks_checked, 10U);
}

TEST(Session, AWorldOfThreeDimensionsWithOpenEdgesIsMirroredToo) {
  TestServer server({}, R"(
[world]
name = "dam"
size = [40, 40, 40]
water = "cellular"
[world.edges]
left = "open"
back = "open"
[[fill]]
from = [0, 0, 0]
size = [40, 3, 40]
cell = "#"
[[fill]]
from = [10, 3, 10]
size = [20, 30, 20]
cell = "~"
)");
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  EXPECT_EQ(client.mirror().welcome().sides, (ChunkShape{4, 4, 4}));
  ASSERT_TRUE(look_at(client, {{0, 0, 0}, {40, 40, 40}}));
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(catch_up(server, client, 5));
    expect_same(client.mirror(), server.world(), server.world().config().box());
  }
  EXPECT_GT(client.mirror().counters().drained, 0);
}

TEST(Session, OnlyTheViewIsSentAndItMayMove) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  ASSERT_TRUE(look_at(client, {{0, 0, 0}, {64, 64, 1}}));
  ASSERT_TRUE(catch_up(server, client, 10));
  EXPECT_EQ(client.mirror().chunk_count(), 1U);
  expect_same(client.mirror(), server.world(), {{0, 0, 0}, {64, 64, 1}});
  client.session().set_view({{64, 0, 0}, {128, 64, 1}});
  client.flush();
  ASSERT_TRUE(client.pump_until([&](Event) {
    return client.mirror().find({0, 0, 0}) == nullptr && client.mirror().find({2, 0, 0}) != nullptr;
  }));
  ASSERT_TRUE(catch_up(server, client, 10));
  expect_same(client.mirror(), server.world(), {{64, 0, 0}, {128, 64, 1}});
}

TEST(Session, EveryCommandGetsOneResult) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  client.session().send_command(R"({"cmd": "pour", "at": [150, 50, 0], "units": 4096})");
  client.session().send_command(R"({"cmd": "pour", "at": [999, 50, 0], "units": 4096})");
  client.session().send_command(R"({"cmd": "flood"})");
  client.session().send_command("not json");
  client.flush();
  std::vector<protocol::CommandResult> results;
  const auto collect = [&](std::size_t count) {
    return client.pump_until([&](Event event) {
      if (event == Event::kResult) results.push_back(client.session().last_result());
      return results.size() == count;
    });
  };
  ASSERT_TRUE(collect(2));  // those that never reach the world are answered at once
  EXPECT_EQ(results[0].seq, 3U);
  EXPECT_EQ(results[0].tick, 0U);
  EXPECT_NE(results[0].reason.find("set_cells"), std::string::npos) << results[0].reason;
  EXPECT_EQ(results[1].seq, 4U);
  EXPECT_FALSE(results[1].applied);
  server.tick();
  ASSERT_TRUE(collect(4));
  EXPECT_TRUE(results[2].applied);
  EXPECT_EQ(results[2].tick, 1U);
  EXPECT_EQ(results[2].reason, "");
  EXPECT_FALSE(results[3].applied);
  EXPECT_EQ(results[3].tick, 1U);
  EXPECT_NE(results[3].reason, "");
}

TEST(Session, CommandsAboveTheLimitsAreRefusedWithAReason) {
  net::ServerOptions options;
  options.limits.waiting_commands = 3;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  for (int i = 0; i < 5; ++i) {
    client.session().send_command(R"({"cmd": "pour", "at": [150, 50, 0], "units": 1})");
  }
  client.flush();
  int refused = 0;
  ASSERT_TRUE(client.pump_until([&](Event event) {
    if (event != Event::kResult) return false;
    EXPECT_EQ(client.session().last_result().reason, "too many commands wait for their result (3)");
    return ++refused == 2;
  }));
  server.tick();
  int applied = 0;
  ASSERT_TRUE(client.pump_until([&](Event event) {
    applied += event == Event::kResult && client.session().last_result().applied ? 1 : 0;
    return applied == 3;
  }));
}

TEST(Session, AWrongVersionIsRefusedClearly) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  client.session().start();
  (void)client.session().take_outgoing();
  client.send_raw(protocol::encode(protocol::ClientMessage{protocol::Hello{99, "from afar"}}));
  ASSERT_TRUE(client.wait_closed());
  ASSERT_TRUE(client.session().refused().has_value());
  EXPECT_EQ(client.session().refused()->code, protocol::RefusalCode::kWrongVersion);
  EXPECT_EQ(client.session().refused()->reason, "this server speaks protocol version " +
                                                    std::to_string(protocol::kProtocolVersion) +
                                                    ", the client 99");
  EXPECT_EQ(client.close_reason(), client.session().refused()->reason);
}

TEST(Session, BadMessagesCloseTheirClientAndNoOther) {
  TestServer server;
  WireClient witness(server.port(), "/worlds/dam");
  ASSERT_TRUE(witness.greet());
  const auto expect_refused = [&](const protocol::Bytes& bytes, bool binary, bool greet,
                                  const std::string& reason) {
    WireClient client(server.port(), "/worlds/dam");
    if (greet) {
      ASSERT_TRUE(client.greet());
    } else {
      client.session().start();
      (void)client.session().take_outgoing();
    }
    client.send_raw(bytes, binary);
    ASSERT_TRUE(client.wait_closed());
    EXPECT_EQ(client.session().reason(), "refused: bad message: " + reason);
    EXPECT_EQ(client.close_reason(), "bad message: " + reason);
  };
  const protocol::Bytes ping = protocol::encode(protocol::ClientMessage{protocol::Ping{1}});
  const protocol::Bytes hello = protocol::encode(protocol::ClientMessage{protocol::Hello{}});
  expect_refused(protocol::Bytes(100, 0xa5), true, true, "not a client message");
  expect_refused({}, true, true, "not a client message");
  expect_refused(ping, false, true, "a text message; messages are binary");
  expect_refused(ping, true, false, "ping before hello");
  expect_refused(hello, true, true, "a second hello");
  expect_refused(protocol::Bytes(protocol::kMaxClientMessageBytes + 1), true, true,
                 "the message has 65537 bytes, at most 65536 are allowed");
  EXPECT_EQ(server.feed().counters().bad_messages, 6U);
  ASSERT_TRUE(catch_up(server, witness, 3));
}

TEST(Session, AnEnormousMessageOnlyEndsItsConnection) {
  TestServer server;
  WireClient witness(server.port(), "/worlds/dam");
  ASSERT_TRUE(witness.greet());
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  client.send_raw(protocol::Bytes(std::size_t{8} << 20));
  EXPECT_TRUE(client.wait_closed());
  ASSERT_TRUE(catch_up(server, witness, 3));
}

TEST(Session, WhoDoesNotGreetIsSentAway) {
  net::ServerOptions options;
  options.limits.hello = milliseconds(50);
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  client.session().start();
  (void)client.session().take_outgoing();
  ASSERT_TRUE(client.wait_closed());
  EXPECT_EQ(client.session().reason(), "refused: no hello came in time");
}

TEST(Session, AStalledClientCostsOthersNothingAndCatchesUp) {
  // A dam of 512 cells' height breaks, of water that nobody could foresee: its changes are long, so
  // that a stalled client's queue fills within seconds.
  std::string rows;
  std::uint32_t dice = 1;
  for (int i = 0; i < 512 * 250; ++i) {
    dice = dice * 1664525 + 1013904223;
    rows += i % 250 == 0 ? "\n" : "";
    rows += ".1234567"[dice >> 29];
  }
  TestServer server({}, R"(
[world]
name = "dam"
size = [512, 512, 1]
water = "cellular"
[[map]]
at = [0, 0, 0]
rows = """)" + rows + R"(
"""
)");
  const Box whole = {{0, 0, 0}, {512, 512, 1}};
  WireClient stalled(server.port(), "/worlds/dam", "stalled", "", {}, WireClient::kSmallBuffer);
  ASSERT_TRUE(stalled.greet());
  ASSERT_TRUE(look_at(stalled, whole));
  WireClient lively(server.port(), "/worlds/dam", "lively");
  ASSERT_TRUE(lively.greet());
  ASSERT_TRUE(look_at(lively, whole));
  std::uint64_t queued_before = 0;
  std::uint64_t ticks_when_full = 0;
  const auto& counters = server.feed().counters();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(catch_up(server, lively, 1)) << "tick " << i;
    if (counters.frames_skipped <= 5) continue;
    if (ticks_when_full++ == 0) queued_before = counters.frames;
  }
  EXPECT_GT(ticks_when_full, 10U);
  // Once it is full, nothing more is queued for the stalled one: all frames are the lively one's.
  EXPECT_LE(counters.frames - queued_before, ticks_when_full + 5);
  expect_same(lively.mirror(), server.world(), server.world().config().box());
  // The stalled one reads again: it gets the newest state, not every state.
  ASSERT_TRUE(stalled.pump_until(
      [&](Event) { return stalled.mirror().tick() == server.world().tick_number(); }));
  ASSERT_TRUE(catch_up(server, stalled, 1));
  expect_same(stalled.mirror(), server.world(), server.world().config().box());
  EXPECT_LT(stalled.mirror().stats().frames, lively.mirror().stats().frames);
}

TEST(Session, AClientThatVanishesIsForgotten) {
  TestServer server;
  {
    WireClient client(server.port(), "/worlds/dam");
    ASSERT_TRUE(client.greet());
    client.session().send_command(R"({"cmd": "pour", "at": [150, 50, 0], "units": 1})");
    client.flush();
    EXPECT_TRUE(wait_until([&] { return server.waiting_commands() > 0; }));
    client.abort();
  }
  EXPECT_TRUE(wait_until([&] {
    server.tick();
    return server.feed().counters().viewers == 0;
  }));
}

TEST(Session, AResyncBringsAKeyframe) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  ASSERT_TRUE(look_at(client, kWholeDam));
  ASSERT_TRUE(catch_up(server, client, 2));
  const std::uint64_t updates = client.mirror().stats().chunk_updates;
  client.send_raw(protocol::encode(protocol::ClientMessage{protocol::Resync{{0, 0, 0}}}));
  ASSERT_TRUE(client.pump_until(
      [&](Event) { return client.mirror().stats().chunk_updates == updates + 1; }));
  EXPECT_EQ(server.feed().counters().resyncs, 1U);
  expect_same(client.mirror(), server.world(), server.world().config().box());
}

// Claims are counted and looked into where the client can have seen the chunk at all.
TEST(Session, AResyncOutsideTheViewOrWithoutOneClaimsNothing) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  const auto resync = [&](ChunkCoord coord) {
    client.send_raw(protocol::encode(protocol::ClientMessage{protocol::Resync{coord}}));
  };
  resync({0, 0, 0});
  ASSERT_TRUE(look_at(client, {{0, 0, 0}, {64, 64, 1}}));
  ASSERT_TRUE(catch_up(server, client, 1));
  resync({2, 1, 0});
  resync({1 << 30, -5, 7});
  client.session().send_ping(5);
  client.flush();
  ASSERT_TRUE(client.pump_until([&](Event) { return client.session().last_pong().nonce == 5; }));
  EXPECT_EQ(server.feed().counters().resyncs, 0U);
  resync({0, 0, 0});
  resync({0, 0, 0});
  client.session().send_ping(6);
  client.flush();
  ASSERT_TRUE(client.pump_until([&](Event) { return client.session().last_pong().nonce == 6; }));
  ASSERT_TRUE(catch_up(server, client, 3));
  EXPECT_EQ(server.feed().counters().resyncs, 2U);
  EXPECT_EQ(server.feed().counters().claimants, 1U);
  EXPECT_EQ(server.feed().counters().mismatches, 0U);  // it lied
}

TEST(Session, AServerThatStopsSaysGoodbye) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  std::thread stopper([&] { server.server().stop(); });
  EXPECT_TRUE(client.wait_closed());
  EXPECT_EQ(client.session().reason(), "refused: the server stops");
  stopper.join();
}

}  // namespace
}  // namespace sluice::tests::session_test
