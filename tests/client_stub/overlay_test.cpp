// Goal: each overlay shows its quantity in the colours that its legend explains, in digits where
// there are no colours.
#include "client_stub/overlay.h"

#include <gtest/gtest.h>

#include "protocol/layers.h"
#include "tests/client_stub/mirrors.h"
#include "tests/client_stub/scene.h"

namespace sluice::client::overlay_test {
namespace {

using std::chrono::milliseconds;
using tests::Scene;
using tests::warm_scene;

Overlay overlay_of(OverlayKind kind, ColourDepth colours = ColourDepth::kTrue) {
  const Scene scene;
  Overlay overlay(colours);
  while (overlay.kind() != kind) overlay.next(scene.mirror);
  return overlay;
}

std::vector<std::string> overlays_of(const protocol::Mirror& mirror) {
  Overlay overlay;
  std::vector<std::string> names;
  do {
    names.emplace_back(name_of(overlay.kind()));
    EXPECT_EQ(overlay.legend().title.empty(), overlay.kind() == OverlayKind::kNone);
    overlay.next(mirror);
  } while (overlay.kind() != OverlayKind::kNone);
  return names;
}

TEST(Overlay, GoesThroughAllThatTheWorldHasAndBackToNone) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(overlays_of(Scene().mirror),
            (Names{"none", "amount", "depth", "head", "flow", "temperature", "waves",
                   "awake chunks", "age of chunks", "bytes per chunk", "what others see"}));
  EXPECT_EQ(overlays_of(mirror_of([](protocol::ChunkCells&) {})),
            (Names{"none", "amount", "depth", "head", "flow", "awake chunks", "age of chunks",
                   "bytes per chunk", "what others see"}));
}

TEST(Overlay, EachTracerHasItsTurn) {
  protocol::Mirror mirror = mirror_of(
      [](protocol::ChunkCells& cells) {
        cells[2 * 64 + 3] = kFull;
        cells[2 * 64 + 4] = kFull;
      },
      {"tracer:red", "temperature", "tracer:mud"});
  protocol::ChunkCells numbers{};
  numbers[2 * 64 + 3] = protocol::told_share(2 * kFull, kFull);
  send_layer(mirror, 2, numbers);
  Surfaces surfaces;
  Activity activity;
  Fixtures fixtures;
  const Known known{mirror, surfaces, activity, fixtures, Activity::Clock::now()};
  Overlay overlay;
  std::vector<std::string> names;
  do {
    overlay.next(mirror);
    names.push_back(overlay.name());
    if (overlay.name() != "mud") continue;
    EXPECT_EQ(overlay.layers(mirror), 4U);
    overlay.rescale(known);
    EXPECT_EQ(overlay.legend().title, "'mud' in a unit of water");
    EXPECT_EQ(overlay.legend().entries.back().text, "4") << "what suits 2";
    EXPECT_EQ(overlay.letter(known, {3, 2, 0}), '4');
    EXPECT_EQ(overlay.letter(known, {4, 2, 0}), 0) << "holds none of it";
    EXPECT_NE(overlay.tint(known, {3, 2, 0}, {}), Colour{});
    EXPECT_EQ(overlay.tint(known, {4, 2, 0}, {}), Colour{});
  } while (overlay.kind() != OverlayKind::kNone);
  EXPECT_EQ(names, (std::vector<std::string>{"amount", "depth", "head", "flow", "temperature",
                                             "red", "mud", "awake chunks", "age of chunks",
                                             "bytes per chunk", "what others see", "none"}));
}

TEST(Overlay, SteamStandsInTheAir) {
  protocol::Mirror mirror = mirror_of([](protocol::ChunkCells&) {}, {"events", "steam"});
  protocol::ChunkCells numbers{};
  numbers[2 * 64 + 3] = protocol::told_steam(kFull / 2);
  numbers[2 * 64 + 4] = protocol::told_steam(1);
  send_layer(mirror, 1, numbers);
  Surfaces surfaces;
  Activity activity;
  Fixtures fixtures;
  const Known known{mirror, surfaces, activity, fixtures, Activity::Clock::now()};
  Overlay overlay;
  while (overlay.kind() != OverlayKind::kSteam) overlay.next(mirror);
  EXPECT_EQ(overlay.layers(mirror), 2U);
  overlay.rescale(known);
  EXPECT_EQ(overlay.legend().entries.back().text, "0.5") << "what suits half a cell's water";
  EXPECT_EQ(overlay.letter(known, {3, 2, 0}), '9');
  EXPECT_EQ(overlay.letter(known, {4, 2, 0}), '0');
  EXPECT_EQ(overlay.letter(known, {5, 2, 0}), 0);
  EXPECT_NE(overlay.tint(known, {3, 2, 0}, {}), Colour{});
  EXPECT_EQ(overlay.tint(known, {5, 2, 0}, {}), Colour{});
  const auto facts = report_of(known, {Subject::Kind::kCell, {3, 2, 0}, ""})->facts;
  EXPECT_NE(facts.find("steam of 0.50 full cells"), std::string::npos) << facts;
}

TEST(Overlay, TemperaturesAreBlueBelowZeroAndRedAbove) {
  const Scene scene = warm_scene();
  Overlay overlay = overlay_of(OverlayKind::kTemperature);
  EXPECT_EQ(overlay.layers(scene.mirror), 2U);
  overlay.rescale(scene.known());
  EXPECT_EQ(overlay.legend().entries.front().text, "-10 C") << "what suits -8.5 degrees";
  const Colour warm = overlay.tint(scene.known(), {3, 2, 0}, {});
  const Colour cold = overlay.tint(scene.known(), {4, 2, 0}, {});
  EXPECT_GT(warm.red, warm.blue);
  EXPECT_GT(cold.blue, cold.red + 80);
  EXPECT_EQ(overlay.tint(scene.known(), {5, 2, 0}, {}), Colour{}) << "nothing was told of it";
  EXPECT_EQ(overlay.letter(scene.known(), {3, 2, 0}), '5');
  EXPECT_EQ(overlay.letter(scene.known(), {4, 2, 0}), '1');
  EXPECT_EQ(overlay.letter(scene.known(), {5, 2, 0}), 0);
}

TEST(Overlay, AWaveColoursAllTheWaterUnderIt) {
  Scene scene;
  protocol::ChunkCells numbers{};
  numbers[10 * 64 + 3] = protocol::told_wave(12);
  numbers[10 * 64 + 4] = protocol::told_wave(-30);
  send_layer(scene.mirror, 0, numbers);
  Overlay overlay = overlay_of(OverlayKind::kWaves);
  EXPECT_EQ(overlay.layers(scene.mirror), 1U);
  overlay.rescale(scene.known());
  EXPECT_EQ(overlay.legend().entries.back().text, "0.5") << "what suits 30/64 of a cell";
  for (const std::int32_t y : {2, 10}) {
    const Colour crest = overlay.tint(scene.known(), {3, y, 0}, {});
    const Colour trough = overlay.tint(scene.known(), {4, y, 0}, {});
    EXPECT_GT(crest.red, crest.blue) << y;
    EXPECT_GT(trough.blue, trough.red + 80) << y;
  }
  EXPECT_EQ(overlay.tint(scene.known(), {6, 5, 0}, {}), (Colour{240, 240, 240})) << "at rest";
  EXPECT_EQ(overlay.tint(scene.known(), {6, 12, 0}, {}), Colour{}) << "air";
}

TEST(Overlay, CellsHaveTheColoursOfTheLegend) {
  Scene scene;
  const Colour air{17, 23, 35};
  Overlay amount = overlay_of(OverlayKind::kAmount);
  EXPECT_EQ(amount.tint(scene.known(), {5, 5, 0}, air), amount.legend().entries[1].colour)
      << "full";
  EXPECT_EQ(amount.tint(scene.known(), {5, 1, 0}, air), amount.legend().entries[2].colour)
      << "twice";
  EXPECT_EQ(amount.tint(scene.known(), {5, 18, 0}, air), blend(air, {0, 0, 0}, 0.5)) << "dimmed";
  EXPECT_EQ(amount.tint(scene.known(), {-1, 0, 0}, air), air) << "outside";
  Overlay depth = overlay_of(OverlayKind::kDepth);
  depth.rescale(scene.known());
  EXPECT_EQ(depth.deepest_of_scale(), 10) << "9.5 is the deepest";
  EXPECT_EQ(depth.legend().entries[2].text, "10");
  const Colour top = depth.tint(scene.known(), {5, 10, 0}, air);
  const Colour bottom = depth.tint(scene.known(), {5, 1, 0}, air);
  EXPECT_LT(top.green, bottom.green) << "brighter with the depth";
  EXPECT_EQ(depth.tint(scene.known(), {5, 15, 0}, air), blend(air, {0, 0, 0}, 0.5)) << "it falls";
}

// Two pools: one to 11, as deep as the scene has it, and one to 13.25.
TEST(Overlay, WaterOfOneSurfaceHasOneColourAtAnyDepth) {
  Scene scene;
  protocol::ChunkCells cells = *scene.mirror.find({0, 0, 0});
  for (std::size_t x = 30; x < 40; ++x) {
    for (std::size_t y = 0; y < 20; ++y) {
      const bool inside = x > 30 && x < 39 && y > 0;
      cells[y * 64 + x] = !inside ? kRock : y <= 12 ? kFull : y == 13 ? kFull / 4 : 0;
    }
  }
  send_chunk(scene.mirror, cells, 2);
  scene.surfaces.settle(scene.mirror, {{}, {64, 64, 1}});
  Overlay head = overlay_of(OverlayKind::kHead);
  head.rescale(scene.known());
  EXPECT_EQ(head.legend().entries.front().text, "10");
  EXPECT_EQ(head.legend().entries.back().text, "15");
  const Colour low = head.tint(scene.known(), {8, 2, 0}, {});
  EXPECT_EQ(head.tint(scene.known(), {8, 10, 0}, {}), low);
  EXPECT_GT(head.tint(scene.known(), {34, 2, 0}, {}).green, low.green);
  EXPECT_EQ(head.tint(scene.known(), {5, 15, 0}, {}), Colour{}) << "it falls";
  EXPECT_EQ(head.letter(scene.known(), {8, 2, 0}), '2');
  EXPECT_EQ(head.letter(scene.known(), {34, 2, 0}), '6');
}

TEST(Overlay, HeadsSpanRoundNumbersAndDoNotFlicker) {
  EXPECT_EQ(span_of(11, 11, {}), (Span{11, 1}));
  EXPECT_EQ(span_of(11, 11.7, {11, 1}), (Span{11, 1}));
  EXPECT_EQ(span_of(10.4, 11.7, {11, 1}), (Span{10, 2}));
  EXPECT_EQ(span_of(10.6, 11.4, {10, 2}), (Span{10, 2})) << "it does not shrink at once";
  EXPECT_EQ(span_of(10.6, 10.7, {10, 2}), (Span{10.5, 1}));
  EXPECT_EQ(span_of(3, 940, {10, 2}), (Span{0, 1000}));
  EXPECT_EQ(span_of(3, 1e6, {}).size, kSpans.back());
}

TEST(Overlay, ChunksAgeFromTheirLastChange) {
  Scene scene;
  Overlay age = overlay_of(OverlayKind::kAge);
  const auto shown = [&] { return age.tint(scene.known(), {40, 40, 0}, {}); };
  const Colour unknown = shown();
  protocol::ChunkCells cells = *scene.mirror.find({0, 0, 0});
  cells[16 * 64 + 5] = 5;
  send_chunk(scene.mirror, cells, 2);
  scene.activity.note(scene.mirror, scene.now);
  const Colour young = shown();
  scene.now += milliseconds(30'000);
  const Colour older = shown();
  scene.now += milliseconds(5'000'000);
  const Colour old = shown();
  EXPECT_GT(young.green, older.green);
  EXPECT_GT(older.green, old.green);
  EXPECT_NE(old, unknown);
  scene.now += milliseconds(500'000'000);
  EXPECT_EQ(shown(), old);
}

TEST(Overlay, ChunksAreAwakeWhileTheyChangeAndCostWhatTheySend) {
  Scene scene;
  const Colour air{17, 23, 35};
  Overlay awake = overlay_of(OverlayKind::kAwake);
  const Colour at_rest = awake.tint(scene.known(), {40, 40, 0}, air);
  EXPECT_FALSE(scene.activity.since_change({0, 0, 0}, scene.now)) << "it only came into view";
  protocol::ChunkCells cells = *scene.mirror.find({0, 0, 0});
  cells[16 * 64 + 5] = 5;
  send_chunk(scene.mirror, cells, 2);
  scene.activity.note(scene.mirror, scene.now);
  EXPECT_NE(awake.tint(scene.known(), {40, 40, 0}, air), at_rest);
  EXPECT_EQ(scene.activity.since_change({0, 0, 0}, scene.now + milliseconds(7)), milliseconds(7));
  const double bytes = scene.activity.bytes_per_second({0, 0, 0}, scene.now);
  EXPECT_GT(bytes, 10);
  EXPECT_LT(scene.activity.bytes_per_second({0, 0, 0}, scene.now + milliseconds(3000)), bytes / 2);
  scene.now += milliseconds(60'000);
  EXPECT_EQ(awake.tint(scene.known(), {40, 40, 0}, air), at_rest) << "it fades";
  protocol::Tick dropping;
  dropping.tick = 3;
  dropping.dropped = {{0, 0, 0}};
  ASSERT_TRUE(scene.mirror.apply(dropping).ok());
  scene.activity.note(scene.mirror, scene.now);
  EXPECT_EQ(scene.activity.bytes_per_second({0, 0, 0}, scene.now), 0);
}

TEST(Overlay, IsDigitsWhereThereAreNoColours) {
  Scene scene;
  const Overlay amount = overlay_of(OverlayKind::kAmount, ColourDepth::kNone);
  EXPECT_EQ(amount.letter(scene.known(), {5, 5, 0}), '8');
  EXPECT_EQ(amount.letter(scene.known(), {5, 1, 0}), '9');
  EXPECT_EQ(amount.letter(scene.known(), {5, 15, 0}), '2');
  EXPECT_EQ(amount.letter(scene.known(), {5, 18, 0}), 0);
  Overlay depth = overlay_of(OverlayKind::kDepth, ColourDepth::kNone);
  depth.rescale(scene.known());
  EXPECT_EQ(depth.letter(scene.known(), {5, 10, 0}), '0');
  EXPECT_EQ(depth.letter(scene.known(), {5, 1, 0}), '9');
}

TEST(Overlay, OfSixteenColoursEachStepIsAnother) {
  Scene scene;
  const Overlay amount = overlay_of(OverlayKind::kAmount, ColourDepth::k16);
  std::vector<std::string> steps;
  for (const LegendEntry& entry : amount.legend().entries) {
    steps.push_back(colour_sequence(ColourDepth::k16, false, entry.colour));
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"\x1b[44m", "\x1b[46m", "\x1b[103m"}));
}

}  // namespace
}  // namespace sluice::client::overlay_test
