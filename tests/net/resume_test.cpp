// Goal: a client that comes back learns what became of what it sent, and nothing is applied twice.
// Method: real WebSockets that are cut off, against a server in this process whose world is ticked
// by hand.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/net/test_server.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::resume_test {
namespace {

using Event = protocol::ClientSession::Event;
using protocol::CommandResult;
using protocol::ResultKind;
using std::chrono::milliseconds;

constexpr const char* kPour = R"({"cmd": "pour", "at": [150, 50, 0], "units": 100})";

protocol::SentCommands with_token(std::uint8_t first) {
  protocol::SentCommands commands;
  commands.token.emplace();
  commands.token->fill(first);
  return commands;
}

void wait_for_commands(TestServer& server, std::size_t count) {
  ASSERT_TRUE(wait_until([&] { return server.waiting_commands() >= count; }));
  ASSERT_EQ(server.waiting_commands(), count);
}

/// Takes results until there are so many.
std::map<std::uint64_t, CommandResult> results(WireClient& client, std::size_t count) {
  std::map<std::uint64_t, CommandResult> all;
  client.pump_until([&](Event event) {
    if (event == Event::kResult) {
      const CommandResult& result = client.session().last_result();
      EXPECT_TRUE(all.emplace(result.seq, result).second) << result.seq << " is answered twice";
    }
    return all.size() >= count;
  });
  return all;
}

/// What the client takes with it when its connection is cut off.
protocol::SentCommands cut_off(WireClient& client) {
  client.abort();
  return client.session().take_commands();
}

TEST(Resume, WhoGivesNoTokenIsKeptNothing) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  EXPECT_EQ(client.mirror().welcome().results_kept, 0U);
  for (int i = 0; i < 2; ++i) {
    client.send_raw(protocol::encode(protocol::ClientMessage{protocol::Command{7, kPour}}));
  }
  wait_for_commands(server, 2);
  client.send_raw(protocol::encode(protocol::ClientMessage{protocol::AskResults{{7, 8}}}));
  EXPECT_EQ(results(client, 2).at(8).kind, ResultKind::kUnknown);
}

TEST(Resume, ResultsThatCameWhileItWasGoneAreAskedFor) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  EXPECT_EQ(client.mirror().welcome().results_kept, protocol::kResultsKept);
  EXPECT_TRUE(client.mirror().welcome().knows_client);
  client.session().send_command(kPour);
  client.session().send_command("nonsense");
  client.session().send_command(R"({"cmd": "pour", "at": [999, 50, 0], "units": 100})");
  client.flush();
  wait_for_commands(server, 2);
  const protocol::SentCommands taken = cut_off(client);
  ASSERT_EQ(taken.unanswered.size(), 3U);
  const std::int64_t before = server.world().totals().water;
  server.tick();
  server.tick();

  WireClient back(server.port(), "/worlds/dam", "test", "", taken);
  ASSERT_TRUE(back.greet());
  EXPECT_TRUE(back.mirror().welcome().knows_client);
  const auto all = results(back, 3);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all.at(1).applied);
  EXPECT_EQ(all.at(1).kind, ResultKind::kAgain);
  EXPECT_GT(all.at(1).tick, 0U);
  EXPECT_FALSE(all.at(2).applied);
  EXPECT_FALSE(all.at(3).applied);
  EXPECT_GT(all.at(3).tick, 0U);
  EXPECT_EQ(server.world().totals().water, before + 100);
  EXPECT_TRUE(back.session().commands().unanswered.empty());
}

TEST(Resume, WhatIsUnderWayIsAnsweredOnceOnTheNewConnection) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  client.session().send_command(kPour);
  client.flush();
  wait_for_commands(server, 1);
  WireClient back(server.port(), "/worlds/dam", "test", "", cut_off(client));
  ASSERT_TRUE(back.greet());
  ASSERT_TRUE(back.session().send_again(1));  // as well as asked for
  back.session().send_ping(1);
  back.flush();
  ASSERT_TRUE(back.pump_until([](Event event) { return event == Event::kPong; }));
  EXPECT_EQ(server.waiting_commands(), 1U);
  server.tick();
  const auto all = results(back, 1);
  EXPECT_TRUE(all.at(1).applied);
  EXPECT_EQ(all.at(1).kind, ResultKind::kNew);
  EXPECT_EQ(back.command("nonsense").seq, 2U);  // and nothing came between
}

TEST(Resume, WhatNeverCameIsSentAgainAndAppliedOnce) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  client.session().send_command(kPour);
  (void)client.session().take_outgoing();  // it is lost on its way
  const std::int64_t before = server.world().totals().water;
  for (int connection = 0; connection < 3; ++connection) {
    WireClient back(server.port(), "/worlds/dam", "test", "", cut_off(client));
    ASSERT_TRUE(back.greet());
    const CommandResult result = results(back, 1).at(1);
    if (connection > 0) {
      EXPECT_TRUE(result.applied);
      EXPECT_EQ(result.kind, ResultKind::kAgain);
      break;
    }
    EXPECT_EQ(result.kind, ResultKind::kNeverCame);
    ASSERT_TRUE(back.session().send_again(1));
    back.flush();
    wait_for_commands(server, 1);
    client.session() = protocol::ClientSession("test", cut_off(back));
    server.tick();
  }
  server.tick();
  EXPECT_EQ(server.world().totals().water, before + 100);
}

TEST(Resume, ANumberThatIsSentTwiceIsAppliedOnce) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  const protocol::Bytes command =
      protocol::encode(protocol::ClientMessage{protocol::Command{5, kPour}});
  const std::int64_t before = server.world().totals().water;
  client.send_raw(command);
  client.send_raw(command);
  wait_for_commands(server, 1);
  server.tick();
  ASSERT_EQ(results(client, 1).size(), 1U);
  client.send_raw(command);
  const CommandResult again = results(client, 1).at(5);
  EXPECT_TRUE(again.applied);
  EXPECT_EQ(again.kind, ResultKind::kAgain);
  server.tick();
  EXPECT_EQ(server.world().totals().water, before + 100);
}

TEST(Resume, AnotherTokenLearnsNothing) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  client.session().send_command(kPour);
  client.flush();
  wait_for_commands(server, 1);
  protocol::SentCommands other = cut_off(client);
  other.token->fill(2);
  WireClient stranger(server.port(), "/worlds/dam", "test", "", other);
  ASSERT_TRUE(stranger.greet());
  EXPECT_FALSE(stranger.mirror().welcome().knows_client);
  EXPECT_EQ(results(stranger, 1).at(1).kind, ResultKind::kUnknown);
}

TEST(Resume, TheNewConnectionTakesThePlaceOfTheOld) {
  TestServer server;
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  client.session().send_command(kPour);
  client.flush();
  wait_for_commands(server, 1);
  WireClient second(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(second.greet());
  EXPECT_TRUE(client.wait_closed());
  ASSERT_TRUE(client.session().refused());
  EXPECT_EQ(client.session().refused()->code, protocol::RefusalCode::kReplaced);
  server.tick();
  EXPECT_TRUE(results(second, 1).at(1).applied);
}

TEST(Resume, WhoAsksWithoutReadingIsNotReadFrom) {
  net::ServerOptions options;
  options.limits.waiting_replies = 8;
  TestServer server(options);
  WireClient client(server.port(), "/worlds/dam", "test", "", with_token(1));
  ASSERT_TRUE(client.greet());
  protocol::AskResults ask;
  for (std::uint64_t seq = 1; seq <= protocol::kResultsKept; ++seq) ask.seqs.push_back(seq);
  const protocol::Bytes bytes = protocol::encode(protocol::ClientMessage{ask});
  std::size_t answers = 0;
  for (int i = 0; i < 4; ++i) client.send_raw(bytes);
  EXPECT_TRUE(client.pump_until([&](Event event) {
    if (event == Event::kResult) {
      EXPECT_EQ(client.session().last_result().kind, ResultKind::kNeverCame);
      ++answers;
    }
    return answers == 4 * protocol::kResultsKept;
  }));
}

TEST(Resume, ATokenHasItsLengthAndAnAskItsMost) {
  protocol::Hello hello;
  hello.resume.emplace();
  const protocol::Bytes whole = protocol::encode(protocol::ClientMessage{hello});
  EXPECT_TRUE(protocol::decode_client_message(whole).ok());
  protocol::AskResults ask;
  ask.seqs.resize(protocol::kResultsKept);
  EXPECT_TRUE(protocol::decode_client_message(protocol::encode(protocol::ClientMessage{ask})).ok());
  ask.seqs.resize(protocol::kResultsKept + 1);
  EXPECT_FALSE(
      protocol::decode_client_message(protocol::encode(protocol::ClientMessage{ask})).ok());
}

}  // namespace
}  // namespace sluice::tests::resume_test
