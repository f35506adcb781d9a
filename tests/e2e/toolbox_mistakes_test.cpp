// Goal: the toolbox answers every wrong use, and every file that is not as it should be, with what
// is wrong and where, and loses nothing.
#include <filesystem>
#include <fstream>

#include "server/record/database.h"
#include "tests/support/toolbox.h"

namespace sluice::tests::toolbox_mistakes_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(Toolbox, WrongUseIsAnsweredWithStatusTwo) {
  expect_wrong({}, "subcommand");
  expect_wrong({"fly"}, "there is no command 'fly'");
  expect_wrong({"sim"}, "FILE");
  expect_wrong({"sim", "/no/such.toml"}, "/no/such.toml: cannot be opened");
  expect_wrong({"sim", world, "--bogus"}, "--bogus");
  // A negative number became a number of ticks without end.
  expect_wrong({"sim", world, "--ticks", "-5"}, "--ticks");
  expect_wrong({"sim", world, "--ticks", "many"}, "--ticks");
  expect_wrong({"sim", world, "--threads", "-1"}, "--threads");
  expect_wrong({"sim", world, "--threads", "100000"}, "--threads");
  expect_wrong({"sim", world, "--kernels", "none"}, "allowed: scalar");
  expect_wrong({"sim", world, "--script", "/no/such.jsonl"}, "/no/such.jsonl");
  expect_wrong({"sim", world, "--ticks", "1", "--dump", "/no/such/dump.csv"}, "/no/such/dump.csv");
  expect_wrong({"sim", world, "--ticks", "1", "--digests", "/no/such/digests"}, "/no/such/digests");
  expect_wrong({"sim", world, "--record", "/no/such/u.sluice"}, "/no/such/u.sluice");
  expect_wrong({"verify", world}, world);
  expect_wrong({"replay", "/no/such.sluice"}, "/no/such.sluice");
  expect_wrong({"log", world}, world);
  const std::string bad =
      folder.write("bad.toml", "[world]\nname = \"a\"\nsize = [1, 1, 1]\nx = 1\n");
  expect_wrong({"sim", bad}, "bad.toml:4: unknown key 'world.x'; allowed here: ");
}

// Whatever a client called something: what is printed does nothing to a terminal, and is a script.
TEST_F(Toolbox, TheLogOfAnyNamesIsAScriptAndHarmless) {
  const std::string tick = "{\"tick\": ";
  const std::string name = "\"\\u001b[2J\\u0000\\u009b31m\\u202e" + std::string(30000, 'n') + "\"";
  std::string script = tick + R"(1, "cmd": "pour", "at": [1, 5, 0], "units": 4096})" + "\n";
  for (int i = 2; i < 12; ++i) {
    script += tick + std::to_string(i) + R"(, "cmd": "remove_pipe", "name": )" + name + "}\n";
    script += tick + std::to_string(i) + R"(, "cmd": "link", "from": )" + name +
              ", \"to\": " + name + "}\n";
  }
  const std::string recording = folder.file("a.sluice");
  const Finished sim = sluice({"sim", world, "--ticks", "20", "--record", recording, "--json",
                               "--script", folder.write("s.jsonl", script)});
  ASSERT_EQ(sim.status, 0) << sim.error;
  EXPECT_LT(sim.error.size(), 20 * 600U) << "reasons are cut";
  const Finished log = sluice({"log", recording});
  ASSERT_EQ(log.status, 0) << log.error;
  const Finished outcomes = sluice({"log", recording, "--outcomes"});
  const Finished verified = sluice({"verify", recording, "--json"});
  EXPECT_EQ(verified.status, 0) << verified.out;
  for (const std::string& text : {sim.error, log.out, outcomes.out, verified.out, verified.error}) {
    for (const char c : text) {
      ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c) << " in " << text;
    }
  }
  const Finished again = sluice(
      {"sim", world, "--ticks", "20", "--json", "--script", folder.write("l.jsonl", log.out)});
  ASSERT_EQ(again.status, 0) << again.error;
  EXPECT_EQ(last_line(again).at("digest"), last_line(sim).at("digest"));
}

TEST_F(Toolbox, RepairSaysWhatWasLostAndIsRestartable) {
  const std::string recording = folder.file("a.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "300", "--record", recording}).status, 0);
  EXPECT_THAT(sluice({"repair", recording}).out, HasSubstr("whole: ticks 0 to 300"));
  std::ofstream(recording + ".new-main") << "left by a repair that was killed";
  EXPECT_EQ(sluice({"repair", recording}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(recording + ".new-main"));

  auto file = record::Database::open(recording, record::Database::Mode::kWrite);
  ASSERT_TRUE(file.ok()) << file.error();
  ASSERT_TRUE((*file)
                  ->execute("DELETE FROM facts; DELETE FROM history WHERE first_tick = 1; "
                            "DELETE FROM checkpoints WHERE tick = 0")
                  .ok());
  file->reset();
  const Finished repaired = sluice({"repair", recording, "--json"});
  EXPECT_THAT(repaired.out, HasSubstr("lost, or cut off long ago: whatever came up to tick "));
  EXPECT_GT(last_line(repaired).at("unknown_up_to"), 0);
  EXPECT_FALSE(last_line(repaired).contains("unknown_after"));
}

TEST_F(Toolbox, MistakesAreToldWithWhatWasMeant) {
  expect_wrong({"simm", world}, "there is no command 'simm'; did you mean 'sim'?");
  expect_wrong({"reply", world}, "did you mean 'replay'?");
  expect_wrong({"xyzzy"}, "there is no command 'xyzzy' (commands: ");
  expect_wrong({"sim", world, "--tiks", "5"}, "there is no flag '--tiks'; did you mean '--ticks'?");
  expect_wrong({"sim", world, "--ticks", "-5"}, "'-5' is not a whole number from 0 on");
  const Finished far = sluice({"sim", world, "--ticks", "-5"});
  EXPECT_LT(far.error.size(), 200U) << far.error;
}

TEST_F(Toolbox, TellsItsVersion) {
  const Finished version = sluice({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, StartsWith("sluice "));
  EXPECT_EQ(version.error, "");
}

TEST_F(Toolbox, ADirectoryIsNoRecording) {
  const std::string directory = std::filesystem::path(world).parent_path();
  for (const char* command : {"log", "replay", "verify", "bundle", "trace"}) {
    expect_wrong({command, directory}, "is a directory; a recording is a file");
  }
}

TEST_F(Toolbox, TheLogSaysWhenItHasNothingToPrint) {
  const std::string file = folder.file("u.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "50", "--record", file}).status, 0);
  expect_wrong({"log", file, "--from", "900", "--to", "100"}, "--from 900 is after --to 100");
  const Finished late = sluice({"log", file, "--from", "900"});
  EXPECT_EQ(late.status, 0);
  EXPECT_THAT(late.error, HasSubstr("the recording ends with tick 50"));
}

TEST_F(Toolbox, NumbersThatAreTooLargeAreNamed) {
  const std::string large =
      folder.write("large.toml", "[world]\nname = \"a\"\nsize = [99999999999, 1, 1]\n");
  expect_wrong({"sim", large}, "key 'world.size' holds 99999999999, but at most 2147483647");
}

}  // namespace
}  // namespace sluice::tests::toolbox_mistakes_test
