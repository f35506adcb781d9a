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
/// In quotation marks, for a message: what is too long for a name is cut, and what has no place in
/// one replaced, because messages are recorded and printed.
[[nodiscard]] std::string quoted_pipe_name(std::string_view name);

/// A hash table with open addressing: its order is never looked at. All names lie in one piece of
/// text, so that a copy of a million costs a few copies of memory.
class PipeNames {
 public:
  /// Of a name: what the node weighs in the network's digest, too. Odd.
  static std::uint64_t weight_of(std::string_view name);

  /// UINT32_MAX where there is no such name.
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  /// `slot` must be free, and the name new.
  void set(std::uint32_t slot, std::string_view name);
  void clear(std::uint32_t slot);
  /// Valid until the next change.
  [[nodiscard]] std::string_view name(std::uint32_t slot) const {
    const Place place = places_[slot];
    return {text_.data() + place.begin, place.size};
  }
  [[nodiscard]] std::uint64_t weight(std::uint32_t slot) const { return weights_[slot]; }
  [[nodiscard]] const std::uint64_t* weights() const { return weights_.data(); }
  /// Slot i becomes slot to[i].
  void move(const std::vector<std::uint32_t>& to, std::size_t slots);
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Place {
    std::uint32_t begin = 0;  // in text_
    std::uint32_t size = 0;   // 0: no name
  };
  [[nodiscard]] std::size_t home(std::uint64_t weight) const;
  void insert(std::uint32_t slot);
  void grow();
  void compact();

  std::vector<char> text_;
  std::size_t used_text_ = 0;           // the rest was cleared
  std::vector<Place> places_;           // by slot
  std::vector<std::uint64_t> weights_;  // by slot
  std::vector<std::uint32_t> table_;    // slots; kEmpty where none
  std::size_t count_ = 0;
};

}  // namespace sluice::sim
