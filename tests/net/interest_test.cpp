// Goal: whatever a viewer misses, resizes or asks for again, once it is up to date it holds exactly
// the published chunks of its view. Method: a random world, a random viewer, and the real mirror.
#include "server/net/interest.h"

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/checksum.h"
#include "protocol/mirror.h"
#include "tests/protocol/chunk_generators.h"

namespace sluice::net::interest_test {
namespace {

using protocol::ChunkCells;

constexpr Vec3 kSize = {256, 192, 1};
constexpr ChunkShape kSides = {6, 6, 0};

protocol::Mirror new_mirror() {
  protocol::Welcome welcome;
  welcome.size = kSize;
  welcome.sides = kSides;
  return protocol::Mirror(welcome);
}

void give(protocol::Mirror& mirror, const protocol::Bytes& frame) {
  const auto message = protocol::decode_server_message(frame);
  RC_ASSERT(message.ok());
  RC_ASSERT(mirror.apply(std::get<protocol::Tick>(message.value())).ok());
}

Publication random_publication(std::uint64_t tick, std::map<ChunkCoord, ChunkCells>& truth) {
  Publication publication;
  publication.tick = tick;
  publication.has_chunks = true;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const ChunkCoord coord{*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 3), 0};
    if (*rc::gen::inRange(0, 4) == 0) {
      truth.erase(coord);
      publication.chunks[coord] = nullptr;
      continue;
    }
    protocol::scribble(truth[coord], 5);
    publication.chunks[coord] = std::make_shared<const ChunkCells>(truth[coord]);
  }
  return publication;
}

// Lessons that come whether they pay or not.
Sizes eager() {
  Sizes sizes;
  sizes.lessons = {.pause = *rc::gen::element(1U, 2U, 8U), .least_saved = -1e9};
  return sizes;
}

Box random_view() {
  return {{*rc::gen::inRange(-50, 250), *rc::gen::inRange(-50, 200), 0},
          {*rc::gen::inRange(0, 300), *rc::gen::inRange(0, 300), 1}};
}

RC_GTEST_PROP(Interest, AnUpToDateViewerHoldsTheViewAndNothingElse, ()) {
  std::map<ChunkCoord, ChunkCells> truth;
  PublishedWorld world(kSides, 0, eager());
  Interest interest;
  protocol::Mirror mirror = new_mirror();
  const int steps = *rc::gen::inRange(1, 12);
  for (int step = 1; step <= steps; ++step) {
    world.apply(random_publication(static_cast<std::uint64_t>(step), truth), true);
    if (*rc::gen::inRange(0, 3) == 0) {
      interest.miss(world);
    } else {
      give(mirror, interest.step_frame(world));
    }
    if (*rc::gen::inRange(0, 3) == 0) {
      interest.set_view(chunks_in_view(random_view(), kSize, kSides), world);
    }
    if (*rc::gen::inRange(0, 4) == 0) {
      RC_ASSERT(interest.resync({*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 3), 0}, world));
    }
  }
  while (!interest.up_to_date()) give(mirror, interest.catch_up_frame(world));
  std::size_t in_view = 0;
  for (const auto& [coord, cells] : truth) {
    if (!interest.view().contains(coord)) continue;
    ++in_view;
    const ChunkCells* mirrored = mirror.find(coord);
    RC_ASSERT(mirrored != nullptr);
    RC_ASSERT(*mirrored == cells);
  }
  RC_ASSERT(mirror.chunk_count() == in_view);
  RC_ASSERT(mirror.stats().digest_mismatches == 0U);
}

RC_GTEST_PROP(Interest, ViewersThatShareFramesHoldTheSame, ()) {
  constexpr std::size_t kViewers = 4;
  std::array<std::map<ChunkCoord, ChunkCells>, 2> truth;  // cells, and a layer
  PublishedWorld world(kSides, 1, eager());
  protocol::Welcome welcome;
  welcome.size = kSize;
  welcome.sides = kSides;
  welcome.layers = {"one"};
  std::array<Interest, kViewers> viewers;
  std::vector<protocol::Mirror> mirrors;
  for (std::size_t i = 0; i < kViewers; ++i) mirrors.emplace_back(welcome);
  const auto look = [&](Interest& viewer) {
    const Box all = {{}, kSize};
    const Box corner = {{}, {1, 1, 1}};
    const Box none = {};
    const Box view = *rc::gen::element(all, corner, none, random_view());
    const auto wanted = *rc::gen::inRange<std::uint64_t>(0, 2);
    viewer.set_view(chunks_in_view(view, kSize, kSides), world, wanted);
  };
  const int steps = *rc::gen::inRange(1, 50);
  for (int step = 1; step <= steps; ++step) {
    Publication publication = random_publication(static_cast<std::uint64_t>(step), truth[0]);
    publication.layers.push_back(random_publication(publication.tick, truth[1]).chunks);
    world.apply(std::move(publication), true);
    TickFrames frames(world);
    for (std::size_t i = 0; i < kViewers; ++i) {
      Interest& viewer = viewers[i];
      if (*rc::gen::inRange(0, 8) == 0) {
        viewer.miss(world);
      } else {
        give(mirrors[i], *frames.next(viewer));
      }
      if (*rc::gen::inRange(0, 4) == 0) look(viewer);
      if (*rc::gen::inRange(0, 2) == 0 && !viewer.up_to_date()) {
        give(mirrors[i], viewer.catch_up_frame(world));
      }
    }
  }
  for (std::size_t i = 0; i < kViewers; ++i) {
    while (!viewers[i].up_to_date()) give(mirrors[i], viewers[i].catch_up_frame(world));
    for (const auto& [coord, cells] : truth[0]) {
      if (!viewers[i].view().contains(coord)) continue;
      RC_ASSERT(mirrors[i].find(coord) != nullptr);
      RC_ASSERT(*mirrors[i].find(coord) == cells);
    }
    mirrors[i].for_each_chunk_of(0, [&](ChunkCoord coord, const ChunkCells& numbers) {
      RC_ASSERT(truth[1].at(coord) == numbers);
    });
    RC_ASSERT(mirrors[i].stats().digest_mismatches == 0U);
  }
}

// The bits of layers above 32 were not looked at: eight layers, three levels, and those of each.
TEST(Interest, ViewersThatWantDifferentLayersShareNoFrame) {
  PublishedWorld world(kSides, protocol::kMaxLayers, {}, kSize);
  const ChunkRange all = chunks_in_view({{}, kSize}, kSize, kSides);
  std::array<Interest, 3> viewers;
  const auto bit = [&](std::size_t number) {
    return world.bits_of(protocol::kLevelsOfDetail, 0, std::uint64_t{1} << number);
  };
  viewers[0].set_view(all, world, bit(6));
  viewers[1].set_view(all, world, bit(7));
  viewers[2].set_view(all, world, bit(7));
  for (std::uint64_t tick = 1; tick <= 2; ++tick) {
    Publication publication;
    publication.tick = tick;
    publication.has_chunks = true;
    world.apply(std::move(publication), true);
    TickFrames frames(world);
    const auto first = frames.next(viewers[0]);
    const auto second = frames.next(viewers[1]);
    const auto third = frames.next(viewers[2]);
    EXPECT_NE(first, second);
    // Who comes gets a frame of its own.
    EXPECT_EQ(second == third, tick == 2);
  }
}

// The same for layers that the viewer begins and ceases to want.
RC_GTEST_PROP(Interest, AnUpToDateViewerHoldsTheLayersThatItWants, ()) {
  constexpr std::size_t kLayers = 2;
  std::array<std::map<ChunkCoord, ChunkCells>, kLayers> truth;
  PublishedWorld world(kSides, kLayers, eager());
  Interest interest;
  protocol::Welcome welcome;
  welcome.size = kSize;
  welcome.sides = kSides;
  welcome.layers = {"one", "other"};
  protocol::Mirror mirror(welcome);
  std::uint32_t wanted = 0;
  const int steps = *rc::gen::inRange(1, 12);
  for (int step = 1; step <= steps; ++step) {
    Publication publication;
    publication.tick = static_cast<std::uint64_t>(step);
    publication.has_chunks = true;
    for (std::size_t i = 0; i < kLayers; ++i) {
      publication.layers.push_back(random_publication(publication.tick, truth[i]).chunks);
    }
    world.apply(std::move(publication), true);
    if (*rc::gen::inRange(0, 3) == 0) {
      interest.miss(world);
    } else {
      give(mirror, interest.step_frame(world));
    }
    if (*rc::gen::inRange(0, 2) == 0) {
      wanted = *rc::gen::inRange<std::uint32_t>(0, 4);
      interest.set_view(chunks_in_view(random_view(), kSize, kSides), world, wanted);
    }
    if (*rc::gen::inRange(0, 4) == 0) {
      const auto layer = *rc::gen::inRange<std::size_t>(1, 5);  // some that there are not
      RC_ASSERT(interest.resync({*rc::gen::inRange(0, 4), 0, 0}, world, layer));
    }
  }
  while (!interest.up_to_date()) give(mirror, interest.catch_up_frame(world));
  for (std::size_t i = 0; i < kLayers; ++i) {
    std::map<ChunkCoord, ChunkCells> expected;
    for (const auto& [coord, cells] : truth[i]) {
      if ((wanted >> i & 1U) != 0 && interest.view().contains(coord)) expected[coord] = cells;
    }
    std::map<ChunkCoord, ChunkCells> held;
    mirror.for_each_chunk_of(i, [&](ChunkCoord coord, const ChunkCells& n) { held[coord] = n; });
    RC_ASSERT(held == expected);
  }
  RC_ASSERT(mirror.stats().digest_mismatches == 0U);
}

TEST(ChunksInView, CutsAnyBoxToTheWorld) {
  const auto range = [](Box box) { return chunks_in_view(box, kSize, kSides); };
  EXPECT_EQ(range({{0, 0, 0}, kSize}), (ChunkRange{{0, 0, 0}, {3, 2, 0}}));
  EXPECT_EQ(range({{64, 63, 0}, {1, 2, 1}}), (ChunkRange{{1, 0, 0}, {1, 1, 0}}));
  EXPECT_TRUE(range({{0, 0, 0}, {0, 5, 1}}).empty());
  EXPECT_TRUE(range({{256, 0, 0}, {5, 5, 1}}).empty());
  EXPECT_TRUE(range({{-9, 0, 0}, {9, 5, 1}}).empty());
  EXPECT_TRUE(range({{0, 0, 1}, {5, 5, 1}}).empty());
  EXPECT_EQ(range({{INT32_MIN, INT32_MIN, 0}, {INT32_MAX, INT32_MAX, 1}}).empty(), true);
  EXPECT_EQ(range({{-1, -1, -1}, {INT32_MAX, INT32_MAX, INT32_MAX}}),
            (ChunkRange{{0, 0, 0}, {3, 2, 0}}));
  EXPECT_TRUE(range({{INT32_MAX, 0, 0}, {INT32_MAX, 1, 1}}).empty());
}

TEST(Interest, ALargeViewIsSentInPiecesThatKeepTheBudget) {
  PublishedWorld world;
  Publication publication;
  publication.tick = 1;
  publication.has_chunks = true;
  ChunkCells noise;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = static_cast<std::int32_t>((i * 2654435761U) % (1U << 30));
  }
  const auto cells = std::make_shared<const ChunkCells>(noise);
  for (std::int32_t x = 0; x < 200; ++x) publication.chunks[{x, 0, 0}] = cells;
  world.apply(std::move(publication), true);
  Interest interest;
  interest.set_view({{0, 0, 0}, {999, 0, 0}}, world);
  std::size_t frames = 0;
  while (!interest.up_to_date()) {
    const protocol::Bytes frame = interest.catch_up_frame(world);
    EXPECT_LE(frame.size(), protocol::kMaxServerMessageBytes);
    ++frames;
  }
  EXPECT_GT(frames, 2U);
}

TEST(PublishedWorld, OnlySoManyChunksOfAPublicationAreCodedWithAllEffort) {
  PublishedWorld world(kSides, 0, {.thorough_chunks = 2});
  const auto tags = [&](std::uint64_t tick, std::int32_t level) {
    Publication publication;
    publication.tick = tick;
    publication.has_chunks = true;
    for (std::int32_t x = 0; x < 4; ++x) {
      ChunkCells cells{};
      for (std::int32_t i = 0; i < 640; ++i) {
        cells[static_cast<std::size_t>(i)] = level + x + i % 7 * 40;
      }
      publication.chunks[{x, 0, 0}] = std::make_shared<const ChunkCells>(cells);
    }
    world.apply(std::move(publication), true);
    std::vector<int> of_each;
    for (const ChunkChange& change : world.changes()) {
      of_each.push_back(change.payload ? change.payload->at(0) : world.keyframe(change.key).at(0));
    }
    return of_each;
  };
  EXPECT_EQ(tags(1, 700), (std::vector<int>{7, 7, 1, 1}));
  EXPECT_EQ(tags(2, 900), (std::vector<int>{8, 8, 2, 2}));
}

// Of a large world nobody sees most: what is new there waits to be coded, whoever comes.
TEST(PublishedWorld, WhatIsNewIsCodedWhenSomebodySeesIt) {
  PublishedWorld world(kSides);
  Interest near;
  near.set_view({{0, 0, 0}, {1, 0, 0}}, world);
  Publication publication;
  publication.tick = 1;
  publication.has_chunks = true;
  publication.complete = true;
  for (std::int32_t x = 0; x < 9; ++x) {
    auto cells = std::make_shared<ChunkCells>();
    cells->fill(100 + x);
    publication.chunks[{x, 0, 0}] = cells;
  }
  world.apply(std::move(publication), true);
  for (const ChunkChange& change : world.changes()) EXPECT_EQ(change.payload, nullptr);
  const protocol::Bytes frame = near.step_frame(world);
  const auto message = protocol::decode_server_message(frame);
  ASSERT_TRUE(message.ok());
  const auto& tick = std::get<protocol::Tick>(message.value());
  ASSERT_EQ(tick.chunks.size(), 2U);
  EXPECT_TRUE(tick.dropped.empty());
  ChunkCells read{};
  ASSERT_TRUE(protocol::decode_chunk(tick.chunks[1].payload, read).ok());
  EXPECT_EQ(read[7], 101);
  // What changes later is told as the difference; what is gone, as gone.
  Publication later;
  later.tick = 2;
  later.has_chunks = true;
  auto changed = std::make_shared<ChunkCells>();
  changed->fill(100);
  (*changed)[5] = 7;
  later.chunks[{0, 0, 0}] = changed;
  later.chunks[{1, 0, 0}] = nullptr;
  world.apply(std::move(later), true);
  const protocol::Bytes second = near.step_frame(world);
  const auto next = protocol::decode_server_message(second);
  ASSERT_TRUE(next.ok());
  const auto& after = std::get<protocol::Tick>(next.value());
  ASSERT_EQ(after.chunks.size(), 1U);
  EXPECT_LT(after.chunks[0].payload.size(), 20U);
  EXPECT_EQ(after.dropped, (std::vector<ChunkCoord>{{1, 0, 0}}));
}

TEST(Interest, ResyncsOfAirAreBounded) {
  PublishedWorld world;
  Interest interest;
  interest.set_view({{0, 0, 0}, {1000, 1000, 0}}, world);
  bool accepted = true;
  for (std::int32_t x = 0; x < 1000 && accepted; ++x) {
    for (std::int32_t y = 0; y < 1000 && accepted; ++y)
      accepted = interest.resync({x, y, 0}, world);
  }
  EXPECT_FALSE(accepted);
  EXPECT_LT(interest.stale_count(), 5000U);
}

TEST(PublishedWorld, ChecksComeRoundAllChunks) {
  PublishedWorld world;
  const ChunkRange all = {{0, 0, 0}, {99, 99, 0}};
  std::set<ChunkCoord> checked;
  for (std::uint64_t tick = 1; tick <= 200; ++tick) {
    Publication publication;
    publication.tick = tick;
    publication.has_chunks = true;
    for (std::int32_t x = 0; tick == 1 && x < 30; ++x) {
      publication.chunks[{x, 0, 0}] = std::make_shared<const ChunkCells>();
    }
    world.apply(std::move(publication), true);
    for (const ChunkCoord coord : world.due_checks(all)) checked.insert(coord);
  }
  EXPECT_EQ(checked.size(), 30U);
}

TEST(PublishedWorld, AnUnwatchedTickForgetsOnlyWhenNobodyWatches) {
  PublishedWorld world;
  Publication full;
  full.tick = 1;
  full.has_chunks = true;
  full.complete = true;
  full.chunks[{0, 0, 0}] = std::make_shared<const ChunkCells>();
  world.apply(full, true);
  Publication unwatched;
  unwatched.tick = 2;
  world.apply(unwatched, true);
  EXPECT_TRUE(world.has({0, 0, 0}));
  EXPECT_TRUE(world.changes().empty());
  world.apply(unwatched, false);
  EXPECT_FALSE(world.has({0, 0, 0}));
}

// A replay that stands still sends no further tick: its page once stayed at the tick before.
TEST(Interest, ATickThatChangedNothingInViewIsToldToWhoMissedIt) {
  PublishedWorld world;
  Interest interest;
  protocol::Mirror mirror = new_mirror();
  const auto publish = [&](std::uint64_t tick) {
    Publication publication;
    publication.tick = tick;
    publication.has_chunks = true;
    publication.playback = protocol::Playback{0, 90, false, 1000, -1, ""};
    world.apply(std::move(publication), true);
  };
  publish(50);
  EXPECT_FALSE(interest.up_to_date());  // who comes knows no tick yet
  give(mirror, interest.step_frame(world));
  EXPECT_TRUE(interest.up_to_date());
  publish(30);
  interest.miss(world);
  EXPECT_FALSE(interest.up_to_date());
  give(mirror, interest.catch_up_frame(world));
  EXPECT_EQ(mirror.tick(), 30U);
  EXPECT_TRUE(interest.up_to_date());
}

}  // namespace
}  // namespace sluice::net::interest_test
