// What a step of heat brings the cells of a chunk, until it is added to their energies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sim/heat/kernels.h"

namespace sluice::sim {

/// Room is kept from one step to the next.
class HeatChanges {
 public:
  void clear();
  /// For what plain faces bring, whose kernel writes every cell.
  [[nodiscard]] std::int32_t* of_plain_faces();
  /// Has a number for every cell ready, where most faces go by their rules.
  void expect_all_faces();
  /// Of a face that is looked at alone.
  void add(std::int32_t index, std::int64_t energy) {
    if (has_all_) {
      all_[static_cast<std::size_t>(index)] += energy;
    } else {
      few_.push_back({index, energy});
    }
  }
  /// Adds all to a chunk's energies. Returns what HeatKernels::others() would say of it then.
  [[nodiscard]] std::uint64_t apply(const HeatRange& range, const Cell* cells,
                                    std::int64_t* energies) const;

 private:
  struct OfCell {
    std::int32_t index = 0;
    std::int64_t energy = 0;
  };

  std::vector<std::int32_t> plain_;
  std::vector<std::int64_t> all_;
  std::vector<OfCell> few_;
  bool has_plain_ = false;
  bool has_all_ = false;
};

}  // namespace sluice::sim
