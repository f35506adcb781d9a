// Goal: a client above a rate is slowed or refused, one that is silent is let go, and nobody else
// notices. Method: real WebSockets, limits made small.
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/net/test_server.h"
#include "tests/support/hand_clock.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::limits_test {
namespace {

using Event = protocol::ClientSession::Event;
using std::chrono::milliseconds;

TEST(Limits, CommandsAboveTheRateAreRefused) {
  const HandClock clock;
  net::ServerOptions options;
  options.clock = &clock;
  options.limits.commands_per_second = 2;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  for (int i = 0; i < 100; ++i) {
    client.session().send_command(R"({"cmd": "pour", "at": [150, 50, 0], "units": 1})");
  }
  client.flush();
  int refused = 0;
  ASSERT_TRUE(client.pump_until([&](Event event) {
    if (event != Event::kResult) return false;
    EXPECT_EQ(client.session().last_result().reason, "too many commands a second (2)");
    return ++refused == 98;
  }));
  EXPECT_EQ(server.waiting_commands(), 2U);
}

TEST(Limits, MessagesAboveTheRateAreReadMoreSlowlyAndAllAnswered) {
  HandClock clock;
  net::ServerOptions options;
  options.clock = &clock;
  options.limits.messages_per_second = 20;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  for (std::uint64_t i = 1; i <= 40; ++i) client.session().send_ping(i);
  client.flush();
  int pongs = 0;
  const auto count = [&](int most, milliseconds patience) {
    (void)client.pump_until(
        [&](Event event) {
          pongs += event == Event::kPong ? 1 : 0;
          return pongs == most;
        },
        patience);
    return pongs;
  };
  ASSERT_EQ(count(20, WireClient::kPatience), 20);
  EXPECT_EQ(count(21, milliseconds(200)), 20) << "the hello and 19 others were paid for";
  clock.move(milliseconds(500));
  ASSERT_EQ(count(30, WireClient::kPatience), 30);
  EXPECT_EQ(count(31, milliseconds(200)), 30);
  clock.move(milliseconds(500));
  ASSERT_EQ(count(40, WireClient::kPatience), 40);
  EXPECT_EQ(client.session().last_pong().nonce, 40U);
}

TEST(Limits, WhoFloodsWaitsForWhatAllShareAndOthersDoNot) {
  HandClock clock;
  net::ServerOptions options;
  options.clock = &clock;
  options.limits.steady_messages_per_second = 10;
  options.limits.spare_messages_per_second = 30;
  TestServer server(std::move(options));
  WireClient flood(server.port(), "/worlds/dam", "flood");
  ASSERT_TRUE(flood.greet());
  const auto pongs_of = [](WireClient& client, std::uint64_t most, milliseconds patience) {
    (void)client.pump_until([&](Event) { return client.session().last_pong().nonce >= most; },
                            patience);
    return client.session().last_pong().nonce;
  };
  for (std::uint64_t i = 1; i <= 100; ++i) flood.session().send_ping(i);
  flood.flush();
  // The hello and 39 others were paid for.
  ASSERT_EQ(pongs_of(flood, 40, WireClient::kPatience), 40U);
  EXPECT_EQ(pongs_of(flood, 41, milliseconds(200)), 40U);
  EXPECT_GT(server.feed().counters().reads_slowed, 0U);
  WireClient other(server.port(), "/worlds/dam", "other");
  ASSERT_TRUE(other.greet());
  for (std::uint64_t i = 1; i <= 8; ++i) other.session().send_ping(i);
  other.flush();
  EXPECT_EQ(pongs_of(other, 8, WireClient::kPatience), 8U);
  // In a second come ten of the flood's own and the thirty that all share.
  clock.move(milliseconds(1000));
  ASSERT_EQ(pongs_of(flood, 80, WireClient::kPatience), 80U);
  EXPECT_EQ(pongs_of(flood, 81, milliseconds(200)), 80U);
}

// How many of thirty such commands are read where 41 messages are there, one of them the hello.
int read_of_thirty(const std::string& line) {
  HandClock clock;
  net::ServerOptions options;
  options.clock = &clock;
  options.limits.steady_messages_per_second = 41;
  options.limits.spare_messages_per_second = 0.5;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  EXPECT_TRUE(client.greet());
  for (int i = 0; i < 30; ++i) client.session().send_command(line);
  client.flush();
  int results = 0;
  (void)client.pump_until(
      [&](Event event) {
        results += event == Event::kResult ? 1 : 0;
        return results == 30;
      },
      milliseconds(400));
  return results;
}

TEST(Limits, CommandsCountForMore) {
  EXPECT_EQ(read_of_thirty(R"({"cmd": "nothing"})"), 11) << "ten, and one that is not paid for yet";
}

// Such a one took its kibibytes of the network's thread at the price of a ping.
TEST(Limits, LongMessagesCountForMore) {
  // Commands of three kibibytes: each counts as seven messages.
  const std::string line = R"({"cmd": "nothing", "why": ")" + std::string(3100, 'x') + "\"}";
  EXPECT_EQ(read_of_thirty(line), 6) << "five, and one that is not paid for yet";
}

// What the system keeps of what comes in on the server's connections: on its own side of them, of
// which this process has the sockets.
std::vector<int> receive_buffers(std::uint16_t port) {
  std::vector<int> sizes;
  for (int socket = 0; socket < 1024; ++socket) {
    sockaddr_in own{};
    sockaddr_in peer{};
    socklen_t length = sizeof(own);
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) != 0) continue;
    length = sizeof(peer);
    if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &length) != 0) continue;
    if (own.sin_family != AF_INET || ntohs(own.sin_port) != port) continue;
    int bytes = 0;
    length = sizeof(bytes);
    EXPECT_EQ(getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, &length), 0);
    sizes.push_back(bytes);
  }
  return sizes;
}

TEST(Limits, TheSystemKeepsSoMuchOfWhatWasNotRead) {
  net::ServerOptions options;
  options.limits.receive_buffer_bytes = 20'000;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  const std::vector<int> sizes = receive_buffers(server.port());
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_GE(sizes[0], 20'000);
  EXPECT_LE(sizes[0], 2 * 20'000) << "some systems double it";
}

TEST(Limits, RepliesThatAreNotReadStopTheReadingNotTheServer) {
  net::ServerOptions options;
  options.limits.waiting_replies = 4;
  options.limits.messages_per_second = 1e9;
  TestServer server(std::move(options));
  WireClient flood(server.port(), "/worlds/dam", "flood");
  ASSERT_TRUE(flood.greet());
  for (std::uint64_t i = 1; i <= 3000; ++i) flood.session().send_ping(i);
  flood.flush();
  WireClient other(server.port(), "/worlds/dam", "other");
  ASSERT_TRUE(other.greet());
  server.tick();
  ASSERT_TRUE(other.pump_until([&](Event) { return other.mirror().tick() >= 1; }));
  ASSERT_TRUE(flood.pump_until([&](Event) { return flood.session().last_pong().nonce == 3000; }));
}

TEST(Limits, AClientThatShowsNoLifeIsLetGo) {
  net::ServerOptions options;
  options.limits.idle =
      milliseconds(3000);  // the other one is heard of sooner on a busy machine, too
  TestServer server(std::move(options));
  WireClient dead(server.port(), "/worlds/dam", "dead");
  ASSERT_TRUE(dead.greet());
  WireClient alive(server.port(), "/worlds/dam", "alive");
  ASSERT_TRUE(alive.greet());
  // Nobody reads for the dead one, so no WebSocket ping is answered.
  const auto gone = [&] { return server.feed().counters().viewers == 1; };
  EXPECT_TRUE(wait_until([&] {
    alive.pump_until([](Event) { return false; }, milliseconds(20));
    return gone();
  }));
  server.tick();
  EXPECT_TRUE(alive.pump_until([&](Event) { return alive.mirror().tick() >= 1; }));
}

// It sent a pong every 20 seconds, or pings of its own, and stayed for ever.
TEST(Limits, AClientThatTakesNothingIsLetGoWhateverItSends) {
  net::ServerOptions options;
  options.limits.stall = milliseconds(300);
  options.limits.idle = std::chrono::hours(1);  // so that nothing else ends it
  options.limits.send_buffer_bytes = 4096;
  options.limits.messages_per_second = 1e9;  // so that what it is sent fills every buffer at once
  TestServer server(std::move(options));
  WireClient greedy(server.port(), "/worlds/dam", "greedy", "", {}, WireClient::kSmallBuffer);
  ASSERT_TRUE(greedy.greet());
  WireClient patient(server.port(), "/worlds/dam", "patient");
  ASSERT_TRUE(patient.greet());
  // More pongs than the system's buffers hold.
  std::uint64_t nonce = 0;
  while (nonce < 3000) greedy.session().send_ping(++nonce);
  greedy.flush();
  for (int i = 0; i < 3000 && server.feed().counters().viewers > 1; ++i) {
    server.tick();
    greedy.session().send_ping(++nonce);
    greedy.flush();
    patient.pump_until([](Event) { return false; }, milliseconds(20));
  }
  EXPECT_EQ(server.feed().counters().viewers, 1);
}

TEST(Limits, CommandsOfTooManyBytesASecondAreRefused) {
  net::ServerOptions options;
  options.limits.command_bytes_per_second = 100;
  TestServer server(std::move(options));
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  const auto result = client.command(R"({"cmd": "pour", "at": [150, 50, 0], "units": )" +
                                     std::string(100, ' ') + "1}");
  EXPECT_EQ(result.reason, "too many bytes of commands a second (100)");
}

}  // namespace
}  // namespace sluice::tests::limits_test
