// Goal: the toolbox keeps the interface: what it prints and the statuses with which it ends.
#include "tests/support/toolbox.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sluice::tests::toolbox_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(Toolbox, SimPrintsTheObjectOfTheInterface) {
  const Finished finished = sluice({"sim", world, "--ticks", "100000", "--until-rest", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.error;
  EXPECT_EQ(finished.error, "");
  const nlohmann::json object = last_line(finished);
  EXPECT_TRUE(object.at("at_rest"));
  EXPECT_EQ(object.at("rest_tick"), object.at("tick"));
  EXPECT_EQ(object.at("digest").get<std::string>().size(), 16U);
  EXPECT_EQ(object.at("water"), 7 * 4096);
  for (const char* key : {"pipes", "sourced", "drained", "evaporated", "active_chunks"}) {
    EXPECT_EQ(object.at(key), 0) << key;
  }
  EXPECT_EQ(object.at("chunks"), 1);
  EXPECT_GT(object.at("seconds"), 0);
  // Of 30 cells, in 8 sweeps a tick at the most, those that may have moved.
  const auto updates = object.at("cell_updates").get<std::int64_t>();
  EXPECT_GT(updates, 0);
  EXPECT_LE(updates, object.at("tick").get<std::int64_t>() * 8 * 30);
}

TEST_F(Toolbox, TheDumpHasPipesByName) {
  const std::string pipes = folder.write("pipes.toml", R"([world]
name = "pipes"
size = [4, 4, 1]
[[pump]]
name = "b"
rate = 5
at = [1, 2, 0]
[[pipe]]
name = "a"
fluid = "oil"
amount = 7
[[valve]]
name = "c"
open = false
)");
  const Finished dump = sluice({"sim", pipes, "--ticks", "1", "--dump", "-", "--json"});
  EXPECT_THAT(dump.out, StartsWith("kind,name,x,y,z,material,amount\npipe,a,,,,oil,7\n"
                                   "pump,b,1,2,0,water,0\nvalve,c,,,,water,0\n"));
  EXPECT_EQ(last_line(dump).at("pipes"), 7);
}

// Worlds that named no water were of cellular water when they were recorded.
TEST_F(Toolbox, ARecordingKeepsTheWaterThatItsWorldFileDoesNotName) {
  const auto recordings = std::filesystem::path(SLUICE_SOURCE_DIR) / "tests/golden/recordings";
  for (const char* const name : {"format3-cellular3", "format3-block3", "format3-stream7",
                                 "format3-hydro7", "format3-pipes3-cellular3"}) {
    const Finished verified =
        sluice({"verify", (recordings / (name + std::string(".sluice"))).string()});
    EXPECT_EQ(verified.status, 0) << verified.out << verified.error;
  }
}

TEST_F(Toolbox, SimPrintsMapDumpAndDigests) {
  const Finished map = sluice({"sim", world, "--ticks", "0", "--map"});
  EXPECT_EQ(map.out, "#~#.#\n#~#.#\n#~#.#\n#~#.#\n#~~~#\n#####\n");
  const Finished dump = sluice({"sim", world, "--ticks", "0", "--dump", "-"});
  EXPECT_THAT(dump.out, StartsWith("kind,name,x,y,z,material,amount\ncell,,0,0,0,rock,0\n"));
  EXPECT_THAT(dump.out, HasSubstr("\ncell,,1,5,0,water,4096\n"));
  // Block water stands as high as its body: the full arm of five cells.
  const std::string vessel = folder.write("vessel.toml", R"([world]
name = "vessel"
size = [3, 4, 1]
water = "block"
[[map]]
rows = """
~#.
~#.
~#~
~~~
"""
)");
  const Finished heads = sluice({"sim", vessel, "--ticks", "0", "--dump", "-", "--heads"});
  EXPECT_THAT(heads.out, StartsWith("kind,name,x,y,z,material,amount,head\n"));
  for (const char* const row : {"\ncell,,0,3,0,water,4096,16384\n",
                                "\ncell,,2,1,0,water,4096,16384\n", "\ncell,,1,1,0,rock,0,\n"}) {
    EXPECT_THAT(heads.out, HasSubstr(row));
  }
  EXPECT_EQ(sluice({"sim", world, "--ticks", "0", "--heads"}).status, 2);
  const Finished digests = sluice({"sim", world, "--ticks", "3", "--digests", "-"});
  std::istringstream lines(digests.out);
  std::string tick;
  std::string digest;
  for (int i = 1; i <= 3; ++i) {
    lines >> tick >> digest;
    EXPECT_EQ(tick, std::to_string(i));
    EXPECT_EQ(digest.size(), 16U);
  }
}

TEST_F(Toolbox, AScriptIsAppliedAndRefusalsAreReported) {
  const std::string script =
      folder.write("s.jsonl", R"({"tick": 2, "cmd": "pour", "at": [3,5,0], "units": 10}
{"tick": 3, "cmd": "pour", "at": [0,0,0], "units": 10}
)");
  const Finished finished = sluice({"sim", world, "--ticks", "5", "--script", script, "--json"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(last_line(finished).at("sourced"), 10);
  EXPECT_THAT(finished.error, HasSubstr("tick 3: pour refused: the cell [0, 0, 0] is rock"));
}

TEST_F(Toolbox, ThreadsOrderKernelsAndSleepDoNotChangeDigests) {
  const std::string plain = sluice({"sim", world, "--ticks", "50", "--digests", "-"}).out;
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--threads", "1"},
                                             {"--threads", "3"},
                                             {"--shuffle", "7"},
                                             {"--kernels", "scalar"},
                                             {"--no-sleep"}}) {
    std::vector<std::string> arguments = {"sim", world, "--ticks", "50", "--digests", "-"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    EXPECT_EQ(sluice(arguments).out, plain) << flags[0];
  }
}

TEST_F(Toolbox, ARecordedRunVerifiesReplaysAndLogs) {
  const std::string script =
      folder.write("s.jsonl", "{\"tick\": 2, \"cmd\": \"pour\", \"at\": [3,5,0], \"units\": 10}\n");
  const std::string file = folder.file("u.sluice");
  const Finished run = sluice(
      {"sim", world, "--ticks", "60", "--script", script, "--record", file, "--map", "--json"});
  ASSERT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(sluice({"verify", file}).status, 0);
  const Finished replay = sluice({"replay", file, "--map", "--json"});
  EXPECT_EQ(last_line(replay).at("digest"), last_line(run).at("digest"));
  EXPECT_EQ(replay.out.substr(0, 36), run.out.substr(0, 36));
  EXPECT_EQ(last_line(sluice({"replay", file, "--to", "30", "--json"})).at("tick"), 30);
  EXPECT_THAT(sluice({"log", file}).out, HasSubstr("\"cmd\":\"pour\""));
  EXPECT_THAT(sluice({"log", file}).out, HasSubstr("\"seq\":1"));
  // A recording is never written over.
  expect_wrong({"sim", world, "--record", file}, file);
  // What a log prints is a script.
  const std::string log = folder.write("log.jsonl", sluice({"log", file}).out);
  const Finished again = sluice({"sim", world, "--ticks", "60", "--script", log, "--json"});
  EXPECT_EQ(last_line(again).at("digest"), last_line(run).at("digest"));
}

// Wherever the replay begins: at a checkpoint nobody knows since when the world has rested.
TEST_F(Toolbox, ReplayTellsOfRestAsSimDoes) {
  const std::string script =
      folder.write("rest.jsonl",
                   R"({"tick": 700, "cmd": "pour", "at": [1,5,0], "units": 4096}
{"tick": 900, "cmd": "pour", "at": [99,5,0], "units": 4096}
)");
  const std::string recording = folder.file("rest.sluice");
  ASSERT_EQ(
      sluice({"sim", world, "--ticks", "3000", "--script", script, "--record", recording}).status,
      0);
  for (const char* to :
       {"1", "5", "400", "600", "699", "700", "705", "899", "900", "901", "1200", "2999", "3000"}) {
    const nlohmann::json run =
        last_line(sluice({"sim", world, "--ticks", to, "--script", script, "--json"}));
    const Finished replayed = sluice({"replay", recording, "--to", to, "--json"});
    ASSERT_EQ(replayed.status, 0) << replayed.error;
    for (const char* key : {"at_rest", "rest_tick", "active_chunks", "digest"}) {
      EXPECT_EQ(last_line(replayed).at(key), run.at(key)) << key << " at tick " << to;
    }
  }
}

TEST_F(Toolbox, DiffNamesTheFirstDifference) {
  const auto record = [&](const std::string& name, const std::string& units) {
    const std::string script = folder.write(
        name + ".jsonl",
        "{\"tick\": 20, \"cmd\": \"pour\", \"at\": [3,5,0], \"units\": " + units + "}\n");
    const std::string file = folder.file(name + ".sluice");
    EXPECT_EQ(sluice({"sim", world, "--ticks", "60", "--script", script, "--record", file}).status,
              0);
    return file;
  };
  const std::string a = record("a", "10");
  const std::string b = record("b", "11");
  EXPECT_EQ(sluice({"diff", a, a}).status, 0);
  const Finished found = sluice({"diff", a, b, "--json"});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("differ first at tick 20, in phase commands"));
  const nlohmann::json object = last_line(found);
  EXPECT_EQ(object.at("difference").at("tick"), 20);
  EXPECT_EQ(object.at("difference").at("first").at("cell"), nlohmann::json({3, 5, 0}));
  EXPECT_EQ(object.at("difference").at("first").at("a"), "10");
  EXPECT_EQ(object.at("difference").at("first").at("b"), "11");
  // A trace of either side says the same of the tick.
  const std::string trace = folder.file("b.trace");
  EXPECT_EQ(sluice({"trace", b, "--tick", "20", "--out", trace}).status, 0);
  EXPECT_EQ(sluice({"diff", a, b, "--trace-b", trace}).status, 1);
  expect_wrong({"diff", a, b, "--trace-a", trace}, "does not replay that tick");
  expect_wrong({"diff", a, b, "--trace-a", a}, a + ": is not a trace");
  expect_wrong({"diff", a}, "B");
  expect_wrong({"diff", a, world}, world);
  expect_wrong({"trace", a, "--tick", "61"}, "holds ticks 1 to 60");
}

TEST_F(Toolbox, WavesAreDumpedRecordedAndCompared) {
  const std::string lake = folder.write("lake.toml", R"(
[world]
name = "lake"
size = [80, 8, 1]
water = "hydro"
[waves]
[[fill]]
from = [0, 0, 0]
size = [80, 3, 1]
cell = "~"
)");
  const auto record = [&](const std::string& name, const std::string& energy) {
    const std::string script = folder.write(
        name + ".jsonl",
        "{\"tick\": 20, \"cmd\": \"splash\", \"at\": [40,2,0], \"radius\": 2, \"energy\": " +
            energy + "}\n");
    const std::string file = folder.file(name + ".sluice");
    EXPECT_EQ(sluice({"sim", lake, "--ticks", "60", "--script", script, "--record", file}).status,
              0);
    return file;
  };
  const std::string a = record("a", "500000");
  const std::string b = record("b", "600000");
  EXPECT_EQ(sluice({"verify", a}).status, 0);
  EXPECT_THAT(sluice({"log", a}).out, HasSubstr("\"cmd\":\"splash\",\"at\":[40,2,0],\"radius\":2"));
  const Finished replay = sluice({"replay", a, "--to", "20", "--dump", "-", "--json"});
  EXPECT_THAT(replay.out, HasSubstr("\nsurface,,0,2,0,water,0\n"));
  EXPECT_THAT(replay.out, HasSubstr("\nsurface,,40,2,0,water,-"));
  const auto energy = last_line(replay).at("wave_energy").get<std::int64_t>();
  EXPECT_GT(energy, 400000);
  EXPECT_LE(energy, 500000);
  EXPECT_FALSE(last_line(replay).at("at_rest").get<bool>());
  const Finished found = sluice({"diff", a, b, "--json"});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("differ first at tick 20, in phase waves"));
  const nlohmann::json first = last_line(found).at("difference").at("first");
  EXPECT_EQ(first.at("layer"), "waves");
  EXPECT_THAT(first.at("place").get<std::string>(), HasSubstr("column at ["));
  EXPECT_THAT(sluice({"trace", a, "--tick", "20"}).out, HasSubstr("waves "));
}

TEST_F(Toolbox, VerifyTakesRangesRestoresAndFollows) {
  const std::string file = folder.file("v.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "90", "--record", file}).status, 0);
  const nlohmann::json part =
      last_line(sluice({"verify", file, "--from", "50", "--to", "60", "--json"}));
  EXPECT_EQ(part.at("first_tick"), 40) << "the checkpoint before";
  EXPECT_EQ(part.at("last_tick"), 60);
  EXPECT_TRUE(part.at("verified"));
  EXPECT_EQ(sluice({"verify", file, "--every-tick-restore"}).status, 0);
  // Nobody writes it any more: following ends at its end.
  EXPECT_EQ(last_line(sluice({"verify", file, "--follow", "--json"})).at("last_tick"), 90);
  expect_wrong({"verify", file, "--to", "91"}, "ends at tick 90, before --to 91");
  expect_wrong({"verify", file, "--from", "50", "--to", "40"}, "lies before --from 50");
}

TEST_F(Toolbox, SyncTestRunsTwoEngines) {
  const std::string script =
      folder.write("s.jsonl", "{\"tick\": 2, \"cmd\": \"pour\", \"at\": [3,5,0], \"units\": 10}\n");
  const nlohmann::json report = last_line(sluice(
      {"sync-test", world, "--script", script, "--ticks", "80", "--threads", "2", "--json"}));
  EXPECT_TRUE(report.at("same"));
  EXPECT_EQ(report.at("ticks"), 80);
  EXPECT_EQ(report.at("commands"), 1);
  EXPECT_EQ(report.at("restores"), 80);
  expect_wrong({"sync-test", "/no/such.toml"}, "/no/such.toml: cannot be opened");
  expect_wrong({"sync-test", world, "--restore-every", "-1"}, "--restore-every");
}

TEST_F(Toolbox, BundlesAndBackupsVerifyAndRepairSaysWhatItFound) {
  const std::string file = folder.file("v.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "300", "--record", file}).status, 0);
  const std::string bundle = folder.file("b.sluice");
  const nlohmann::json cut = last_line(sluice({"bundle", file, "--around", "100", "--before", "10",
                                               "--after", "20", "--out", bundle, "--json"}));
  EXPECT_EQ(cut.at("first_tick"), 80);
  EXPECT_EQ(cut.at("last_tick"), 120);
  EXPECT_EQ(sluice({"verify", bundle}).status, 0);
  EXPECT_EQ(sluice({"diff", file, bundle}).status, 0);
  const std::string copy = folder.file("copy.sluice");
  EXPECT_EQ(sluice({"backup", file, copy}).status, 0);
  EXPECT_EQ(sluice({"verify", copy}).status, 0);
  EXPECT_THAT(sluice({"repair", copy}).out, HasSubstr("whole: ticks 0 to 300"));
  expect_wrong({"bundle", file, "--around", "301"}, "holds ticks 0 to 300");
  expect_wrong({"bundle", file, "--around", "3", "--out", bundle}, "never overwritten");
  expect_wrong({"repair", world}, "is not a recording");
  expect_wrong({"repair", folder.file("none")}, "none");
  expect_wrong({"backup", folder.file("none"), copy}, "none");
}

TEST_F(Toolbox, OldHistoryIsCutOffAndProvesWhatComesAfterIt) {
  const std::string file = folder.file("v.sluice");
  const std::string pours = folder.write("p.jsonl",
                                         "{\"tick\": 2, \"cmd\": \"pour\", \"at\": [3,5,0], "
                                         "\"units\": 7}\n{\"tick\": 250, \"cmd\": \"pour\", "
                                         "\"at\": [3,5,0], \"units\": 8}\n");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "300", "--record", file, "--script", pours}).status,
            0);
  EXPECT_THAT(sluice({"seal", file, "--keep", "300"}).out, HasSubstr("nothing is cut off"));
  const nlohmann::json cut = last_line(sluice({"seal", file, "--keep", "100", "--json"}));
  EXPECT_EQ(cut.at("kept").at("first_tick"), 200);
  EXPECT_EQ(cut.at("kept").at("last_tick"), 300);
  const std::string old = file + ".part-0-200";
  EXPECT_EQ(cut.at("old").at("file"), old);
  EXPECT_EQ(sluice({"verify", old}).status, 0);
  EXPECT_THAT(sluice({"log", old}).out, HasSubstr("\"units\":7"));
  EXPECT_THAT(sluice({"log", file}).out, HasSubstr("\"units\":8"));
  EXPECT_THAT(sluice({"verify", file}).out,
              HasSubstr("How the world came to be that is not proved"));
  const Finished both = sluice({"verify", file, "--after", old, "--json"});
  EXPECT_THAT(
      both.out,
      HasSubstr("It begins with the state of tick 200, which is that at the end of " + old));
  EXPECT_EQ(last_line(both).at("begins"), 200);
  // What is not its beginning is named.
  const Finished turned = sluice({"verify", old, "--after", file});
  EXPECT_EQ(turned.status, 1);
  EXPECT_THAT(turned.error, HasSubstr("it begins at tick 0, and that ends at tick 300"));
  const std::string other = folder.file("other.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "200", "--record", other, "--script",
                    folder.write("s.jsonl",
                                 "{\"tick\": 2, \"cmd\": \"pour\", \"at\": [3,5,0], "
                                 "\"units\": 10}\n")})
                .status,
            0);
  EXPECT_THAT(sluice({"verify", file, "--after", other}).error,
              HasSubstr("the states of tick 200 differ"));
  const nlohmann::json dropped =
      last_line(sluice({"seal", file, "--keep", "40", "--drop", "--json"}));
  EXPECT_EQ(dropped.at("old").at("file"), nullptr);
  EXPECT_THAT(sluice({"verify", file}).out, HasSubstr("It begins with the state of tick 240"));
  expect_wrong({"seal", file}, "--keep");
  expect_wrong({"seal", world, "--keep", "1"}, "is not a recording");
  expect_wrong({"seal", folder.file("none"), "--keep", "1"}, "none");
}

TEST_F(Toolbox, TheCutInTheRecordingsDocumentIsAsItSays) {
  std::ifstream file(SLUICE_SOURCE_DIR "/server/record/README.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const std::string cave = folder.file("cave.sluice");
  std::string said = "    $ sluice sim server/worlds/cave.toml --ticks 3000 --record cave.sluice\n";
  EXPECT_EQ(sluice({"sim", SLUICE_SOURCE_DIR "/server/worlds/cave.toml", "--ticks", "3000",
                    "--record", cave})
                .status,
            0);
  const auto add = [&](const std::string& command, const std::vector<std::string>& arguments) {
    said += "    $ sluice " + command + "\n";
    std::istringstream lines(sluice(arguments).out);
    for (std::string line; std::getline(lines, line);) {
      for (std::size_t at = line.find(cave); at != std::string::npos; at = line.find(cave)) {
        line.replace(at, cave.size(), "cave.sluice");
      }
      said += "    " + line + "\n";
    }
  };
  add("seal cave.sluice --keep 1000", {"seal", cave, "--keep", "1000"});
  add("verify cave.sluice --after cave.sluice.part-0-2000",
      {"verify", cave, "--after", cave + ".part-0-2000"});
  EXPECT_THAT(document, HasSubstr(said));
}

}  // namespace
}  // namespace sluice::tests::toolbox_test
