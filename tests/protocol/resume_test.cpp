// Goal: a client's side keeps what is unanswered over its connections and asks for it; and the
// protocol's document tells the numbers that both ends have.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "protocol/client_session.h"

namespace sluice::protocol::resume_test {
namespace {

Welcome welcome_of(std::uint32_t results_kept) {
  Welcome welcome;
  welcome.size = {10, 10, 1};
  welcome.sides = {6, 6, 0};
  welcome.tick = 40;
  welcome.tick_rate = 20;
  welcome.results_kept = results_kept;
  return welcome;
}

ClientSession greeted(SentCommands commands, std::uint32_t results_kept) {
  ClientSession session("test", std::move(commands));
  session.start();
  (void)session.take_outgoing();
  (void)session.receive(encode(ServerMessage{welcome_of(results_kept)}));
  return session;
}

SentCommands with_three_unanswered() {
  SentCommands commands;
  commands.token.emplace();
  ClientSession session = greeted(std::move(commands), kResultsKept);
  for (int i = 0; i < 3; ++i) (void)session.send_command("{}");
  return session.take_commands();
}

TEST(ResumingSession, AsksForWhatIsUnanswered) {
  SentCommands commands = with_three_unanswered();
  EXPECT_EQ(commands.since_tick, 40U);
  EXPECT_EQ(commands.last_seq, 3U);
  ClientSession session = greeted(std::move(commands), kResultsKept);
  const std::vector<Bytes> sent = session.take_outgoing();
  ASSERT_EQ(sent.size(), 1U);
  const auto ask = decode_client_message(sent[0]);
  ASSERT_TRUE(ask.ok());
  EXPECT_EQ(std::get<AskResults>(ask.value()).seqs, (std::vector<std::uint64_t>{1, 2, 3}));
  CommandResult result{2, false, 0, "never came", ResultKind::kNeverCame};
  EXPECT_EQ(session.receive(encode(ServerMessage{result})), ClientSession::Event::kResult);
  EXPECT_EQ(session.last_result().kind, ResultKind::kNeverCame);
  EXPECT_TRUE(session.send_again(2));
  result = {2, true, 50, "", ResultKind::kNew};
  (void)session.receive(encode(ServerMessage{result}));
  EXPECT_FALSE(session.send_again(2));
  EXPECT_EQ(session.commands().unanswered.size(), 2U);
  EXPECT_EQ(session.send_command("{}"), 4U);
}

TEST(ResumingSession, KnowsWhatAServerForgets) {
  ClientSession session = greeted(with_three_unanswered(), 0);
  EXPECT_TRUE(session.take_outgoing().empty());
  EXPECT_EQ(session.forgotten(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(session.commands().unanswered.empty());
}

TEST(ResumingSession, TheDocumentHasItsNumbers) {
  std::ifstream file(SLUICE_PROTOCOL_README);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& said : {
           std::to_string(kResumeTokenBytes) + " random bytes",
           "the client's last " + std::to_string(kResultsKept) + " results",
           "than " + std::to_string(kResultBytesKept >> 10U) + " KiB of its memory",
           "AskResults names at most " + std::to_string(kResultsKept) + " numbers",
       }) {
    EXPECT_NE(std::string_view(text).find(said), std::string_view::npos) << said;
  }
}

}  // namespace
}  // namespace sluice::protocol::resume_test
