#include "server/sim/models/block.h"

namespace sluice::sim {

namespace {

class BlockWater final : public WaterModelState {
 public:
  explicit BlockWater(const WorldConfig& /*config*/) {}
  WaterAdvance advance(const WaterTick& /*now*/, Grid& grid, Executor& /*executor*/) override {
    for (Chunk* chunk : grid.awake()) chunk->wake = 0;
    return {};
  }
};

}  // namespace

std::unique_ptr<WaterModelState> make_block_water(const WorldConfig& config) {
  return std::make_unique<BlockWater>(config);
}

std::span<const MarkField> block_marks() {
  static constexpr MarkField kFields[] = {{"steps", 0, 12}};
  return kFields;
}

}  // namespace sluice::sim
