// Goal: a cursor shows the recorded world at any tick, in whatever order ticks are asked for; what
// it keeps stays within its bound; what cannot be replayed is told and gone around. Method: a
// recorded history with commands; after each seek the world's digest, computed from scratch, is
// compared with the one recorded.
#include "server/playback/cursor.h"

#include <random>

#include <gtest/gtest.h>

#include "server/playback/comparison.h"
#include "server/record/database.h"
#include "server/workers/thread_pool.h"
#include "tests/record/support.h"

namespace sluice::playback::cursor_test {
namespace {

using namespace record::test;

class Cursors : public testing::Test {
 protected:
  std::unique_ptr<Cursor> open(std::size_t cache_bytes = Cursor::kCacheBytes) {
    return must(Cursor::open(path_, executor_, std::make_shared<CacheBudget>(cache_bytes)));
  }
  void record(const HistoryOptions& options = {}) { history_ = record_history(path_, options); }
  void expect_at(const Cursor& cursor, std::uint64_t tick) {
    ASSERT_EQ(cursor.tick(), tick);
    if (tick > 0) {
      ASSERT_EQ(cursor.world().recompute_digest(), history_[tick - 1].digest);
    }
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("bowl.sluice");
  sim::SerialExecutor executor_;
  std::vector<record::TickRecord> history_;
};

TEST_F(Cursors, ReachesAnyTickInAnyOrder) {
  record();
  const auto cursor = open();
  EXPECT_EQ(cursor->first_tick(), 0U);
  EXPECT_EQ(cursor->last_tick(), 300U);
  expect_at(*cursor, 0);
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t tick = random() % 301;
    must(cursor->seek(tick));
    expect_at(*cursor, tick);
  }
}

TEST_F(Cursors, StepsBackTickByTick) {
  record();
  const auto cursor = open();
  must(cursor->seek(300));
  std::uint64_t replayed = 0;
  for (std::uint64_t tick = 300; tick-- > 0;) {
    must(cursor->seek(tick));
    expect_at(*cursor, tick);
    replayed += cursor->replayed_ticks();
  }
  // Without the states kept on the way it would be 50 ticks a step.
  EXPECT_LT(replayed, 300U * 5);
  EXPECT_GT(cursor->cache().count(), 0U);
}

TEST_F(Cursors, GoesOnFromWhereItStands) {
  record();
  const auto cursor = open();
  must(cursor->seek(120));
  must(cursor->seek(150));
  EXPECT_EQ(cursor->replayed_ticks(), 30U);
  must(cursor->seek(150));
  EXPECT_EQ(cursor->replayed_ticks(), 0U);
  must(cursor->advance());
  expect_at(*cursor, 151);
  must(cursor->seek(210));  // the checkpoint of tick 200 is nearer
  EXPECT_EQ(cursor->replayed_ticks(), 10U);
  expect_at(*cursor, 210);
}

TEST_F(Cursors, TheCacheKeepsItsBound) {
  record();
  for (const std::size_t bound : {std::size_t{0}, std::size_t{50'000}, std::size_t{300'000}}) {
    const auto cursor = open(bound);
    std::mt19937 random(6);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t back = random() % Cursor::kStepTicks;
      const std::uint64_t tick =
          i % 10 == 0 ? random() % 301 : cursor->tick() - std::min(cursor->tick(), back);
      must(cursor->seek(tick));
      expect_at(*cursor, tick);
      ASSERT_LE(cursor->cache().bytes(), bound);
    }
    EXPECT_EQ(cursor->cache().count() > 0, bound > 0);
  }
}

TEST_F(Cursors, SeveralOfOneRecordingKeepTheBoundTogether) {
  record();
  constexpr std::size_t kBound = 300'000;
  const auto budget = std::make_shared<CacheBudget>(kBound);
  const auto open_one = [&] { return must(Cursor::open(path_, executor_, budget)); };
  // Backwards, so that states are kept.
  const auto fill = [](Cursor& cursor) {
    for (std::uint64_t tick = 300; tick > 150; tick -= 10) must(cursor.seek(tick));
  };
  const auto first = open_one();
  fill(*first);
  const std::size_t alone = first->cache().bytes();
  EXPECT_GT(alone, kBound / 2);
  {
    const auto second = open_one();
    const auto third = open_one();
    fill(*second);  // what the first one holds is not yet let go of
    EXPECT_LE(budget->bytes(), kBound);
    first->keep_to_share();
    EXPECT_LE(first->cache().bytes(), kBound / 3);
    EXPECT_GT(first->cache().count(), 0U);
    fill(*second);
    fill(*third);
    for (const auto* cursor : {&second, &third}) {
      EXPECT_GT((*cursor)->cache().count(), 0U);
      EXPECT_LE((*cursor)->cache().bytes(), kBound / 3);
    }
    EXPECT_LE(budget->bytes(), kBound);
    expect_at(*second, 160);
  }
  EXPECT_EQ(budget->bytes(), first->cache().bytes());
  fill(*first);
  EXPECT_EQ(first->cache().bytes(), alone);  // it has all of it again
}

TEST_F(Cursors, FollowsAFileThatGrows) {
  const std::unique_ptr<sim::World> world = make_world();
  auto recorder = must(record::Recorder::create(path_, kWorldFile, *world));
  const auto grow = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      history_.push_back(play(*world, {}));
      must(recorder->append(history_.back()));
    }
    must(recorder->commit());
  };
  grow(10);
  const auto cursor = open();
  must(cursor->seek(10));
  grow(10);
  EXPECT_EQ(cursor->last_tick(), 10U);
  must(cursor->reader().refresh());
  EXPECT_EQ(cursor->last_tick(), 20U);
  for (std::uint64_t tick = 11; tick <= 20; ++tick) {
    must(cursor->advance());
    expect_at(*cursor, tick);
  }
}

TEST_F(Cursors, AHistoryThatDoesNotReplayIsShownAroundTheHole) {
  // Tick 150 is recorded with a digest that it does not have.
  const std::unique_ptr<sim::World> world = make_world();
  auto recorder = must(record::Recorder::create(path_, kWorldFile, *world));
  for (std::uint64_t tick = 1; tick <= 300; ++tick) {
    history_.push_back(play(*world, {}));
    if (tick == 150) history_.back().digest ^= 1;
    must(recorder->append(history_.back()));
    if (tick % 100 == 0) must(recorder->checkpoint(record::CheckpointImage::of(*world)));
  }
  must(recorder->commit());
  const auto cursor = open();
  const Status far = cursor->seek(160);
  ASSERT_FALSE(far.ok());
  EXPECT_EQ(far.error(),
            path_ +
                ": the replay diverges from the recording at tick 150; 'sluice verify' "
                "tells more; from its checkpoint of tick 200 on it can be shown again");
  must(cursor->seek(200));
  expect_at(*cursor, 200);
  must(cursor->seek(149));
  expect_at(*cursor, 149);
  ASSERT_FALSE(cursor->advance().ok());
  expect_at(*cursor, 149);  // still sound
  ASSERT_FALSE(cursor->seek(170).ok());
  expect_at(*cursor, 149);
  must(cursor->seek(230));
  expect_at(*cursor, 230);
  must(cursor->seek(140));
  expect_at(*cursor, 140);
}

TEST_F(Cursors, ADamagedCheckpointIsGoneAround) {
  record();
  must(must(record::Database::open(path_, record::Database::Mode::kWrite))
           ->execute("UPDATE checkpoints SET core = x'00' WHERE tick = 200"));
  const auto cursor = open();
  must(cursor->seek(250));
  expect_at(*cursor, 250);
  EXPECT_EQ(cursor->replayed_ticks(), 150U);
  const auto warnings = cursor->take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("the checkpoint of tick 200"), std::string::npos) << warnings[0];
  EXPECT_TRUE(cursor->take_warnings().empty());
}

TEST(Cursor, ErrorsNameTheFile) {
  TemporaryFolder folder;
  sim::SerialExecutor executor;
  const auto missing = Cursor::open(folder.file("none.sluice"), executor);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().find(folder.file("none.sluice")), 0U);
  write_file(folder.file("text.sluice"), "this is no recording");
  const auto text = Cursor::open(folder.file("text.sluice"), executor);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().find(folder.file("text.sluice")), 0U);
}

TEST(Comparison, CountsTheCellsThatDiffer) {
  const auto a = make_world();
  const auto b = make_world();
  EXPECT_EQ(count_differing_cells(*a, *b), 0);
  sim::SerialExecutor executor;
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const Vec3 at{static_cast<std::int32_t>(random() % 96), 70, 0};
    const sim::Command pour{sim::Pour{at, 4096}};
    a->tick({}, executor);
    b->tick(std::span(&pour, 1), executor);
    std::int64_t expected = 0;
    for (std::int32_t y = 0; y < 80; ++y) {
      for (std::int32_t x = 0; x < 96; ++x) {
        expected += a->cell({x, y, 0}) != b->cell({x, y, 0}) ? 1 : 0;
      }
    }
    ASSERT_EQ(count_differing_cells(*a, *b), expected);
    ASSERT_EQ(count_differing_cells(*b, *a), expected);
    EXPECT_GT(expected, 0);
  }
}

}  // namespace
}  // namespace sluice::playback::cursor_test
