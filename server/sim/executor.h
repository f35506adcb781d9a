// Workers are lent to the simulation: it starts no thread and holds no lock. Whoever owns a world
// passes an executor to each tick. Neither how many workers there are nor the order in which they
// take the pieces can change a result, because no piece writes what another one reads.
#pragma once

#include <algorithm>
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

/// f(from, to, number) for each piece of [0, count), of so many each and the last of what is left;
/// if that is one piece or none, f(0, count, 0) without the executor.
template <class F>
void run_in_pieces(Executor& executor, std::size_t count, std::size_t piece, F&& f) {
  if (count <= piece) return f(std::size_t{0}, count, std::size_t{0});
  executor.run((count + piece - 1) / piece,
               [&](std::size_t i) { f(i * piece, std::min(count, (i + 1) * piece), i); });
}

/// The caller's own thread, in rising order.
class SerialExecutor final : public Executor {
 public:
  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = 0; i < pieces; ++i) piece(i);
  }
};

}  // namespace sluice::sim
