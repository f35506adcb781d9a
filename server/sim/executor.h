// Workers are lent to the simulation: it starts no thread and holds no lock. Whoever owns a world
// passes an executor to each tick. Neither how many workers there are nor the order in which they
// take the pieces can change a result, because no piece writes what another one reads.
#pragma once

#include <cstddef>
#include <functional>

namespace sluice::sim {

class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls piece(i) once for each i in [0, pieces), in any order and on any thread, and returns
  /// when all have returned; what they wrote is then visible to the caller.
  virtual void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) = 0;
};

/// The caller's own thread, in rising order.
class SerialExecutor final : public Executor {
 public:
  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = 0; i < pieces; ++i) piece(i);
  }
};

}  // namespace sluice::sim
