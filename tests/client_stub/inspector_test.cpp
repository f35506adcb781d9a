// Goal: the inspector says what lies under the cursor, and why: why a port is idle, why a line
// stays empty; and keeps what is pinned, with a chart.
#include "client_stub/inspector.h"

#include <gtest/gtest.h>

#include "client_stub/layers.h"
#include "client_stub/pipe_facts.h"
#include "protocol/pipe_codec.h"
#include "tests/client_stub/scene.h"

namespace sluice::client::inspector_test {
namespace {

using std::chrono::milliseconds;
using tests::Scene;
using tests::warm_scene;

TEST(Inspector, TellsOfTemperaturesAndWaves) {
  Scene scene = warm_scene();
  protocol::ChunkCells numbers{};
  numbers[10 * 64 + 3] = protocol::told_wave(-16);
  send_layer(scene.mirror, 0, numbers);
  const auto facts = report_of(scene.known(), {Subject::Kind::kCell, {3, 2, 0}, ""})->facts;
  EXPECT_NE(facts.find("3.00 degrees  wave of -0.25 cells"), std::string::npos) << facts;
}

TEST(Inspector, TellsOfTheWaveThatIceKeeps) {
  protocol::Mirror mirror =
      mirror_of([](protocol::ChunkCells& cells) { cells[9 * 64 + 3] = ice_of(kFull); }, {"waves"});
  protocol::ChunkCells numbers{};
  numbers[9 * 64 + 3] = protocol::told_wave(32);
  send_layer(mirror, 0, numbers);
  EXPECT_EQ(wave_at(mirror, Surfaces{}, {3, 9, 0}), 0.5);
  EXPECT_EQ(wave_at(mirror, Surfaces{}, {4, 9, 0}), std::nullopt);
}

TEST(Inspector, TellsOfCellsColumnsAndChunksWithReasons) {
  Scene scene;
  const auto text = [&](Subject::Kind kind, Vec3 at) {
    const auto report = report_of(scene.known(), {kind, at, ""});
    return report->title + "  " + report->facts + "  " + report->why;
  };
  using Kind = Subject::Kind;
  EXPECT_NE(text(Kind::kCell, {5, 5, 0})
                .find("[5, 5] water  4096 units (100 %)  surface at 11.00  5.50 deep"),
            std::string::npos)
      << text(Kind::kCell, {5, 5, 0});
  EXPECT_NE(text(Kind::kCell, {5, 1, 0}).find("more than a full cell"), std::string::npos);
  EXPECT_NE(text(Kind::kCell, {5, 15, 0}).find("on its way down"), std::string::npos);
  EXPECT_NE(text(Kind::kCell, {0, 0, 0}).find("Nothing flows through rock"), std::string::npos);
  EXPECT_NE(text(Kind::kColumn, {5, 5, 0}).find("11.20 full cells in 11 cells"), std::string::npos)
      << text(Kind::kColumn, {5, 5, 0});
  EXPECT_NE(text(Kind::kColumn, {5, 5, 0}).find("2 pieces"), std::string::npos);
  EXPECT_NE(text(Kind::kChunk, {5, 5, 0}).find("at rest since it came into view"),
            std::string::npos);
}

TEST(Inspector, KeepsPinsWithAChartOfTheirValues) {
  Scene scene;
  Inspector inspector;
  const Subject drop{Subject::Kind::kCell, {5, 15, 0}, ""};
  EXPECT_EQ(inspector.pin(scene.known(), drop), "pinned [5, 15] water");
  protocol::ChunkCells cells = *scene.mirror.find({0, 0, 0});
  for (int i = 1; i <= 3; ++i) {
    cells[15 * 64 + 5] = 800 + 100 * i;
    send_chunk(scene.mirror, cells, static_cast<std::uint64_t>(1 + i));
    inspector.sample(scene.known());
    scene.now += milliseconds(1000);
    inspector.sample(scene.known());
    inspector.sample(scene.known());
  }
  const auto lines = inspector.pin_lines(scene.known(), false, 80);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], " [5, 15] water  1100.00 units  0369") << "one sample a second";
  EXPECT_TRUE(inspector.pin_lines(scene.known(), true, 80)[0].ends_with("▁▃▆█"))
      << inspector.pin_lines(scene.known(), true, 80)[0];
  EXPECT_EQ(inspector.pin(scene.known(), drop), "[5, 15] water is no longer pinned");
  for (std::int32_t x = 1; x < 6; ++x) {
    (void)inspector.pin(scene.known(), {Subject::Kind::kCell, {x, 5, 0}, ""});
  }
  EXPECT_EQ(inspector.pin_lines(scene.known(), true, 80).size(), Inspector::kMostPins);
}

TEST(Inspector, WrapsBetweenWords) {
  EXPECT_EQ(wrap("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefghij", 4), (std::vector<std::string>{"abcd", "efgh", "ij"}));
}

/// Tank "t" at [10, 30], closed valve "v", empty pipe "e" with an outlet; "far" is linked with
/// nothing.
protocol::Mirror make_network(bool valve_open) {
  protocol::Welcome welcome;
  welcome.size = {64, 64, 1};
  protocol::Mirror mirror(welcome);
  protocol::PipePlan plan;
  plan.nodes.push_back(
      {0, NodeKind::kPipe, true, "t", "water", 100, 4096, 81920, 0, 0, {10, 30, 0}});
  plan.nodes.push_back(
      {1, NodeKind::kValve, valve_open, "v", "water", 100, 50, 7, 0, 0, {12, 20, 0}});
  plan.nodes.push_back({2, NodeKind::kPipe, true, "e", "water", 100, 50, 7, 0, 0, {14, 20, 0}});
  plan.nodes.push_back({3, NodeKind::kPipe, true, "far", "water", 100, 50, 7, 0, 0, {40, 20, 0}});
  const protocol::PipeKey key{{0, 0, 0}, 0};
  plan.links = {{0, {key, 1}, false}, {1, {key, 2}, false}};
  plan.ports = {{2, PortKind::kOutlet, {15, 20, 0}, 5}};
  protocol::Bytes bytes;
  protocol::Bytes payload;
  protocol::encode_plan(key, {6, 6, 0}, plan, bytes);
  const std::vector<std::int32_t> values = {
      50, 0, 0, 0, 0, 0, protocol::port_value(PortState::kIdle, 0)};
  protocol::encode_pipe_keyframe(bytes, values, payload);
  protocol::Tick tick;
  tick.tick = 1;
  tick.pipes = {{key, payload}};
  EXPECT_TRUE(mirror.apply(tick).ok());
  return mirror;
}

TEST(Inspector, SaysWhyALineStaysEmptyAndAPortIdle) {
  const Surfaces surfaces;
  const Activity activity;
  const Fixtures fixtures;
  const auto why = [&](const protocol::Mirror& mirror, const char* name) {
    const Known known{mirror, surfaces, activity, fixtures, Activity::Clock::now()};
    return report_of(known, {Subject::Kind::kPipe, {}, name})->why;
  };
  const protocol::Mirror closed = make_network(false);
  EXPECT_EQ(
      why(closed, "e"),
      "The valve v is closed: open it. Port: The pipe is empty. The valve v is closed: open it.");
  EXPECT_EQ(why(closed, "t"), "v, which it is linked with, is closed.");
  EXPECT_EQ(why(closed, "v"), "It is closed: nothing passes until it is opened.");
  EXPECT_EQ(why(closed, "far"),
            "Nothing leads to it: link it with a pipe that holds something, or give it an inlet.");
  EXPECT_TRUE(why(make_network(true), "e").starts_with("Fluid is on its way from t."));
}

TEST(Fixtures, AreReadAndExplainedAndNonsenseIsNot) {
  Scene scene;
  const auto read = read_fixtures(
      R"({"edges": {"left": "open", "right": "wall"}, "sources": [[5, 15, 0, 512]], "drains": [[6, 15, 0, 9]], "heaters": [[7, 1, 0, -40]], "left_out": 0})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sources, (std::vector<Spring>{{{5, 15, 0}, 512}}));
  EXPECT_EQ(read->open, std::vector<std::string>{"left"});
  scene.fixtures = *read;
  const auto spring = report_of(scene.known(), {Subject::Kind::kCell, {5, 15, 0}, ""});
  EXPECT_TRUE(spring->facts.starts_with("spring, 512 units a tick  800 units")) << spring->facts;
  EXPECT_EQ(spring->why, "It brings new water into its cell in every tick.");
  const auto drain = report_of(scene.known(), {Subject::Kind::kCell, {6, 15, 0}, ""});
  EXPECT_EQ(drain->why, "Its cell is dry: there is nothing to take.");
  const auto cooler = report_of(scene.known(), {Subject::Kind::kCell, {7, 1, 0}, ""});
  EXPECT_TRUE(cooler->facts.starts_with("cooler, 40 of energy a tick  4096 units"))
      << cooler->facts;
  for (const char* nonsense : {"", "[]", "{}", "{\"sources\": 1, \"drains\": []}",
                               "{\"sources\": [[1, 2, 3]], \"drains\": []}",
                               "{\"sources\": [[1, 2, 3, 99999999999]], \"drains\": []}",
                               "{\"sources\": [], \"drains\": [], \"heaters\": 3}",
                               "{\"sources\": [[1, 2, \"3\", 4]], \"drains\": []}"}) {
    EXPECT_FALSE(read_fixtures(nonsense)) << nonsense;
  }
}

}  // namespace
}  // namespace sluice::client::inspector_test
