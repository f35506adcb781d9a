// Goal: every request of a viewer is read, and what is none is told why and what is allowed.
#include "server/playback/control.h"

#include <gtest/gtest.h>

namespace sluice::playback::control_test {
namespace {

using Kind = Control::Kind;

TEST(Control, ReadsEveryRequest) {
  EXPECT_EQ(parse_control(R"({"cmd": "play"})")->kind, Kind::kPlay);
  EXPECT_EQ(parse_control(R"({"cmd": "pause"})")->kind, Kind::kPause);
  EXPECT_EQ(parse_control(R"({"cmd": "seek", "to": 1728000})")->tick, 1728000U);
  EXPECT_EQ(parse_control(R"({"cmd": "seek", "to": 18446744073709551615})")->tick, UINT64_MAX);
  EXPECT_EQ(parse_control(R"({"cmd": "step", "by": -12})")->by, -12);
  EXPECT_EQ(parse_control(R"({"cmd": "step", "by": 9223372036854775807})")->by, INT64_MAX);
  EXPECT_EQ(parse_control(R"({"cmd": "speed", "times": 0.125})")->speed, 125U);
  EXPECT_EQ(parse_control(R"({"cmd": "speed", "times": 64})")->speed, 64000U);
  EXPECT_EQ(parse_control(R"({"cmd": "speed", "times": "max"})")->speed, kAsFastAsItGoes);
  const auto alone = parse_control(R"({"cmd": "alone", "as": "me2"})");
  EXPECT_EQ(alone->kind, Kind::kAlone);
  EXPECT_EQ(alone->position, "me2");
  EXPECT_FALSE(alone->from);
  EXPECT_EQ(parse_control(R"({"cmd": "alone", "as": "me", "to": 7})")->from, 7U);
  const std::string longest(kMostPositionBytes, 'z');
  EXPECT_EQ(parse_control(R"({"cmd": "alone", "as": ")" + longest + "\"}")->position, longest);
}

TEST(Control, SaysWhatIsWrong) {
  const auto error = [](const char* text) {
    const auto read = parse_control(text);
    EXPECT_FALSE(read.ok()) << text;
    return read.ok() ? std::string() : read.error();
  };
  EXPECT_EQ(error("{"), "the command is not JSON");
  for (const char* text : {"1", "[]", "{}", R"({"cmd": 1})", "null", "\"play\""}) {
    EXPECT_EQ(error(text), R"(the command must be an object like {"cmd": "play"})");
  }
  EXPECT_EQ(error(R"({"cmd": "pour", "at": [1, 2, 0], "units": 5})"),
            "this is a replay: what happened cannot be changed, so there is no \"pour\" here; "
            "allowed: play, pause, seek, step, speed and alone");
  EXPECT_EQ(error(R"({"cmd": "seek"})"),
            R"(seek: lacks "to"; expected {"cmd": "seek", "to": 1200})");
  EXPECT_EQ(error(R"({"cmd": "play", "speed": 2})"),
            R"(play: unknown key "speed"; expected {"cmd": "play"})");
  for (const char* to : {"-1", "1.5", "\"1\"", "null", "18446744073709551616", "[1]"}) {
    error((R"({"cmd": "seek", "to": )" + std::string(to) + "}").c_str());
  }
  for (const char* by : {"1.5", "\"1\"", "null", "9223372036854775808", "1e3"}) {
    error((R"({"cmd": "step", "by": )" + std::string(by) + "}").c_str());
  }
  const std::string too_long = '"' + std::string(kMostPositionBytes + 1, 'z') + '"';
  for (const char* as : {"\"\"", "\"Me\"", "\"a-b\"", "\"a?b\"", "\"../a\"", "\"\u00e9\"", "1",
                         "null", "[]", too_long.c_str()}) {
    EXPECT_EQ(error((R"({"cmd": "alone", "as": )" + std::string(as) + "}").c_str()),
              "alone: \"as\" must be 1 to 32 characters of a to z and 0 to 9; expected "
              R"({"cmd": "alone", "as": "me", "to": 1200})");
  }
  for (const char* to : {"-1", "1.5", "\"1\"", "null", "18446744073709551616"}) {
    error((R"({"cmd": "alone", "as": "me", "to": )" + std::string(to) + "}").c_str());
  }
  error(R"({"cmd": "alone"})");
  error(R"({"cmd": "alone", "to": 5})");
  error(R"({"cmd": "alone", "as": "me", "at": 5})");
  for (const char* times : {"0", "-1", "0.0001", "1e300", "\"fast\"", "null", "true", "1000001"}) {
    error((R"({"cmd": "speed", "times": )" + std::string(times) + "}").c_str());
  }
}

}  // namespace
}  // namespace sluice::playback::control_test
