// Goal: an admin makes worlds and takes them away while others are watched, and a restart finds
// them as they were left. Method: the real programs.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include "tests/support/process.h"
#include "tests/support/wire_client.h"

namespace sluice::tests::worlds_test {
namespace {

using ::testing::HasSubstr;

std::string world_text(const std::string& name) {
  return "[world]\nname = \"" + name + "\"\nsize = [96, 48, 1]\ntick_rate = 50\n";
}
constexpr const char* kPour = "{\"cmd\": \"pour\", \"at\": [5, 40, 0], \"units\": 4096}\n";

class WorldsEndToEnd : public ::testing::Test {
 protected:
  void start(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"--listen", "127.0.0.1:0",    "--data",
                                          data_,      "--admin-listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<ServerProcess>(SLUICE_SERVER, arguments);
    ASSERT_NE(server_->port(), 0) << server_->finish().error;
    const std::string log = server_->errors();
    const std::size_t at = log.find("admins: ") + 8;
    admins_ = log.substr(at, log.find('\n', at) - at);
  }
  void stop() {
    server_->send_signal(SIGTERM);
    EXPECT_EQ(server_->finish().status, 0);
  }
  Finished admin(std::vector<std::string> what) {
    std::vector<std::string> arguments = {SLUICE_TOOL, "admin", "--server", admins_};
    arguments.insert(arguments.end(), what.begin(), what.end());
    return run_program(arguments);
  }
  Finished view(const std::string& world, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {
        SLUICE_VIEW, "ws://127.0.0.1:" + std::to_string(server_->port()) + "/worlds/" + world,
        "--headless", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  TemporaryDirectory folder_;
  const std::string data_ = folder_.file("data");
  const std::string script_ = folder_.write("s.jsonl", kPour);
  const std::string pond_ = folder_.write("pond.toml", world_text("pond"));
  const std::string lake_ = folder_.write("lake.toml", world_text("lake"));
  std::unique_ptr<ServerProcess> server_;
  std::string admins_;
};

TEST_F(WorldsEndToEnd, ComeAndGoWhileOthersAreWatchedAndSurviveARestart) {
  start({"--world", pond_});
  WireClient watcher(server_->port(), "/worlds/pond");
  ASSERT_TRUE(watcher.greet());
  EXPECT_EQ(admin({"create", lake_}).out, "{\"world\":\"lake\"}\n");
  const Finished again = admin({"create", lake_});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.error, HasSubstr("there is a world named \"lake\" already"));
  EXPECT_THAT(view("lake", {"--script", script_}).out, HasSubstr("\"commands_applied\":1"));
  // Who watches is told why it ends.
  WireClient guest(server_->port(), "/worlds/lake");
  ASSERT_TRUE(guest.greet());
  EXPECT_EQ(admin({"unload", "lake"}).status, 0);
  EXPECT_TRUE(guest.wait_closed());
  EXPECT_EQ(guest.session().reason(), "refused: the world was unloaded");
  EXPECT_EQ(guest.close_reason(), "the world was unloaded");
  EXPECT_THAT(admin({"worlds"}).out, HasSubstr("lake  unloaded\n"));
  EXPECT_EQ(view("lake").status, 2);
  EXPECT_EQ(admin({"ready"}).status, 0);
  stop();
  start({"--world", pond_});
  EXPECT_THAT(admin({"worlds"}).out, HasSubstr("lake  unloaded\n"));
  EXPECT_EQ(admin({"load", "lake"}).status, 0);
  stop();
  start({"--world", pond_});
  // What was poured before is there.
  EXPECT_THAT(view("lake").out, HasSubstr("\"water\":4096"));
  EXPECT_THAT(server_->errors(), HasSubstr("lake: goes on at tick "));
  const Finished metrics = run_program({SLUICE_TOOL, "admin", "--server", admins_, "worlds"});
  EXPECT_THAT(metrics.out, HasSubstr("lake  tick "));
  stop();
}

TEST_F(WorldsEndToEnd, AreResetRemovedAndExportedByAnyWhoMay) {
  start();  // without any world
  EXPECT_THAT(admin({"ready"}).out, HasSubstr("there is no world yet"));
  ASSERT_EQ(admin({"create", lake_}).status, 0);
  ASSERT_EQ(view("lake", {"--script", script_}).status, 0);
  const auto exported = nlohmann::json::parse(admin({"export", "lake"}).out);
  const std::string folder = data_ + "/" + exported["folder"].get<std::string>();
  const Finished proof = run_program({SLUICE_TOOL, "verify", folder + "/lake.sluice"});
  EXPECT_EQ(proof.status, 0) << proof.error;
  EXPECT_THAT(proof.out, HasSubstr("1 commands"));
  EXPECT_EQ(run_program({SLUICE_TOOL, "sim", folder + "/lake.toml", "--ticks", "1"}).status, 0);
  const auto reset = nlohmann::json::parse(admin({"reset", "lake"}).out);
  EXPECT_THAT(view("lake").out, HasSubstr("\"water\":0"));
  const Finished old =
      run_program({SLUICE_TOOL, "log", data_ + "/" + reset["recording"].get<std::string>()});
  EXPECT_THAT(old.out, HasSubstr("\"cmd\":\"pour\""));
  EXPECT_THAT(admin({"remove", "lake", "--delete-recording"}).out, HasSubstr("\"recording\":null"));
  EXPECT_FALSE(std::filesystem::exists(data_ + "/lake.sluice"));
  EXPECT_EQ(admin({"worlds"}).out, "");
  for (const char* line : {"audit: somebody on this machine: create (", "done {\"world\":\"lake\"}",
                           "audit: somebody on this machine: export lake: done",
                           "audit: somebody on this machine: reset lake \"keep\": done",
                           "audit: somebody on this machine: remove lake \"delete\": done"}) {
    EXPECT_THAT(server_->errors(), HasSubstr(line));
  }
  const std::string large = folder_.write("large.toml", std::string((1U << 20) + 1, '#'));
  EXPECT_THAT(admin({"create", large}).error, HasSubstr("a server is sent at most 1048576"));
  // Line ends take two bytes on their way.
  const std::string largest = std::string((1U << 20) - world_text("pit").size(), '\n');
  EXPECT_EQ(admin({"create", folder_.write("pit.toml", world_text("pit") + largest)}).out,
            "{\"world\":\"pit\"}\n");
  const Finished checked =
      run_program({SLUICE_SERVER, "--data", data_, "--admin-listen", "127.0.0.1:0", "check",
                   folder_.write("c.toml", "[worlds.later]\nread_only = true\n")});
  EXPECT_THAT(checked.out, HasSubstr("note: [worlds.later] speaks of a world that is not there"));
  EXPECT_THAT(checked.out, HasSubstr("world pit: an admin made it: goes on from its recording"));
  EXPECT_THAT(checked.out, HasSubstr("admins may make worlds: up to 64 in all"));
  stop();
}

}  // namespace
}  // namespace sluice::tests::worlds_test
