// Goal: the file of accounts holds what it was given and nothing that opens a door; mistakes in it
// are named by their place; the gate lets in whom it should. Method: examples, one of them with two
// writers at once.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/access/accounts_file.h"
#include "server/access/gate.h"
#include "server/access/token.h"
#include "tests/support/process.h"

namespace sluice::tests::access_test {
namespace {

using access::Account;
using access::Accounts;
using access::Role;
using ::testing::HasSubstr;

Account account(std::string name, std::string_view token,
                std::map<std::string, Role, std::less<>> roles) {
  return {std::move(name), access::hash_of(token), "2026-11-22", std::move(roles)};
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Tokens, DifferAndAreKeptAsTheirHashAlone) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(access::new_token().value());
  EXPECT_EQ(tokens.size(), 100U);
  // The SHA-256 of "abc", from the standard.
  EXPECT_EQ(access::hash_of("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string& token = *tokens.begin();
  EXPECT_LE(token.size(), access::kMaxTokenBytes);
  Accounts accounts;
  ASSERT_TRUE(accounts.add(account("ada", token, {{"*", Role::kBuild}})));
  EXPECT_EQ(accounts.text().find(token), std::string::npos);
  EXPECT_EQ(accounts.text().find(token.substr(7, 16)), std::string::npos);
  EXPECT_EQ(accounts.holder_of(token)->name, "ada");
  EXPECT_EQ(accounts.holder_of(token + "0"), nullptr);
  EXPECT_EQ(accounts.holder_of(""), nullptr);
  EXPECT_EQ(accounts.holder_of(accounts.named("ada")->token_hash), nullptr);
}

TEST(Accounts, AWorldsOwnLineWins) {
  const Account one = account("ada", "t", {{"*", Role::kBuild}, {"cave", Role::kWatch}});
  EXPECT_EQ(one.role_in("cave"), Role::kWatch);
  EXPECT_EQ(one.role_in("lake"), Role::kBuild);
  EXPECT_EQ(account("bob", "t", {{"cave", Role::kAdmin}}).role_in("lake"), Role::kNone);
}

RC_GTEST_PROP(Accounts, AreReadAsTheyWereWritten, (std::map<std::uint8_t, std::uint8_t> drawn)) {
  Accounts accounts;
  for (const auto& [number, role] : drawn) {
    std::map<std::string, Role, std::less<>> roles;
    roles["world-" + std::to_string(number % 7)] = static_cast<Role>(role % 5);
    if (role % 2 == 0) roles["*"] = static_cast<Role>(role / 2 % 5);
    const std::string name = "a_" + std::to_string(number) + ".b-c";
    RC_ASSERT(accounts.add(account(name, name, roles)).ok());
  }
  const auto read = Accounts::parse(accounts.text(), "file");
  RC_ASSERT(read.ok());
  RC_ASSERT(read->all() == accounts.all());
  RC_ASSERT(read->text() == accounts.text());
}

TEST(Accounts, MistakesNameTheirPlace) {
  const auto error_of = [](const std::string& text) {
    const auto read = Accounts::parse(text, "t.toml");
    return read.ok() ? std::string("none") : read.error();
  };
  const std::string hash = access::hash_of("t");
  const std::string good = "[[account]]\nname = \"ada\"\ntoken = \"" + hash + "\"\n";
  EXPECT_EQ(error_of(good), "none");
  EXPECT_EQ(error_of("\n[[acount]]\n"), "t.toml:2: unknown key \"acount\"; allowed: account, ban");
  EXPECT_THAT(error_of("account = 5"), HasSubstr("t.toml:1: account must be tables"));
  EXPECT_THAT(error_of("[[account]]\nname = 5"), HasSubstr("t.toml:2: name must be a text"));
  EXPECT_THAT(error_of(good + "[account.roles]\ncave = \"king\""),
              HasSubstr("t.toml:5: the role in cave must be one of none, watch, build"));
  EXPECT_THAT(error_of(good + "[account.roles]\n\"Big Cave\" = \"watch\""),
              HasSubstr("t.toml:1: \"Big Cave\" is no name of a world"));
  EXPECT_THAT(error_of(good + "rank = \"x\""), HasSubstr("t.toml:4: unknown key \"rank\""));
  EXPECT_THAT(error_of(good + good), HasSubstr("t.toml:4: there is an account named \"ada\""));
  EXPECT_THAT(error_of(good + "[[account]]\nname = \"bob\"\ntoken = \"" + hash + "\"\n"),
              HasSubstr("\"bob\" has the token of another account"));
  EXPECT_THAT(error_of("[[account]]\nname = \"ada\"\ntoken = \"secret\"\n"),
              HasSubstr("is no SHA-256"));
  EXPECT_THAT(error_of("[[account]\n"), HasSubstr("t.toml:1: "));
}

TEST(Accounts, NamesAndNumbersHaveTheirLimits) {
  EXPECT_TRUE(access::check_account_name(std::string(access::kMaxNameBytes, 'a')));
  EXPECT_FALSE(access::check_account_name(std::string(access::kMaxNameBytes + 1, 'a')));
  for (const char* wrong : {"", "Ada", "a b", "a\x1f", "a\"", "é"}) {
    EXPECT_FALSE(access::check_account_name(wrong)) << wrong;
  }
  EXPECT_TRUE(access::check_world_name(std::string(64, 'a')));
  EXPECT_FALSE(access::check_world_name(std::string(65, 'a')));
  Accounts accounts;
  for (std::size_t i = 0; i < access::kMostAccounts; ++i) {
    const std::string name = "a" + std::to_string(i);
    ASSERT_TRUE(accounts.add(account(name, name, {})));
  }
  EXPECT_THAT(accounts.add(account("one-more", "t", {})).error(), HasSubstr("no more fit"));
  EXPECT_THAT(Accounts::parse(std::string(access::kMaxFileBytes + 1, '#'), "f").error(),
              HasSubstr("has more than"));
}

TEST(AccountsFile, IsItsOwnersAndIsReplacedAsAWhole) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("tokens.toml");
  const auto add = [&](const std::string& name) {
    return access::change_accounts(
        path, [&](Accounts& accounts) { return accounts.add(account(name, name, {})); });
  };
  ASSERT_TRUE(add("ada"));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string before = text_of(path);
  EXPECT_FALSE(add("ada"));
  EXPECT_EQ(text_of(path), before);
  // A file that cannot be read is not begun anew.
  std::ofstream(path) << "[[account]\n";
  EXPECT_FALSE(add("bob"));
  EXPECT_EQ(text_of(path), "[[account]\n");
  EXPECT_FALSE(access::change_accounts(folder.file("none/tokens.toml"),
                                       [](Accounts&) { return Status(Done{}); }));
}

TEST(AccountsFile, WritersWaitForOneAnother) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("tokens.toml");
  constexpr int kEach = 25;
  const auto add_all = [&](const std::string& prefix) {
    for (int i = 0; i < kEach; ++i) {
      const std::string name = prefix + std::to_string(i);
      EXPECT_TRUE(access::change_accounts(
          path, [&](Accounts& accounts) { return accounts.add(account(name, name, {})); }));
    }
  };
  std::thread other([&] { add_all("x"); });
  add_all("y");
  other.join();
  EXPECT_EQ(Accounts::read(path)->all().size(), 2U * kEach);
}

TEST(Gate, LetsInWhomItShould) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("tokens.toml");
  const auto write = [&](const Accounts& accounts) { std::ofstream(path) << accounts.text(); };
  Accounts accounts;
  ASSERT_TRUE(accounts.add(account("ada", "a", {{"cave", Role::kBuild}})));
  ASSERT_TRUE(accounts.add(account("bob", "b", {{"*", Role::kWatch}})));
  write(accounts);
  access::GateRules rules;
  rules.anonymous = Role::kNone;
  rules.anonymous_in = {{"park", Role::kBuild}};
  rules.read_only = {"museum"};
  rules.accounts_file = path;
  access::Gate gate(rules);
  ASSERT_TRUE(gate.read_accounts());
  EXPECT_EQ(gate.account_of("a"), "ada");
  EXPECT_EQ(gate.account_of("c"), std::nullopt);
  EXPECT_EQ(gate.build_refusal("cave", "ada"), "");
  EXPECT_THAT(gate.watch_refusal("lake", "ada"), HasSubstr("not allowed: \"ada\" has no role"));
  EXPECT_EQ(
      gate.build_refusal("cave", "bob"),
      "not allowed: the role of \"bob\" in this world is watch; building needs the role build");
  EXPECT_EQ(gate.watch_refusal("cave", ""), "not allowed: seeing this world needs a token");
  EXPECT_EQ(gate.build_refusal("park", ""), "");
  EXPECT_EQ(gate.build_refusal("park", "bob"), "");  // no less than who shows nothing
  EXPECT_EQ(gate.build_refusal("museum", "bob"), "not allowed: this world is read-only");
  // A broken file changes nothing; a good one all.
  std::ofstream(path) << "nonsense";
  EXPECT_FALSE(gate.read_accounts());
  EXPECT_EQ(gate.account_of("a"), "ada");
  (void)accounts.remove("ada");
  write(accounts);
  ASSERT_TRUE(gate.read_accounts());
  EXPECT_EQ(gate.account_of("a"), std::nullopt);
  EXPECT_EQ(gate.watch_refusal("park", "ada"), "not allowed: \"ada\" was removed");
}

// What deployments begin with: a file that somebody touched, of a user of its own.
TEST(AccountsFile, BeginsEmptyAndKeepsItsOwner) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("tokens.toml", "");
  const auto empty = Accounts::read(path);
  ASSERT_TRUE(empty.ok()) << empty.error();
  EXPECT_TRUE(empty->all().empty());
  EXPECT_FALSE(Accounts::read(folder.file("none.toml")).ok());
  EXPECT_FALSE(Accounts::read(folder.file("")).ok()) << "a folder";
  const bool administrator = geteuid() == 0;
  const uid_t user = administrator ? 10001 : geteuid();
  ASSERT_EQ(chown(path.c_str(), user, static_cast<gid_t>(-1)), 0);
  ASSERT_TRUE(access::change_accounts(path, [](Accounts& accounts) {
    return accounts.add(account("ada", "t", {{"*", Role::kBuild}}));
  }));
  for (const std::string& file : {path, path + ".lock"}) {
    struct stat about = {};
    ASSERT_EQ(stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, user) << file;
    EXPECT_EQ(about.st_mode & 0777, 0600U) << file;
  }
}

TEST(AddressRange, HoldsWhatPeopleMean) {
  const auto holds = [](const char* range, const char* address) {
    return access::AddressRange::parse(range).value().contains(address);
  };
  EXPECT_TRUE(holds("203.0.113.7", "203.0.113.7"));
  EXPECT_FALSE(holds("203.0.113.7", "203.0.113.8"));
  EXPECT_TRUE(holds("203.0.113.0/24", "203.0.113.255"));
  EXPECT_FALSE(holds("203.0.113.0/24", "203.0.114.0"));
  EXPECT_TRUE(holds("203.0.113.128/25", "203.0.113.129"));
  EXPECT_FALSE(holds("203.0.113.128/25", "203.0.113.127"));
  EXPECT_TRUE(holds("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(holds("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(holds("2001:db8::/32", "2001:db8:1::1"));
  EXPECT_FALSE(holds("2001:db8::/32", "2001:db9::1"));
  EXPECT_TRUE(holds("203.0.113.0/24", "::ffff:203.0.113.5")) << "the same, written as IPv6";
  EXPECT_FALSE(holds("203.0.113.0/24", "unknown"));
  for (const char* wrong : {"", "/", "1.2.3", "1.2.3.4/", "1.2.3.4/33", "1.2.3.4/-1", "1.2.3.4/8x",
                            "::1/129", "localhost", "1.2.3.4 "}) {
    EXPECT_FALSE(access::AddressRange::parse(wrong).ok()) << wrong;
  }
}

TEST(Bans, EndWhenTheySay) {
  access::Bans bans;
  ASSERT_TRUE(bans.add({"mallory", "", "2026-12-01T00:00:00Z", "floods"}));
  ASSERT_TRUE(bans.add({"", "203.0.113.0/24", "", ""}));
  const std::int64_t end = access::seconds_of("2026-12-01T00:00:00Z").value();
  EXPECT_EQ(access::time_of(end), "2026-12-01T00:00:00Z");
  EXPECT_EQ(end, 1796083200);
  EXPECT_EQ(bans.refusal("mallory", "", end - 1),
            "not allowed: \"mallory\" is banned until 2026-12-01T00:00:00Z: floods");
  EXPECT_EQ(bans.refusal("mallory", "198.51.100.1", end), "");
  EXPECT_EQ(bans.refusal("ada", "203.0.113.9", INT64_MAX - 1),
            "not allowed: this address is banned");
  EXPECT_EQ(bans.refusal("", "", 0), "");
  EXPECT_TRUE(bans.lift("203.0.113.0/24"));
  EXPECT_FALSE(bans.lift("203.0.113.0/24"));
  for (const char* wrong : {"2026-12-01", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
                            "2026-12-01T24:00:00Z", "2026-12-01T00:00:00+", "x"}) {
    EXPECT_FALSE(bans.add({"ada", "", wrong, ""}).ok()) << wrong;
  }
  EXPECT_FALSE(bans.add({"ada", "203.0.113.9", "", ""}).ok());
  EXPECT_FALSE(bans.add({"", "", "", ""}).ok());
  EXPECT_FALSE(bans.add({"ada", "", "", "a \"quoted\" reason"}).ok());
  EXPECT_FALSE(bans.add({"ada", "", "", std::string(access::kMaxBanReasonBytes + 1, 'x')}).ok());
  EXPECT_TRUE(bans.add({"ada", "", "", std::string(access::kMaxBanReasonBytes, 'x')}).ok());
}

TEST(Bans, AsManyAsFitAndOneMore) {
  access::Bans bans;
  for (std::size_t i = 0; i < access::kMostBans; ++i) {
    ASSERT_TRUE(bans.add({"a" + std::to_string(i), "", "", ""}));
  }
  EXPECT_FALSE(bans.add({"one-more", "", "", ""}).ok());
  EXPECT_TRUE(bans.add({"a5", "", "", "told again"}).ok()) << "takes the place of the one before";
  EXPECT_EQ(bans.all().size(), access::kMostBans);
}

TEST(Bans, StandInTheFileOfAccounts) {
  Accounts accounts;
  ASSERT_TRUE(accounts.add(account("ada@studio.example", "t", {{"*", Role::kBuild}})));
  ASSERT_TRUE(accounts.add({"by-proxy", "", "2026-11-22", {{"*", Role::kWatch}}}));
  ASSERT_TRUE(accounts.bans().add({"", "2001:db8::/32", "2026-12-01T00:00:00Z", "floods"}));
  ASSERT_TRUE(accounts.bans().add({"mallory", "", "", ""}));
  const auto read = Accounts::parse(accounts.text(), "t.toml");
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(read->all(), accounts.all());
  EXPECT_EQ(read->bans().all(), accounts.bans().all());
  EXPECT_EQ(read->holder_of(""), nullptr) << "nobody shows the token of an account without one";
  const auto error_of = [](const std::string& text) {
    return Accounts::parse(text, "t.toml").error();
  };
  EXPECT_THAT(error_of("[[ban]]\nwho = \"a\""),
              HasSubstr("t.toml:2: unknown key \"who\" in [[ban]]"));
  EXPECT_THAT(error_of("[[ban]]\naccount = 5"), HasSubstr("t.toml:2: account must be a text"));
  EXPECT_THAT(error_of("[[ban]]\nreason = \"x\""), HasSubstr("t.toml:1: a ban must name either"));
}

TEST(Gate, ABanTakesAllRolesForItsTime) {
  const TemporaryDirectory folder;
  Accounts accounts;
  ASSERT_TRUE(accounts.add(account("ada", "t", {{"*", Role::kAdmin}})));
  ASSERT_TRUE(accounts.bans().add({"ada", "", "2026-12-01T00:00:00Z", ""}));
  access::GateRules rules;
  rules.accounts_file = folder.write("tokens.toml", accounts.text());
  std::int64_t now = access::seconds_of("2026-11-30T23:59:59Z").value();
  access::Gate gate(rules, [&now] { return now; });
  ASSERT_TRUE(gate.read_accounts());
  EXPECT_EQ(gate.role_in("cave", "ada"), Role::kNone);
  EXPECT_THAT(gate.build_refusal("cave", "ada"), HasSubstr("is banned until"));
  EXPECT_THAT(gate.watch_refusal("cave", "ada"), HasSubstr("is banned until"));
  EXPECT_EQ(gate.role_in("cave", ""), Role::kBuild);
  ++now;
  EXPECT_EQ(gate.role_in("cave", "ada"), Role::kAdmin);
}

}  // namespace
}  // namespace sluice::tests::access_test
