// Goal: every arrow of the picture in client_session.h, and nothing else, moves a session.
#include "protocol/client_session.h"

#include <gtest/gtest.h>

#include "protocol/codec.h"

namespace sluice::protocol::client_session_test {
namespace {

using State = ClientSession::State;
using Event = ClientSession::Event;

Welcome welcome_message() {
  Welcome welcome;
  welcome.world = "w";
  welcome.size = {64, 64, 1};
  welcome.tick = 3;
  return welcome;
}

Event give(ClientSession& session, const ServerMessage& message) {
  return session.receive(encode(message));
}

ClientMessage only_message(ClientSession& session) {
  const std::vector<Bytes> outgoing = session.take_outgoing();
  EXPECT_EQ(outgoing.size(), 1U);
  return decode_client_message(outgoing.at(0)).value();
}

ClientSession ready_session() {
  ClientSession session("test");
  session.start();
  EXPECT_EQ(give(session, welcome_message()), Event::kWelcomed);
  (void)session.take_outgoing();
  return session;
}

TEST(ClientSession, GreetsAndIsWelcomed) {
  ClientSession session("test");
  EXPECT_EQ(session.state(), State::kIdle);
  session.start();
  EXPECT_EQ(session.state(), State::kGreeting);
  EXPECT_EQ(std::get<Hello>(only_message(session)).client_name, "test");
  EXPECT_EQ(give(session, welcome_message()), Event::kWelcomed);
  EXPECT_EQ(session.state(), State::kReady);
  EXPECT_EQ(session.mirror().welcome().world, "w");
  EXPECT_TRUE(session.take_outgoing().empty());
}

TEST(ClientSession, AViewSetEarlyIsSentAfterTheWelcome) {
  ClientSession session("test");
  session.start();
  (void)session.take_outgoing();
  session.set_view({{0, 0, 0}, {9, 9, 1}});
  EXPECT_TRUE(session.take_outgoing().empty());
  give(session, welcome_message());
  EXPECT_EQ(std::get<SetView>(only_message(session)).box.size, (Vec3{9, 9, 1}));
}

TEST(ClientSession, IsRefused) {
  ClientSession session("test");
  session.start();
  EXPECT_EQ(give(session, Refused{RefusalCode::kWrongVersion, "speak 1"}), Event::kClosed);
  EXPECT_EQ(session.state(), State::kClosed);
  EXPECT_EQ(session.reason(), "refused: speak 1");
  ASSERT_TRUE(session.refused().has_value());
  EXPECT_EQ(session.refused()->code, RefusalCode::kWrongVersion);
  EXPECT_EQ(give(session, welcome_message()), Event::kNothing);
}

TEST(ClientSession, AWelcomeOfAnotherVersionCloses) {
  ClientSession session("test");
  session.start();
  Welcome welcome = welcome_message();
  welcome.protocol_version = kProtocolVersion + 1;
  EXPECT_EQ(give(session, welcome), Event::kClosed);
  EXPECT_EQ(session.reason(), "the server speaks protocol version " +
                                  std::to_string(kProtocolVersion + 1) + ", this client " +
                                  std::to_string(kProtocolVersion));
}

TEST(ClientSession, OnlyAWelcomeOrARefusalMayComeFirst) {
  for (const ServerMessage& message :
       {ServerMessage{Tick{}}, ServerMessage{CommandResult{}}, ServerMessage{Pong{}}}) {
    ClientSession session("test");
    session.start();
    EXPECT_EQ(give(session, message), Event::kClosed);
    EXPECT_EQ(session.state(), State::kClosed);
  }
}

TEST(ClientSession, ReadySessionsTakeTicksResultsAndPongs) {
  ClientSession session = ready_session();
  Tick tick;
  tick.tick = 4;
  EXPECT_EQ(give(session, tick), Event::kTicked);
  EXPECT_EQ(session.mirror().tick(), 4U);
  EXPECT_EQ(session.send_command("{}"), 1U);
  EXPECT_EQ(session.send_command("{}"), 2U);
  EXPECT_EQ(session.take_outgoing().size(), 2U);
  EXPECT_EQ(give(session, CommandResult{2, true, 4, ""}), Event::kResult);
  EXPECT_EQ(session.last_result().seq, 2U);
  session.send_ping(8);
  EXPECT_EQ(std::get<Ping>(only_message(session)).nonce, 8U);
  EXPECT_EQ(give(session, Pong{8}), Event::kPong);
  EXPECT_EQ(session.last_pong().nonce, 8U);
  EXPECT_EQ(session.state(), State::kReady);
}

TEST(ClientSession, AWrongDigestQueuesAResync) {
  ClientSession session = ready_session();
  Tick tick;
  tick.tick = 4;
  tick.digests = {{{0, 0, 0}, 1}};
  EXPECT_EQ(give(session, tick), Event::kTicked);
  EXPECT_EQ(std::get<Resync>(only_message(session)).coord, (ChunkCoord{0, 0, 0}));
  EXPECT_EQ(session.mirror().stats().resyncs, 1U);
}

TEST(ClientSession, ReadySessionsCloseOnErrorsRefusalsAndSecondWelcomes) {
  ClientSession garbage = ready_session();
  EXPECT_EQ(garbage.receive(Bytes{1, 2, 3}), Event::kClosed);
  ClientSession again = ready_session();
  EXPECT_EQ(give(again, welcome_message()), Event::kClosed);
  ClientSession refused = ready_session();
  EXPECT_EQ(give(refused, Refused{RefusalCode::kTooSlow, "slow"}), Event::kClosed);
  ClientSession back = ready_session();
  EXPECT_EQ(give(back, Tick{}), Event::kClosed);  // tick 0 after the welcome's 3
}

TEST(ClientSession, AClosedSessionIgnoresEverything) {
  ClientSession session = ready_session();
  session.send_ping(1);
  session.close("the line broke");
  EXPECT_EQ(session.reason(), "the line broke");
  session.close("again");
  EXPECT_EQ(session.reason(), "the line broke");
  EXPECT_EQ(session.send_command("{}"), 0U);
  session.set_view({});
  EXPECT_TRUE(session.take_outgoing().empty());
  EXPECT_EQ(session.receive(Bytes{1}), Event::kNothing);
}

}  // namespace
}  // namespace sluice::protocol::client_session_test
