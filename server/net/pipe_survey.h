// What viewers may see of a world's pipes, cut into sections (protocol/pipes.h), on the world's
// thread. A node keeps its section and its index for as long as it stands where it stands, whatever
// else is built and however the network is laid out in memory.
//
//   nothing moved             costs nothing
//   amounts and flows moved   costs what the sections with active nodes hold
//   something was built       costs a pass over all networks
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/messages.h"
#include "protocol/pipes.h"
#include "server/sim/world.h"

namespace sluice::net {

/// A section as of one tick.
struct PipeState {
  std::shared_ptr<const protocol::Bytes> plan;  // protocol::encode_plan
  std::vector<std::int32_t> values;
};

/// Null: there is no such section any more.
using PipeStates = std::map<protocol::PipeKey, std::shared_ptr<const PipeState>>;

class PipeSurvey {
 public:
  /// Adds to `changed` what differs from the last call, or (complete) all there is. To be called
  /// after each tick, or after clear().
  void update(const sim::World& world, bool complete, PipeStates& changed);
  /// Forgets everything: nobody watches.
  void clear();

 private:
  /// Where a node is shown.
  struct Home {
    std::uint32_t section = UINT32_MAX;
    std::uint8_t index = 0;
  };
  struct Link {
    std::uint8_t from = 0;
    Home to;
    bool one_way = false;
    sim::Slot slot = sim::kNoSlot;
  };
  struct Port {
    std::uint8_t node = 0;
    Vec3 cell;
    protocol::PipePortKind kind = protocol::PipePortKind::kOpen;
    std::int32_t rate = 0;
    std::size_t order = 0;  // among the network's ports
    std::int32_t value = 0;
  };
  struct Section {
    protocol::PipeKey key;
    std::vector<std::string> names;  // by index; empty where there is no node
    std::vector<sim::Slot> slots;    // by index
    std::size_t count = 0;           // of nodes
    std::vector<Link> links;
    std::vector<Port> ports;
    std::vector<std::shared_ptr<const PipeState>> blocks;
    bool touched = false;
  };
  struct PortPlace {
    std::uint32_t section = 0;
    std::size_t place = 0;
  };

  void rebuild(const sim::World& world, PipeStates& changed);
  void settle(const sim::PipeNetwork& pipes, const ChunkShape& shape);
  [[nodiscard]] Home known_home(sim::Slot slot, std::string_view name, ChunkCoord coord) const;
  void move_out(Section& section);
  void move_in(sim::Slot slot, std::string_view name, ChunkCoord coord);
  std::uint32_t section_with_room(ChunkCoord coord);
  void collect_links(const sim::PipeNetwork& pipes);
  void collect_ports(const sim::PipeNetwork& pipes);
  void describe(const sim::World& world, Section& section, PipeStates& changed);
  [[nodiscard]] protocol::PipePlan plan_of(const sim::PipeNetwork& pipes, const Section& section,
                                           std::size_t block) const;
  void drop_if_empty(std::uint32_t number);

  void touch(std::uint32_t section);
  void touch_ports(const sim::PipeNetwork& pipes);
  void refresh(const sim::PipeNetwork& pipes, Section& section, PipeStates& changed);
  static void read_values(const sim::PipeNetwork& pipes, const Section& section, std::size_t block,
                          std::vector<std::int32_t>& values);

  std::vector<Section> sections_;                        // by number; those without names are free
  std::vector<std::uint32_t> free_;                      // numbers
  std::vector<Home> homes_;                              // by slot
  std::unordered_map<std::string_view, Home> by_name_;   // never walked through
  std::map<ChunkCoord, std::set<std::uint32_t>> parts_;  // taken, by place
  std::map<ChunkCoord, std::set<std::uint32_t>> with_room_;  // sections, by place
  std::vector<PortPlace> port_places_;                       // in the network's order
  std::vector<std::uint32_t> touched_;
  std::vector<std::int32_t> values_;  // for read_values()
  std::uint64_t version_ = 0;
  bool surveyed_ = false;
  bool was_at_rest_ = false;
};

}  // namespace sluice::net
