// The toolbox as a person runs it, with a world of one U-tube.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/process.h"

namespace sluice::tests {

inline constexpr const char* kUTube = R"([world]
name = "u-tube"
size = [5, 6, 1]
water = "cellular"
[[map]]
rows = """
#~#.#
#~#.#
#~#.#
#~#.#
#~~~#
#####
"""
)";

/// SLUICE_TOOL is the program.
class Toolbox : public ::testing::Test {
 protected:
  Finished sluice(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), SLUICE_TOOL);
    return run_program(arguments);
  }
  nlohmann::json last_line(const Finished& finished) {
    std::istringstream lines(finished.out);
    std::string last;
    for (std::string line; std::getline(lines, line);) last = line;
    return nlohmann::json::parse(last);
  }
  void expect_wrong(const std::vector<std::string>& arguments, const std::string& message) {
    const Finished finished = sluice(arguments);
    EXPECT_EQ(finished.status, 2) << finished.error;
    EXPECT_THAT(finished.error, ::testing::HasSubstr(message));
    EXPECT_EQ(finished.out, "");
  }

  TemporaryDirectory folder;
  std::string world = folder.write("u.toml", kUTube);
};

}  // namespace sluice::tests
