// Goal: a server whose people have tokens, as an operator and its visitors meet it. Method: the
// real programs.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include "tests/support/certificate.h"
#include "tests/support/process.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::hosting_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPond = R"(
[world]
name = "pond"
size = [96, 48, 1]
tick_rate = 50
)";
constexpr const char* kPour = "{\"cmd\": \"pour\", \"at\": [5, 40, 0], \"units\": 4096}\n";

class Hosting : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), SLUICE_TOOL);
    return run_program(arguments);
  }
  /// Without its line's end.
  std::string token(const std::string& name, const std::string& role) {
    Finished made = run({"token", "add", name, "--role", role, "--file", tokens_});
    EXPECT_EQ(made.status, 0) << made.error;
    if (!made.out.empty()) made.out.pop_back();
    return made.out;
  }
  Finished view(const ServerProcess& server, std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        SLUICE_VIEW, "ws://127.0.0.1:" + std::to_string(server.port()) + "/worlds/pond",
        "--headless", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  std::vector<std::string> serving(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--world",     world_,   "--listen",
                                          "127.0.0.1:0", "--data", folder_.file("data")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  TemporaryDirectory folder_;
  const std::string world_ = folder_.write("pond.toml", kPond);
  const std::string script_ = folder_.write("s.jsonl", kPour);
  const std::string tokens_ = folder_.file("tokens.toml");
};

TEST_F(Hosting, TokensOpenWhatTheirRolesAllowAndTheRecordingNamesTheAccount) {
  const std::string builder = token("ada", "build");
  const std::string watcher = token("bob", "watch");
  {
    ServerProcess server(SLUICE_SERVER, serving({"--tokens", tokens_, "--anonymous", "none"}));
    ASSERT_NE(server.port(), 0);
    const Finished stranger = view(server, {});
    EXPECT_EQ(stranger.status, 2);
    EXPECT_THAT(stranger.error, HasSubstr("not allowed: seeing this world needs a token"));
    const Finished bob = view(server, {"--token", watcher, "--script", script_});
    EXPECT_THAT(bob.error, HasSubstr("refused: not allowed: the role of \"bob\""));
    const Finished ada =
        view(server, {"--token", builder, "--name", "ada's bot", "--script", script_});
    EXPECT_EQ(ada.status, 0) << ada.error;
    // Who is removed is gone at once, and the others are not disturbed.
    EXPECT_EQ(run({"token", "revoke", "ada", "--file", tokens_}).status, 0);
    server.send_signal(SIGHUP);
    for (int i = 0; i < 3000 && server.errors().find("SIGHUP") == std::string::npos; ++i)
      usleep(10000);
    EXPECT_THAT(view(server, {"--token", builder}).error, HasSubstr("nobody holds this token"));
    EXPECT_EQ(view(server, {"--token", watcher}).status, 0);
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.finish().status, 0);
  }
  const Finished log = run({"log", folder_.file("data/pond.sluice")});
  const auto line = nlohmann::json::parse(log.out);
  EXPECT_EQ(line["account"], "ada");
  EXPECT_EQ(line["client"], "ada's bot");
  // What a log prints is a script.
  const std::string again = folder_.write("log.jsonl", log.out);
  EXPECT_EQ(run({"sim", world_, "--script", again, "--ticks", "500"}).status, 0);
}

TEST_F(Hosting, AnOperatorHoldsAWorldsTime) {
  const std::string operator_token = token("olga", "operate");
  const std::string builder = token("ada", "build");
  ServerProcess server(SLUICE_SERVER,
                       serving({"--tokens", tokens_, "--admin-listen", "127.0.0.1:0"}));
  ASSERT_NE(server.port(), 0);
  const std::string admins = server.said_after("admins: ");
  ASSERT_NE(admins, "");
  const auto admin = [&](const std::string& shown, std::vector<std::string> what) {
    std::vector<std::string> arguments = {"admin", "--server", admins, "--token", shown};
    arguments.insert(arguments.end(), what.begin(), what.end());
    return run(arguments);
  };
  EXPECT_EQ(admin(operator_token, {"pause", "pond"}).out, "{\"paused\":true}\n");
  const auto worlds = nlohmann::json::parse(admin(builder, {"worlds", "--json"}).out);
  EXPECT_EQ(worlds[0]["paused"], true);
  const Finished refused = admin(builder, {"resume", "pond"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.error, HasSubstr("not allowed: the role of \"ada\" in pond is build"));
  EXPECT_EQ(admin(operator_token, {"step", "pond", "3"}).status, 0);
  EXPECT_EQ(admin(operator_token, {"save", "pond"}).status, 0);
  EXPECT_EQ(admin(operator_token, {"speed", "pond", "1000"}).status, 2);
  EXPECT_THAT(server.errors(), HasSubstr("audit: \"olga\": step pond 3: done"));
  // Metrics are for those who run it.
  EXPECT_EQ(http_request(server.port(), "GET", "/metrics").status, 404U);
  const auto port = static_cast<std::uint16_t>(std::stoul(admins.substr(admins.rfind(':') + 1)));
  EXPECT_THAT(http_request(port, "GET", "/metrics").body, HasSubstr("sluice_tick{"));
}

TEST_F(Hosting, AnAreaIsChangedByThoseWhoMay) {
  const std::string builder = token("ada", "build");
  const std::string keeper = token("olga", "operate");
  const std::string config =
      folder_.write("s.toml", "[[worlds.pond.area]]\nfrom = [0, 0, 0]\nsize = [10, 48, 1]\n");
  ServerProcess server(SLUICE_SERVER, serving({"--tokens", tokens_, "--config", config}));
  ASSERT_NE(server.port(), 0);
  const Finished ada = view(server, {"--token", builder, "--script", script_});
  EXPECT_THAT(ada.error, HasSubstr("not allowed: that lies in an area (from [0, 0, 0], size "
                                   "[10, 48, 1]) which needs the role operate"));
  EXPECT_THAT(ada.out, HasSubstr("\"commands_applied\":0"));
  EXPECT_THAT(view(server, {"--token", keeper, "--script", script_}).out,
              HasSubstr("\"commands_applied\":1"));
  EXPECT_THAT(run_program({SLUICE_SERVER, "--world", world_, "check", config}).out,
              HasSubstr("10 x 48 x 1 cells from [0, 0, 0] need the role operate"));
  const std::string beyond =
      folder_.write("b.toml", "[[worlds.pond.area]]\nfrom = [90, 0, 0]\nsize = [7, 1, 1]\n");
  const Finished wrong = run_program({SLUICE_SERVER, "--world", world_, "--config", beyond});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.error, HasSubstr("[[worlds.pond.area]]: from [90, 0, 0], size [7, 1, 1], "
                                     "does not lie in the world"));
}

TEST_F(Hosting, LimitsOfARoleAreTakenOnWithoutARestart) {
  const auto write = [&](const std::string& text) { return folder_.write("s.toml", text); };
  const std::string config = write("[limits.build]\nview_cells = 100\n");
  ServerProcess server(SLUICE_SERVER, serving({"--config", config}));
  ASSERT_NE(server.port(), 0);
  const auto seen = [&](const char* view) {
    return this->view(server, {"--view", view, "--for", "3"});
  };
  EXPECT_EQ(seen("0,0,0,10,10,1").status, 0);
  EXPECT_THAT(seen("0,0,0,10,11,1").error,
              HasSubstr("refused: not allowed: a view of 110 cells; the role build sees at most "
                        "100 at a time"));
  const auto reload = [&](const std::string& text, const std::string& wanted) {
    (void)write(text);
    server.send_signal(SIGHUP);
    for (int i = 0; i < 3000 && server.errors().find(wanted) == std::string::npos; ++i) {
      usleep(10000);
    }
    EXPECT_THAT(server.errors(), HasSubstr(wanted));
  };
  reload("[limits.build]\nview_cells = -1\n", "SIGHUP: all stays as it was: ");
  EXPECT_NE(seen("0,0,0,10,11,1").status, 0);
  reload("threads = 7\n[limits.build]\nview_cells = 110\ncommands_per_second = 5\n",
         "SIGHUP: changed, but not without a restart: threads");
  EXPECT_EQ(seen("0,0,0,10,11,1").status, 0);
  EXPECT_NE(seen("0,0,0,11,11,1").status, 0);
  const Finished checked = run_program({SLUICE_SERVER, "--world", world_, "check", config});
  EXPECT_THAT(checked.out, HasSubstr("a connection with the role build is bound: to 5 commands a "
                                     "second, to views of 110 cells\n"));
}

TEST_F(Hosting, WhatAnAccountOwnsIsBoundOverAReloadAKillAndARestart) {
  const std::string builder = token("ada", "build");
  const auto config = [this](const std::string& text) { return folder_.write("s.toml", text); };
  const std::string path = config("anonymous = \"build\"\n");
  const auto sets = [this](const std::string& name, int y, int width) {
    return folder_.write(name, R"({"cmd": "set_cells", "from": [0, )" + std::to_string(y) +
                                   R"(, 0], "size": [)" + std::to_string(width) +
                                   ", 1, 1], \"cell\": \"#\"}\n");
  };
  const std::string ten = sets("ten.jsonl", 1, 10);
  const std::string more = sets("more.jsonl", 2, 1);
  const std::string refused =
      "you own 10 in this world, and this adds 1; the role build may own 10, so none until some "
      "are removed";
  const auto serve = [&] { return serving({"--config", path, "--tokens", tokens_}); };
  {
    ServerProcess server(SLUICE_SERVER, serve());
    ASSERT_NE(server.port(), 0);
    EXPECT_EQ(view(server, {"--token", builder, "--script", ten}).status, 0);
    (void)config("anonymous = \"build\"\n[limits.build]\ncells_owned = 10\n");
    server.send_signal(SIGHUP);
    for (int i = 0; i < 3000 && server.errors().find("1 own 10 cells") == std::string::npos; ++i) {
      usleep(10000);
    }
    EXPECT_THAT(view(server, {"--token", builder, "--script", more}).error, HasSubstr(refused));
    EXPECT_EQ(view(server, {"--script", more}).status, 0) << "who shows no token is another";
    const auto owned = [&](const std::string& header) {
      return http_request(server.port(), "GET", "/session", header).body;
    };
    EXPECT_THAT(owned("Authorization: Bearer " + builder + "\r\n"),
                HasSubstr(R"("owned": {"pond": {"cells": [10, 10]}})"));
    EXPECT_THAT(owned(""), HasSubstr(R"("owned": {"pond": {"cells": [1, 10]}})"));
    EXPECT_THAT(view(server, {"--script", ten}).error,
                HasSubstr("those of your address own 1 in this world, and this adds 10"));
    server.send_signal(SIGKILL);
    (void)server.finish();
  }
  for (int start = 0; start < 2; ++start) {
    ServerProcess server(SLUICE_SERVER, serve());
    ASSERT_NE(server.port(), 0);
    EXPECT_THAT(server.errors(), HasSubstr("pond: 2 own 11 cells and 0 pipes"));
    EXPECT_THAT(view(server, {"--token", builder, "--script", more}).error, HasSubstr(refused));
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.finish().status, 0);
  }
  const Finished verified = run({"verify", folder_.file("data/pond.sluice")});
  EXPECT_EQ(verified.status, 0) << verified.error;
  const Finished log = run({"log", folder_.file("data/pond.sluice")});
  EXPECT_THAT(log.out, HasSubstr("\"account\":\"ada\""));
  EXPECT_THAT(log.out, ContainsRegex("\"visitor\":\"~[0-9a-f]{16}\""));
  EXPECT_EQ(run({"sim", world_, "--script", folder_.write("log.jsonl", log.out)}).status, 0);
  EXPECT_THAT(run_program({SLUICE_SERVER, "--world", world_, "check", path}).out,
              HasSubstr("an account with the role build, or who comes from one address without "
                        "one, owns at most 10 cells of rock in a world\n"));
}

TEST_F(Hosting, OnADiskThatIsNearlyFullTimeGoesOnAndNobodyEdits) {
  // No disk has a pebibyte to spare.
  ServerProcess server(SLUICE_SERVER,
                       serving({"--disk-reserve", "1073741824", "--admin-listen", "127.0.0.1:0"}));
  ASSERT_NE(server.port(), 0);
  const Finished refused = view(server, {"--script", script_});
  EXPECT_THAT(refused.error, HasSubstr("the server's disk is nearly full"));
  EXPECT_THAT(refused.out, HasSubstr("\"commands_applied\":0"));
  EXPECT_THAT(server.errors(), HasSubstr("pond: edits are refused: the server's disk is nearly"));
  const std::string admins = server.said_after("admins: ");
  const auto port = static_cast<std::uint16_t>(std::stoul(admins.substr(admins.rfind(':') + 1)));
  EXPECT_THAT(http_request(port, "GET", "/metrics").body,
              HasSubstr("sluice_edits_refused{world=\"pond\"} 1"));
  const auto page = http_request(port, "GET", "/status");
  EXPECT_EQ(page.status, 200U);
  EXPECT_THAT(page.body, HasSubstr("<td>pond</td><td class=\"bad\">runs; edits are refused"));
  EXPECT_EQ(http_request(port, "GET", "/readyz").status, 200U) << "it can be watched";
}

TEST_F(Hosting, ConnectionsAreEncryptedByACertificateThatCanChange) {
  const Certificate first = make_certificate();
  const Certificate second = make_certificate();
  const std::string certificate = folder_.write("c.pem", first.certificate);
  const std::string key = folder_.write("k.pem", first.key);
  ServerProcess server(SLUICE_SERVER, serving({"--tls-cert", certificate, "--tls-key", key}));
  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(server.ready_line(), "listening on https://127.0.0.1:" + std::to_string(server.port()));
  // Whoever is not known to this system is not trusted.
  const auto view_trusting = [&](const std::string& trusted) {
    setenv("SSL_CERT_FILE", trusted.c_str(), 1);
    const Finished finished = run_program(
        {SLUICE_VIEW, "wss://localhost:" + std::to_string(server.port()) + "/worlds/pond",
         "--headless", "--json", "--script", script_});
    unsetenv("SSL_CERT_FILE");
    return finished;
  };
  const Finished trusting = view_trusting(certificate);
  EXPECT_EQ(trusting.status, 0) << trusting.error;
  EXPECT_THAT(trusting.out, HasSubstr("\"commands_applied\":1"));
  const std::string other = folder_.write("other.pem", second.certificate);
  EXPECT_EQ(view_trusting(other).status, 2);
  EXPECT_THAT(view_trusting(other).error, HasSubstr("cannot trust localhost:"));
  EXPECT_EQ(http_request(server.port(), "GET", "/healthz").status, 0U);  // not in the clear
  const auto reload = [&](const std::string& wanted) {
    server.send_signal(SIGHUP);
    for (int i = 0; i < 3000 && server.errors().find(wanted) == std::string::npos; ++i) {
      usleep(10000);
    }
    EXPECT_THAT(server.errors(), HasSubstr(wanted));
  };
  // A key that does not fit changes nothing.
  (void)folder_.write("k.pem", second.key);
  reload("SIGHUP: all stays as it was: ");
  EXPECT_EQ(view_trusting(certificate).status, 0);
  (void)folder_.write("c.pem", second.certificate);
  reload("SIGHUP: read accounts and certificate anew");
  EXPECT_EQ(view_trusting(other).status, 0);
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.finish().status, 0);
}

TEST_F(Hosting, HowManyLookBackIsTakenOnWithoutARestart) {
  const std::string config = folder_.write("server.toml",
                                           "world = [\"pond.toml\"]\nlisten = \"127.0.0.1:0\"\n"
                                           "data = \"" +
                                               folder_.file("data") + "\"\n");
  ServerProcess server(SLUICE_SERVER, {"--config", config, "--no-verify"});
  ASSERT_NE(server.port(), 0);
  const auto worlds = [&] { return http_request(server.port(), "GET", "/worlds").body; };
  EXPECT_THAT(worlds(), HasSubstr("\"look_back\": true"));
  std::ofstream(config, std::ios::app) << "look_back = 0\n";
  server.send_signal(SIGHUP);
  for (int i = 0; i < 3000 && worlds().find("look_back") != std::string::npos; ++i) usleep(10000);
  EXPECT_THAT(worlds(), Not(HasSubstr("look_back")));
  EXPECT_THAT(server.errors(), Not(HasSubstr("not without a restart")));
  server.send_signal(SIGTERM);
  EXPECT_EQ(server.finish().status, 0);
}

TEST_F(Hosting, ACertificateThatIsNoneStartsNothing) {
  const Certificate one = make_certificate();
  const std::string certificate = folder_.write("c.pem", one.certificate);
  const std::string key = folder_.write("k.pem", one.key);
  const std::string other = folder_.write("o.pem", make_certificate().key);
  for (const auto& [arguments, why] :
       {std::pair<std::vector<std::string>, std::string>({"--tls-cert", certificate},
                                                         "tls_cert and tls_key go together"),
        {{"--tls-cert", key, "--tls-key", key}, "cannot use the certificate " + key},
        {{"--tls-cert", certificate, "--tls-key", certificate}, "cannot use the key "},
        {{"--tls-cert", certificate, "--tls-key", other}, "cannot use the key " + other},
        {{"--tls-cert", "none.pem", "--tls-key", key}, "cannot use the certificate none.pem"}}) {
    std::vector<std::string> all = serving(arguments);
    all.insert(all.begin(), SLUICE_SERVER);
    const Finished finished = run_program(all);
    EXPECT_EQ(finished.status, 2) << why;
    EXPECT_THAT(finished.error, HasSubstr(why));
    EXPECT_EQ(finished.out, "");
  }
}

TEST_F(Hosting, AConfigurationIsExplainedBeforeAnythingStarts) {
  (void)token("ada", "build");
  const auto check = [&](const std::string& text) {
    return run_program({SLUICE_SERVER, "check", folder_.write("server.toml", text)});
  };
  const std::string base = "world = [\"pond.toml\"]\nlisten = \"0.0.0.0:8080\"\n";
  const Finished open = check(base);
  EXPECT_EQ(open.status, 0) << open.error;
  EXPECT_THAT(open.out, HasSubstr("other machines can connect"));
  EXPECT_THAT(open.out, HasSubstr("world pond: 96 x 48 x 1 cells, 50 ticks a second"));
  EXPECT_THAT(open.out, HasSubstr("who shows no token may watch\n"));
  const Finished full =
      check(base + "tokens = \"" + tokens_ + "\"\nadmin_listen = \"0.0.0.0:9090\"\n" +
            "[worlds.pond]\nanonymous = \"build\"\nread_only = true\n");
  EXPECT_EQ(full.status, 0) << full.error;
  EXPECT_THAT(full.out, HasSubstr("1 accounts in "));
  EXPECT_THAT(full.out, HasSubstr("may watch and build; read-only"));
  EXPECT_THAT(open.out, Not(HasSubstr("history")));
  const Finished kept = check(base + "backup_hours = 24\nhistory_hours = 48\n");
  EXPECT_THAT(kept.out, HasSubstr("backed up every 24 h; the newest 7 are kept\n"));
  EXPECT_THAT(kept.out, HasSubstr("history of more than 48 h is cut off, into a recording"));
  EXPECT_THAT(open.out,
              HasSubstr("who may watch a world may look back in it: 8 at a time, 4 of them "
                        "in one world, with 1024 MiB for all of them\n"));
  EXPECT_THAT(check(base + "look_back = 0\n").out, HasSubstr("nobody looks back at what was"));
  EXPECT_THAT(check(base + "history_hours = 1\nhistory_dropped = true\n").out,
              HasSubstr("history of more than 1 h is dropped"));
  for (const auto& [more, why] :
       {std::pair("admin_listen = \"0.0.0.0:9090\"", "open to other machines: that needs tokens"),
        {"[worlds.pnd]", "[worlds.pnd] speaks of a world that is not hosted"},
        {"tokens = \"none.toml\"", "cannot read the file of accounts none.toml"}}) {
    const Finished wrong = check(base + more + "\n");
    EXPECT_EQ(wrong.status, 2) << more;
    EXPECT_THAT(wrong.error, HasSubstr(why));
    EXPECT_EQ(wrong.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists("data/pond.sluice"));
}

}  // namespace
}  // namespace sluice::tests::hosting_test
