// Goal: what operators ask for over the wire is done as their role lets them, once, one after the
// other, and answered through the world's feed; whoever's world is gone by then gets no answer, and
// nobody else does in their place. Method: a desk on the admin API of hosted worlds, without
// sockets; commands are given to the runner as the network does.
#include "server/host/operator_desk.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/token.h"
#include "server/host/world_runner.h"
#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::host::operator_desk_test {
namespace {

using ::testing::HasSubstr;

class OperatorDeskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    access::GateRules rules;
    rules.accounts_file = folder_.file("tokens.toml");
    std::ofstream(rules.accounts_file)
        << "[[account]]\nname = \"olga\"\ntoken = \"" << access::hash_of("olga")
        << "\"\n[account.roles]\n\"*\" = \"operate\"\n";
    gate_ = std::make_unique<access::Gate>(rules);
    ASSERT_TRUE(gate_->read_accounts().ok());
    std::filesystem::create_directories(folder_.file("data"));
    HostedWorlds::Options options;
    options.data_directory = folder_.file("data");
    options.verify = false;
    options.now = [] { return std::int64_t{0}; };
    options.operate = [this](net::ClientCommand command, std::weak_ptr<const void> asker,
                             const std::string& world) {
      return desk_->ask(std::move(command), std::move(asker), world);
    };
    worlds_ = std::make_unique<HostedWorlds>(std::move(options), executor_, metrics_);
    ASSERT_TRUE(worlds_->read_file().ok());
    ASSERT_TRUE(worlds_->create("[world]\nname = \"pond\"\nsize = [64, 64, 1]\n").ok());
    AdminTargets targets;
    targets.worlds = worlds_.get();
    targets.gate = gate_.get();
    targets.open = true;  // of the admins' listener: nothing to who comes this way
    targets.apply_roles = [] {};
    api_ = std::make_unique<AdminApi>(std::move(targets));
    desk_ = std::make_unique<OperatorDesk>(*api_, *worlds_);
  }

  Status ask(const char* json, const char* account, std::uint64_t seq = 1) {
    net::ClientCommand command;
    command.seq = seq;
    command.json = json;
    command.session = 7;
    command.account = account;
    return worlds_->runner("pond")->submit(std::move(command));
  }
  protocol::CommandResult answer() {
    std::vector<net::CommandReply> replies;
    EXPECT_TRUE(tests::wait_until([&] {
      replies = worlds_->runner("pond")->feed().take().replies;
      return !replies.empty();
    }));
    return replies.empty() ? protocol::CommandResult{} : replies.front().result;
  }

  tests::TemporaryDirectory folder_;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<access::Gate> gate_;
  std::unique_ptr<HostedWorlds> worlds_;
  std::unique_ptr<AdminApi> api_;
  std::unique_ptr<OperatorDesk> desk_;
};

TEST_F(OperatorDeskTest, DoesWhatTheRoleLetsDo) {
  ASSERT_TRUE(ask(R"({"cmd": "operate", "action": "pause"})", "olga", 5).ok());
  const protocol::CommandResult paused = answer();
  EXPECT_TRUE(paused.applied) << paused.reason;
  EXPECT_EQ(paused.seq, 5U);
  EXPECT_TRUE(worlds_->runner("pond")->pace().paused);
  EXPECT_TRUE(worlds_->runner("pond")->feed().paused());

  ASSERT_TRUE(ask(R"({"cmd": "operate", "action": "speed", "speed": 2.5})", "olga").ok());
  EXPECT_TRUE(answer().applied);
  EXPECT_EQ(worlds_->runner("pond")->feed().speed(), 2500);

  for (const auto& [json, account, why] :
       {std::tuple(R"({"cmd": "operate", "action": "resume"})", "", "needs a token"),
        {R"({"cmd": "operate", "action": "reset", "recording": "keep"})", "olga",
         "this needs admin"},
        {R"({"cmd": "operate", "action": "step"})", "olga", "the body must be"},
        {R"({"cmd": "operate", "action": "sink"})", "olga", "there is no action"},
        {R"({"cmd": "operate", "action": 5})", "olga", "there is no action"},
        {R"({"cmd": "operate"})", "olga", "there is no action"}}) {
    ASSERT_TRUE(ask(json, account).ok()) << json;
    const protocol::CommandResult refused = answer();
    EXPECT_FALSE(refused.applied) << json;
    EXPECT_THAT(refused.reason, HasSubstr(why)) << json;
  }
}

// Every word of it may come from anybody.
TEST_F(OperatorDeskTest, OtherCommandsAreNoneOfItsBusiness) {
  const WorldRunner& runner = *worlds_->runner("pond");
  const auto operates = [&](const char* json) {
    protocol::Command command;
    command.json = json;
    return runner.role_for(command) == access::Role::kOperate;
  };
  EXPECT_TRUE(operates(R"( {"action": "pause", "cmd": "operate"} )"));
  EXPECT_FALSE(operates(R"({"cmd": "remove_pipe", "name": "operate"})"));
  EXPECT_FALSE(operates(R"({"cmd": ["operate"]})"));
  EXPECT_FALSE(operates(R"(["operate"])"));
  EXPECT_FALSE(operates(R"({"cmd": "operate")"));
}

TEST_F(OperatorDeskTest, TakesInSoMuchAndNoMore) {
  std::size_t taken = 0;
  {
    const auto held = api_->alone();  // nothing is done meanwhile
    // One may be under way beside those that wait.
    for (std::size_t i = 0; i < OperatorDesk::kMostWaiting + 2; ++i) {
      const Status asked = ask(R"({"cmd": "operate", "action": "pause"})", "olga", i + 1);
      if (asked.ok()) {
        ++taken;
      } else {
        EXPECT_THAT(asked.error(), HasSubstr("16 actions wait"));
      }
    }
    EXPECT_GE(taken, OperatorDesk::kMostWaiting);
    EXPECT_LE(taken, OperatorDesk::kMostWaiting + 1);
  }
  for (std::size_t answers = 0; answers < taken;) {
    answers += worlds_->runner("pond")->feed().take().replies.size();
  }
}

// Sessions have the same numbers in the world that begins anew.
TEST_F(OperatorDeskTest, NobodyIsAnsweredInTheirPlace) {
  {
    const auto held = api_->alone();
    ASSERT_TRUE(ask(R"({"cmd": "operate", "action": "pause"})", "olga").ok());
    ASSERT_TRUE(worlds_->reset("pond", RecordingFate::kDelete).ok());
  }
  ASSERT_TRUE(ask(R"({"cmd": "operate", "action": "resume"})", "olga", 2).ok());
  EXPECT_EQ(answer().seq, 2U);
  EXPECT_FALSE(worlds_->runner("pond")->pace().paused);
}

TEST_F(OperatorDeskTest, TakesNothingInOnceItStops) {
  desk_->stop();
  EXPECT_FALSE(ask(R"({"cmd": "operate", "action": "pause"})", "olga").ok());
}

}  // namespace
}  // namespace sluice::host::operator_desk_test
