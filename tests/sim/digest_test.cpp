// Goal: a chunk's digest is that of its cells, whatever was kept of the last one.
// Method: random edits, ticks and sleep through a grid; each digest against that of all the cells.
#include "server/sim/digest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/grid.h"
#include "tests/support/random_world.h"

namespace sluice::tests::digest_test {
namespace {

class KeptDigests {
 public:
  KeptDigests(std::uint64_t seed, bool solid) : dice_(seed), grid_(config(solid)) {
    sizes_.most_stale_parts = dice_.roll(0, 4) * 4;
    sizes_.digests_before_sums = dice_.roll(0, 3);
    (void)grid_.obtain({0, 0, 0});
  }

  void edit() {
    const Vec3 size = grid_.shape().box({}).size;
    const Vec3 from = random_place(dice_, size);
    const Cell cell = dice_.chance(30) ? kAir : dice_.roll(1, 2 * kFull);
    switch (dice_.roll(0, 3)) {
      case 0:
        grid_.add_to_cell(from, 1);
        break;
      case 1: {
        const auto part = [&](std::int32_t at, std::int32_t all) {
          return dice_.roll(1, all - at);
        };
        const Box box = {from, {part(from.x, size.x), part(from.y, size.y), part(from.z, size.z)}};
        grid_.edit(chunk(), sim::region_of(box, grid_.shape()), [&](sim::ChunkEdit& cells) {
          for (std::int32_t y = box.from.y; y < box.end().y; ++y) {
            cells.set(index({from.x, y, from.z}), cell);
          }
          cells.set(index(box.end() - Vec3{1, 1, 1}), cell);
        });
        break;
      }
      case 2:
        if (dice_.chance(20)) grid_.edit(chunk(), [](sim::ChunkEdit& cells) { cells.fill(kRock); });
        break;
      default:
        grid_.edit(chunk(), [&](sim::ChunkEdit& cells) { cells.set(index(from), cell); });
    }
  }

  /// Whether each digest that is asked for is that of all cells.
  [[nodiscard]] bool hold() {
    for (sim::Chunk* changed : grid_.take_changed()) {
      const sim::Digest digest = sim::take_digest(*changed, grid_.shape(), sizes_);
      if (digest != sim::digest_cells(changed->cells.data())) return false;
      kept_ = kept_ || changed->sums != nullptr;
      if (sim::is_of_shared_page(digest)) changed->cells.share_if_uniform();
      grid_.set_digests(*changed, digest, 0);
    }
    return true;
  }

  void sleep() {
    for (sim::Chunk* awake : grid_.awake()) awake->wake = 0;
    grid_.settle({});
  }

  [[nodiscard]] Dice& dice() { return dice_; }
  [[nodiscard]] sim::Chunk& chunk() { return grid_.obtain({0, 0, 0}); }
  [[nodiscard]] bool kept() const { return kept_; }

 private:
  static sim::WorldConfig config(bool solid) {
    sim::WorldConfig config;
    config.size = solid ? Vec3{20, 20, 20} : Vec3{80, 80, 1};
    return config;
  }
  [[nodiscard]] std::size_t index(Vec3 at) const {
    return static_cast<std::size_t>(grid_.shape().index_of(at));
  }

  Dice dice_;
  sim::Grid grid_;
  sim::DigestSizes sizes_;
  bool kept_ = false;  // some sums
};

RC_GTEST_PROP(Digests, AreThoseOfAllCellsWhateverWasKept, (std::uint64_t seed, bool solid)) {
  KeptDigests digests(seed, solid);
  for (int tick = 0; tick < 40; ++tick) {
    for (int edits = digests.dice().roll(0, 3); edits > 0; --edits) digests.edit();
    RC_ASSERT(digests.hold());
    if (!digests.dice().chance(5)) continue;
    digests.sleep();
    RC_ASSERT(digests.chunk().sums == nullptr);
  }
  RC_TAG(digests.kept());
}

// The README's quarter of a byte a cell.
static_assert(4 * sizeof(sim::DigestSums) == kChunkCells);

// A chunk in which little changes keeps its sums from the fifth tick on, until it sleeps.
TEST(Digests, KeepSumsOfChunksThatGoOnChanging) {
  sim::WorldConfig config;
  config.size = {64, 64, 1};
  sim::Grid grid(config);
  const auto change = [&grid](std::int32_t y) -> sim::Chunk& {
    grid.add_to_cell({5, y, 0}, 1);
    sim::Chunk& chunk = *grid.take_changed().front();
    EXPECT_EQ(sim::take_digest(chunk, grid.shape()), sim::digest_cells(chunk.cells.data()));
    return chunk;
  };
  EXPECT_EQ(change(0).stale_slabs, 0U);
  for (int t = 2; t <= 5; ++t) EXPECT_EQ(change(t).sums, nullptr);
  ASSERT_NE(change(63).sums, nullptr);
  for (sim::Chunk* awake : grid.awake()) awake->wake = 0;
  grid.settle({});
  EXPECT_EQ(grid.find({0, 0, 0})->sums, nullptr);
}

// Whatever else changes in a chunk of which sums are kept, a bit that flips anywhere is soon seen.
TEST(Digests, SeeABitThatFlipsBesideWhatChanges) {
  for (const bool solid : {false, true}) {
    for (std::size_t flipped = 0; flipped < kChunkCells; flipped += 97) {
      sim::WorldConfig config;
      config.size = solid ? Vec3{16, 16, 16} : Vec3{64, 64, 1};
      sim::Grid grid(config);
      sim::Chunk& chunk = grid.obtain({0, 0, 0});
      const auto differs = [&] {
        grid.add_to_cell({0, 0, 0}, 1);
        (void)grid.take_changed();
        return sim::take_digest(chunk, grid.shape()) != sim::digest_cells(chunk.cells.data());
      };
      for (int t = 0; t < 6; ++t) ASSERT_FALSE(differs());
      chunk.cells.edit()[flipped] ^= 1 << 9;
      unsigned calls = 1;
      while (differs() && calls <= sim::kMostCallsForAFlip) ++calls;
      EXPECT_LE(calls, sim::kMostCallsForAFlip) << "cell " << flipped;
    }
  }
}

}  // namespace
}  // namespace sluice::tests::digest_test
