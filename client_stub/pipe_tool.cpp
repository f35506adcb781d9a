#include "client_stub/pipe_tool.h"

#include <optional>
#include <string_view>

#include "client_stub/command_json.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

constexpr int kPipeCapacity = 20000;
constexpr int kPipeHeight = 10000;
constexpr int kTankCapacity = 400000;
constexpr int kTankHeight = 16384;
/// Of pumps and ports, in units a tick.
constexpr int kRate = 1000;

}  // namespace

bool PipeTool::takes(char key) {
  return std::string_view("bBPvmcCuXoieEn").find(key) != std::string_view::npos;
}

Act PipeTool::press(char key, Vec3 cursor, const protocol::Mirror& mirror) {
  if (key == 'n') return mark_next(mirror);
  if (key == 'b' || key == 'B' || key == 'P' || key == 'v') return build(key, cursor, mirror);
  const auto here = mirror.pipes().nodes_in(cursor);
  const std::string node = here.empty() ? "" : here.front().node->name;
  if (key == 'i' || key == 'e' || key == 'E') return port(key, node, cursor);
  if (node.empty()) return {{}, "there is no pipe under the cursor"};
  switch (key) {
    case 'm':
      marked_ = node;
      return {{}, "marked " + node + ": b builds on from it, c links it, u unlinks it"};
    case 'X':
      if (marked_ == node) clear();
      return {{line_of({{"cmd", "remove_pipe"}, {"name", node}})}, ""};
    case 'o': {
      const protocol::PipeNode& what = *here.front().node;
      if (what.kind == NodeKind::kValve) {
        return {{line_of({{"cmd", "set_valve"}, {"name", node}, {"open", !what.open}})}, ""};
      }
      if (what.kind == NodeKind::kPump) {
        const int rate = what.rate > 0 ? 0 : kRate;
        return {{line_of({{"cmd", "set_pump"}, {"name", node}, {"rate", rate}})}, ""};
      }
      return {{}, node + " is neither a valve nor a pump"};
    }
    default:
      return link(key, node);
  }
}

Act PipeTool::build(char key, Vec3 cursor, const protocol::Mirror& mirror) {
  const bool is_pump = key == 'P';
  const bool is_tank = key == 'B';
  const std::string kind = is_pump ? "pump" : key == 'v' ? "valve" : is_tank ? "tank" : "pipe";
  const std::string name = free_name(kind, mirror);
  const std::int64_t base = std::int64_t{cursor.y} * kFull;
  CommandJson add = {{"cmd", is_tank ? "add_pipe" : "add_" + kind},
                     {"name", name},
                     {"capacity", is_tank ? kTankCapacity : kPipeCapacity},
                     {"height", is_tank ? kTankHeight : kPipeHeight},
                     {"base", base},
                     {"at", place_json(cursor)}};
  if (is_pump) add["rate"] = kRate;
  Act act;
  act.commands.push_back(line_of(add));
  if (!marked_.empty()) {
    act.commands.push_back(line_of({{"cmd", "link"}, {"from", marked_}, {"to", name}}));
  }
  act.said = name + (marked_.empty() ? "" : ", linked from " + marked_) + "; b builds on, Esc ends";
  marked_ = name;
  return act;
}

Act PipeTool::link(char key, const std::string& node) {
  if (marked_.empty() || marked_ == node) {
    marked_ = node;
    return {{},
            "from " + node + ": move the cursor to the other pipe and press " +
                std::string(1, key) + " again"};
  }
  CommandJson command = {{"cmd", key == 'u' ? "unlink" : "link"}, {"from", marked_}, {"to", node}};
  if (key == 'C') command["one_way"] = true;
  Act act{{line_of(command)}, ""};
  clear();
  return act;
}

Act PipeTool::port(char key, const std::string& node, Vec3 cursor) {
  const std::string owner = node.empty() ? marked_ : node;
  if (owner.empty()) return {{}, "put the cursor on a pipe, or mark one with m"};
  CommandJson command = {{"cmd", key == 'E' ? "remove_port" : "add_port"},
                         {"node", owner},
                         {"cell", place_json(cursor)}};
  if (key != 'E') {
    command["kind"] = key == 'i' ? "inlet" : "outlet";
    command["rate"] = kRate;
  }
  return {{line_of(command)}, ""};
}

// Those without a place can be reached in no other way.
Act PipeTool::mark_next(const protocol::Mirror& mirror) {
  std::optional<std::string> first;
  std::optional<std::string> next;
  mirror.pipes().for_each_section(
      [&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
        if (key.placed()) return;
        for (const protocol::PipeNode& node : section.plan.nodes) {
          if (!first || node.name < *first) first = node.name;
          if (node.name > marked_ && (!next || node.name < *next)) next = node.name;
        }
      });
  if (!first) return {{}, "every pipe has a place"};
  marked_ = next.value_or(*first);
  return {{}, "marked " + marked_ + ", which has no place"};
}

std::string PipeTool::free_name(const std::string& kind, const protocol::Mirror& mirror) {
  while (true) {
    // Never the same twice: the last one may not have reached the mirror yet.
    std::string name = kind + "-" + std::to_string(next_number_++);
    if (!mirror.pipes().find_name(name)) return name;
  }
}

}  // namespace sluice::client
