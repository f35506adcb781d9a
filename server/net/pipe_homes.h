// Which section shows which node of a world's pipes (protocol/pipes.h). A node keeps its section
// and its index for as long as it stands where it stands, whatever else is built and however the
// network is laid out in memory.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/pipes.h"
#include "server/sim/world.h"

namespace sluice::net {

/// Where a node is shown.
struct PipeHome {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t section = kNone;  // its number
  std::uint8_t index = 0;
};

/// Sections have numbers, which are used again. One that has no nodes left keeps its number until
/// free_if_empty().
class PipeHomes {
 public:
  /// The nodes of one section.
  struct Section {
    protocol::PipeKey key;
    std::vector<std::string> names;  // by index; empty where there is no node
    std::vector<sim::Slot> slots;    // by index
    std::size_t count = 0;           // of nodes
  };

  /// Gives every node a home. Costs a pass over all of them.
  void update(const sim::PipeNetwork& pipes, const ChunkShape& shape);

  /// Of a node of the last update().
  [[nodiscard]] PipeHome of(sim::Slot slot) const { return homes_[slot]; }
  /// Every number is below.
  [[nodiscard]] std::uint32_t section_limit() const {
    return static_cast<std::uint32_t>(sections_.size());
  }
  [[nodiscard]] bool used(std::uint32_t number) const { return !sections_[number].names.empty(); }
  [[nodiscard]] const Section& section(std::uint32_t number) const { return sections_[number]; }

  /// Whether it was empty; its number may then be another section's.
  bool free_if_empty(std::uint32_t number);

 private:
  [[nodiscard]] PipeHome known_home(sim::Slot slot, std::string_view name, ChunkCoord coord) const;
  void move_out(std::uint32_t number);
  void move_in(sim::Slot slot, std::string_view name, ChunkCoord coord);
  std::uint32_t section_with_room(ChunkCoord coord);

  std::vector<Section> sections_;    // by number; those without names are free
  std::vector<std::uint32_t> free_;  // numbers
  std::vector<PipeHome> homes_;      // by slot
  std::unordered_map<std::string_view, PipeHome> by_name_;   // never walked through
  std::map<ChunkCoord, std::set<std::uint32_t>> parts_;      // taken, by place
  std::map<ChunkCoord, std::set<std::uint32_t>> with_room_;  // sections, by place
};

}  // namespace sluice::net
