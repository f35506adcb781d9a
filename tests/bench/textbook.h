// The baseline of the water benchmarks: the cellular model as its author published it, one float a
// cell, changed in place, cell by cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::bench {

class TextbookWater {
 public:
  /// All open inside a wall of one cell; every cell holds some water.
  TextbookWater(std::size_t width, std::size_t height);

  /// One sweep over all cells; the largest flow, in full cells.
  float sweep();

 private:
  std::size_t width_;
  std::size_t height_;
  std::vector<float> mass_;
  std::vector<std::uint8_t> wall_;
};

}  // namespace sluice::bench
