#include "server/sim/pipes/fluids.h"

#include "server/sim/pipes/names.h"

namespace sluice::sim {

PipeFluids::PipeFluids() {
  acquire("water");  // once more than it is used: water stays
}

Fluid PipeFluids::acquire(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) {
    ++rows_[found->second].users;
    return found->second;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<Fluid>(rows_.size()));
    rows_.emplace_back();
  }
  const Fluid number = free_.back();
  free_.pop_back();
  rows_[number] = {std::string(name),
                   PipeNames::weight_of(name) - PipeNames::weight_of("water"), 1};
  numbers_.emplace(name, number);
  return number;
}

void PipeFluids::release(Fluid fluid) {
  if (--rows_[fluid].users > 0) return;
  numbers_.erase(rows_[fluid].name);
  rows_[fluid] = {};
  free_.push_back(fluid);
}

bool PipeFluids::known(std::string_view name) const {
  return numbers_.contains(name);
}

}  // namespace sluice::sim
