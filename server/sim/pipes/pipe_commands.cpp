// What the commands of pipe networks do to a world: the network's part, and the totals.
#include <algorithm>

#include "server/sim/commands/context.h"
#include "server/sim/int_math.h"

namespace sluice::sim {

CommandOutcome CommandContext::add_node(const PipeFields& fields, NodeKind kind, std::int32_t rate,
                                        bool open) {
  if (fields.at != kNowhere) {
    if (Status s = check_place(fields.at); !s) return {"at " + s.error()};
  }
  if (fields.amount > 0) {
    if (Status s = check_intake(fields.amount); !s) return refused(s);
  }
  if (Status s = world_.pipes_.add(fields, kind, rate, open); !s) return refused(s);
  world_.core_.totals.sourced += fields.amount;
  world_.core_.totals.pipes += fields.amount;
  return {};
}

CommandOutcome CommandContext::apply(const AddPipe& command) {
  return add_node(command, NodeKind::kPipe, 0, true);
}
CommandOutcome CommandContext::apply(const AddPump& command) {
  return add_node(command, NodeKind::kPump, command.rate, true);
}
CommandOutcome CommandContext::apply(const AddValve& command) {
  return add_node(command, NodeKind::kValve, 0, command.open);
}

CommandOutcome CommandContext::apply(const RemovePipe& command) {
  Vec3 at = kNowhere;
  std::int32_t held = 0;
  if (Status s = world_.pipes_.remove(command.name, at, held); !s) return refused(s);
  Totals& totals = world_.core_.totals;
  totals.pipes -= held;
  totals.drained += held;
  const Cell cell = at == kNowhere ? kOutside : world_.grid_.cell(at);
  const bool has_room = is_open(cell) && check_chunks(chunk_holds(at) ? 0 : 1).ok();
  const std::int32_t spilled =
      has_room ? round_down_to(std::min(held, measure_.cell_max - cell), measure_.quantum) : 0;
  if (spilled == 0) return {};
  // What the cell takes was not lost after all; rewrite() counts it as sourced.
  totals.drained -= spilled;
  totals.sourced -= spilled;
  rewrite_cell(at, cell + spilled);
  return {};
}

CommandOutcome CommandContext::apply(const UpgradePipe& command) {
  return outcome_of(world_.pipes_.upgrade(command));
}
CommandOutcome CommandContext::apply(const UpgradePipeAndBase& command) {
  return outcome_of(world_.pipes_.upgrade(
      {command.name, command.capacity, command.height, command.throughput}, command.base));
}
CommandOutcome CommandContext::apply(const LinkPipes& command) {
  return outcome_of(world_.pipes_.link(command.from, command.to, command.one_way));
}
CommandOutcome CommandContext::apply(const UnlinkPipes& command) {
  return outcome_of(world_.pipes_.unlink(command.from, command.to));
}
CommandOutcome CommandContext::apply(const SetValve& command) {
  return outcome_of(world_.pipes_.set_valve(command.name, command.open));
}
CommandOutcome CommandContext::apply(const SetPump& command) {
  return outcome_of(world_.pipes_.set_pump(command.name, command.rate));
}
CommandOutcome CommandContext::apply(const AddPort& command) {
  return outcome_of(world_.pipes_.add_port(command));
}
CommandOutcome CommandContext::apply(const RemovePort& command) {
  return outcome_of(world_.pipes_.remove_port(command.node, command.cell));
}

}  // namespace sluice::sim
