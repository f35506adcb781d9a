// Goal: the tables of a world's layers - waves, heat, tracers - have their defaults and bounds, and
// every mistake in them names its key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/formats/mistake.h"

namespace sluice::tests::world_layers_test {
namespace {

using ::testing::HasSubstr;

TEST(WorldFile, TracersHaveKindsAndBounds) {
  const std::string red = std::string(kHead) + "[[tracer]]\nname = \"red\"\n";
  const std::string fill = "[[fill]]\nfrom = [0, 0, 0]\nsize = [1, 1, 1]\ncell = \"~\"\n";
  const auto spec =
      formats::parse_world(red + "[[tracer]]\nname = \"mud\"\nkind = \"silt\"\nfade = 3\n" + fill +
                               "tracer = { red = 5 }\n"
                               "[[source]]\nat = [1, 1, 0]\nrate = 5\ntracer = { mud = 9 }\n",
                           "w.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  ASSERT_EQ(spec->tracers.size(), 2U);
  sim::TracerOptions mud = sim::usual_options(sim::TracerKind::kSilt);
  mud.name = "mud";
  mud.fade = 3;
  EXPECT_EQ(spec->tracers[1], mud);
  EXPECT_EQ(spec->fills.at(0).tracers, (sim::TracerAmounts{{"red", 5}}));
  EXPECT_EQ(spec->sources.at(0).tracers, (sim::TracerAmounts{{"mud", 9}}));

  const auto stormy = formats::parse_world(
      red + "[[tracer]]\nname = \"foam\"\nkind = \"whitecaps\"\ncrest = 900\nwhip = 7\n", "w.toml");
  ASSERT_TRUE(stormy.ok()) << stormy.error();
  sim::TracerOptions foam = sim::usual_options(sim::TracerKind::kWhitecaps);
  foam.name = "foam";
  foam.crest = 900;
  foam.whip = 7;
  EXPECT_EQ(stormy->tracers[1], foam);
  EXPECT_THAT(mistake(red + "crest = 9\n"), HasSubstr("tracer[0]: only whitecaps have the keys"));
  EXPECT_THAT(mistake(red + "[[tracer]]\nname = \"red\"\n"),
              HasSubstr("key 'tracer[1].name': there is a tracer 'red' already"));
  EXPECT_THAT(mistake(red + "kind = \"ink\"\n"),
              HasSubstr("key 'tracer[0].kind' is 'ink'; allowed: dye, salt, silt, foam"));
  EXPECT_THAT(mistake(red + "spread = 257\n"),
              HasSubstr("key tracer[0].spread: 257 is out of range; allowed: 0 to 256"));
  EXPECT_THAT(mistake(red + "spread = 1\nsink = 1\n"),
              HasSubstr("what sinks or rises neither spreads nor overturns"));
  EXPECT_THAT(mistake(std::string(kHead) + "[[tracer]]\nname = \"Red\"\n"),
              HasSubstr("'Red' is no name of a tracer"));
  EXPECT_THAT(mistake(std::string(kHead) + "[[tracer]]\nname = \"ice\"\n"),
              HasSubstr("'ice' is a column of every dump"));
  EXPECT_THAT(mistake(red + fill + "tracer = { blue = 5 }\n"),
              HasSubstr("key 'fill[0].tracer': 'blue' is no tracer of this world; allowed: red"));
  EXPECT_THAT(mistake(red + fill + "tracer = 5\n"), HasSubstr("must be a table of names"));
  EXPECT_THAT(mistake(std::string(kHead) + fill + "tracer = { red = 5 }\n"),
              HasSubstr("this world has no tracers"));
  std::string five(kHead);
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    five += "[[tracer]]\nname = \"" + std::string(name) + "\"\n";
  }
  EXPECT_THAT(mistake(five), HasSubstr("a world has at most 4 tracers"));
}

TEST(WorldFile, HeatHasDefaultsAndBounds) {
  const auto plain = formats::parse_world(kHead, "w.toml");
  ASSERT_TRUE(plain.ok()) << plain.error();
  EXPECT_FALSE(plain->heat.on);
  const std::string heat = std::string(kHead) + "[heat]\n";
  const auto spec =
      formats::parse_world(heat +
                               "air = -512\nlatent = false\nsteam = true\nfloating = "
                               "true\n[heat.day]\nlength = 240\nswing = 2048\n"
                               "[[heater]]\nat = [1, 1, 0]\nrate = -9\n"
                               "[[source]]\nat = [1, 1, 0]\nrate = 5\ntemperature = 25600\n",
                           "w.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  EXPECT_TRUE(spec->heat.on);
  sim::HeatOptions expected;
  expected.latent = false;
  expected.steam = true;
  expected.floating = true;
  expected.day = 240;
  expected.day_swing = 2048;
  EXPECT_EQ(spec->heat.options, expected);
  EXPECT_EQ(spec->heat.air, -512);
  ASSERT_EQ(spec->heaters.size(), 1U);
  EXPECT_EQ(spec->heaters[0].rate, -9);
  EXPECT_EQ(spec->sources.at(0).temperature, 25600);
  EXPECT_THAT(mistake(heat + "water = -25601\n"),
              HasSubstr("key heat.water: -25601 is out of range; allowed: -25600 to 51200"));
  EXPECT_THAT(mistake(heat + "air = 60000\n"), HasSubstr("key heat.air: 60000 is out of range"));
  EXPECT_THAT(mistake(heat + "up = 1000\n"),
              HasSubstr("key heat.up: the faces of a cell have 2192"));
  EXPECT_THAT(mistake(heat + "up = 3\n"), HasSubstr("key heat.up: 3 is out of range; allowed: 12"));
  EXPECT_THAT(mistake(heat + "air_cells = 0\n"), HasSubstr("heat.air_cells: 0"));
  EXPECT_THAT(mistake(heat + "steam = 1\n"), HasSubstr("'heat.steam'"));
  EXPECT_THAT(mistake(heat + "floating = 1\n"), HasSubstr("'heat.floating'"));
  EXPECT_THAT(mistake(heat + "warmth = 1\n"), HasSubstr("unknown key 'heat.warmth'"));
  EXPECT_THAT(mistake(std::string(kHead) + "[[heater]]\nat = [1, 1, 0]\nrate = 1\n"),
              HasSubstr("key 'heater[0]' stands in a world without [heat]"));
  EXPECT_THAT(mistake(heat + "[[heater]]\nat = [-1, 1, 0]\nrate = 1\n"),
              HasSubstr("key 'heater[0].at' [-1, 1, 0] lies outside the world"));
  EXPECT_THAT(
      mistake(std::string(kHead) + "[[source]]\nat = [1, 1, 0]\nrate = 1\ntemperature = 1\n"),
      HasSubstr("key 'source[0].temperature' stands in a world without [heat]"));
}

TEST(WorldFile, WavesHaveDefaultsAndBounds) {
  const auto plain = formats::parse_world(kHead, "w.toml");
  ASSERT_TRUE(plain.ok()) << plain.error();
  EXPECT_FALSE(plain->waves.on);
  const std::string waves = std::string(kHead) + "[waves]\n";
  const auto spec = formats::parse_world(waves + "steps = 6\n[waves.wind]\nspeed = -7\n", "w.toml");
  ASSERT_TRUE(spec.ok()) << spec.error();
  EXPECT_TRUE(spec->waves.on);
  EXPECT_EQ(spec->waves.options, (sim::WaveOptions{16, 4, 32, 6}));
  EXPECT_EQ(spec->waves.wind, -7);
  EXPECT_THAT(mistake(waves + "keep_shape = 1\n"), HasSubstr("'waves.keep_shape'"));
  EXPECT_THAT(mistake(waves + "tension = 0\n"),
              HasSubstr("key waves.tension: 0 is out of range; allowed: 1 to 512"));
  EXPECT_THAT(mistake(waves + "dampening = 129\n"), HasSubstr("waves.dampening: 129"));
  EXPECT_THAT(mistake(waves + "spread = -1\n"), HasSubstr("waves.spread: -1"));
  EXPECT_THAT(mistake(waves + "steps = 17\n"), HasSubstr("allowed: 1 to 16"));
  EXPECT_THAT(mistake(waves + "foam = 1\n"), HasSubstr("unknown key 'waves.foam'"));
  EXPECT_THAT(mistake(waves + "[waves.wind]\nspeed = 1001\n"),
              HasSubstr("key waves.wind.speed: 1001 is out of range; allowed: -1000 to 1000"));
  EXPECT_THAT(mistake(waves + "[waves.wind]\ngust = 1\n"), HasSubstr("'waves.wind.gust'"));
}

}  // namespace
}  // namespace sluice::tests::world_layers_test
