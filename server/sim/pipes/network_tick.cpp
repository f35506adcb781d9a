// A tick of all pipe networks, part by part.
#include <algorithm>

#include "server/sim/pipes/conduit.h"
#include "server/sim/pipes/network.h"

namespace sluice::sim {

PipesAdvance PipeNetwork::tick(std::uint64_t tick_number, bool sleep, PortCells& cells,
                               Executor& executor) {
  PipesAdvance advance;
  if (empty()) return advance;
  const std::int64_t before = units_;
  parcels_.clear();
  refresh_edited();  // conductances of what was built, linked, switched
  run_ports(tick_number, cells);  // between grid cells and nodes
  collect_awake_blocks(!sleep);
  if (awake_blocks_.empty()) {
    shown_blocks_.clear();
    return advance;
  }
  run_pumps(!sleep);  // up to their rates, whatever the levels
  wish(executor);     // what each link would pass, from the levels as they are now
  if (!limited_.empty() || !crests_.empty()) {
    find_conduits();  // full pipes that pass on what they get
    limit();          // too little is shared out in proportion
    run_conduits();
  }
  move(executor);  // all amounts change at once
  show_parcels();  // what ports and pumps moved counts as flow, too
  level_what_stands(tick_number);
  advance.into_pipes = units_ - before;
  return advance;
}

void PipeNetwork::show_parcels() {
  for (const Parcel& parcel : parcels_) {
    Node& node = nodes_[parcel.node];
    const auto add = [](std::uint32_t& sum, std::int64_t more) {
      sum = static_cast<std::uint32_t>(std::min<std::int64_t>(sum + more, UINT32_MAX));
    };
    add(node.in, parcel.in);
    add(node.out, parcel.out);
    if (parcel.link != kNoSlot) links_[parcel.link].flow = static_cast<std::int32_t>(parcel.in);
    block_moved_[block_of(parcel.node)] = 1;
  }
  shown_blocks_ = awake_blocks_;
}

}  // namespace sluice::sim
