// Goal: what is wrong in a configuration is named with its place and what is allowed.
#include "server/host/config.h"

#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace sluice::host {
namespace {

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
  const std::string path = directory.write("s.toml",
                                           "world = [\"a.toml\", \"/b.toml\"]\n"
                                           "listen = \"0.0.0.0:81\"\ndata = \"d\"\n"
                                           "threads = 3\nlog_level = \"error\"\n"
                                           "hosts = [\"a.example\", \"b.example\"]\n"
                                           "origins = [\"https://c.example\"]\n");
  ASSERT_TRUE(read_config(path, config).ok());
  EXPECT_EQ(config.world_files, (std::vector<std::string>{directory.file("a.toml"), "/b.toml"}));
  EXPECT_EQ(config.port, 81);
  EXPECT_EQ(config.data_directory, "d");
  EXPECT_EQ(config.threads, 3U);
  EXPECT_EQ(config.log_level, "error");
  EXPECT_EQ(config.origins.hosts, (std::vector<std::string>{"a.example", "b.example"}));
  EXPECT_EQ(config.origins.origins, (std::vector<std::string>{"https://c.example"}));
}

TEST(Config, MistakesNameTheirPlace) {
  const tests::TemporaryDirectory directory;
  const auto error = [&](const std::string& text) {
    Config config;
    const sim::Status status = read_config(directory.write("s.toml", text), config);
    return status.ok() ? std::string() : status.error();
  };
  const std::string at = directory.file("s.toml") + ":";
  EXPECT_EQ(error("\n\nlissten = 1"), at + "3: unknown key \"lissten\"; allowed: data, hosts, "
                                           "listen, log_level, origins, threads, verify, world");
  EXPECT_EQ(error("threads = 999"), at + "1: threads must be a number from 0 to 256");
  EXPECT_EQ(error("world = \"a\""), at + "1: world must be a list of files");
  EXPECT_EQ(error("world = [1]"), at + "1: world must be a list of files");
  EXPECT_EQ(error("hosts = [1]"), at + "1: hosts must be a list of names");
  EXPECT_EQ(error("origins = \"a\""), at + "1: origins must be a list of origins");
  EXPECT_EQ(error("data = 1"), at + "1: data must be a text");
  EXPECT_EQ(error("log_level = \"loud\""),
            at + "1: log_level is \"loud\", allowed: trace, debug, info, warn, error");
  EXPECT_TRUE(error("= 1").starts_with(at + "1: "));
  Config config;
  EXPECT_FALSE(read_config(directory.file("none.toml"), config).ok());
}

}  // namespace
}  // namespace sluice::host
