// The names of a network's nodes, and from name to slot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/sim/digest.h"

namespace sluice::sim {

/// 1 to kMaxPipeNameBytes letters, digits and _ - . : / # @ +
[[nodiscard]] bool valid_pipe_name(std::string_view name);

/// A hash table with open addressing: its order is never looked at.
class PipeNames {
 public:
  /// Of a name: what the node weighs in the network's digest, too. Odd.
  static std::uint64_t weight_of(std::string_view name);

  /// UINT32_MAX where there is no such name.
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  /// `slot` must be free, and the name new.
  void set(std::uint32_t slot, std::string_view name);
  void clear(std::uint32_t slot);
  [[nodiscard]] const std::string& name(std::uint32_t slot) const { return names_[slot]; }
  [[nodiscard]] std::uint64_t weight(std::uint32_t slot) const { return weights_[slot]; }
  [[nodiscard]] const std::uint64_t* weights() const { return weights_.data(); }
  /// Slot i becomes slot to[i].
  void move(const std::vector<std::uint32_t>& to, std::size_t slots);
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::size_t home(std::uint64_t weight) const;
  void insert(std::uint32_t slot);
  void grow();

  std::vector<std::string> names_;      // by slot
  std::vector<std::uint64_t> weights_;  // by slot
  std::vector<std::uint32_t> table_;    // slots; kEmpty where none
  std::size_t count_ = 0;
};

}  // namespace sluice::sim
