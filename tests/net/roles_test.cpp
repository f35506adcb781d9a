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

namespace sluice::tests::roles_test {
namespace {

using access::Role;
using ::testing::HasSubstr;

constexpr const char* kPour = R"({"cmd": "pour", "at": [100, 50, 0], "units": 9})";

class Roles : public ::testing::Test {
 protected:
  void serve(Role anonymous, const net::Proxies& proxies = {}) {
    write("build");
    access::GateRules rules;
    rules.anonymous = anonymous;
    rules.accounts_file = path_;
    gate_ = std::make_shared<access::Gate>(rules);
    ASSERT_TRUE(gate_->read_accounts());
    net::ServerOptions options;
    options.gate = gate_;
    options.proxies = proxies;
    server_ = std::make_unique<TestServer>(std::move(options));
  }
  void write(const std::string& role) {
    std::ofstream(path_) << "[[account]]\nname = \"ada\"\ntoken = \"" << access::hash_of("letmein")
                         << "\"\n[account.roles]\ndam = \"" << role << "\"\n";
  }
  void ban(const std::string& line) {
    std::ofstream(path_, std::ios::app) << "[[ban]]\n" << line << "\nreason = \"floods\"\n";
    ASSERT_TRUE(gate_->read_accounts());
    server_->server().apply_roles();
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
            "\"read_only\": [], \"operators\": {}, \"owned\": {}}\n");
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
  EXPECT_EQ(server_->last_command().address, "127.0.0.1");
}

TEST_F(Roles, AnAccountHasSoManyConnectionsAndNoMore) {
  write("build");
  access::GateRules rules;
  rules.accounts_file = path_;
  rules.anonymous = Role::kWatch;
  net::ServerOptions options;
  auto gate = std::make_shared<access::Gate>(rules);
  ASSERT_TRUE(gate->read_accounts());
  options.gate = gate;
  options.limits.connections_per_account = 2;
  server_ = std::make_unique<TestServer>(std::move(options));
  const auto connect = [&](const std::string& token) {
    return std::make_unique<WireClient>(server_->port(), "/worlds/dam", "test", token);
  };
  auto one = connect("letmein");
  auto two = connect("letmein");
  EXPECT_THROW(connect("letmein"), std::runtime_error);
  EXPECT_EQ(server_->server().connections_refused(), 1U);
  auto somebody = connect("");
  EXPECT_TRUE(somebody->greet()) << "others are let in";
  one->abort();
  bool again = false;
  for (int i = 0; i < 500 && !again; ++i) {
    try {
      (void)connect("letmein");
      again = true;
    } catch (const std::runtime_error&) {
    }
  }
  EXPECT_TRUE(again) << "another may come in its place";
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

TEST_F(Roles, WhoIsBannedIsShownTheDoorAndToldWhy) {
  serve(Role::kWatch);
  WireClient ada(server_->port(), "/worlds/dam", "viewer", "letmein");
  ASSERT_TRUE(ada.greet());
  WireClient visitor(server_->port(), "/worlds/dam");
  ASSERT_TRUE(visitor.greet());
  ban("account = \"ada\"");
  EXPECT_TRUE(ada.wait_closed());
  EXPECT_EQ(ada.close_reason(), "not allowed: \"ada\" is banned: floods");
  EXPECT_EQ(get("/worlds", bearer("letmein")).body, "not allowed: \"ada\" is banned: floods\n");
  EXPECT_EQ(get("/worlds").status, 200U);
  ban("address = \"127.0.0.0/8\"");
  EXPECT_TRUE(visitor.wait_closed());
  EXPECT_EQ(visitor.close_reason(), "not allowed: this address is banned: floods");
  EXPECT_EQ(get("/worlds").status, 403U);
  EXPECT_EQ(get("/").status, 403U);
  EXPECT_EQ(get("/healthz").status, 200U) << "health is everybody's";
  EXPECT_THROW(WireClient(server_->port(), "/worlds/dam"), std::runtime_error);
}

TEST_F(Roles, AProxysWordIsTakenForWhoConnects) {
  net::Proxies proxies;
  proxies.trusted = {access::AddressRange::parse("127.0.0.1").value()};
  proxies.account_header = "X-Forwarded-User";
  serve(Role::kNone, proxies);
  const auto who = [&](const std::string& headers) { return get("/session", headers).body; };
  EXPECT_THAT(who("X-Forwarded-User: ada\r\n"), HasSubstr("\"account\": \"ada\""));
  EXPECT_THAT(who("X-Forwarded-User: stranger\r\n"), HasSubstr("\"account\": null"));
  EXPECT_THAT(who("X-Forwarded-User: \r\n"), HasSubstr("\"account\": null"));
  EXPECT_EQ(get("/worlds", "X-Forwarded-User: A B\r\n").status, 401U);
  // Cookies that go through an encrypting proxy are for encrypted connections alone.
  const auto sign_in = [&](const std::string& more) {
    return http_request(server_->port(), "POST", "/session", bearer("letmein") + more).head;
  };
  EXPECT_THAT(sign_in("X-Forwarded-Proto: https\r\n"), HasSubstr("; Secure"));
  EXPECT_THAT(sign_in(""), testing::Not(HasSubstr("; Secure")));
  ban("address = \"203.0.113.0/24\"");
  EXPECT_EQ(get("/worlds", "X-Forwarded-For: 203.0.113.9\r\n").status, 403U);
  EXPECT_EQ(get("/worlds", "X-Forwarded-For: 203.0.113.9, 198.51.100.1\r\n").status, 200U)
      << "what a stranger says of others is nothing";
  EXPECT_EQ(
      get("/worlds", "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.9\r\n").status,
      403U)
      << "the last line is the nearest proxy's";
}

TEST_F(Roles, NobodyElsesWordIs) {
  net::Proxies proxies;
  proxies.trusted = {access::AddressRange::parse("10.0.0.0/8").value()};
  proxies.account_header = "X-Forwarded-User";
  serve(Role::kNone, proxies);
  EXPECT_THAT(get("/session", "X-Forwarded-User: ada\r\n").body, HasSubstr("\"account\": null"));
  ban("address = \"203.0.113.0/24\"");
  EXPECT_EQ(get("/worlds", "X-Forwarded-For: 203.0.113.9\r\n").status, 200U);
  EXPECT_THAT(http_request(server_->port(), "POST", "/session",
                           bearer("letmein") + "X-Forwarded-Proto: https\r\n")
                  .head,
              testing::Not(HasSubstr("; Secure")));
}

TEST(Proxies, TheClientIsTheLastOneThatIsNoProxy) {
  net::Proxies proxies;
  for (const char* range : {"10.0.0.0/8", "2001:db8::/32"}) {
    proxies.trusted.push_back(access::AddressRange::parse(range).value());
  }
  EXPECT_EQ(proxies.client_of("198.51.100.1", "203.0.113.9"), "198.51.100.1");
  EXPECT_EQ(proxies.client_of("10.0.0.1", ""), "10.0.0.1");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "8.8.8.8, 203.0.113.9 ,10.0.0.2"), "203.0.113.9");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "203.0.113.9:5000"), "203.0.113.9");
  EXPECT_EQ(proxies.client_of("2001:db8::1", "[2001:db9::7]:5000"), "2001:db9::7");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "2001:db9::7"), "2001:db9::7");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "203.0.113.9, garbage"), "10.0.0.1");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "garbage, 203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "garbage, 10.0.0.2"), "10.0.0.2");
  EXPECT_EQ(proxies.client_of("10.0.0.1", ",,,"), "10.0.0.1");
  EXPECT_EQ(proxies.client_of("10.0.0.1", "["), "10.0.0.1");
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
            "\"read_only\": [], \"operators\": {}, \"owned\": {}}\n");
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
}  // namespace sluice::tests::roles_test
