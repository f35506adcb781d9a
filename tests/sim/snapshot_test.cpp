// Goal: a snapshot that was cut short or changed is refused with a message, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/fields.h"
#include "server/sim/world.h"
#include "tests/support/random_world.h"

namespace sluice::tests::snapshot_test {
namespace {

using sim::World;

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() {
    sim::WorldSpec spec = random_world(11, {});
    spec.sources = {{{0, 0, 0}, 7}};
    auto made = World::create(spec);
    world = std::move(made).value();
    sim::SerialExecutor serial;
    for (int i = 0; i < 5; ++i) (void)world->tick({}, serial);
    core = world->snapshot_core();
    world->grid().for_each([&](const sim::Chunk& chunk) {
      if (chunk.digest == chunk.pristine) return;
      bytes.push_back(World::chunk_bytes(chunk));
      images.push_back({chunk.coord, chunk.wake, {}});
    });
    for (std::size_t i = 0; i < images.size(); ++i) images[i].bytes = bytes[i];
  }
  std::string error_of() {
    const auto restored = World::restore(core, images);
    return restored ? "" : restored.error();
  }

  std::unique_ptr<World> world;
  std::vector<std::byte> core;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<World::ChunkImage> images;
};

TEST_F(SnapshotTest, ComesBack) {
  EXPECT_EQ(error_of(), "");
}

TEST_F(SnapshotTest, EveryTruncationOfTheCoreIsRefused) {
  const std::vector<std::byte> whole = core;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    core.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(error_of(), "") << size;
  }
}

TEST_F(SnapshotTest, EveryFlippedBitOfTheCoreIsRefused) {
  for (std::size_t at = 0; at < core.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      core[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(error_of(), "") << at;
      core[at] ^= static_cast<std::byte>(1 << bit);
    }
  }
}

TEST_F(SnapshotTest, AnotherVersionIsNamed) {
  core[4] = std::byte{9};
  EXPECT_THAT(error_of(), ::testing::HasSubstr("version 9"));
}

TEST_F(SnapshotTest, ChunksThatDoNotFitAreNamed) {
  ASSERT_FALSE(images.empty());
  const std::vector<World::ChunkImage> good = images;
  images.push_back(good[0]);
  EXPECT_THAT(error_of(), ::testing::HasSubstr("comes twice"));
  images = good;
  images[0].coord = {1000, 0, 0};
  EXPECT_THAT(error_of(), ::testing::HasSubstr("outside the world"));
  images = good;
  images[0].bytes = images[0].bytes.first(100);
  EXPECT_THAT(error_of(), ::testing::HasSubstr("100 bytes"));
  images = good;
  images.pop_back();
  EXPECT_THAT(error_of(), ::testing::HasSubstr("totals"));
  images = good;
  bytes[0][3] = std::byte{0x80};  // the first cell becomes hugely negative
  EXPECT_THAT(error_of(), ::testing::HasSubstr("is not a cell's value"));
}

TEST(Commands, BytesComeBackAndDamageIsRefused) {
  Dice dice(5);
  for (int i = 0; i < 500; ++i) {
    const sim::Command command = random_command(dice, {100, 100, 100});
    std::vector<std::byte> bytes;
    sim::append_command(command, bytes);
    std::span<const std::byte> rest(bytes);
    const auto read = sim::read_command(rest);
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(rest.empty());
    std::vector<std::byte> again;
    sim::append_command(*read, again);
    EXPECT_EQ(again, bytes);
    rest = std::span<const std::byte>(bytes).first(bytes.size() - 1);
    EXPECT_FALSE(sim::read_command(rest).ok());
  }
  const std::vector<std::byte> unknown = {std::byte{0xff}, std::byte{0xff}};
  std::span<const std::byte> rest(unknown);
  EXPECT_THAT(sim::read_command(rest).error(), ::testing::HasSubstr("65535"));
}

}  // namespace
}  // namespace sluice::tests::snapshot_test
