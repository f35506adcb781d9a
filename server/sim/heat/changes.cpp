#include "server/sim/heat/changes.h"

#include "server/sim/kernels.h"

namespace sluice::sim {

void HeatChanges::clear() {
  few_.clear();
  has_plain_ = false;
  has_all_ = false;
}

std::int32_t* HeatChanges::of_plain_faces() {
  plain_.resize(kChunkCells);
  has_plain_ = true;
  return plain_.data();
}

void HeatChanges::expect_all_faces() {
  all_.assign(kChunkCells, 0);
  has_all_ = true;
}

std::uint64_t HeatChanges::apply(const HeatRange& range, const Cell* cells,
                                 std::int64_t* energies) const {
  for (const OfCell& change : few_) energies[change.index] += change.energy;
  for (std::size_t i = 0; has_all_ && i < kChunkCells; ++i) energies[i] += all_[i];
  return has_plain_ ? kernels().heat.add(range, cells, plain_.data(), energies)
                    : kernels().heat.others(range, cells, energies);
}

}  // namespace sluice::sim
