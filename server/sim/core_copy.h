// A world without its chunks, copied on the thread that runs it and made into bytes on any other:
// of a million pipes the bytes take a second, the copy some milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/sim/core_state.h"
#include "server/sim/pipes/image.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

class CoreCopy {
 public:
  /// As World::snapshot_core() gave them at the moment of the copy.
  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Whether the two hold what is built of pipes once.
  [[nodiscard]] bool shares_pipes_with(const CoreCopy& other) const {
    return built_ == other.built_;
  }

 private:
  friend class CoreCopier;
  CoreState core_;
  std::shared_ptr<const PipeGraph> built_;
  PipesContents contents_;
};

/// Makes copies of one world, again and again. What is built of pipes is copied when it has
/// changed, into the memory of a copy that nobody needs any more: memory that is new costs several
/// times as much as the copying. On one thread at a time; the copies may be let go on any.
class CoreCopier {
 public:
  /// Takes the memory that copies need, before there are ticks to be late.
  void prepare(const PipeNetwork& pipes);
  /// Of a world's core() and pipes().
  [[nodiscard]] std::shared_ptr<const CoreCopy> copy(const CoreState& core,
                                                     const PipeNetwork& pipes);

 private:
  std::shared_ptr<PipeGraph> built_;  // of the last copy
  std::shared_ptr<PipeGraph> spare_;  // of the one before
  std::uint64_t version_ = 0;         // PipeNetwork::version() of built_
};

}  // namespace sluice::sim
