// What viewers may see of a world's pipes, cut into sections (protocol/pipes.h), on the world's
// thread. Which node is in which section is told by PipeHomes.
//
//   nothing moved             costs nothing
//   amounts and flows moved   costs what the sections with active nodes hold
//   something was built       costs a pass over all networks
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "protocol/messages.h"
#include "protocol/pipes.h"
#include "server/net/pipe_homes.h"
#include "server/sim/world.h"

namespace sluice::net {

/// A section as of one tick.
struct PipeState {
  std::shared_ptr<const protocol::Bytes> plan;  // protocol::encode_plan
  std::vector<std::int32_t> values;
};

/// Null: there is no such section any more.
using PipeStates = std::map<protocol::PipeKey, std::shared_ptr<const PipeState>>;

class PipeSections {
 public:
  /// Adds to `changed` what differs from the last call, or (complete) all there is. To be called
  /// after each tick, or after clear().
  void update(const sim::World& world, bool complete, PipeStates& changed);
  /// Forgets everything: nobody watches.
  void clear();

 private:
  struct Link {
    std::uint8_t from = 0;
    PipeHome to;
    bool one_way = false;
    sim::Slot slot = sim::kNoSlot;
  };
  struct Port {
    std::uint8_t node = 0;
    Vec3 cell;
    PortKind kind = PortKind::kOpen;
    std::int32_t rate = 0;
    std::size_t order = 0;  // among the network's ports
    std::int32_t value = 0;
  };
  /// What a section holds beside its nodes. On the wire it is one block or more, because links and
  /// ports are as many as there are.
  struct Section {
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
  void collect_links(const sim::PipeNetwork& pipes);
  void collect_ports(const sim::PipeNetwork& pipes);
  void describe(const sim::World& world, std::uint32_t number, PipeStates& changed);
  void touch(std::uint32_t number);
  void touch_ports(const sim::PipeNetwork& pipes);
  void refresh(const sim::PipeNetwork& pipes, std::uint32_t number, PipeStates& changed);

  [[nodiscard]] protocol::PipeKey key_of(std::uint32_t number, std::size_t block) const;
  [[nodiscard]] std::size_t blocks_of(std::uint32_t number) const;
  [[nodiscard]] protocol::PipePlan plan_of(const sim::PipeNetwork& pipes, std::uint32_t number,
                                           std::size_t block) const;
  void read_values(const sim::PipeNetwork& pipes, std::uint32_t number, std::size_t block,
                   std::vector<std::int32_t>& values) const;

  PipeHomes homes_;
  std::vector<Section> sections_;       // by number
  std::vector<PortPlace> port_places_;  // in the network's order
  std::vector<std::uint32_t> touched_;
  std::vector<std::int32_t> values_;  // for read_values()
  std::uint64_t version_ = 0;
  bool built_ = false;
  bool was_at_rest_ = false;
};

}  // namespace sluice::net
