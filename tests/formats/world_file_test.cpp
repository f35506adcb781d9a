// Goal: a world file means what its document says, and every mistake is answered with the file, the
// line, the key and what is allowed.
#include "server/formats/world_file.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/formats/filled_world.h"
#include "server/sim/models/registry.h"
#include "server/sim/world.h"
#include "tests/formats/mistake.h"

namespace sluice::tests::world_file_test {
namespace {

using ::testing::HasSubstr;

TEST(WorldFile, EveryKeyIsRead) {
  const auto spec = formats::parse_world(R"(
[world]
name = "u-tube"
size = [50, 60, 1]
water = "cellular"
seed = "18446744073709551615"
tick_rate = 30
[world.edges]
left = "open"
top = "wall"
[water]
full = 1000
compressed_max = 1010
smallest_flow = 3
max_sweeps = 5
compression = "uniform"
[[fill]]
from = [0, 0, 0]
size = [5, 1, 1]
cell = "#"
[[map]]
at = [2, 3, 0]
rows = """
#~.
1 7
"""
[[source]]
at = [1, 5, 0]
rate = 512
[[drain]]
at = [3, 1, 0]
rate = 7
)",
                                         "a.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  const sim::WorldConfig& config = spec->config;
  EXPECT_EQ(config.name, "u-tube");
  EXPECT_EQ(config.size, (Vec3{50, 60, 1}));
  EXPECT_EQ(config.seed, UINT64_MAX);
  EXPECT_EQ(config.tick_rate, 30);
  EXPECT_EQ(config.edges.left, sim::Edge::kOpen);
  EXPECT_EQ(config.edges.right, sim::Edge::kWall);
  EXPECT_EQ(config.option("full"), 1000);
  EXPECT_EQ(config.option("compressed_max"), 1010);
  EXPECT_EQ(config.option("smallest_flow"), 3);
  EXPECT_EQ(config.option("max_sweeps"), 5);
  EXPECT_EQ(config.option("compression"), 1);  // uniform
  ASSERT_EQ(spec->cells.size(), 5U);           // the blank leaves its cell as it is
  EXPECT_EQ(spec->cells[0].at, (Vec3{2, 4, 0}));
  EXPECT_EQ(spec->cells[0].cell, kRock);
  EXPECT_EQ(spec->cells[4].at, (Vec3{4, 3, 0}));
  EXPECT_EQ(spec->cells[4].cell, 7 * kFull / 8);
  EXPECT_EQ(spec->sources.at(0).rate, 512);
  EXPECT_EQ(spec->drains.at(0).at, (Vec3{3, 1, 0}));
}

TEST(WorldFile, MistakesNameFileLineKeyAndWhatIsAllowed) {
  const std::string head = kHead;
  EXPECT_THAT(mistake("[world\n"), HasSubstr("a.toml:1: not TOML"));
  EXPECT_THAT(mistake(""), HasSubstr("[world]"));
  EXPECT_THAT(mistake("[world]\nname = \"a\"\n"),
              HasSubstr("a.toml:1: key 'world.size' is missing"));
  EXPECT_THAT(mistake("[world]\nname = \"A b\"\nsize = [1, 1, 1]\n"), HasSubstr("a-z, 0-9"));
  EXPECT_THAT(mistake("[world]\nname = 7\nsize = [1, 1, 1]\n"),
              HasSubstr("a.toml:2: key 'world.name' must be a text"));
  EXPECT_THAT(mistake("[world]\nname = \"a\"\nsize = [1, 1]\n"),
              HasSubstr("a.toml:3: key 'world.size' must be three whole numbers"));
  EXPECT_THAT(mistake("[world]\nname = \"a\"\nsize = [1, 2.5, 1]\n"), HasSubstr("whole numbers"));
  EXPECT_THAT(mistake("[world]\nname = \"a\"\nsize = [0, 2, 1]\n"),
              HasSubstr("allowed: 1 to 1048576"));
  EXPECT_THAT(mistake("[world]\nname = \"a\"\nsize = [1, 2, 1048577]\n"),
              HasSubstr("world.size[2]"));
  EXPECT_THAT(mistake(head + "watr = \"x\"\n"),
              HasSubstr("a.toml:4: unknown key 'world.watr'; allowed here: edges, limits, name"));
  EXPECT_THAT(mistake(head + "watr = \"x\"\n"), HasSubstr("; did you mean 'water'?"));
  EXPECT_THAT(mistake(head + "colour = 1\n"), ::testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(mistake(head + "water = \"lava\"\n"),
              HasSubstr("a.toml:4: key 'world.water' is 'lava'; allowed: cellular"));
  EXPECT_THAT(mistake(head + "seed = -1\n"), HasSubstr("18446744073709551615"));
  EXPECT_THAT(mistake(head + "tick_rate = 0\n"), HasSubstr("world.tick_rate"));
  EXPECT_THAT(mistake(head + "[world.edges]\nup = \"open\"\n"), HasSubstr("world.edges.up"));
  EXPECT_THAT(mistake(head + "[world.edges]\ntop = \"ajar\"\n"), HasSubstr("allowed: wall, open"));
  EXPECT_THAT(mistake(head + "water = \"cellular\"\n[water]\nmax_sweeps = 0\n"),
              HasSubstr("a.toml:5: key water.max_sweeps: 0 is out of range; allowed: 1 to"));
  EXPECT_THAT(mistake(head + "[water]\nmax_sweeps = 8\n"),
              HasSubstr("a.toml:5: key 'water.max_sweeps' is an option of cellular water, but this "
                        "world's is hydro; water = \"cellular\" in [world]"));
  EXPECT_THAT(mistake(head + "[[fil]]\n"),
              HasSubstr("unknown key 'fil'; allowed here: drain, fill"));
  EXPECT_THAT(mistake(head + "[fill]\n"), HasSubstr("[[fill]]"));
  EXPECT_THAT(mistake(head + "[[fill]]\nfrom = [0, 0, 0]\nsize = [1, 1, 1]\ncell = \"x\"\n"),
              HasSubstr("a.toml:7: key 'fill[0].cell' is 'x'; allowed: '#' rock"));
  EXPECT_THAT(mistake(head + "[[map]]\nrows = \"\"\"\n###\n#x#\n\"\"\"\n"),
              HasSubstr("key 'map[0].rows' row 2, column 2: 'x' is not a cell"));
  EXPECT_THAT(mistake(head + "[[map]]\nrows = \"######\"\n"), HasSubstr("outside the world"));
  EXPECT_THAT(mistake(head + "[[map]]\nat = [2147483647, 0, 0]\nrows = \"##\"\n"),
              HasSubstr("outside the world"));
  EXPECT_THAT(mistake(head + "[[source]]\nat = [9, 0, 0]\nrate = 1\n"),
              HasSubstr("source[0].at' [9, 0, 0] lies outside"));
}

TEST(WorldFile, WaterIsDrawnAtRestWhereItIsAskedFor) {
  const std::string head = kHead;
  const auto spec = formats::parse_world(
      head +
          "[[fill]]\nfrom = [0, 0, 0]\nsize = [2, 1, 1]\ncell = \"~\"\nat_rest = true\n"
          "[[fill]]\nfrom = [3, 0, 0]\nsize = [1, 1, 1]\ncell = \"~\"\n"
          "[[map]]\nrows = \"#~.\"\nat_rest = true\n",
      "a.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  EXPECT_TRUE(spec->fills[0].at_rest);
  EXPECT_FALSE(spec->fills[1].at_rest);
  for (const sim::PlacedCell& cell : spec->cells) EXPECT_TRUE(cell.at_rest);
  const std::string fill = head + "[[fill]]\nfrom = [0, 0, 0]\nsize = [5, 6, 1]\n";
  for (const char* dry : {"#", "."}) {
    EXPECT_THAT(mistake(fill + "cell = \"" + dry + "\"\nat_rest = true\n"),
                HasSubstr("key 'fill[0].at_rest' is true for a box without water"));
  }
  EXPECT_THAT(mistake(fill + "cell = \"~\"\nat_rest = 1\n"), HasSubstr("fill[0].at_rest"));
}

TEST(WorldFile, MarksHaveAKindAndALevel) {
  const std::string mark = std::string(kHead) + "[[mark]]\nat = [1, 5, 0]\n";
  const auto spec = formats::parse_world(
      mark + "kind = \"level\"\n[[mark]]\nat = [0, 0, 0]\nkind = \"bubble\"\nlevel = 4294967296\n",
      "a.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  ASSERT_EQ(spec->marks.size(), 2U);
  EXPECT_EQ(spec->marks[0].kind, sim::MarkKind::kLevel);
  EXPECT_EQ(spec->marks[0].level, -1);
  EXPECT_EQ(spec->marks[1].kind, sim::MarkKind::kBubble);
  EXPECT_EQ(spec->marks[1].level, std::int64_t{1} << 32);
  EXPECT_THAT(mistake(mark), HasSubstr("mark[0].kind"));
  EXPECT_THAT(mistake(mark + "kind = \"lava\"\n"), HasSubstr("allowed: level, bubble"));
  EXPECT_THAT(mistake(mark + "kind = \"level\"\nlevel = -5\n"),
              HasSubstr("key 'mark[0].level' is below zero"));
  EXPECT_THAT(mistake(std::string(kHead) + "[[mark]]\nat = [5, 0, 0]\nkind = \"level\"\n"),
              HasSubstr("mark[0].at' [5, 0, 0] lies outside"));
}

TEST(WorldFile, ABoxOfAnyAmount) {
  const std::string fill = std::string(kHead) + "[[fill]]\nfrom = [0, 0, 0]\nsize = [1, 1, 1]\n";
  EXPECT_EQ(formats::parse_world(fill + "cell = 1234\n", "a.toml")->fills.at(0).cell, 1234);
  EXPECT_EQ(formats::parse_world(fill + "cell = \"o\"\n", "a.toml")->fills.at(0).cell, kTrappedAir);
  EXPECT_THAT(mistake(fill + "cell = -1\n"), HasSubstr("fill[0].cell' is below zero"));
  EXPECT_THAT(mistake(fill + "cell = 1.5\n"), HasSubstr("fill[0].cell"));
}

// Written and read again it is the same world, in every model.
TEST(WorldFile, AFilledWorldIsTheWorldThatItsMarksMake) {
  for (const sim::WaterModelRow& model : sim::water_models()) {
    const std::string text =
        std::string("[world]\nname = \"a\"\nsize = [8, 6, 1]\nseed = 7\nwater = \"") + model.name +
        R"("
[world.edges]
left = "open"
[[map]]
at = [1, 0, 0]
rows = """
#.....#
#.#####
#.#...#
#.....#
#######
"""
[[mark]]
at = [2, 3, 0]
kind = "level"
level = 16384
[[mark]]
at = [5, 2, 0]
kind = "bubble"
level = 8192
[[source]]
at = [2, 4, 0]
rate = 5
)";
    const auto world = formats::build_world(text);
    ASSERT_TRUE(world.ok()) << world.error();
    EXPECT_EQ((*world)->cell({4, 2, 0}), kTrappedAir);
    const std::string filled = formats::filled_world_file(text, **world);
    EXPECT_EQ(filled.find("mark"), std::string::npos);
    const auto again = formats::build_world(filled);
    ASSERT_TRUE(again.ok()) << again.error() << filled;
    EXPECT_EQ((*again)->digest(), (*world)->digest()) << model.name << filled;
  }
}

// What cells hold of tracers is written down, too, however it was put there.
TEST(WorldFile, AFilledWorldHasItsTracers) {
  const std::string text = std::string(kHead) +
                           "[[tracer]]\nname = \"red\"\n[[tracer]]\nname = \"mud\"\n"
                           "[[fill]]\nfrom = [0, 0, 0]\nsize = [5, 3, 1]\ncell = 1234\n"
                           "tracer = { red = 777 }\n"
                           "[[fill]]\nfrom = [1, 0, 0]\nsize = [2, 2, 1]\ncell = \"~\"\n"
                           "tracer = { mud = 9, red = 0 }\n";
  const auto world = sim::World::create(formats::parse_world(text, "a.toml").value());
  const std::string filled = formats::filled_world_file(text, **world);
  const auto again = formats::parse_world(filled, "b.toml");
  ASSERT_TRUE(again.ok()) << again.error() << filled;
  EXPECT_EQ((*sim::World::create(*again))->digest(), (*world)->digest()) << filled;
}

TEST(WorldFile, SourcesHaveAHead) {
  const std::string source = std::string(kHead) + "[[source]]\nat = [1, 5, 0]\nrate = 512\n";
  EXPECT_EQ(formats::parse_world(source, "a.toml")->sources.at(0).head, -1);
  EXPECT_EQ(formats::parse_world(source + "head = 0\n", "a.toml")->sources.at(0).head, 0);
  EXPECT_EQ(formats::parse_world(source + "head = 20480\n", "a.toml")->sources.at(0).head, 20480);
  EXPECT_THAT(mistake(source + "head = -1\n"),
              HasSubstr("a.toml:4: key 'source[0].head' is below zero"));
  EXPECT_THAT(mistake(source + "head = \"high\"\n"), HasSubstr("source[0].head"));
  EXPECT_THAT(mistake(std::string(kHead) + "[[drain]]\nat = [1, 5, 0]\nrate = 5\nhead = 1\n"),
              HasSubstr("drain[0].head"));
}

TEST(WorldFile, LimitsAreReadAndChecked) {
  const std::string head = kHead;
  const auto spec =
      formats::parse_world(head + "[world.limits]\nchunks = 5\nunits = 7\npipes = 9\n", "a.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  EXPECT_EQ(spec->limits, (sim::WorldLimits{5, 7, 9}));
  EXPECT_EQ(formats::parse_world(head, "a.toml")->limits, sim::WorldLimits{});
  EXPECT_THAT(mistake(head + "[world.limits]\nchunks = 262145\n"),
              HasSubstr("world.limits.chunks: 262145 is out of range; allowed: 1 to 262144"));
  EXPECT_THAT(mistake(head + "[world.limits]\npipes = 8388609\n"),
              HasSubstr("world.limits.pipes: 8388609 is out of range; allowed: 0 to 8388608"));
  EXPECT_THAT(mistake(head + "[world.limits]\nunits = 0\n"), HasSubstr("world.limits.units: 0"));
  EXPECT_THAT(mistake(head + "[world.limits]\nchunks = 1.5\n"), HasSubstr("whole number"));
  EXPECT_THAT(mistake(head + "[world.limits]\nbytes = 5\n"),
              HasSubstr("allowed here: chunks, pipes, units"));
}

TEST(WorldFile, StreamWaterHasOneOption) {
  const auto stream = [](const std::string& options) {
    return "[world]\nname = \"a\"\nsize = [3, 3, 1]\nwater = \"stream\"\n" + options;
  };
  const auto spec = formats::parse_world(stream("[water]\ndrying = 0\n"), "a.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  EXPECT_EQ(spec->config.water, sim::WaterModel::kStream);
  EXPECT_EQ(spec->config.option("drying"), 0);
  EXPECT_EQ(formats::parse_world(stream(""), "a.toml")->config.option("drying"), 8);
  EXPECT_THAT(mistake(stream("[water]\ndrying = -1\n")),
              HasSubstr("a.toml:5: key water.drying: -1 is out of range; allowed: 0 to 1048576"));
  EXPECT_THAT(mistake(stream("[water]\nfull = 4096\n")), HasSubstr("water.full"));
}

TEST(WorldFile, PipesAreReadWhateverTheOrderOfTables) {
  const auto spec = formats::parse_world(std::string(kHead) + R"(
[[port]]
node = "a"
cell = [3, 9, 0]
kind = "inlet"
rate = 1000
[[link]]
from = "a"
to = "p"
[[link]]
from = "p"
to = "v"
one_way = true
[[valve]]
name = "v"
open = false
[[pump]]
name = "p"
rate = 500
capacity = 7
[[pipe]]
name = "a"
fluid = "oil"
capacity = 20001
height = 10001
base = -3
amount = 20001
throughput = 55
at = [3, 4, 0]
)",
                                         "a.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  ASSERT_EQ(spec->pipes.size(), 3U);
  const sim::PipeNode& a = spec->pipes[0];
  EXPECT_EQ(a.kind, NodeKind::kPipe);
  EXPECT_EQ(a.fields.name, "a");
  EXPECT_EQ(a.fields.fluid, "oil");
  EXPECT_EQ(a.fields.capacity, 20001);
  EXPECT_EQ(a.fields.height, 10001);
  EXPECT_EQ(a.fields.base, -3);
  EXPECT_EQ(a.fields.amount, 20001);
  EXPECT_EQ(a.fields.throughput, 55);
  EXPECT_EQ(a.fields.at, (Vec3{3, 4, 0}));
  EXPECT_EQ(spec->pipes[1].kind, NodeKind::kPump);
  EXPECT_EQ(spec->pipes[1].rate, 500);
  EXPECT_EQ(spec->pipes[1].fields.at, kNowhere);
  EXPECT_EQ(spec->pipes[2].kind, NodeKind::kValve);
  EXPECT_FALSE(spec->pipes[2].open);
  EXPECT_EQ(spec->pipes[2].fields.fluid, "water");
  ASSERT_EQ(spec->pipe_links.size(), 2U);
  EXPECT_FALSE(spec->pipe_links[0].one_way);
  EXPECT_TRUE(spec->pipe_links[1].one_way);
  ASSERT_EQ(spec->ports.size(), 1U);  // its cell may lie outside: the port then says so
  EXPECT_EQ(spec->ports[0].kind, PortKind::kInlet);
}

TEST(WorldFile, MistakesInPipesNameLineAndKey) {
  const std::string a = std::string(kHead) + "[[pipe]]\nname = \"a\"\n";  // lines 4 and 5
  EXPECT_THAT(mistake(a + "volume = 3\n"),
              HasSubstr("a.toml:6: unknown key 'pipe[0].volume'; allowed here: amount, at, base, "
                        "capacity, fluid, height, name, throughput"));
  EXPECT_THAT(mistake(a + "capacity = 0\n"),
              HasSubstr("a.toml:6: key 'pipe[0].capacity' is 0; allowed: 1 to 1073741824"));
  EXPECT_THAT(mistake(a + "capacity = 9\namount = 10\n"),
              HasSubstr("a.toml:7: key 'pipe[0].amount' is 10; allowed: 0 to 9"));
  EXPECT_THAT(mistake(a + "at = [5, 0, 0]\n"),
              HasSubstr("a.toml:6: key 'pipe[0].at' [5, 0, 0] lies outside the world"));
  EXPECT_THAT(mistake(a + "[[valve]]\nname = \"a\"\n"),
              HasSubstr("a.toml:7: key 'valve[0].name' is 'a', as is that of the node in line 4"));
  EXPECT_THAT(mistake(std::string(kHead) + "[[pipe]]\nname = \"a b\"\n"),
              HasSubstr("a.toml:5: key 'pipe[0].name' is 'a b'; allowed: 1 to 64 letters"));
  EXPECT_THAT(mistake(a + "fluid = \"\"\n"), HasSubstr("a.toml:6: key 'pipe[0].fluid' is ''"));
  EXPECT_THAT(mistake(a + "[[pump]]\nname = \"p\"\n"),
              HasSubstr("a.toml:6: key 'pump[0].rate' is missing"));
  EXPECT_THAT(mistake(a + "[[valve]]\nname = \"v\"\nopen = 1\n"),
              HasSubstr("a.toml:8: key 'valve[0].open' must be true or false"));
  EXPECT_THAT(mistake(a + "[[link]]\nfrom = \"a\"\nto = \"b\"\n"),
              HasSubstr("a.toml:8: key 'link[0].to' is 'b': no pipe, pump or valve has that name"));
  EXPECT_THAT(mistake(a + "[[link]]\nfrom = \"a\"\nto = \"a\"\n"),
              HasSubstr("a link joins two nodes"));
  const std::string link = "[[link]]\nfrom = \"a\"\nto = \"b\"\n";
  EXPECT_THAT(mistake(a + "[[pipe]]\nname = \"b\"\n" + link + link),
              HasSubstr("a.toml:13: key 'link[1].to' is 'b', which is linked to 'a' already"));
  EXPECT_THAT(mistake(a + "[[port]]\nnode = \"a\"\ncell = [1, 1, 0]\nkind = \"in\"\nrate = 1\n"),
              HasSubstr("a.toml:9: key 'port[0].kind' is 'in'; allowed: inlet, outlet, open"));
  EXPECT_THAT(mistake(std::string(kHead) + "[pipe]\nname = \"a\"\n"), HasSubstr("[[pipe]]"));
}

TEST(WorldFile, BoxesThatLeaveTheWorldAreNamed) {
  const auto box = [](const std::string& from, const std::string& size) {
    return mistake(std::string(kHead) + "[[fill]]\nfrom = " + from + "\nsize = " + size +
                   "\ncell = \"#\"\n");
  };
  EXPECT_EQ(box("[4, 5, 0]", "[1, 1, 1]"), "");
  EXPECT_THAT(box("[4, 0, 0]", "[2, 1, 1]"),
              HasSubstr("a.toml:4: key 'fill[0]' the box at [4, 0, 0] of size [2, 1, 1] is empty"));
  EXPECT_NE(box("[0, 0, 0]", "[0, 1, 1]"), "");
  EXPECT_NE(box("[-1, 0, 0]", "[1, 1, 1]"), "");
  EXPECT_NE(box("[2, 0, 0]", "[2147483647, 1, 1]"), "");
}

TEST(WorldFile, TheDemoWorldsAreRead) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SLUICE_SOURCE_DIR "/server/worlds")) {
    if (entry.path().extension() != ".toml") continue;
    const auto spec = formats::read_world_file(entry.path());
    ASSERT_TRUE(spec.ok()) << spec.error();
    EXPECT_TRUE(sim::World::create(*spec).ok()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 4);
}

// The documents' examples are files that somebody will copy.
TEST(WorldFile, TheExamplesOfTheDocumentAreRead) {
  std::ifstream file(SLUICE_SOURCE_DIR "/server/formats/README.md");
  ASSERT_TRUE(file.good());
  std::string line;
  std::string example;
  bool inside = false;
  int count = 0;
  while (std::getline(file, line)) {
    if (!inside && line == "```toml") {
      inside = true;
      example.clear();
    } else if (inside && line == "```") {
      inside = false;
      EXPECT_EQ(mistake(example), "") << example;
      ++count;
    } else if (inside) {
      example += line + "\n";
    }
  }
  EXPECT_GE(count, 2);
}

TEST(WorldFile, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(formats::read_world_file("/no/such/file.toml").error(),
              HasSubstr("/no/such/file.toml: cannot be opened"));
  EXPECT_FALSE(formats::read_world_file("/").ok());
}

}  // namespace
}  // namespace sluice::tests::world_file_test
