// Goal: scripts are read and printed without loss; every mistake names the line and what is
// allowed.
#include "server/formats/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_world.h"

namespace sluice::tests::script_test {
namespace {

using ::testing::HasSubstr;

std::string script_mistake(const std::string& text) {
  const auto script = formats::parse_script(text, "s.jsonl");
  return script ? "" : script.error();
}

TEST(Script, TheInterfacesExamplesAreRead) {
  const auto script = formats::parse_script(
      R"({"tick": 10, "cmd": "set_cells", "from": [1,1,0], "size": [3,1,1], "cell": "#"}
{"tick": 11, "cmd": "pour", "at": [2,4,0], "units": 4096}

{"tick": 11, "cmd": "remove_water", "from": [1,1,0], "size": [1,1,1]}
{"tick": 12, "cmd": "add_source", "at": [2,4,0], "rate": 512}
{"tick": 12, "cmd": "fill_level", "at": [2,4,0], "level": 16384}
{"tick": 12, "cmd": "evaporate_level", "at": [2,4,0], "level": 8192}
{"tick": 12, "cmd": "splash", "at": [2,4,0], "radius": 3, "energy": 900}
{"tick": 12, "cmd": "splash", "at": [2,4,0], "radius": 3, "energy": 900, "direction": -1}
{"tick": 12, "cmd": "explode", "at": [2,4,0], "radius": 3, "energy": 900}
{"tick": 12, "cmd": "move_body", "from": [2,4,0], "to": [3,4,0], "radius": 2}
{"tick": 12, "cmd": "set_wind", "speed": -5}
{"tick": 12, "cmd": "pour", "at": [2,4,0], "units": 4096, "temperature": 5120}
{"tick": 12, "cmd": "add_source", "at": [2,4,0], "rate": 512, "temperature": 5120}
{"tick": 12, "cmd": "pour", "at": [2,4,0], "units": 4096, "tracer": {"red": 5, "salt": 7}}
{"tick": 12, "cmd": "add_source", "at": [2,4,0], "rate": 5, "tracer": {"red": 5}, "head": 9}
{"tick": 12, "cmd": "set_air", "temperature": -5120}
{"tick": 12, "cmd": "add_heater", "at": [2,4,0], "rate": -4096}
{"tick": 12, "cmd": "remove_heater", "at": [2,4,0]}
{"tick": 13, "cmd": "add_drain", "at": [2,4,0], "rate": 512}
{"tick": 20, "cmd": "remove_source", "at": [2,4,0]}
{"tick": 21, "cmd": "remove_drain", "at": [2,4,0]})",
      "s.jsonl");
  ASSERT_TRUE(script.ok()) << script.error();
  ASSERT_EQ(script->size(), 21U);
  EXPECT_EQ(script->at(0).tick, 10U);
  EXPECT_EQ(std::get<sim::SetCells>(script->at(0).command.body).size, (Vec3{3, 1, 1}));
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

/// The text of a command that went through the bytes of a recording.
std::string printed_from_bytes(const sim::Command& command, std::uint64_t tick) {
  std::vector<std::byte> bytes;
  sim::append_command(command, bytes);
  std::span<const std::byte> left(bytes);
  const auto read = sim::read_command(left);
  return read.ok() ? formats::format_command(*read, tick) : read.error();
}

TEST(Script, AmountsOfTracersAreReadAndPrinted) {
  const std::string line =
      R"({"tick":7,"cmd":"pour","at":[1,2,0],"units":9,"tracer":{"mud":0,"red":5}})";
  const auto script = formats::parse_script(line, "s.jsonl");
  ASSERT_TRUE(script.ok()) << script.error();
  const auto& pour = std::get<sim::DyedPour>(script->at(0).command.body);
  EXPECT_EQ(pour.tracer, (sim::TracerAmounts{{"mud", 0}, {"red", 5}}));
  EXPECT_FALSE(pour.temperature);
  EXPECT_EQ(formats::format_command(script->at(0).command, 7), line);
  EXPECT_EQ(printed_from_bytes(script->at(0).command, 7), line);
  const std::string head = R"({"tick": 1, "cmd": "pour", "at": [1,2,0], "units": 9, "tracer": )";
  EXPECT_THAT(script_mistake(head + "[1]}"),
              HasSubstr("key 'tracer' must be an object of names and whole numbers"));
  EXPECT_THAT(script_mistake(head + R"({"red": 1.5}})"),
              HasSubstr("key 'tracer' must hold whole numbers"));
  EXPECT_THAT(script_mistake(head + R"({"red": 1}, "below": 3})"),
              HasSubstr("unknown key 'below'"));
  const std::string rising =
      R"({"tick":7,"cmd":"pour","at":[1,2,0],"units":9,"above":3,"tracer":{"red":5},"temperature":256})";
  const auto mixed = formats::parse_script(rising, "s.jsonl");
  ASSERT_TRUE(mixed.ok()) << mixed.error();
  EXPECT_EQ(formats::format_command(mixed->at(0).command, 7), rising);
}

TEST(Script, KeysAreReadInTheOrderOfTheText) {
  const std::string head = R"({"tick": 1, "cmd": "pour", "at": [1,2,0], "units": 9, )";
  const auto twice = formats::parse_script(head + R"("units": 7})", "s.jsonl");
  ASSERT_TRUE(twice.ok()) << twice.error();
  EXPECT_EQ(std::get<sim::Pour>(twice->at(0).command.body).units, 7) << "the last one counts";
  EXPECT_THAT(script_mistake(head + R"("zulu": 1, "alpha": 2})"), HasSubstr("unknown key 'zulu'"));
}

TEST(Script, APourAtRestHasABoxOrAColumn) {
  const std::string head = R"({"tick":7,"cmd":"pour","at":[1,2,0],"units":9,"at_rest":)";
  for (const std::string& line :
       {head + "true}", head + R"(true,"size":[4,3,1]})",
        head + R"(false,"above":3,"tracer":{"red":5},"temperature":256})"}) {
    const auto script = formats::parse_script(line, "s.jsonl");
    ASSERT_TRUE(script.ok()) << script.error();
    EXPECT_EQ(formats::format_command(script->at(0).command, 7), line);
    EXPECT_EQ(printed_from_bytes(script->at(0).command, 7), line);
  }
  EXPECT_THAT(script_mistake(head + R"("yes"})"), HasSubstr("key 'at_rest' must be true or false"));
  EXPECT_THAT(script_mistake(head + R"(true, "size": 4})"), HasSubstr("key 'size' must be three"));
}

// A text for every form that a pipe's command can take, from a seed.
sim::Command random_pipe_command(Dice& dice) {
  sim::PipeFields fields;
  fields.name = "n" + std::to_string(dice.roll(0, 99)) + "-_.:/#@+";
  if (dice.chance(30)) fields.fluid = "oil \"of\" olives";
  fields.capacity = dice.roll(1, sim::kMaxPipeCapacity);
  fields.base = dice.roll(-1000, 1000);
  fields.amount = dice.roll(0, fields.capacity);
  if (dice.chance(50)) fields.at = {dice.roll(0, 9), dice.roll(0, 9), dice.roll(0, 9)};
  switch (dice.roll(0, 11)) {
    case 0:
      return {sim::AddPipe{fields}};
    case 1:
      return {sim::AddPump{fields, dice.roll(0, 9999)}};
    case 2:
      return {sim::AddValve{fields, dice.chance(50)}};
    case 3:
      return {sim::RemovePipe{fields.name}};
    case 4:
      return {sim::UpgradePipe{fields.name, dice.roll(0, 9), dice.roll(0, 9), dice.roll(-1, 9)}};
    case 11:
      return {sim::UpgradePipeAndBase{fields.name, fields.base, dice.roll(0, 9), dice.roll(0, 9),
                                      dice.roll(-1, 9)}};
    case 5:
      return {sim::LinkPipes{fields.name, "b", dice.chance(50)}};
    case 6:
      return {sim::UnlinkPipes{fields.name, "b"}};
    case 7:
      return {sim::SetValve{fields.name, dice.chance(50)}};
    case 8:
      return {sim::SetPump{fields.name, dice.roll(0, 9999)}};
    case 9:
      return {sim::AddPort{fields.name, {1, 2, 3}, static_cast<PortKind>(dice.roll(0, 2)), 7}};
    default:
      return {sim::RemovePort{fields.name, {1, 2, 3}}};
  }
}

TEST(Script, CommandsOfPipesSurvivePrintingAndReading) {
  Dice dice(4);
  for (int i = 0; i < 1000; ++i) {
    const sim::Command command = random_pipe_command(dice);
    const std::string line = formats::format_command(command, 7);
    const auto read = formats::parse_script(line, "s.jsonl");
    ASSERT_TRUE(read.ok()) << line << ": " << read.error();
    std::vector<std::byte> before;
    std::vector<std::byte> after;
    sim::append_command(command, before);
    sim::append_command(read->at(0).command, after);
    EXPECT_EQ(before, after) << line;
  }
}

TEST(Script, WhatIsLeftOutOfAPipeHasItsDefault) {
  const auto add = formats::parse_command(R"({"cmd": "add_pipe", "name": "a"})", "client");
  ASSERT_TRUE(add.ok()) << add.error();
  const auto& pipe = std::get<sim::AddPipe>(add->body);
  EXPECT_EQ(pipe.fluid, "water");
  EXPECT_EQ(pipe.capacity, sim::kDefaultPipeCapacity);
  EXPECT_EQ(pipe.at, kNowhere);
  EXPECT_EQ(formats::format_command(*add, 1).find("\"at\""), std::string::npos);
  const auto link = formats::parse_command(R"({"cmd": "link", "from": "a", "to": "b"})", "client");
  ASSERT_TRUE(link.ok());
  EXPECT_FALSE(std::get<sim::LinkPipes>(link->body).one_way);
}

TEST(Script, MistakesInPipesNameTheKeyAndWhatIsAllowed) {
  const auto wrong = [](const char* json) { return formats::parse_command(json, "c").error(); };
  EXPECT_THAT(wrong(R"({"cmd": "add_pipe"})"), HasSubstr("'add_pipe': key 'name' is missing"));
  EXPECT_THAT(wrong(R"({"cmd": "add_pipe", "name": 5})"), HasSubstr("key 'name' must be a text"));
  EXPECT_THAT(wrong(R"({"cmd": "add_pipe", "name": "a", "capacity": "big"})"),
              HasSubstr("key 'capacity' must hold whole numbers"));
  EXPECT_THAT(
      wrong(R"({"cmd": "add_pipe", "name": "a", "rate": 5})"),
      HasSubstr("unknown key 'rate'; allowed here: account, amount, at, base, capacity, client"));
  EXPECT_THAT(wrong(R"({"cmd": "set_valve", "name": "v", "open": 1})"),
              HasSubstr("key 'open' must be true or false"));
  EXPECT_THAT(
      wrong(R"({"cmd": "add_port", "node": "a", "cell": [1,2,0], "kind": "in", "rate": 1})"),
      HasSubstr("key 'kind' is 'in'; allowed: inlet, outlet, open"));
}

// A damaged recording's log is still a log.
TEST(Script, ANameThatIsNoUtf8IsPrinted) {
  const std::string line = formats::format_command({sim::RemovePipe{"\xff\xfe"}}, 1);
  EXPECT_TRUE(formats::parse_script(line, "s.jsonl").ok()) << line;
}

TEST(Script, MistakesNameTheLineAndWhatIsAllowed) {
  EXPECT_THAT(
      script_mistake("{\"tick\": 1, \"cmd\": \"remove_source\", \"at\": [0,0,0]}\nnonsense\n"),
      HasSubstr("s.jsonl:2: not JSON"));
  EXPECT_THAT(script_mistake("[]"), HasSubstr("a command is a JSON object"));
  EXPECT_THAT(script_mistake("{\"tick\": 1}"),
              HasSubstr("'cmd' is missing; allowed: set_cells, pour"));
  EXPECT_THAT(script_mistake("{\"tick\": 1, \"cmd\": \"por\"}"),
              HasSubstr("unknown command 'por'; allowed"));
  EXPECT_THAT(script_mistake("{\"tick\": 1, \"cmd\": \"por\"}"),
              HasSubstr("; did you mean 'pour'?"));
  EXPECT_THAT(script_mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0]}"),
              HasSubstr("'pour': key 'units' is missing"));
  EXPECT_THAT(script_mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2], \"units\": 1}"),
              HasSubstr("key 'at' must be three whole numbers"));
  EXPECT_THAT(script_mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0], \"units\": 1.5}"),
              HasSubstr("key 'units' must hold whole numbers"));
  EXPECT_THAT(
      script_mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0], \"units\": 99999999999}"),
      HasSubstr("at most 32 bits"));
  EXPECT_THAT(
      script_mistake("{\"tick\": 1, \"cmd\": \"pour\", \"at\": [1,2,0], \"units\": 1, \"x\": 1}"),
      HasSubstr(
          "unknown key 'x'; allowed here: account, at, client, cmd, seq, tick, units, visitor"));
  EXPECT_THAT(
      script_mistake("{\"tick\": 1, \"cmd\": \"set_cells\", \"from\": [0,0,0], \"size\": [1,1,1], "
                     "\"cell\": \"q\"}"),
      HasSubstr("'cell' is no cell; allowed: '#' rock"));
  EXPECT_THAT(script_mistake("{\"cmd\": \"remove_source\", \"at\": [0,0,0]}"),
              HasSubstr("key 'tick' must be a whole number, 1 or more"));
  EXPECT_THAT(script_mistake("{\"tick\": 0, \"cmd\": \"remove_source\", \"at\": [0,0,0]}"),
              HasSubstr("1 or more"));
  EXPECT_THAT(script_mistake("{\"tick\": 5, \"cmd\": \"remove_source\", \"at\": [0,0,0]}\n"
                             "{\"tick\": 4, \"cmd\": \"remove_source\", \"at\": [0,0,0]}"),
              HasSubstr("s.jsonl:2: tick 4 comes after tick 5"));
  EXPECT_THAT(script_mistake(std::string(100000, '[')), HasSubstr("longer than"));
  EXPECT_THAT(script_mistake("[[[["), HasSubstr("not JSON"));
}

TEST(Script, ACommandOfAClientNeedsNoTick) {
  EXPECT_TRUE(formats::parse_command(R"({"cmd": "remove_drain", "at": [1,2,0]})", "client").ok());
  EXPECT_THAT(formats::parse_command("{}", "client 3").error(), HasSubstr("client 3: key 'cmd'"));
}

// A line of 32 KB with 4,086 keys took 24 ms to refuse.
TEST(Script, LinesTooDeepOrOfTooManyKeysAreRefusedBeforeTheyAreParsed) {
  const auto refusal = [](const std::string& line) {
    const auto parsed = formats::parse_command(line, "line");
    return parsed.ok() ? std::string() : parsed.error();
  };
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(refusal(nested(formats::kMaxLineDepth)), "line: a command is a JSON object");
  EXPECT_EQ(refusal(nested(formats::kMaxLineDepth + 1)), "line: nested more than 4 deep");
  const auto keys = [](std::size_t count) {
    std::string line = R"({"cmd": "pour")";
    for (std::size_t i = 1; i < count; ++i) line += ", \"k" + std::to_string(i) + "\": 1";
    return line + "}";
  };
  EXPECT_THAT(refusal(keys(formats::kMaxLineKeys)), HasSubstr("key 'at' is missing"));
  EXPECT_EQ(refusal(keys(formats::kMaxLineKeys + 1)), "line: more than 32 keys");
  // What stands in a text does not count.
  EXPECT_THAT(refusal(R"({"cmd": "[[[[[[::::::::::::::::::::::::::::::::::::\"[[["})"),
              HasSubstr("unknown command"));
}

}  // namespace
}  // namespace sluice::tests::script_test
