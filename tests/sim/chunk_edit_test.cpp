// Goal: who writes to cells by Grid::edit need not think of who must know.
// Method: edits that change something and that do not, in a world that sleeps.
#include "server/sim/chunk_edit.h"

#include <memory>

#include <gtest/gtest.h>

#include "tests/support/drawn_world.h"
#include "tests/support/world_access.h"

namespace sluice::tests::chunk_edit_test {
namespace {

using sim::ChunkEdit;

class Edits : public testing::Test {
 protected:
  Edits() : world_(make_world(spec())), grid_(sim::WorldTestAccess::grid(*world_)) {
    sim::SerialExecutor serial;
    while (!world_->tick({}, serial).at_rest) {
    }
  }
  static sim::WorldSpec spec() {
    sim::WorldSpec spec;
    spec.config.size = {64, 64, 1};
    spec.fills.push_back({{{0, 0, 0}, {64, 64, 1}}, kRock});
    return spec;
  }
  [[nodiscard]] sim::Chunk& chunk() const { return *grid_.find({0, 0, 0}); }
  [[nodiscard]] bool noted() const { return !grid_.changed().empty() && chunk().wake != 0; }

  std::unique_ptr<sim::World> world_;
  sim::Grid& grid_;
};

TEST_F(Edits, NoteWhatBecameAnother) {
  ASSERT_FALSE(noted());
  grid_.edit(chunk(), [](ChunkEdit& cells) { cells.set(5, kAir); });
  EXPECT_TRUE(noted());
  EXPECT_EQ(chunk().cells[5], kAir);
  EXPECT_EQ(chunk().cells[6], kRock);
  EXPECT_EQ(grid_.changed().size(), 1U);
}

TEST_F(Edits, NoteAFilledChunk) {
  grid_.edit(chunk(), [](ChunkEdit& cells) {
    cells.set(5, kAir);
    cells.fill(kFull);
    cells.set(6, kAir);
  });
  EXPECT_TRUE(noted());
  EXPECT_EQ(chunk().cells[5], kFull);
  EXPECT_EQ(chunk().cells[6], kAir);
}

TEST_F(Edits, NoteMarksThatGo) {
  grid_.edit(chunk(), [](ChunkEdit& cells) { cells.clear_marks(); });
  EXPECT_FALSE(noted());
  chunk().marks = std::make_unique<sim::Marks>();
  chunk().marks->cells[7] = 3;
  grid_.edit(chunk(), [](ChunkEdit& cells) { cells.clear_marks(); });
  EXPECT_TRUE(noted());
  EXPECT_EQ(chunk().marks->cells[7], 0);
}

TEST_F(Edits, OfNothingLeaveTheChunkAsItWas) {
  grid_.edit(chunk(), [](ChunkEdit& cells) {
    for (std::size_t i = 0; i < kChunkCells; ++i) cells.set(i, cells[i]);
  });
  EXPECT_FALSE(noted());
  EXPECT_TRUE(chunk().cells.is_shared_rock());
}

}  // namespace
}  // namespace sluice::tests::chunk_edit_test
