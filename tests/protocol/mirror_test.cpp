// Goal: a mirror that is fed keyframes and deltas equals the world that they came from, finds out
// when it does not, and refuses what no server should send. Method: a plain map of chunks plays
// the server.
#include "protocol/mirror.h"

#include <deque>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/checksum.h"
#include "protocol/codec.h"
#include "tests/protocol/chunk_generators.h"

namespace sluice::protocol::mirror_test {
namespace {

Welcome small_world() {
  Welcome welcome;
  welcome.world = "small";
  welcome.size = {150, 100, 1};
  welcome.sides = {6, 6, 0};
  return welcome;
}

// A tick message and the payloads that it points to.
struct Frame {
  std::deque<Bytes> payloads;
  Tick tick;

  void keyframe(ChunkCoord coord, const ChunkCells& cells) {
    encode_keyframe(cells, kSideViewShape, payloads.emplace_back());
    tick.chunks.push_back({coord, payloads.back()});
  }
  void delta(ChunkCoord coord, const ChunkCells& from, const ChunkCells& to) {
    encode_delta(from, to, kSideViewShape, payloads.emplace_back());
    tick.chunks.push_back({coord, payloads.back()});
  }
};

RC_GTEST_PROP(Mirror, FollowsAnyWorld, ()) {
  std::map<ChunkCoord, ChunkCells> world;
  Mirror mirror(small_world());
  for (std::uint64_t tick = 1; tick <= 8; ++tick) {
    Frame frame;
    frame.tick.tick = tick;
    const ChunkCoord coord{*rc::gen::inRange(0, 3), *rc::gen::inRange(0, 2), 0};
    if (*rc::gen::inRange(0, 4) == 0) {
      world.erase(coord);
      frame.tick.dropped.push_back(coord);
    } else {
      const bool held = world.contains(coord);
      ChunkCells& cells = world[coord];
      const ChunkCells before = cells;
      scribble(cells, 6);
      if (held || *rc::gen::arbitrary<bool>()) {
        frame.delta(coord, before, cells);
      } else {
        frame.keyframe(coord, cells);
      }
      frame.tick.digests.push_back({coord, chunk_checksum(cells)});
    }
    RC_ASSERT(mirror.apply(frame.tick).ok());
  }
  RC_ASSERT(mirror.chunk_count() == world.size());
  mirror.for_each_chunk(
      [&](ChunkCoord coord, const ChunkCells& cells) { RC_ASSERT(world.at(coord) == cells); });
  RC_ASSERT(mirror.stats().digest_mismatches == 0U);
  RC_ASSERT(mirror.stats().frames == 8U);
}

TEST(Mirror, CellsOutsideAndUnsentCells) {
  Mirror mirror(small_world());
  ChunkCells cells{};
  cells[64 * 2 + 5] = 99;
  Frame frame;
  frame.keyframe({1, 1, 0}, cells);
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_EQ(mirror.cell({64 + 5, 64 + 2, 0}), 99);
  EXPECT_EQ(mirror.cell({0, 0, 0}), 0);
  EXPECT_EQ(mirror.cell({150, 0, 0}), kOutside);
  EXPECT_EQ(mirror.cell({-1, 0, 0}), kOutside);
  EXPECT_EQ(mirror.cell({0, 0, 1}), kOutside);
  const std::size_t bytes = frame.tick.chunks.front().payload.size();
  EXPECT_EQ(mirror.changed(), (std::vector<ChunkChange>{{{1, 1, 0}, bytes, true}}));
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_EQ(mirror.changed(), (std::vector<ChunkChange>{{{1, 1, 0}, bytes, false}}));
  Frame dropping;
  dropping.tick.tick = frame.tick.tick;
  dropping.tick.dropped = {{1, 1, 0}};
  ASSERT_TRUE(mirror.apply(dropping.tick).ok());
  EXPECT_EQ(mirror.changed(), (std::vector<ChunkChange>{{{1, 1, 0}, 0, false}}));
}

TEST(Mirror, AWrongDigestAsksForAResyncOnce) {
  Mirror mirror(small_world());
  Frame frame;
  frame.keyframe({0, 0, 0}, {});
  frame.tick.digests = {{{0, 0, 0}, 1}, {{1, 0, 0}, air_checksum()}};
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_EQ(mirror.stats().chunks_checked, 2U);
  EXPECT_EQ(mirror.stats().digest_mismatches, 1U);
  EXPECT_EQ(mirror.stats().resyncs, 1U);
  EXPECT_EQ(mirror.take_wanted_resyncs(), (std::vector<Resync>{{{0, 0, 0}, 0}}));
  EXPECT_TRUE(mirror.take_wanted_resyncs().empty());
}

TEST(Mirror, HoldsEachLayerByItself) {
  Welcome welcome = small_world();
  welcome.layers = {"one", "other"};
  Mirror mirror(welcome);
  ChunkCells cells{};
  cells[64 * 2 + 5] = 99;
  Frame frame;
  frame.keyframe({1, 1, 0}, cells);
  LayerChanges changes{1, std::exchange(frame.tick.chunks, {}), {}, {}};
  changes.digests = {{{1, 1, 0}, chunk_checksum(cells)}, {{0, 0, 0}, 7}};
  frame.tick.layers = {changes};
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_EQ(mirror.layer_at(1, {64 + 5, 64 + 2, 0}), 99);
  EXPECT_EQ(mirror.layer_at(0, {64 + 5, 64 + 2, 0}), 0);
  EXPECT_EQ(mirror.cell({64 + 5, 64 + 2, 0}), 0);
  EXPECT_TRUE(mirror.changed().empty());
  EXPECT_EQ(mirror.take_wanted_resyncs(), (std::vector<Resync>{{{0, 0, 0}, 2}}));
  Tick dropping;
  dropping.tick = frame.tick.tick;
  dropping.layers = {{1, {}, {{1, 1, 0}}, {}}};
  ASSERT_TRUE(mirror.apply(dropping).ok());
  EXPECT_EQ(mirror.layer_at(1, {64 + 5, 64 + 2, 0}), 0);
  dropping.layers[0].layer = 2;
  EXPECT_EQ(mirror.apply(dropping).error(), "tick: layer 2, but the world has 2");
}

// What is told of cells is not of layers, and the other way round.
TEST(Mirror, TakesALessonForThePartThatItIsToldOf) {
  Welcome welcome = small_world();
  welcome.layers = {"one", "other"};
  Mirror mirror(welcome);
  ChunkCells from{};
  ChunkCells to{};
  for (std::size_t i = 0; i < 500; ++i) to[i] = static_cast<std::int32_t>(i * i % 301);
  ColumnTeacher teacher({.pause = 1, .least_saved = -1e9});
  Bytes plain;
  encode_delta(from, to, kSideViewShape, plain, Effort::kShortest, &teacher);
  teacher.begin_tick();
  Bytes taught;
  encode_delta(from, to, kSideViewShape, taught, Effort::kShortest, &teacher);
  ASSERT_NE(plain, taught);
  Tick tick;
  tick.chunks = {{{0, 0, 0}, plain}};
  tick.layers = {{0, {{{0, 0, 0}, plain}}, {}, {}},
                 {1, {{{0, 0, 0}, taught}}, {}, {}, teacher.lesson()}};
  ASSERT_TRUE(mirror.apply(tick).ok());
  const auto all_are_there = [&] {
    EXPECT_EQ(*mirror.find({0, 0, 0}), to);
    for (const std::size_t layer : {0U, 1U}) {
      mirror.for_each_chunk_of(layer,
                               [&](ChunkCoord, const ChunkCells& cells) { EXPECT_EQ(cells, to); });
    }
  };
  all_are_there();
  Tick dropping;
  dropping.dropped = {{0, 0, 0}};
  dropping.layers = {{0, {}, {{0, 0, 0}}, {}}, {1, {}, {{0, 0, 0}}, {}}};
  ASSERT_TRUE(mirror.apply(dropping).ok());
  // A lesson stays until the next one.
  tick.lesson = teacher.lesson();
  tick.chunks = {{{0, 0, 0}, taught}};
  tick.layers[1].lesson = {};
  ASSERT_TRUE(mirror.apply(tick).ok());
  all_are_there();
  const Bytes wrong(900, 1);
  tick.lesson = wrong;
  EXPECT_EQ(mirror.apply(tick).error(), "tick: lesson, byte 900: more bytes than it needs");
}

TEST(Mirror, HoldsLevelsOfDetailBehindTheLayers) {
  Welcome welcome = small_world();
  welcome.size = {300, 128, 1};
  welcome.layers = {"one"};
  welcome.levels_of_detail = 2;
  Mirror mirror(welcome);
  ChunkCells cells{};
  cells[64 * 2 + 5] = 99;
  Frame frame;
  frame.keyframe({1, 0, 0}, cells);
  const std::vector<ChunkUpdate> chunks = std::exchange(frame.tick.chunks, {});
  frame.tick.layers = {{2, chunks, {}, {{{1, 0, 0}, 1}}}};
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  // Coarse cell [69, 2] of level 2 stands for the cells from [276, 8] to [279, 11].
  EXPECT_EQ(mirror.coarse_cell(2, {276, 8, 0}), 99);
  EXPECT_EQ(mirror.coarse_cell(2, {279, 11, 0}), 99);
  EXPECT_EQ(mirror.coarse_cell(2, {280, 11, 0}), 0);
  EXPECT_EQ(mirror.coarse_cell(2, {300, 11, 0}), kOutside);
  EXPECT_EQ(mirror.cell({276, 8, 0}), 0);
  EXPECT_EQ(mirror.take_wanted_resyncs(), (std::vector<Resync>{{{1, 0, 0}, 3}}));
  // 300 cells are 150 coarse ones of level 1, in three chunks, and 75 of level 2, in two.
  Frame beyond;
  beyond.keyframe({2, 0, 0}, cells);
  const std::vector<ChunkUpdate> third = std::exchange(beyond.tick.chunks, {});
  beyond.tick.layers = {{1, third, {}, {}}};
  EXPECT_TRUE(mirror.apply(beyond.tick).ok());
  beyond.tick.layers[0].layer = 2;
  EXPECT_EQ(mirror.apply(beyond.tick).error(), "tick: chunk [2, 0, 0] lies outside the world");
}

// The worked example of protocol/README.md.
TEST(Mirror, HoldsLayersOfCoarseCellsBehindTheLevels) {
  Welcome welcome = small_world();
  welcome.size = {300, 128, 1};
  welcome.layers = {"temperature", "waves"};
  welcome.levels_of_detail = 3;
  welcome.coarse_layers = true;
  Mirror mirror(welcome);
  EXPECT_EQ(mirror.layer_of_detail(3), 4U);
  EXPECT_EQ(mirror.layer_of_coarse(1, 0), 5U);
  EXPECT_EQ(mirror.layer_of_coarse(3, 1), 10U);
  ChunkCells numbers{};
  numbers[64 * 2 + 5] = 99;
  Frame frame;
  frame.keyframe({1, 0, 0}, numbers);
  const std::vector<ChunkUpdate> chunks = std::exchange(frame.tick.chunks, {});
  frame.tick.layers = {{8, chunks, {}, {{{1, 0, 0}, 1}}}};  // waves at level 2
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_EQ(mirror.coarse_layer_at(2, 1, {279, 11, 0}), 99);
  EXPECT_EQ(mirror.coarse_layer_at(2, 1, {280, 11, 0}), 0);
  EXPECT_EQ(mirror.coarse_layer_at(2, 0, {279, 11, 0}), 0);
  EXPECT_EQ(mirror.coarse_layer_at(0, 1, {279, 11, 0}), 0);
  EXPECT_EQ(mirror.take_wanted_resyncs(), (std::vector<Resync>{{{1, 0, 0}, 9}}));
  // 300 cells are 38 coarse ones of level 3, in one chunk.
  frame.tick.layers[0].layer = 10;
  EXPECT_EQ(mirror.apply(frame.tick).error(), "tick: chunk [1, 0, 0] lies outside the world");
  frame.tick.layers[0].layer = 11;
  EXPECT_EQ(mirror.apply(frame.tick).error(), "tick: layer 11, but the world has 11");
}

TEST(Mirror, RefusesWhatNoServerSends) {
  Mirror mirror(small_world());
  Frame outside;
  outside.keyframe({3, 0, 0}, {});
  EXPECT_EQ(mirror.apply(outside.tick).error(), "tick: chunk [3, 0, 0] lies outside the world");
  Frame broken;
  const Bytes bytes = {3};
  broken.tick.chunks = {{{0, 0, 0}, bytes}};
  EXPECT_EQ(mirror.apply(broken.tick).error(),
            "tick: chunk [0, 0, 0]: chunk payload, byte 0: unknown tag 3 (1, 7, 9 keyframe, 2, 8, "
            "10 delta)");
  Tick later;
  later.tick = 5;
  EXPECT_TRUE(mirror.apply(later).ok());
  EXPECT_TRUE(mirror.apply(later).ok());  // keyframes that follow a new view repeat the tick
  later.tick = 4;
  EXPECT_EQ(mirror.apply(later).error(), "tick 4 after tick 5");
}

TEST(Mirror, GoesBackInAReplayAlone) {
  Mirror mirror(small_world());
  Tick tick;
  tick.tick = 50;
  ASSERT_TRUE(mirror.apply(tick).ok());
  tick.tick = 49;
  const Status live = mirror.apply(tick);
  ASSERT_FALSE(live.ok());
  EXPECT_EQ(live.error(), "tick 49 after tick 50");
  tick.playback = Playback{0, 90, false, 1000, -1, ""};
  ASSERT_TRUE(mirror.apply(tick).ok());
  EXPECT_EQ(mirror.tick(), 49U);
  EXPECT_EQ(mirror.playback()->last_tick, 90U);
}

}  // namespace
}  // namespace sluice::protocol::mirror_test
