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

/// By name and by slot. Neither adding nor clearing one costs more than a small part of the whole,
/// however many there are: the hash table is many tables, and the text lies in blocks. The order of
/// neither is ever looked at.
class PipeNames {
 public:
  /// Text of a block. Tests take less.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 14;

  explicit PipeNames(std::size_t block_bytes = kBlockBytes) : block_bytes_(block_bytes) {}

  /// A name's hash, by which find() looks it up. The network's digest counts a node's amount by
  /// this factor, so it is odd: times an even one, different amounts could count the same.
  static std::uint64_t weight_of(std::string_view name);

  /// UINT32_MAX where there is no such name.
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  /// `slot` must be free, and the name new.
  void set(std::uint32_t slot, std::string_view name);
  void clear(std::uint32_t slot);
  /// Valid until the next change.
  [[nodiscard]] std::string_view name(std::uint32_t slot) const {
    const Place place = places_[slot];
    if (place.size == 0) return {};
    return {blocks_[place.block].text.data() + place.begin, place.size};
  }
  [[nodiscard]] std::uint64_t weight(std::uint32_t slot) const { return weights_[slot]; }
  [[nodiscard]] const std::uint64_t* weights() const { return weights_.data(); }
  /// Slot i becomes slot to[i].
  void move(const std::vector<std::uint32_t>& to, std::size_t slots);
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// Of a name's text.
  struct Place {
    std::uint32_t block = 0;
    std::uint16_t begin = 0;
    std::uint16_t size = 0;  // 0: no name
  };
  /// Records, one after the other: a name's slot, its size, its text. Some of them were cleared.
  struct Block {
    std::vector<char> text;
    std::size_t live = 0;  // bytes of records that were not cleared
  };
  /// Open addressing; kEmpty where there is no slot. Of a power of two entries.
  struct Table {
    std::vector<std::uint32_t> slots;
    std::size_t count = 0;
  };

  [[nodiscard]] static std::size_t home(std::uint64_t weight, const Table& table);
  [[nodiscard]] const Table& table_of(std::uint64_t weight) const { return tables_[weight >> 56]; }
  [[nodiscard]] Table& table_of(std::uint64_t weight) { return tables_[weight >> 56]; }
  void insert(std::uint32_t slot, Table& table);
  void grow(Table& table);
  void write(std::uint32_t slot, std::string_view name);
  void open_block();
  void rewrite(std::uint32_t block);

  std::size_t block_bytes_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  std::uint32_t open_ = 0;              // the block that is written to, once there is any
  std::vector<Place> places_;           // by slot
  std::vector<std::uint64_t> weights_;  // by slot
  std::vector<Table> tables_;  // by the upper eight bits of the weight; none before the first name
};

}  // namespace sluice::sim
