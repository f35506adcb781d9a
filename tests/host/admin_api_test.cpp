// Goal: the admin API does what its document lists, for those who may; a world that is paused takes
// the ticks that it is told to and no other, and what happens to its time changes nothing in its
// history. Method: the API without sockets, on a world that runs.
#include "server/host/admin_api.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/access/accounts_file.h"
#include "server/access/token.h"
#include "server/host/world_runner.h"
#include "server/record/reader.h"
#include "server/record/verify.h"
#include "tests/host/admin_api.h"
#include "tests/support/wait_until.h"

namespace sluice::host::admin_api_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

TEST_F(AdminApiTest, AWorldIsMadeReadOnlyAndOpenAgain) {
  open(true);
  const auto set = [&](const char* body) {
    return ask("POST", "/api/worlds/pond/read-only", body, "olga").status;
  };
  EXPECT_EQ(set(R"({"read_only": true})"), 200U);
  EXPECT_THAT(gate_->build_refusal("pond", "adam"), HasSubstr("read-only"));
  EXPECT_EQ(gate_->operate_refusal("pond", "olga"), "");
  EXPECT_THAT(gate_->operate_refusal("pond", "bert"), HasSubstr("needs the role operate"));
  EXPECT_THAT(gate_->operate_refusal("pond", ""), HasSubstr("who shows no token"));
  EXPECT_EQ(set(R"({"read_only": "yes"})"), 400U);
  EXPECT_TRUE(gate_->read_only("pond"));
  EXPECT_EQ(set(R"({"read_only": false})"), 200U);
  EXPECT_EQ(gate_->build_refusal("pond", "bert"), "");
  EXPECT_EQ(applied_, 2);
}

// By the same roles as what comes with a token.
TEST_F(AdminApiTest, ActsForWhoIsKnownOtherwise) {
  open(true);
  const auto act = [&](const char* action, const char* account, const char* body = "") {
    const auto one_at_a_time = api_->alone();
    return api_->act(action, "pond", account, body);
  };
  EXPECT_EQ(act("pause", "olga").status, 200U);
  EXPECT_TRUE(runner_->pace().paused);
  EXPECT_EQ(act("step", "olga", R"({"ticks": 3})").status, 200U);
  EXPECT_EQ(act("step", "olga", R"({"steps": 3})").status, 400U);
  EXPECT_EQ(act("pause", "bert").status, 403U);
  EXPECT_EQ(act("pause", "").status, 403U);
  EXPECT_EQ(act("reset", "olga", R"({"recording": "keep"})").status, 403U);
  EXPECT_EQ(act("nothing", "adam").status, 404U);
  open(false);  // what an open listener lets everybody do is for those on this machine
  EXPECT_EQ(act("resume", "").status, 403U);
}

TEST_F(AdminApiTest, APausedWorldTakesTheTicksThatItIsTold) {
  open(false);
  EXPECT_EQ(post("step", R"({"ticks": 1})").body,
            "{\"error\":\"the world is not paused; only a paused one is stepped\"}\n");
  EXPECT_EQ(post("pause").status, 200U);
  const std::uint64_t paused = tick_when_still();
  EXPECT_EQ(post("step", R"({"ticks": 7})").status, 200U);
  EXPECT_EQ(tick_when_still(), paused + 7);
  const json worlds = json::parse(ask("GET", "/api/worlds").body);
  EXPECT_EQ(worlds[0]["tick"], paused + 7);
  EXPECT_EQ(worlds[0]["paused"], true);
  EXPECT_EQ(post("speed", R"({"speed": 50})").status, 200U);
  EXPECT_EQ(tick_when_still(), paused + 7);  // faster, but still paused
  EXPECT_EQ(post("resume").status, 200U);
  EXPECT_TRUE(tests::wait_until([&] { return runner_->feed().tick() >= paused + 300; }));
  const json saved = json::parse(post("save").body);
  EXPECT_GE(saved["tick"].get<std::uint64_t>(), paused + 300);
  runner_->stop();
  // Its time was anything but even; its history replays.
  sim::SerialExecutor executor;
  auto reader = record::Reader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.error();
  const auto verified = record::verify(*reader.value(), {}, executor);
  ASSERT_TRUE(verified.ok()) << verified.error();
  EXPECT_FALSE(verified->divergence);
}

TEST_F(AdminApiTest, NumbersGoToTheirLimitsAndNoFarther) {
  open(false);
  ASSERT_EQ(post("pause").status, 200U);
  const auto step = [&](const std::string& ticks) {
    return post("step", "{\"ticks\": " + ticks + "}");
  };
  for (const char* wrong : {"0", "-1", "1.5", "\"1\"", "null", "100001", "18446744073709551615",
                            "1e3", "99999999999999999999999"}) {
    EXPECT_EQ(step(wrong).status, 400U) << wrong;
  }
  EXPECT_EQ(step("100000").status, 200U);
  EXPECT_EQ(step("100000").status, 400U);  // with those that are still to be taken
  for (const char* wrong : {"0", "0.009", "100.1", "-1", "1e300", "\"fast\"", "null"}) {
    EXPECT_EQ(post("speed", "{\"speed\": " + std::string(wrong) + "}").status, 400U) << wrong;
  }
  for (const char* good : {"0.01", "100", "1"}) {
    EXPECT_EQ(post("speed", "{\"speed\": " + std::string(good) + "}").status, 200U) << good;
  }
  ASSERT_EQ(post("pause").status, 200U);  // forgets the steps
}

TEST_F(AdminApiTest, WrongRequestsAreToldSo) {
  open(false);
  EXPECT_THAT(ask("POST", "/api/worlds/pnd/pause").body, HasSubstr("no such world: pnd"));
  EXPECT_EQ(ask("POST", "/api/worlds/a/b/pause").status, 404U);
  EXPECT_EQ(ask("POST", "/api/worlds//pause").status, 404U);
  EXPECT_EQ(ask("GET", "/api/worlds/pond/pause").body,
            "{\"error\":\"GET is not allowed; allowed: POST\"}\n");
  for (const char* body :
       {"", "5", "[]", "{}", "{\"tick\": 5}", "{\"ticks\": 5, \"x\": 1}", "{\"ticks\""}) {
    EXPECT_EQ(post("step", body).body,
              "{\"error\":\"the body must be {\\\"ticks\\\": integer}\"}\n");
  }
  EXPECT_THAT(ask("POST", "/api/log-level", R"({"level": "loud"})").body,
              HasSubstr("allowed: trace, debug"));
  EXPECT_EQ(ask("GET", "/nothing").status, 404U);
  EXPECT_EQ(ask("GET", "/healthz").body, "alive\n");
  EXPECT_EQ(ask("GET", "/readyz").status, 503U);
  EXPECT_EQ(ask("HEAD", "/metrics").status, 200U);
}

TEST_F(AdminApiTest, EachActionNeedsItsRole) {
  open(true);
  const json document = json::parse(AdminApi::openapi());
  int tried = 0;
  for (const auto& [pattern, methods] : document["paths"].items()) {
    std::string target = pattern;
    if (const std::size_t at = target.find("{world}"); at != std::string::npos) {
      target.replace(at, 7, "pond");
    }
    for (const auto& [method, operation] : methods.items()) {
      const std::string verb = method == "get" ? "GET" : "POST";
      const std::string what = operation["description"];
      EXPECT_EQ(ask(verb, target).status, 401U) << target;
      EXPECT_EQ(ask(verb, target, "", "guess").status, 401U) << target;
      // What is wrong beyond the role is another matter: no body is given here.
      const auto passes = [&](const char* token) {
        // What needs no body was done already for who came before.
        if (target.ends_with("/unload")) (void)ask("POST", "/api/worlds/pond/load", "", "adam");
        const unsigned status = ask(verb, target, "", token).status;
        EXPECT_NE(status, 401U) << target;
        EXPECT_NE(status, 404U) << target << ": in the document, but not there";
        return status != 403U;
      };
      EXPECT_EQ(passes("bert"), what == "Needs an account.") << target;
      EXPECT_EQ(passes("olga"), what != "Needs the role admin.") << target;
      EXPECT_TRUE(passes("adam")) << target;
      ++tried;
    }
  }
  EXPECT_EQ(tried, 23);
  ASSERT_EQ(ask("POST", "/api/worlds/pond/load", "", "adam").status, 200U);
  EXPECT_THAT(
      ask("POST", "/api/worlds/pond/pause", "", "bert").body,
      HasSubstr("not allowed: the role of \\\"bert\\\" in pond is build; this needs operate"));
  EXPECT_EQ(ask("POST", "/api/worlds/pond/kick", R"({"account": "bert"})", "olga").body,
            "{\"ended\":4}\n");
}

TEST_F(AdminApiTest, ABackupHoldsAllThatHappenedBeforeIt) {
  open(false);
  EXPECT_EQ(ask("POST", "/api/worlds/pond/pause").status, 200U);
  const json before = json::parse(ask("GET", "/api/worlds").body)[0];
  const json made = json::parse(ask("POST", "/api/worlds/pond/backup").body);
  EXPECT_EQ(made["file"], "pond-19700101T000000Z.sluice");
  EXPECT_GE(made["tick"], before["tick"]);
}

TEST_F(AdminApiTest, OldHistoryIsSealedWhileTheWorldRuns) {
  open(false);
  const auto too_little = post("seal", R"({"seal": {"keep": 1000000}})");
  EXPECT_EQ(too_little.status, 200U) << too_little.body;
  EXPECT_EQ(json::parse(too_little.body)["cut"], nullptr);
  EXPECT_EQ(json::parse(too_little.body)["under_way"], false);
  ASSERT_TRUE(tests::wait_until([&] { return runner_->feed().tick() > 50; }));
  const std::uint64_t saved = tick_when_still();
  // What is saved has its checkpoint in the recording a moment after its tick.
  const auto once_cut = [this](const char* body) {
    net::AdminAnswer answer;
    EXPECT_TRUE(tests::wait_until([&] {
      answer = post("seal", body);
      return answer.status != 200 || !json::parse(answer.body)["cut"].is_null();
    }));
    return answer;
  };
  const auto sealed = once_cut(R"({"seal": {"keep": 0, "drop": false}})");
  ASSERT_EQ(sealed.status, 200U) << sealed.body;
  const json said = json::parse(sealed.body);
  EXPECT_GE(said["cut"], saved);
  EXPECT_GE(said["tick"], said["cut"]);
  const std::string part = said["part"];
  EXPECT_EQ(part, "pond.sluice.part-0-" + said["cut"].dump());
  EXPECT_TRUE(std::filesystem::exists(folder_.file("data/" + part)));
  EXPECT_THAT(said["said"].get<std::string>(), HasSubstr(part + ": holds ticks 1 to "));
  EXPECT_EQ(said["said"].get<std::string>().find(folder_.file("")), std::string::npos);
  ASSERT_TRUE(tests::wait_until([&] { return runner_->feed().tick() > said["cut"]; }));
  (void)tick_when_still();
  const auto dropped = once_cut(R"({"seal": {"keep": 0, "drop": true}})");
  ASSERT_EQ(dropped.status, 200U) << dropped.body;
  EXPECT_EQ(json::parse(dropped.body)["part"], nullptr);
  EXPECT_THAT(dropped.body, HasSubstr("can no longer be proved"));
  for (const char* wrong : {R"({"seal": {}})", R"({"seal": {"keep": -1}})", R"({"seal": 7})",
                            R"({"seal": {"keep": 1, "drop": 1}})",
                            R"({"seal": {"keep": 1, "all": true}})", R"({"keep": 1})"}) {
    EXPECT_EQ(post("seal", wrong).status, 400U) << wrong;
  }
  EXPECT_THAT(post("seal", R"({"seal": {"keep": "1"}})").body,
              HasSubstr("seal must be {\\\"keep\\\": ticks"));
}

TEST_F(AdminApiTest, BansAreMadeListedAndLifted) {
  open(true);
  const auto post = [&](const std::string& path, const json& body) {
    return ask("POST", path, body.dump(), "adam");
  };
  EXPECT_EQ(post("/api/ban", {{"ban", {{"account", "bert"}, {"reason", "floods"}}}}).status, 200U);
  EXPECT_EQ(post("/api/ban", {{"ban", {{"address", "203.0.113.0/24"}, {"hours", 24}}}}).status,
            200U);
  EXPECT_EQ(gate_->role_in("pond", "bert"), access::Role::kNone);
  EXPECT_EQ(gate_->watch_refusal("pond", "bert"), "not allowed: \"bert\" is banned: floods");
  EXPECT_THAT(gate_->ban_refusal("", "203.0.113.9"),
              HasSubstr("not allowed: this address is banned until 2"));
  const json bans = json::parse(ask("GET", "/api/bans", "", "adam").body);
  ASSERT_EQ(bans.size(), 2U);
  EXPECT_EQ(bans[0], json::parse(R"({"account": "bert", "until": null, "reason": "floods"})"));
  EXPECT_EQ(bans[1]["address"], "203.0.113.0/24");
  for (const json& wrong :
       {json::parse(R"({"account": "a", "address": "::1"})"), json::parse("{}"),
        json::parse(R"({"address": "300.0.0.1"})"), json::parse(R"({"account": 5})"),
        json::parse(R"({"account": "a", "hours": -1})"), json::parse(R"({"who": "a"})"),
        json::parse(R"({"account": "a", "hours": 99999999})"), json::parse("5")}) {
    EXPECT_EQ(post("/api/ban", {{"ban", wrong}}).status, 400U) << wrong;
  }
  EXPECT_EQ(post("/api/unban", {{"of", "nobody"}}).status, 400U);
  EXPECT_EQ(post("/api/unban", {{"of", "bert"}}).status, 200U);
  EXPECT_EQ(gate_->role_in("pond", "bert"), access::Role::kBuild);
  EXPECT_EQ(ask("GET", "/api/bans", "", "olga").status, 403U);
}

TEST_F(AdminApiTest, LimitsOfRolesAreTold) {
  open(false);
  access::LimitsByRole limits;
  limits[static_cast<std::size_t>(access::Role::kBuild)] = {5, 6000, 7, 8000, 9, 0};
  gate_->set_limits(limits);
  const json told = json::parse(ask("GET", "/api/limits").body);
  EXPECT_EQ(told["build"], json::parse(R"({"commands_per_second": 5, "work_per_second": 6000,
                                           "view_cells": 7, "bytes_per_second": 8000,
                                           "cells_owned": 9, "pipes_owned": null})"));
  EXPECT_EQ(told["watch"]["view_cells"], nullptr);
  EXPECT_EQ(told.size(), 4U);
  EXPECT_EQ(json::parse(ask("POST", "/api/reload").body)["needs_restart"], json({"listen"}));
}

TEST_F(AdminApiTest, WhoOwnsMostIsToldWhereARoleIsBound) {
  open(false);
  const auto told = [this] { return json::parse(ask("GET", "/api/worlds/pond/owners").body); };
  EXPECT_EQ(told(), json::parse(R"({"followed": false, "owners": 0, "cells": 0, "pipes": 0,
                                    "largest": []})"));
  access::LimitsByRole limits;
  limits[static_cast<std::size_t>(access::Role::kBuild)].cells_owned = 100;
  worlds_->set_role_limits(limits);
  ASSERT_TRUE(tests::wait_until([&] { return runner_->owned().followed; }));
  const auto give = [this](const std::string& account, const std::string& command) {
    ASSERT_TRUE(runner_->submit({{1, command}, 7, "tester", account}).ok());
  };
  give("ada", R"({"cmd": "set_cells", "from": [0, 0, 0], "size": [3, 2, 1], "cell": "#"})");
  give("bert", R"({"cmd": "set_cells", "from": [0, 2, 0], "size": [9, 1, 1], "cell": "#"})");
  give("bert", R"({"cmd": "add_pipe", "name": "a"})");
  ASSERT_TRUE(tests::wait_until([&] { return runner_->owned().owned.pipes > 0; }));
  EXPECT_EQ(told(), json::parse(R"({"followed": true, "owners": 2, "cells": 15, "pipes": 1,
      "largest": [{"account": "bert", "cells": 9, "pipes": 1},
                  {"account": "ada", "cells": 6, "pipes": 0}]})"));
  open(true);
  EXPECT_EQ(ask("GET", "/api/worlds/pond/owners", "", "bert").status, 403U);
  EXPECT_EQ(ask("GET", "/api/worlds/pond/owners", "", "olga").status, 200U);
}

TEST_F(AdminApiTest, WorldsComeAndGo) {
  open(false);
  const auto world_file = [](const std::string& text) { return json{{"world_file", text}}.dump(); };
  const auto names = [&] {
    std::string text;
    for (const json& world : json::parse(ask("GET", "/api/worlds").body)) {
      text += world["name"].get<std::string>() + " " + world["state"].get<std::string>() + "\n";
    }
    return text;
  };
  const std::string lake = "[world]\nname = \"lake\"\nsize = [8, 8, 1]\n";
  EXPECT_EQ(ask("POST", "/api/worlds", world_file(lake)).body, "{\"world\":\"lake\"}\n");
  EXPECT_EQ(ask("POST", "/api/worlds", world_file(lake)).body,
            "{\"error\":\"there is a world named \\\"lake\\\" already\"}\n");
  EXPECT_EQ(ask("POST", "/api/worlds", R"({"world_file": 5})").status, 400U);
  EXPECT_THAT(ask("POST", "/api/worlds", world_file("[world]\nsize = 5\n")).body,
              HasSubstr("the world file:1: key 'world.name' is missing"));
  EXPECT_EQ(names(), "lake hosted\npond hosted\n");
  EXPECT_EQ(ask("POST", "/api/worlds/lake/unload").status, 200U);
  EXPECT_EQ(names(), "pond hosted\nlake unloaded\n");
  EXPECT_EQ(ask("POST", "/api/worlds/lake/pause").status, 404U);
  EXPECT_EQ(ask("POST", "/api/worlds/lake/unload").status, 400U);
  EXPECT_EQ(ask("POST", "/api/worlds/lake/load").status, 200U);
  EXPECT_EQ(ask("POST", "/api/worlds/lake/load").status, 400U);
  const json exported = json::parse(ask("POST", "/api/worlds/lake/export").body);
  EXPECT_EQ(exported["folder"], "exports/lake-19700101T000000Z");
  for (const char* action : {"reset", "remove"}) {
    const std::string path = std::string("/api/worlds/lake/") + action;
    EXPECT_THAT(ask("POST", path, R"({"recording": "burn"})").body, HasSubstr("or \\\"delete"));
    EXPECT_EQ(ask("POST", path, R"({"recording": true})").status, 400U);
  }
  const json reset =
      json::parse(ask("POST", "/api/worlds/lake/reset", R"({"recording": "keep"})").body);
  EXPECT_EQ(reset["recording"], "removed/lake-19700101T000000Z.sluice");
  const json removed =
      json::parse(ask("POST", "/api/worlds/lake/remove", R"({"recording": "delete"})").body);
  EXPECT_EQ(removed["recording"], nullptr);
  EXPECT_EQ(names(), "pond hosted\n");
  EXPECT_EQ(ask("POST", "/api/worlds/lake/load").status, 400U);
}

TEST_F(AdminApiTest, ItsDocumentsNumbersAreTrue) {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/server/host/admin.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const net::AdminLimits limits;
  EXPECT_EQ(limits.body_bytes, 2052U << 10);
  EXPECT_THAT(text, HasSubstr("2,052 KiB of body"));
  EXPECT_EQ(WorldBounds{}.worlds, 64U);
  EXPECT_THAT(text, HasSubstr("at most 64 worlds (`most_worlds`)"));
  EXPECT_EQ(WorldBounds{}.chunks, 65'536U);
  EXPECT_THAT(text, HasSubstr("65,536 chunks that hold anything (`most_new_chunks`)"));
  EXPECT_EQ(kMostExports, 64U);
  EXPECT_THAT(text, HasSubstr("`DATA/exports` holds at most 64;"));
  EXPECT_EQ(net::Limits{}.farewell, std::chrono::seconds(2));
  EXPECT_THAT(text, HasSubstr("after two seconds for those\nwho do not take the message"));
}

TEST_F(AdminApiTest, ItsDocumentNamesEveryAction) {
  std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/server/host/admin.md");
  std::stringstream text;
  text << file.rdbuf();
  const json document = json::parse(AdminApi::openapi());
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      const std::string row =
          std::string("| ") + (method == "get" ? "GET" : "POST") + " `" + path + "` |";
      EXPECT_THAT(text.str(), HasSubstr(row));
    }
  }
}

}  // namespace
}  // namespace sluice::host::admin_api_test
