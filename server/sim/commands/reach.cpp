#include "server/sim/commands/reach.h"

#include <algorithm>
#include <limits>

namespace sluice::sim {

namespace {

class ReachOf {
 public:
  explicit ReachOf(const World& world) : world_(world) {}

  // How far water goes from there, and which surfaces there are, is known when it has been looked
  // at.
  void operator()(const FillLevel& /*command*/) { reach_.everywhere = true; }
  void operator()(const EvaporateLevel& /*command*/) { reach_.everywhere = true; }
  void operator()(const TrapAir& /*command*/) { reach_.everywhere = true; }
  void operator()(const SetWind& /*command*/) { reach_.everywhere = true; }
  void operator()(const SetAir& /*command*/) { reach_.everywhere = true; }
  /// The columns around it.
  void operator()(const Splash& command) { add_columns(command.at, command.radius); }
  void operator()(const Explode& command) { add_columns(command.at, command.radius); }
  void operator()(const MoveBody& command) {
    add_columns(command.from, command.radius);
    add_columns(command.to, command.radius);
  }
  void operator()(const RisingPour& command) {
    const std::int64_t top =
        std::int64_t{command.at.y} + std::clamp(command.above, 0, kMostPourAbove);
    const std::int64_t last = std::min<std::int64_t>(top, world_.grid().world_box().size.y - 1);
    add({command.at, {1, static_cast<std::int32_t>(last - command.at.y + 1), 1}});
  }
  void operator()(const MixedPour& command) {
    (*this)(RisingPour{command.at, command.units, command.above});
  }
  /// Its columns: what stands over and under it holds more then, too.
  void operator()(const RestingPour& command) {
    const Vec3 size = command.size.value_or(Vec3{1, 1, 1});
    add({{command.at.x, 0, command.at.z}, {size.x, world_.grid().world_box().size.y, size.z}});
  }
  void operator()(const LinkPipes& command) { add_nodes(command.from, command.to); }
  void operator()(const UnlinkPipes& command) { add_nodes(command.from, command.to); }
  void operator()(const AddPort& command) { add_port(command.node, command.cell); }
  void operator()(const RemovePort& command) { add_port(command.node, command.cell); }

  /// Every other command names a box, a cell or a node.
  template <class Row>
  void operator()(const Row& command) {
    if constexpr (requires { Box{command.from, command.size}; }) {
      add({command.from, command.size});
    } else if constexpr (requires { add_cell(command.at); }) {
      add_cell(command.at);
    } else {
      add_node(command.name);
    }
  }

  [[nodiscard]] CommandReach take() { return std::move(reach_); }

 private:
  void add(const Box& box) {
    if (!box.empty() && lies_in(box, world_.grid().world_box())) reach_.boxes.push_back(box);
  }
  void add_columns(Vec3 around, std::int32_t sides) {
    const Box world = world_.grid().world_box();
    if (!world.contains(around)) return;
    const std::int32_t radius = std::clamp(sides, 0, kMaxSplashRadius);
    const auto from = [&](std::int32_t at) { return std::max(at - radius, 0); };
    const auto to = [&](std::int32_t at, std::int32_t size) {
      return std::min(std::int64_t{at} + radius + 1, std::int64_t{size});
    };
    const Vec3 first = {from(around.x), 0, from(around.z)};
    add({first,
         {static_cast<std::int32_t>(to(around.x, world.size.x)) - first.x, world.size.y,
          static_cast<std::int32_t>(to(around.z, world.size.z)) - first.z}});
  }
  void add_cell(Vec3 cell) { add({cell, {1, 1, 1}}); }
  void add_nodes(std::string_view from, std::string_view to) {
    add_node(from);
    add_node(to);
  }
  void add_port(std::string_view node, Vec3 cell) {
    add_node(node);
    add_cell(cell);
  }
  void add_node(std::string_view name) {
    const std::optional<Slot> slot = world_.pipes().find(name);
    if (!slot) return;
    const PipeGraph& graph = world_.pipes().graph();
    add_cell(graph.place(*slot));
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
    const PipeGraph::Ports& ports = graph.ports();
    auto port = ports.lower_bound({*slot, {kLeast, kLeast, kLeast}});
    for (std::size_t i = 0; port != ports.end() && port->first.first == *slot; ++i, ++port) {
      if (i == kMostPortsLookedAt) {
        reach_.everywhere = true;
        return;
      }
      add_cell(port->first.second);
    }
  }

  const World& world_;
  CommandReach reach_;
};

}  // namespace

CommandReach reach_of(const Command& command, const World& world) {
  ReachOf reach(world);
  std::visit(reach, command.body);
  return reach.take();
}

}  // namespace sluice::sim
