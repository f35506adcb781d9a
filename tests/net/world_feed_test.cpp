// Goal: the mailbox between a world and the network holds the newest state only, whatever the
// order of publishing, watching and taking; and what is taken adds up to the world.
#include "server/net/world_feed.h"

#include <gtest/gtest.h>

#include "protocol/checksum.h"
#include "server/formats/script.h"
#include "server/formats/world_file.h"
#include "server/net/published_world.h"
#include "tests/support/written_world.h"

namespace sluice::net::world_feed_test {
namespace {

std::unique_ptr<sim::World> falling_water() {
  return tests::written_world(R"(
[world]
name = "fall"
size = [64, 256, 1]
[world.edges]
bottom = "open"
[[fill]]
from = [10, 200, 0]
size = [20, 20, 1]
cell = "~"
)");
}

struct Rig {
  std::unique_ptr<sim::World> world = falling_water();
  sim::SerialExecutor executor;
  WorldFeed feed{*world};
  PublishedWorld published;

  void tick(int count = 1) {
    for (int i = 0; i < count; ++i) {
      world->tick({}, executor);
      feed.publish(*world);
    }
  }
  void take() {
    auto mail = feed.take();
    if (mail.publication) published.apply(std::move(*mail.publication), true);
  }
  void expect_equal() {
    EXPECT_EQ(published.tick(), world->tick_number());
    std::size_t chunks = 0;
    world->grid().for_each([&](const sim::Chunk& chunk) {
      if (intersect(world->grid().shape().box(chunk.coord), world->config().box()).empty()) {
        return;
      }
      if (!chunk.holds()) return;  // whether it is stored is no part of the world
      ++chunks;
      const ChunkCoord coord = chunk.coord;
      ASSERT_TRUE(published.has(coord));
      protocol::ChunkCells cells;
      std::copy_n(chunk.cells.begin(), cells.size(), cells.begin());
      EXPECT_EQ(published.checksum(coord), protocol::chunk_checksum(cells));
    });
    EXPECT_EQ(published.chunk_count(), chunks);
  }
};

TEST(WorldFeed, AnUnwatchedWorldPublishesItsTickAlone) {
  Rig rig;
  rig.tick(3);
  const auto mail = rig.feed.take();
  ASSERT_TRUE(mail.publication.has_value());
  EXPECT_EQ(mail.publication->tick, 3U);
  EXPECT_FALSE(mail.publication->has_chunks);
  EXPECT_EQ(mail.publication->counters.water, rig.world->totals().water);
}

TEST(WorldFeed, WatchingBringsEverythingThenChanges) {
  Rig rig;
  rig.tick(2);
  rig.feed.set_watched(true);
  rig.tick();
  rig.take();
  rig.expect_equal();
  for (int i = 0; i < 60; ++i) {
    rig.tick();
    rig.take();
    rig.expect_equal();
  }
}

TEST(WorldFeed, PublicationsThatNobodyTookMerge) {
  Rig rig;
  rig.feed.set_watched(true);
  rig.tick(5);  // begins with the complete one
  rig.take();
  rig.expect_equal();
  rig.tick(300);  // water falls through chunks that come and go, and leaves the world
  rig.take();
  rig.expect_equal();
}

TEST(WorldFeed, WatchingAgainBringsEverythingAgain) {
  Rig rig;
  rig.feed.set_watched(true);
  rig.tick(3);
  rig.feed.set_watched(false);
  rig.tick(20);
  rig.feed.set_watched(true);
  rig.tick(2);
  rig.take();
  rig.expect_equal();
}

TEST(WorldFeed, SkippedTicksGoWithTheNextPublication) {
  Rig rig;
  rig.feed.set_watched(true);
  rig.tick();
  for (int i = 0; i < 20; ++i) {
    for (int skipped = 0; skipped < i; ++skipped) {
      rig.world->tick({}, rig.executor);
      rig.feed.skip(*rig.world);
      EXPECT_EQ(rig.feed.tick(), rig.world->tick_number());
    }
    rig.tick();
    if (i % 3 == 0) rig.take();
  }
  rig.take();
  rig.expect_equal();
}

TEST(WorldFeed, AJumpPublishesAnyOtherState) {
  Rig rig;
  rig.feed.set_watched(true);
  rig.tick();
  rig.take();
  rig.tick(200);
  rig.take();
  rig.world = falling_water();  // back to tick 0
  rig.feed.jump();
  EXPECT_TRUE(rig.feed.awaited());
  rig.feed.publish(*rig.world);
  EXPECT_FALSE(rig.feed.awaited());
  rig.take();
  rig.expect_equal();
  // What was skipped before a jump is of no world any more.
  rig.tick(3);
  rig.take();
  rig.world->tick({}, rig.executor);
  rig.feed.skip(*rig.world);
  rig.world = falling_water();
  rig.feed.jump();
  rig.tick();
  rig.take();
  rig.expect_equal();
}

TEST(WorldFeed, SkipsAndJumpsKeepPipesRight) {
  const auto make = [] {
    const auto spec = formats::parse_world(R"(
[world]
name = "lines"
size = [64, 64, 1]
[[pipe]]
name = "high"
capacity = 100000
height = 40960
base = 40960
amount = 100000
at = [10, 40, 0]
[[pipe]]
name = "low"
capacity = 100000
height = 40960
at = [20, 10, 0]
[[link]]
from = "high"
to = "low"
[[port]]
node = "low"
cell = [20, 10, 0]
kind = "outlet"
rate = 100
)",
                                           "test world");
    return std::move(sim::World::create(spec.value())).value();
  };
  Rig rig;
  rig.world = make();
  WorldFeed feed(*rig.world);
  feed.set_watched(true);
  const auto expect_pipes = [&] {
    PublishedWorld fresh;
    WorldFeed complete(*rig.world);
    complete.set_watched(true);
    complete.publish(*rig.world);
    fresh.apply(std::move(*complete.take().publication), true);
    rig.published.apply(std::move(*feed.take().publication), true);
    std::size_t sections = 0;
    const ChunkRange all{{0, 0, 0}, {0, 0, 0}};
    fresh.pipes().for_each_in(all, [&](const protocol::PipeKey& key) {
      EXPECT_TRUE(rig.published.pipes().has(key));
      EXPECT_EQ(rig.published.pipes().checksum(key), fresh.pipes().checksum(key));
      return ++sections > 0;
    });
    EXPECT_GT(sections, 0U);
    EXPECT_EQ(rig.published.pipes().count(), fresh.pipes().count());
  };
  for (int i = 0; i < 8; ++i) {
    for (int skipped = 0; skipped < i; ++skipped) {
      rig.world->tick({}, rig.executor);
      feed.skip(*rig.world);
    }
    rig.world->tick({}, rig.executor);
    feed.publish(*rig.world);
    expect_pipes();
  }
  rig.world = make();
  feed.jump();
  feed.publish(*rig.world);
  expect_pipes();
}

TEST(WorldFeed, TellsWhenSomebodyBeginsToWatch) {
  Rig rig;
  int watches = 0;
  rig.feed.set_watch([&] { ++watches; });
  EXPECT_FALSE(rig.feed.awaited());
  rig.feed.set_watched(true);
  rig.feed.set_watched(true);
  EXPECT_EQ(watches, 1);
  EXPECT_TRUE(rig.feed.awaited());
  rig.tick();
  EXPECT_FALSE(rig.feed.awaited());
  rig.feed.set_watched(false);
  EXPECT_EQ(watches, 1);
}

TEST(WorldFeed, AReplaysPublicationsSayWhereItStands) {
  const auto world = falling_water();
  WorldFeed feed(*world, "a", {0, 90, false, 1000, -1, ""});
  EXPECT_EQ(feed.config().name, "a");
  EXPECT_EQ(feed.take().publication->playback->last_tick, 90U);
  feed.set_playback({0, 91, true, 0, 7, ""});
  feed.publish(*world);
  EXPECT_EQ(feed.take().publication->playback, (protocol::Playback{0, 91, true, 0, 7, ""}));
}

TEST(WorldFeed, WakesOnceForAFullMailbox) {
  Rig rig;
  (void)rig.feed.take();
  int wakes = 0;
  rig.feed.set_wake([&] { ++wakes; });
  EXPECT_EQ(wakes, 0);
  rig.tick(3);
  rig.feed.deliver({{1, {2, true, 3, ""}}});
  EXPECT_EQ(wakes, 1);
  const auto mail = rig.feed.take();
  ASSERT_EQ(mail.replies.size(), 1U);
  rig.feed.deliver({});
  EXPECT_EQ(wakes, 1);
  rig.feed.deliver({{1, {2, true, 3, ""}}});
  EXPECT_EQ(wakes, 2);
  rig.feed.set_wake([&] { ++wakes; });  // there is mail: do not wait for more
  EXPECT_EQ(wakes, 3);
}

// A client's word that its mirror differs is checked against the world itself.
TEST(WorldFeed, AnAuditFindsACopyThatDiffersAndPutsItRight) {
  Rig rig;
  rig.feed.set_watched(true);
  rig.tick(3);
  rig.take();
  const ChunkCoord coord = rig.world->changed_chunks().front();
  const auto audit = [&] {
    rig.feed.audit(coord);
    rig.tick();
    return rig.published.apply(*rig.feed.take().publication, true);
  };
  EXPECT_EQ(audit(), 0U);  // a lie
  Publication wrong;
  wrong.tick = rig.world->tick_number();
  wrong.has_chunks = true;
  wrong.chunks[coord] = std::make_shared<protocol::ChunkCells>();
  (void)rig.published.apply(wrong, true);
  rig.feed.audit(coord);
  rig.feed.publish(*rig.world);  // the world changed nothing, says the list of changes
  auto mail = rig.feed.take();
  mail.publication->chunks.clear();
  EXPECT_EQ(rig.published.apply(std::move(*mail.publication), true), 1U);
  ASSERT_EQ(rig.published.changes().size(), 1U);
  rig.expect_equal();
}

TEST(WorldFeed, AuditsBeyondTheLimitAreForgotten) {
  Rig rig;
  rig.feed.set_watched(true);
  for (int x = 0; x < 2 * static_cast<int>(WorldFeed::kMostAudits); ++x) rig.feed.audit({x, 0, 0});
  rig.tick();
  EXPECT_EQ(rig.feed.take().publication->audits.size(), WorldFeed::kMostAudits);
}

TEST(WorldFeed, TellsOfSpringsSoonAfterTheyChange) {
  Rig rig;
  rig.feed.set_watched(true);
  EXPECT_TRUE(rig.feed.fixtures()->sources.empty());
  const auto command =
      formats::parse_command(R"({"cmd": "add_source", "at": [5, 9, 0], "rate": 77})", "test");
  ASSERT_TRUE(command.ok());
  rig.world->tick({&command.value(), 1}, rig.executor);
  rig.tick(static_cast<int>(WorldFeed::kFixturesInterval));
  const auto fixtures = rig.feed.fixtures();
  ASSERT_EQ(fixtures->sources.size(), 1U);
  EXPECT_EQ(fixtures->sources.front().rate, 77);
  rig.tick(static_cast<int>(WorldFeed::kFixturesInterval));
  EXPECT_EQ(rig.feed.fixtures(), fixtures);  // not copied again
}

// What it takes to put a spring back as it was: its head goes with it.
TEST(WorldFeed, TellsOfTheHeadsOfSprings) {
  Rig rig;
  rig.feed.set_watched(true);
  const std::vector<sim::Command> commands = {{sim::AddSourceUpTo{{5, 9, 0}, 77, 4096}},
                                              {sim::AddSource{{6, 9, 0}, 78}}};
  rig.world->tick(commands, rig.executor);
  rig.tick(static_cast<int>(WorldFeed::kFixturesInterval));
  const auto fixtures = rig.feed.fixtures();
  EXPECT_EQ(fixtures->sources.size(), 2U);
  ASSERT_EQ(fixtures->heads.size(), 1U);
  EXPECT_EQ(fixtures->heads.front().at, (Vec3{5, 9, 0}));
  EXPECT_EQ(fixtures->heads.front().rate, 4096);
  EXPECT_TRUE(fixtures->temperatures.empty());
  EXPECT_FALSE(fixtures->heat);
}

TEST(WorldFeed, TellsWhatTheWaterOfSpringsHolds) {
  const auto spec = formats::parse_world(R"(
[world]
name = "dyed"
size = [16, 16, 1]
[[tracer]]
name = "red"
[[source]]
at = [3, 9, 0]
rate = 5
tracer = { red = 77 }
[[source]]
at = [4, 9, 0]
rate = 6
)",
                                         "test world");
  ASSERT_TRUE(spec.ok()) << spec.error();
  auto world = sim::World::create(*spec);
  ASSERT_TRUE(world.ok()) << world.error();
  WorldFeed feed(**world);
  const auto fixtures = feed.fixtures();
  EXPECT_EQ(fixtures->sources.size(), 2U);
  ASSERT_EQ(fixtures->tracers.size(), 1U);
  EXPECT_EQ(fixtures->tracers.front().first, (Vec3{3, 9, 0}));
  EXPECT_EQ(fixtures->tracers.front().second, (sim::TracerAmounts{{"red", 77}}));
}

TEST(WorldFeed, TellsOfHeatersSoonAfterTheyChange) {
  const auto spec =
      formats::parse_world("[world]\nname = \"warm\"\nsize = [16, 16, 1]\n[heat]\n", "test world");
  ASSERT_TRUE(spec.ok()) << spec.error();
  auto world = sim::World::create(*spec);
  ASSERT_TRUE(world.ok()) << world.error();
  sim::SerialExecutor executor;
  WorldFeed feed(**world);
  feed.set_watched(true);
  const auto ticks = [&](std::vector<sim::Command> commands) {
    for (std::uint64_t i = 0; i <= WorldFeed::kFixturesInterval; ++i) {
      (*world)->tick(std::exchange(commands, {}), executor);
      feed.publish(**world);
    }
  };
  ticks({{sim::AddHeater{{3, 3, 0}, -500}}});
  EXPECT_TRUE(feed.fixtures()->heat);
  ASSERT_EQ(feed.fixtures()->heaters.size(), 1U);
  EXPECT_EQ(feed.fixtures()->heaters.front().rate, -500);
  ticks({{sim::RemoveHeater{{3, 3, 0}}}});
  EXPECT_TRUE(feed.fixtures()->heaters.empty());
}

// One tick's answer is never more than so many, however many a world has.
TEST(WorldFeed, TellsOfSoManySpringsAndHowManyItLeavesOut) {
  Rig rig;
  rig.feed.set_watched(true);
  const Vec3 size = rig.world->config().size;
  std::vector<sim::Command> commands;
  for (std::size_t i = 0; i < kMostFixtures + 1; ++i) {
    const auto n = static_cast<std::int32_t>(i);
    commands.push_back({sim::AddDrain{{n % size.x, n / size.x, 0}, 1}});
    if (i == kMostFixtures - 1) {
      rig.world->tick(std::exchange(commands, {}), rig.executor);
      rig.tick(static_cast<int>(WorldFeed::kFixturesInterval));
      EXPECT_EQ(rig.feed.fixtures()->drains.size(), kMostFixtures);
      EXPECT_EQ(rig.feed.fixtures()->left_out, 0U);
    }
  }
  rig.world->tick(commands, rig.executor);
  rig.tick(static_cast<int>(WorldFeed::kFixturesInterval));
  EXPECT_EQ(rig.feed.fixtures()->drains.size(), kMostFixtures);
  EXPECT_EQ(rig.feed.fixtures()->left_out, 1U);
}

}  // namespace
}  // namespace sluice::net::world_feed_test
