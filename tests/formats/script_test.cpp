// Goal: scripts are read and printed without loss; every mistake names the line and what is
// allowed.
#include "server/formats/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_world.h"

namespace sluice::tests {
namespace {

using ::testing::HasSubstr;

std::string mistake(const std::string& text) {
  const auto script = formats::parse_script(text, "s.jsonl");
  return script ? "" : script.error();
}

TEST(Script, TheInterfacesExamplesAreRead) {
  const auto script = formats::parse_script(
      R"({"tick": 10, "cmd": "set_cells", "from": [1,1,0], "size": [3,1,1], "cell": "#"}
{"tick": 11, "cmd": "pour", "at": [2,4,0], "units": 4096}

{"tick": 11, "cmd": "remove_water", "from": [1,1,0], "size": [1,1,1]}
{"tick": 12, "cmd": "add_source", "at": [2,4,0], "rate": 512}
{"tick": 13, "cmd": "add_drain", "at": [2,4,0], "rate": 512}
{"tick": 20, "cmd": "remove_source", "at": [2,4,0]}
{"tick": 21, "cmd": "remove_drain", "at": [2,4,0]})",
      "s.jsonl");
  ASSERT_TRUE(script.ok()) << script.error();
  ASSERT_EQ(script->size(), 7U);
  EXPECT_EQ(script->at(0).tick, 10U);
  EXPECT_EQ(std::get<sim::SetCells>(script->at(0).command.body).size, (sim::Vec3{3, 1, 1}));
  EXPECT_EQ(std::get<sim::Pour>(script->at(1).command.body).units, 4096);
}

TEST(Script, PrintingAndReadingIsTheIdentity) {
  Dice dice(3);
  for (int i = 0; i < 500; ++i) {
    const sim::Command command = random_command(dice, {1000, 1000, 1000});
    const std::string line =
        formats::format_command(command, 7, {{"client", "\"me\""}, {"seq", "12"}});
    const auto read = formats::parse_script(line, "s.jsonl");
    ASSERT_TRUE(read.ok()) << line << ": " << read.error();
    std::vector<std::byte> before;
    std::vector<std::byte> after;
    sim::append_command(command, before);
    sim::append_command(read->at(0).command, after);
    EXPECT_EQ(before, after) << line;
    EXPECT_EQ(read->at(0).tick, 7U);
  }
}

TEST(Script, MistakesNameTheLineAndWhatIsAllowed) {
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"remove_source\", \"at\": [0,0,0]}\nnonsense\n"),
              HasSubstr("s.jsonl:2: not JSON"));
  EXPECT_THAT(mistake("[]"), HasSubstr("a command is a JSON object"));
  EXPECT_THAT(mistake("{\"tick\": 1}"), HasSubstr("'cmd' is missing; allowed: set_cells, pour"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"por\"}"),
              HasSubstr("unknown command 'por'; allowed"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0]}"),
              HasSubstr("'pour': key 'units' is missing"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2], \"units\": 1}"),
              HasSubstr("key 'at' must be three whole numbers"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0], \"units\": 1.5}"),
              HasSubstr("key 'units' must hold whole numbers"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0], \"units\": 99999999999}"),
              HasSubstr("at most 32 bits"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0], \"units\": 1, \"x\": 1}"),
              HasSubstr("unknown key 'x'; allowed here: at, client, cmd, seq, tick, units"));
  EXPECT_THAT(mistake("{\"tick\": 1, \"cmd\": \"set_cells\", \"from\": [0,0,0], \"size\": [1,1,1], "
                      "\"cell\": \"q\"}"),
              HasSubstr("'cell' is no cell; allowed: '#' rock"));
  EXPECT_THAT(mistake("{\"cmd\": \"remove_source\", \"at\": [0,0,0]}"),
              HasSubstr("key 'tick' must be a whole number, 1 or more"));
  EXPECT_THAT(mistake("{\"tick\": 0, \"cmd\": \"remove_source\", \"at\": [0,0,0]}"),
              HasSubstr("1 or more"));
  EXPECT_THAT(mistake("{\"tick\": 5, \"cmd\": \"remove_source\", \"at\": [0,0,0]}\n"
                      "{\"tick\": 4, \"cmd\": \"remove_source\", \"at\": [0,0,0]}"),
              HasSubstr("s.jsonl:2: tick 4 comes after tick 5"));
  EXPECT_THAT(mistake(std::string(100000, '[')), HasSubstr("longer than"));
  EXPECT_THAT(mistake(std::string(60000, '[')), HasSubstr("not JSON"));
}

TEST(Script, ACommandOfAClientNeedsNoTick) {
  EXPECT_TRUE(formats::parse_command(R"({"cmd": "remove_drain", "at": [1,2,0]})", "client").ok());
  EXPECT_THAT(formats::parse_command("{}", "client 3").error(), HasSubstr("client 3: key 'cmd'"));
}

}  // namespace
}  // namespace sluice::tests
