// Goal: who may not see a world is sent nothing of it, who may not build changes nothing, and what
// is recorded names the account. Method: real sockets against a server in this process, whose file
// of accounts changes while it runs.
#include <atomic>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/token.h"
#include "tests/net/test_server.h"
#include "tests/support/process.h"
#include "tests/support/wire_client.h"

namespace sluice::tests {
namespace {

using access::Role;
using ::testing::HasSubstr;

constexpr const char* kPour = R"({"cmd": "pour", "at": [100, 50, 0], "units": 9})";

class Roles : public ::testing::Test {
 protected:
  void serve(Role anonymous) {
    write("build");
    access::GateRules rules;
    rules.anonymous = anonymous;
    rules.accounts_file = path_;
    gate_ = std::make_shared<access::Gate>(rules);
    ASSERT_TRUE(gate_->read_accounts());
    net::ServerOptions options;
    options.gate = gate_;
    server_ = std::make_unique<TestServer>(std::move(options));
  }
  void write(const std::string& role) {
    std::ofstream(path_) << "[[account]]\nname = \"ada\"\ntoken = \"" << access::hash_of("letmein")
                         << "\"\n[account.roles]\ndam = \"" << role << "\"\n";
  }
  void change_role(const std::string& role) {
    write(role);
    ASSERT_TRUE(gate_->read_accounts());
    server_->server().apply_roles();
  }
  HttpAnswer get(const std::string& target, const std::string& headers = "") {
    return http_request(server_->port(), "GET", target, headers);
  }
  static std::string bearer(const std::string& token) {
    return "Authorization: Bearer " + token + "\r\n";
  }
  /// Pours, and ticks once the command is there; a refused one never comes.
  protocol::CommandResult pour(WireClient& client) {
    std::atomic<bool> answered = false;
    std::thread ticks([&] {
      while (!answered) {
        if (server_->waiting_commands() > 0) server_->tick();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    const protocol::CommandResult result = client.command(kPour);
    answered = true;
    ticks.join();
    return result;
  }

  TemporaryDirectory folder_;
  const std::string path_ = folder_.file("tokens.toml");
  std::shared_ptr<access::Gate> gate_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(Roles, WhoMayNotSeeAWorldIsToldSoAndNothingElse) {
  serve(Role::kNone);
  EXPECT_EQ(get("/worlds").body, "[]\n");
  EXPECT_EQ(get("/session").body,
            "{\"account\": null, \"accounts\": true, \"worlds\": {\"dam\": \"none\"}, "
            "\"read_only\": []}\n");
  const HttpAnswer fixtures = get("/worlds/dam/fixtures");
  EXPECT_EQ(fixtures.status, 401U);
  EXPECT_EQ(fixtures.body, "not allowed: seeing this world needs a token\n");
  EXPECT_THAT(fixtures.head, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_THROW(WireClient(server_->port(), "/worlds/dam"), std::runtime_error);
  EXPECT_THROW(WireClient(server_->port(), "/worlds/dam", "test", "guess"), std::runtime_error);
  EXPECT_EQ(get("/healthz", bearer("guess")).status, 200U);
  EXPECT_EQ(get("/worlds", bearer("guess")).status, 401U);
  EXPECT_EQ(get("/worlds", bearer(std::string(access::kMaxTokenBytes + 1, 'x'))).status, 401U);
  EXPECT_EQ(get("/worlds", "Authorization: Basic YTpi\r\n").body,
            "not allowed: the Authorization header must be \"Bearer TOKEN\"\n");
  EXPECT_THAT(get("/worlds", bearer("letmein")).body, HasSubstr("\"role\": \"build\""));
  EXPECT_EQ(get("/worlds/dam/fixtures", bearer("letmein")).status, 200U);
}

TEST_F(Roles, WhoWatchesChangesNothing) {
  serve(Role::kWatch);
  WireClient visitor(server_->port(), "/worlds/dam");
  ASSERT_TRUE(visitor.greet());
  EXPECT_TRUE(visitor.mirror().welcome().watch_only);
  EXPECT_EQ(visitor.mirror().welcome().account, "");
  const protocol::CommandResult refused = pour(visitor);
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(refused.reason.find("not allowed: who shows no token may only watch"), 0U);
  EXPECT_EQ(server_->waiting_commands(), 0U);
  WireClient ada(server_->port(), "/worlds/dam", "viewer", "letmein");
  ASSERT_TRUE(ada.greet());
  EXPECT_FALSE(ada.mirror().welcome().watch_only);
  EXPECT_EQ(ada.mirror().welcome().account, "ada");
  EXPECT_TRUE(pour(ada).applied);
  EXPECT_EQ(server_->last_command().account, "ada");
  EXPECT_EQ(server_->last_command().client, "viewer");
}

TEST_F(Roles, NobodyBuildsInAReadOnlyWorld) {
  access::GateRules rules;
  rules.read_only = {"dam"};
  net::ServerOptions options;
  options.gate = std::make_shared<access::Gate>(rules);
  server_ = std::make_unique<TestServer>(std::move(options));
  EXPECT_THAT(get("/session").body,
              HasSubstr(R"("worlds": {"dam": "watch"}, "read_only": ["dam"])"));
  WireClient client(server_->port(), "/worlds/dam");
  ASSERT_TRUE(client.greet());
  EXPECT_TRUE(client.mirror().welcome().watch_only);
  EXPECT_EQ(pour(client).reason, "not allowed: this world is read-only");
}

// Between the upgrade and the hello, too.
TEST_F(Roles, WhoLosesTheRoleBeforeTheHelloIsNotLetIn) {
  serve(Role::kNone);
  WireClient ada(server_->port(), "/worlds/dam", "viewer", "letmein");
  write("none");
  ASSERT_TRUE(gate_->read_accounts());
  EXPECT_FALSE(ada.greet());
  EXPECT_EQ(ada.session().refused()->code, protocol::RefusalCode::kNotAllowed);
}

TEST_F(Roles, OneAccountIsShownTheDoor) {
  serve(Role::kWatch);
  WireClient visitor(server_->port(), "/worlds/dam");
  WireClient ada(server_->port(), "/worlds/dam", "viewer", "letmein");
  ASSERT_TRUE(visitor.greet());
  ASSERT_TRUE(ada.greet());
  EXPECT_EQ(server_->server().kick("dam", "bob"), 0U);
  EXPECT_EQ(server_->server().kick("lake", "ada"), 0U);
  EXPECT_EQ(server_->server().kick("dam", "ada"), 1U);
  EXPECT_TRUE(ada.wait_closed());
  EXPECT_EQ(ada.close_reason(), "not allowed: an operator ended this connection");
  visitor.session().send_ping(1);
  visitor.flush();
  EXPECT_TRUE(visitor.pump_until([](protocol::ClientSession::Event event) {
    return event == protocol::ClientSession::Event::kPong;
  }));
  EXPECT_EQ(server_->server().kick("dam", ""), 1U);
}

TEST_F(Roles, ChangesReachThoseWhoAreThere) {
  serve(Role::kNone);
  WireClient ada(server_->port(), "/worlds/dam", "viewer", "letmein");
  ASSERT_TRUE(ada.greet());
  EXPECT_TRUE(pour(ada).applied);
  change_role("watch");
  EXPECT_EQ(
      pour(ada).reason,
      "not allowed: the role of \"ada\" in this world is watch; building needs the role build");
  change_role("none");
  EXPECT_TRUE(ada.wait_closed());
  EXPECT_EQ(ada.close_reason(), "not allowed: \"ada\" has no role in this world");
  ASSERT_TRUE(ada.session().refused());
  EXPECT_EQ(ada.session().refused()->code, protocol::RefusalCode::kNotAllowed);
}

TEST_F(Roles, PagesSignInByACookieThatTheirScriptsDoNotSee) {
  serve(Role::kWatch);
  EXPECT_EQ(http_request(server_->port(), "POST", "/session").status, 401U);
  const HttpAnswer wrong = http_request(server_->port(), "POST", "/session", bearer("guess"));
  EXPECT_EQ(wrong.status, 401U);
  EXPECT_EQ(wrong.body,
            "{\"error\": \"not allowed: nobody holds this token (it may have been revoked)\"}\n");
  EXPECT_EQ(wrong.head.find("Set-Cookie"), std::string::npos);
  const HttpAnswer in = http_request(server_->port(), "POST", "/session", bearer("letmein"));
  EXPECT_EQ(in.status, 200U);
  EXPECT_EQ(in.body,
            "{\"account\": \"ada\", \"accounts\": true, \"worlds\": {\"dam\": \"build\"}, "
            "\"read_only\": []}\n");
  EXPECT_THAT(in.head, HasSubstr("Set-Cookie: sluice_token=letmein; Path=/; HttpOnly; "
                                 "SameSite=Strict; Max-Age="));
  const std::string cookie = "Cookie: theme=dark; sluice_token=letmein\r\n";
  EXPECT_THAT(get("/session", cookie).body, HasSubstr("\"ada\""));
  EXPECT_THAT(get("/session", "Cookie: sluice_token=old\r\n").body, HasSubstr("null"));
  EXPECT_EQ(get("/", "Cookie: sluice_token=old\r\n").status, 200U);
  // Another site's page is not let in, whatever its visitor's browser holds.
  EXPECT_EQ(get("/session", cookie + "Origin: https://elsewhere.example\r\n").status, 403U);
  const HttpAnswer out = http_request(server_->port(), "DELETE", "/session", cookie);
  EXPECT_EQ(out.status, 204U);
  EXPECT_THAT(out.head, HasSubstr("Max-Age=0"));
  EXPECT_EQ(http_request(server_->port(), "PUT", "/session").status, 405U);
}

}  // namespace
}  // namespace sluice::tests
