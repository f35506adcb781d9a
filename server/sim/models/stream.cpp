#include "server/sim/models/stream.h"

namespace sluice::sim {

namespace {

class StreamWater final : public WaterModelState {
 public:
  explicit StreamWater(const WorldConfig& /*config*/) {}
  WaterAdvance advance(const WaterTick& /*now*/, Grid& grid, Executor& /*executor*/) override {
    for (Chunk* chunk : grid.awake()) chunk->wake = 0;
    return {};
  }
};

}  // namespace

std::unique_ptr<WaterModelState> make_stream_water(const WorldConfig& config) {
  return std::make_unique<StreamWater>(config);
}

std::span<const MarkField> stream_marks() {
  static constexpr MarkField kFields[] = {{"steps", 0, 12}};
  return kFields;
}

}  // namespace sluice::sim
