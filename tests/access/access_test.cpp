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

#include "server/access/accounts_file.h"
#include "server/access/gate.h"
#include "server/access/token.h"
#include "tests/support/process.h"

namespace sluice::tests {
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
  EXPECT_EQ(error_of("\n[[acount]]\n"), "t.toml:2: unknown key \"acount\"; allowed: account");
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
  EXPECT_EQ(access::account_name_problem(std::string(access::kMaxNameBytes, 'a')), "");
  EXPECT_NE(access::account_name_problem(std::string(access::kMaxNameBytes + 1, 'a')), "");
  for (const char* wrong : {"", "Ada", "a b", "a\x1f", "a\"", "é"}) {
    EXPECT_NE(access::account_name_problem(wrong), "") << wrong;
  }
  EXPECT_EQ(access::world_name_problem(std::string(64, 'a')), "");
  EXPECT_NE(access::world_name_problem(std::string(65, 'a')), "");
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
                                       [](Accounts&) { return sim::Status(sim::Done{}); }));
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

}  // namespace
}  // namespace sluice::tests
