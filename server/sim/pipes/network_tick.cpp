// One tick of all pipe networks, part by part: the parts stand in step.h. Each reads what there was
// before it, so that no order in memory, no sleep and no thread can matter.
#include "server/sim/pipes/network.h"

namespace sluice::sim {

PipesAdvance PipeNetwork::tick(std::uint64_t tick_number, bool sleep, PortCells& cells,
                               Executor& executor) {
  const std::int64_t before = units();
  settle();  // what was built or taken down: components, conductances
  step_.begin(graph_);
  layout_.collect_awake_blocks(graph_, !sleep);

  run_ports(tick_number, !sleep, graph_, layout_, cells, step_);  // between grid cells and nodes
  layout_.collect_awake_blocks(graph_, !sleep);                   // ports have woken some
  if (!layout_.awake_blocks().empty()) {
    run_pumps(graph_, layout_, step_);                // up to their rates, whatever the levels
    find_demands(graph_, layout_, executor, step_);   // what each link would pass
    if (!step_.limited.empty() || !step_.crests.empty()) {
      find_conduits(graph_, layout_, step_);  // full pipes that pass on what they get
      limit_demands(graph_, layout_, step_);  // too little is shared out in proportion
      run_conduits(graph_, step_);
    }
    move_fluid(graph_, layout_, executor, step_);  // all amounts change at once
    show_parcels(layout_, step_);                  // what pumps and ports moved
    level_what_stands(tick_number, sleep, graph_, layout_, step_);
  }
  return {units() - before};
}

}  // namespace sluice::sim
