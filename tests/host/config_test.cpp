// Goal: what is wrong in a configuration is named with its place and what is allowed.
#include "server/host/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace sluice::host::config_test {
namespace {

/// Of a configuration of that text; empty where it is none.
std::string error_of(const tests::TemporaryDirectory& directory, const std::string& text) {
  Config config;
  const Status status = read_config(directory.write("s.toml", text), config);
  return status.ok() ? std::string() : status.error();
}

TEST(Config, ListenTakesAddressesAndPorts) {
  Config config;
  EXPECT_TRUE(set_listen("0.0.0.0:0", config).ok());
  EXPECT_EQ(config.address, "0.0.0.0");
  EXPECT_EQ(config.port, 0);
  EXPECT_TRUE(set_listen("[::1]:65535", config).ok());
  EXPECT_EQ(config.address, "::1");
  EXPECT_EQ(config.port, 65535);
  EXPECT_TRUE(set_listen("localhost:80", config).ok());
  EXPECT_EQ(config.address, "127.0.0.1");
  for (const char* wrong :
       {"", ":", ":80", "80", "a:", "a:b", "a:65536", "a:-1", "[]:1", "[::1:1", "127.0.0.1:80x"}) {
    EXPECT_FALSE(set_listen(wrong, config).ok()) << wrong;
  }
}

TEST(Config, AFileSetsEveryKey) {
  const tests::TemporaryDirectory directory;
  Config config;
  const std::string path = directory.write(
      "s.toml",
      "world = [\"a.toml\", \"/b.toml\"]\n"
      "listen = \"0.0.0.0:81\"\ndata = \"d\"\n"
      "threads = 3\ntick_budget = 40\nhistory_hours = 48\nhistory_dropped = true\nbackup_hours = "
      "24\nbackups_kept = 3\nlog_level = \"error\"\n"
      "hosts = [\"a.example\", \"b.example\"]\n"
      "origins = [\"https://c.example\"]\n"
      "tokens = \"t.toml\"\nanonymous = \"none\"\n"
      "admin_listen = \"127.0.0.1:82\"\n"
      "trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n"
      "account_header = \"X-User\"\n"
      "disk_reserve = 7\nrecording_per_day = 8\nmost_worlds = 9\nmost_new_chunks = 10\n"
      "look_back = 5\nlook_back_per_world = 3\nlook_back_memory = 77\n"
      "[limits.watch]\nview_cells = 11\nbytes_per_second = 1000\n"
      "[limits.build]\ncommands_per_second = 12\nwork_per_second = 1000\nview_cells = 0\n"
      "cells_owned = 13\npipes_owned = 14\n"
      "[worlds.cave]\nanonymous = \"build\"\n"
      "[worlds.lake]\nread_only = true\npause_when_alone = true\n"
      "[[worlds.lake.area]]\nfrom = [1, 2, 0]\nsize = [3, 4, 1]\nrole = \"admin\"\n");
  ASSERT_TRUE(read_config(path, config).ok());
  EXPECT_EQ(config.world_files, (std::vector<std::string>{directory.file("a.toml"), "/b.toml"}));
  EXPECT_EQ(config.port, 81);
  EXPECT_EQ(config.data_directory, "d");
  EXPECT_EQ(config.threads, 3U);
  EXPECT_EQ(config.tick_budget, 40U);
  EXPECT_EQ(config.history, (HistoryRule{48, true}));
  EXPECT_EQ(config.backup_hours, 24U);
  EXPECT_EQ(config.backups_kept, 3U);
  EXPECT_EQ(config.log_level, "error");
  EXPECT_EQ(config.origins.hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(config.origins.origins, (std::vector<std::string>{"https://c.example"}));
  EXPECT_EQ(config.accounts_file, "t.toml");
  EXPECT_EQ(config.admin->port, 82);
  EXPECT_TRUE(config.proxies.trust("10.1.2.3"));
  EXPECT_TRUE(config.proxies.trust("::1"));
  EXPECT_FALSE(config.proxies.trust("11.1.2.3"));
  EXPECT_EQ(config.proxies.account_header, "X-User");
  const access::GateRules rules = gate_rules(config);
  EXPECT_EQ(rules.anonymous, access::Role::kNone);
  EXPECT_EQ(rules.anonymous_in.at("cave"), access::Role::kBuild);
  EXPECT_TRUE(rules.read_only.contains("lake"));
  EXPECT_TRUE(config.pause_when_alone.contains("lake"));
  EXPECT_EQ(config.areas.at("lake").at(0).box, (Box{{1, 2, 0}, {3, 4, 1}}));
  EXPECT_EQ(config.areas.at("lake").at(0).role, access::Role::kAdmin);
  EXPECT_EQ(config.disk.reserve, 7U);
  EXPECT_EQ(config.disk.recording_per_day, 8U);
  EXPECT_EQ(config.bounds.worlds, 9U);
  EXPECT_EQ(config.bounds.chunks, 10U);
  EXPECT_EQ(config.look_back, (LookBackBounds{5, 3, 77}));
  EXPECT_EQ(config.worlds_spoken_of.size(), 2U);
  const auto of = [&](access::Role role) { return rules.limits[static_cast<std::size_t>(role)]; };
  EXPECT_EQ(of(access::Role::kWatch), (access::RoleLimits{0, 0, 11, 1000}));
  EXPECT_EQ(of(access::Role::kBuild), (access::RoleLimits{12, 1000, 0, 0, 13, 14}));
  EXPECT_EQ(of(access::Role::kAdmin), access::RoleLimits{});
}

TEST(Config, WhatDoesNotGoTogetherIsSaid) {
  Config config;
  EXPECT_TRUE(check_together(config).ok());
  ASSERT_TRUE(set_admin_listen("127.0.0.1:1", config).ok());
  EXPECT_TRUE(check_together(config).ok());
  ASSERT_TRUE(set_admin_listen("0.0.0.0:1", config).ok());
  EXPECT_EQ(check_together(config).error(),
            "admin_listen is open to other machines: that needs tokens");
  config.accounts_file = "tokens.toml";
  EXPECT_TRUE(check_together(config).ok());
  config.tls_key = "key.pem";
  EXPECT_EQ(check_together(config).error(),
            "tls_cert and tls_key go together: one of them is missing");
  config.tls_key = "";
  config.proxies.account_header = "X-User";
  EXPECT_FALSE(check_together(config).ok());
  ASSERT_TRUE(add_trusted_proxy("10.0.0.0/8", config).ok());
  EXPECT_TRUE(check_together(config).ok());
  config.accounts_file = "";
  ASSERT_TRUE(set_admin_listen("127.0.0.1:1", config).ok());
  EXPECT_FALSE(check_together(config).ok());
  EXPECT_TRUE(check_worlds(config, {}).ok());
  config.worlds_spoken_of = {"cave"};
  EXPECT_TRUE(check_worlds(config, {"lake"}).ok()) << "an admin may make it";
  config.admin.reset();
  EXPECT_TRUE(check_worlds(config, {"cave", "lake"}).ok());
  EXPECT_FALSE(check_worlds(config, {"lake"}).ok());
}

TEST(Config, ConnectionsAreBoundAsItSays) {
  const tests::TemporaryDirectory directory;
  const std::string path =
      directory.write("s.toml", "[connections]\nmost = 9\nper_account = 2\nidle_seconds = 7\n");
  Config config;
  ASSERT_TRUE(read_config(path, config).ok());
  EXPECT_EQ(config.connections, (ConnectionBounds{9, 1024, 2, 100, 5, 7, 30}));
  net::Limits limits;
  apply(config.connections, limits);
  EXPECT_EQ(limits.connections, 9U);
  EXPECT_EQ(limits.connections_per_account, 2U);
  EXPECT_EQ(limits.idle, std::chrono::seconds(7));
  // What is left out is as a server has it that nobody has configured.
  net::Limits usual;
  apply(ConnectionBounds(), usual);
  const net::Limits own;
  EXPECT_EQ(usual.connections, own.connections);
  EXPECT_EQ(usual.connections_per_address, own.connections_per_address);
  EXPECT_EQ(usual.connections_per_account, own.connections_per_account);
  EXPECT_EQ(usual.handshakes_per_second, own.handshakes_per_second);
  EXPECT_EQ(usual.hello, own.hello);
  EXPECT_EQ(usual.idle, own.idle);
  EXPECT_EQ(usual.stall, own.stall);
  const auto error = [&](const std::string& text) { return error_of(directory, text); };
  const std::string at = directory.file("s.toml") + ":";
  EXPECT_EQ(error("connections = 9"), at + "1: connections must be a table, as in [connections]");
  EXPECT_EQ(error("[connections]\nmany = 1"),
            at + "2: unknown key \"many\" in [connections]; allowed: handshakes_per_second, "
                 "hello_seconds, idle_seconds, most, per_account, per_address, stall_seconds");
  EXPECT_EQ(error("[connections]\nmost = 0"), at + "2: most must be a number from 1 to 1000000");
}

TEST(Config, WhatARunningServerDoesNotTakeOnIsNamed) {
  const Config running;
  Config read = running;
  EXPECT_TRUE(keys_that_need_a_restart(running, read).empty());
  read.limits[2].view_cells = 5;
  EXPECT_TRUE(keys_that_need_a_restart(running, read).empty()) << "it takes on limits";
  read.port = 1;
  read.connections.most = 5;
  read.areas["cave"] = {Area{}};
  ASSERT_TRUE(add_trusted_proxy("10.0.0.0/8", read).ok());
  EXPECT_THAT(
      keys_that_need_a_restart(running, read),
      testing::ElementsAre("account_header, trusted_proxies", "area", "connections", "listen"));
}

TEST(Config, StrangersBuildOnlyWhereNoneCanConnect) {
  Config config;
  for (const auto& [address, role] : {std::pair("127.0.0.1", access::Role::kBuild),
                                      {"127.9.9.9", access::Role::kBuild},
                                      {"::1", access::Role::kBuild},
                                      {"0.0.0.0", access::Role::kWatch},
                                      {"::", access::Role::kWatch},
                                      {"192.168.1.2", access::Role::kWatch}}) {
    config.address = address;
    EXPECT_EQ(gate_rules(config).anonymous, role) << address;
  }
  config.address = "127.0.0.1";
  ASSERT_TRUE(add_trusted_proxy("127.0.0.1", config).ok());
  EXPECT_EQ(gate_rules(config).anonymous, access::Role::kWatch) << "a proxy lets anybody in";
  ASSERT_TRUE(set_anonymous("build", config).ok());
  EXPECT_EQ(gate_rules(config).anonymous, access::Role::kBuild);
}

TEST(Config, MistakesNameTheirPlace) {
  const tests::TemporaryDirectory directory;
  const auto error = [&](const std::string& text) { return error_of(directory, text); };
  const std::string at = directory.file("s.toml") + ":";
  EXPECT_EQ(error("\n\nlissten = 1"),
            at + "3: unknown key \"lissten\"; allowed: account_header, admin_listen, anonymous, "
                 "backup_hours, backups_kept, connections, data, disk_reserve, history_dropped, "
                 "history_hours, hosts, "
                 "limits, listen, log_format, log_level, look_back, look_back_memory, "
                 "look_back_per_world, "
                 "most_worlds, most_new_chunks, origins, "
                 "recording_per_day, threads, "
                 "tick_budget, tls_cert, tls_key, "
                 "tokens, trusted_proxies, verify, world, worlds");
  EXPECT_THAT(error("trusted_proxies = [\"10.0.0.0/99\"]"),
              testing::StartsWith(at + "1: trusted_proxies: \"10.0.0.0/99\" is no address"));
  EXPECT_THAT(error("account_header = \"a b\""),
              testing::HasSubstr("account_header must be the name of a header"));
  EXPECT_EQ(error("log_format = \"xml\""), at + "1: log_format is \"xml\", allowed: text, json");
  EXPECT_EQ(error("threads = 999"), at + "1: threads must be a number from 0 to 256");
  EXPECT_EQ(error("tick_budget = 0"), at + "1: tick_budget must be a number from 1 to 1000");
  EXPECT_EQ(error("tick_budget = 1001"), at + "1: tick_budget must be a number from 1 to 1000");
  EXPECT_EQ(error("look_back = 257"), at + "1: look_back must be a number from 0 to 256");
  EXPECT_EQ(error("look_back_per_world = 0"),
            at + "1: look_back_per_world must be a number from 1 to 256");
  EXPECT_EQ(error("look_back_memory = 0"),
            at + "1: look_back_memory must be a number from 1 to 1048576");
  EXPECT_EQ(error("most_worlds = 1025"), at + "1: most_worlds must be a number from 1 to 1024");
  EXPECT_EQ(error("most_new_chunks = 262145"),
            at + "1: most_new_chunks must be a number from 1 to 262144");
  EXPECT_EQ(error("world = \"a\""), at + "1: world must be a list of files");
  EXPECT_EQ(error("world = [1]"), at + "1: world must be a list of files");
  EXPECT_EQ(error("hosts = [1]"), at + "1: hosts must be a list of names");
  EXPECT_EQ(error("origins = \"a\""), at + "1: origins must be a list of origins");
  EXPECT_EQ(error("data = 1"), at + "1: data must be a text");
  EXPECT_EQ(error("log_level = \"loud\""),
            at + "1: log_level is \"loud\", allowed: trace, debug, info, warn, error");
  EXPECT_EQ(error("anonymous = \"admin\""),
            at + "1: anonymous is \"admin\", allowed: none, watch, build");
  EXPECT_EQ(error("[worlds.cave]\nanonymous = 5"),
            at + "2: anonymous is \"\", allowed: none, watch, build");
  EXPECT_EQ(error("[worlds.cave]\nread_only = 1"), at + "2: read_only must be true or false");
  EXPECT_EQ(error("[worlds.cave]\nreadonly = true"),
            at + "2: unknown key \"readonly\" in [worlds.cave]; allowed: anonymous, "
                 "area, pause_when_alone, read_only");
  const std::string area = "[[worlds.cave.area]]\n";
  EXPECT_EQ(error(area + "from = [0, 0, 0]"), at + "1: an area needs from and size");
  EXPECT_EQ(error(area + "size = [1, 1, 1]"), at + "1: an area needs from and size");
  EXPECT_EQ(error(area + "from = [0, -1, 0]"),
            at + "2: from must be three numbers from 0 to 1048576");
  EXPECT_EQ(error(area + "size = [1, 1, 0]"),
            at + "2: size must be three numbers from 1 to 1048576");
  EXPECT_EQ(error(area + "role = \"build\""), at + "2: role of an area must be operate or admin");
  EXPECT_EQ(error(area + "box = 1"),
            at + "2: unknown key \"box\" in an area; allowed: from, role, size");
  EXPECT_EQ(error("[worlds.cave]\narea = 1"),
            at + "2: area must be tables, as in [[worlds.cave.area]]");
  EXPECT_EQ(error("[worlds.cave]\npause_when_alone = 1"),
            at + "2: pause_when_alone must be true or false");
  EXPECT_EQ(error("disk_reserve = -1"),
            at + "1: disk_reserve must be a number from 0 to 1073741824");
  EXPECT_EQ(error("history_hours = 87841"),
            at + "1: history_hours must be a number from 0 to 87840");
  EXPECT_EQ(error("history_dropped = 1"), at + "1: history_dropped must be true or false");
  EXPECT_EQ(error("worlds = 5"), at + "1: worlds must be tables, as in [worlds.cave]");
  EXPECT_TRUE(error("admin_listen = \"9090\"").starts_with(at + "1: admin_listen is \"9090\""));
  EXPECT_TRUE(error("= 1").starts_with(at + "1: "));
  Config config;
  EXPECT_FALSE(read_config(directory.file("none.toml"), config).ok());
}

TEST(Config, LimitsOfRolesHaveBoundsToo) {
  const tests::TemporaryDirectory directory;
  const auto error = [&](const std::string& text) { return error_of(directory, text); };
  const std::string at = directory.file("s.toml") + ":";
  EXPECT_EQ(error("[limits.build]\nwork_per_second = 999"),
            at + "2: work_per_second must be a number from 1000 to 4294967295");
  EXPECT_EQ(error("[limits.build]\nbytes_per_second = 999"),
            at + "2: bytes_per_second must be a number from 1000 to 4294967295");
  EXPECT_EQ(error("[limits.build]\ncommands_per_second = -1"),
            at + "2: commands_per_second must be a number from 1 to 4294967295");
  EXPECT_EQ(error("[limits.build]\nview_cells = 4294967296"),
            at + "2: view_cells must be a number from 1 to 4294967295");
  EXPECT_EQ(error("[limits.build]\nviews = 1"),
            at + "2: unknown key \"views\" in [limits.build]; allowed: bytes_per_second, "
                 "cells_owned, commands_per_second, pipes_owned, view_cells, work_per_second");
  EXPECT_EQ(error("[limits.build]\ncells_owned = -1"),
            at + "2: cells_owned must be a number from 1 to 4294967295");
  EXPECT_EQ(error("[limits.build]\npipes_owned = 4294967296"),
            at + "2: pipes_owned must be a number from 1 to 4294967295");
  for (const char* wrong :
       {"limits = 5", "[limits.none]", "[limits.king]", "[limits]\nbuild = 5"}) {
    EXPECT_THAT(error(wrong), testing::HasSubstr("limits must be tables of watch, build, operate"))
        << wrong;
  }
}

}  // namespace
}  // namespace sluice::host::config_test
