// The choice of kernels for machines without Highway: the portable set, which every vector set is
// tested against.
#include "server/sim/kernels.h"

namespace sluice::sim {

const Kernels& kernels() {
  return scalar_kernels();
}

std::span<const Kernels> all_kernels() {
  return {&scalar_kernels(), 1};
}

bool select_kernels(std::string_view name) {
  return name == scalar_kernels().name;
}

}  // namespace sluice::sim
