// Goal: cores of worlds with many pipes come back up to the limit that writer and reader share, and
// each checkpoint holds what changed alone.
// Method: limits set to a few bytes and at their real values; pieces that are damaged on purpose.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "server/record/checkpoint.h"
#include "server/record/core_store.h"
#include "server/record/database.h"
#include "server/record/format.h"
#include "server/record/reader.h"
#include "tests/record/support.h"

namespace sluice::record::test::core_limits_test {
namespace {

std::unique_ptr<sim::World> world_of_pipes(int pipes, std::size_t name_bytes) {
  sim::WorldSpec spec;
  spec.config.name = "bowl";
  spec.config.size = {8, 8, 1};
  auto world = must(sim::World::create(spec));
  std::vector<sim::Command> commands;
  sim::SerialExecutor executor;
  for (int i = 0; i < pipes; ++i) {
    sim::AddPipe pipe;
    pipe.name = std::to_string(i);
    pipe.name.insert(0, name_bytes - std::min(name_bytes, pipe.name.size()), 'p');
    pipe.amount = i % 1000;
    commands.push_back({pipe});
    if (commands.size() < 60000 && i + 1 < pipes) continue;
    for (const auto& outcome : world->tick(commands, executor).outcomes) {
      EXPECT_TRUE(outcome.applied()) << outcome.reason;
    }
    commands.clear();
  }
  return world;
}

/// Stores the world's core and reads it back; the error of storing it.
std::string core_comes_back(const sim::World& world, const Limits& limits) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto first = make_world();
  must(Recorder::create(path, kWorldFile, *first));
  auto database = must(Database::open(path, Database::Mode::kWrite));
  must(database->execute("BEGIN"));
  CoreStore store(*database, limits);
  const std::vector<std::byte> core = world.snapshot_core();
  const auto blob = store.store(core);
  if (!blob) return blob.error();
  EXPECT_EQ(must(CoreStore(*database, limits).load(*blob)), core);
  return {};
}

TEST(CoreLimits, CoresComeBackUpToTheLimitAndAreRefusedBeyondIt) {
  const auto world = world_of_pipes(40, 60);
  for (const std::size_t piece : {4U, 16U, 64U, 1024U, 1U << 14U}) {
    Limits limits;
    limits.core_piece_bytes = piece;
    limits.core_bytes = world->snapshot_core().size();
    EXPECT_EQ(core_comes_back(*world, limits), "");
    --limits.core_bytes;
    EXPECT_NE(core_comes_back(*world, limits).find("at most"), std::string::npos);
  }
}

// As of chunks: checkpoints name pieces by their numbers.
TEST(CoreLimits, NoPiecesNumberIsGivenOutTwice) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  must(Recorder::create(path, kWorldFile, *make_world()));
  auto database = must(Database::open(path, Database::Mode::kWrite));
  must(database->execute("BEGIN"));
  Limits limits;
  limits.core_piece_bytes = 64;
  CoreStore store(*database, limits);
  must(store.store(world_of_pipes(40, 60)->snapshot_core()));
  const std::int64_t last = must(database->integer("SELECT max(id) FROM pieces"));
  must(database->execute("DELETE FROM pieces"));
  must(store.store(world_of_pipes(50, 60)->snapshot_core()));
  EXPECT_GT(must(database->integer("SELECT min(id) FROM pieces")), last);
}

TEST(CoreLimits, ACheckpointBeyondTheLimitIsRefusedAndTheFileStaysGood) {
  // A checkpoint that nobody could read is not written, and the error names it: the file stays
  // what it was.
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  auto world = world_of_pipes(2, 60);
  Limits limits;
  limits.core_bytes = world->snapshot_core().size();
  Foundation foundation{std::string(kWorldFile), "test", {}, CheckpointImage::of(*world)};
  auto recorder = must(Recorder::create(path, std::move(foundation), limits));
  sim::AddPipe pipe;
  pipe.name = "more";
  std::vector<RecordedCommand> commands(1);
  commands[0].command.body = pipe;
  must(recorder->append(play(*world, std::move(commands))));
  must(recorder->commit());
  const Status refused = recorder->checkpoint(CheckpointImage::of(*world));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("at most"), std::string::npos) << refused.error();
  recorder.reset();
  EXPECT_EQ(must(Reader::open(path, limits))->last_tick(), world->tick_number());
}

// 620,000 pipes with long names once made cores of more than 64 MiB, which were written and never
// read: every checkpoint was useless, and a sound file was refused.
TEST(CoreLimits, ACoreOfMoreThan64MiBComesBack) {
  const auto world = world_of_pipes(650000, 60);
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Foundation foundation{std::string(kWorldFile), "test", {}, CheckpointImage::of(*world)};
  EXPECT_GT(foundation.image.core.size(), std::size_t{64} << 20);
  { const auto recorder = must(Recorder::create(path, std::move(foundation))); }
  auto reader = must(Reader::open(path));
  EXPECT_EQ(must(reader->restore(reader->first_tick()))->digest(), world->digest());
}

TEST(CoreLimits, ACheckpointOfPipesHoldsWhatChanged) {
  auto world = world_of_pipes(20000, 40);
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Foundation foundation{std::string(kWorldFile), "test", {}, CheckpointImage::of(*world)};
  auto recorder = must(Recorder::create(path, std::move(foundation)));
  const auto pieces = [&path] {
    return must(
        must(Database::open(path, Database::Mode::kRead))->integer("SELECT count(*) FROM pieces"));
  };
  const std::int64_t whole = pieces();
  EXPECT_GT(whole, 50);
  for (int i = 0; i < 10; ++i) {
    must(recorder->append(play(*world, {})));
    must(recorder->checkpoint(CheckpointImage::of(*world)));
  }
  EXPECT_EQ(pieces(), whole) << "nothing changed but the clock";
  sim::AddPipe pipe;
  pipe.name = "between-the-others";
  std::vector<RecordedCommand> commands(1);
  commands[0].command.body = pipe;
  must(recorder->append(play(*world, std::move(commands))));
  must(recorder->checkpoint(CheckpointImage::of(*world)));
  EXPECT_LE(pieces(), whole + 6) << "what lies behind the new pipe is as it was";
  recorder.reset();
  auto reader = must(Reader::open(path));
  EXPECT_EQ(must(reader->restore(reader->last_tick()))->digest(), world->digest());
}

// The world's thread pays for the copy: what is built is copied when it has changed.
TEST(CoreLimits, WhatIsBuiltIsCopiedOnce) {
  auto world = world_of_pipes(100, 20);
  sim::CoreCopier copier;
  const auto copied = [&] { return copier.copy(world->core(), world->pipes()); };
  const auto first = copied();
  const Bytes then = world->snapshot_core();
  for (int i = 0; i < 3; ++i) play(*world, {});
  ASSERT_NE(world->snapshot_core(), then) << "water has moved";
  const auto second = copied();
  EXPECT_TRUE(second->shares_pipes_with(*first));
  EXPECT_EQ(second->bytes(), world->snapshot_core());
  EXPECT_EQ(first->bytes(), then) << "a copy stays as it is";

  const auto remove = [&](const char* number) {
    std::vector<RecordedCommand> commands(1);
    commands[0].command.body = sim::RemovePipe{std::string(18, 'p') + number};
    EXPECT_TRUE(play(*world, std::move(commands)).commands[0].applied);
  };
  remove("77");
  auto third = copied();
  EXPECT_FALSE(third->shares_pipes_with(*second));
  EXPECT_EQ(third->bytes(), world->snapshot_core());
  EXPECT_EQ(first->bytes(), then);
  // Memory that somebody still needs is not used again, other memory is.
  remove("78");
  const auto fourth = copied();
  EXPECT_EQ(fourth->bytes(), world->snapshot_core());
  third.reset();
  remove("79");
  EXPECT_EQ(copied()->bytes(), world->snapshot_core());
  EXPECT_EQ(first->bytes(), then);
}

TEST(CoreLimits, DamagedPiecesAreFoundAndMended) {
  auto world = world_of_pipes(2000, 40);
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Foundation foundation{std::string(kWorldFile), "test", {}, CheckpointImage::of(*world)};
  must(Recorder::create(path, std::move(foundation)));
  must(must(Database::open(path, Database::Mode::kWrite))
           ->execute("UPDATE pieces SET data = x'000102' WHERE id = 2"));
  auto reader = must(Reader::open(path));
  const auto lost = reader->restore(reader->first_tick());
  ASSERT_FALSE(lost.ok());
  EXPECT_NE(lost.error().find("of which 2 does not fit its content hash"), std::string::npos)
      << lost.error();
  {
    auto recorder = must(Recorder::open(path));
    must(recorder->append(play(*world, {})));
    must(recorder->checkpoint(CheckpointImage::of(*world)));
  }
  EXPECT_TRUE(reader->restore(reader->first_tick()).ok()) << "the content is there again";
}

TEST(CoreLimits, PiecesEndWhereTheContentSays) {
  std::mt19937 random(5);
  Bytes bytes(100000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (const std::size_t piece : {1U, 2U, 4U, 64U, 4096U}) {
    const auto ends = piece_ends(bytes, piece);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      EXPECT_LE(end - begin, 4 * piece);
      const std::size_t least = end == bytes.size() ? 1 : std::max<std::size_t>(piece / 4, 1);
      EXPECT_GE(end - begin, least);
      begin = end;
    }
    EXPECT_EQ(begin, bytes.size());
  }
  // What is inserted moves the borders near it.
  Bytes longer = bytes;
  longer.insert(longer.begin() + 50000, 77, std::byte{9});
  const auto before = piece_ends(bytes, 1024);
  const auto after = piece_ends(longer, 1024);
  std::size_t same = 0;
  for (const std::size_t end : before) {
    same += static_cast<std::size_t>(
        std::count(after.begin(), after.end(), end < 50000 ? end : end + 77));
  }
  EXPECT_GT(same + 8, before.size());
  EXPECT_TRUE(piece_ends({}, 16).empty());
}

}  // namespace
}  // namespace sluice::record::test::core_limits_test
