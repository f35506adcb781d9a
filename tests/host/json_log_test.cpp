// Goal: each log line is one JSON object, whatever clients bring into it. Method: a sink that keeps
// what it is given.
#include "server/host/json_log.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

namespace sluice::host::json_log_test {
namespace {

TEST(JsonLog, EachLineIsOneObject) {
  std::ostringstream lines;
  spdlog::logger log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines));
  log.set_formatter(json_log_lines());
  const std::string nasty = "a \"quote\", a\nline, \x1b[31m, \xff and \xc3\xa4";
  log.info("plain");
  log.warn("{}", nasty);
  std::istringstream read(lines.str());
  std::string line;
  ASSERT_TRUE(std::getline(read, line));
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["level"], "info");
  EXPECT_EQ(first["message"], "plain");
  EXPECT_EQ(first["time"].get<std::string>().size(),
            std::string("2026-11-22T13:15:00.123Z").size());
  ASSERT_TRUE(std::getline(read, line));
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  const auto second = nlohmann::json::parse(line);
  EXPECT_EQ(second["level"], "warning");
  EXPECT_EQ(second["message"], "a \"quote\", a\nline, \x1b[31m, \xef\xbf\xbd and \xc3\xa4");
  EXPECT_FALSE(std::getline(read, line));
}

}  // namespace
}  // namespace sluice::host::json_log_test
