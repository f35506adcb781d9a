#include "client_stub/pipe_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "client_stub/arrows.h"

namespace sluice::client {

namespace {

using protocol::PipeNodeView;

constexpr Colour kCasing{154, 167, 184};
constexpr Colour kInside{20, 27, 40};
constexpr Colour kWater{79, 176, 230};
constexpr Colour kOther{230, 160, 70};  // any other fluid
constexpr Colour kMarked{255, 214, 102};
constexpr Colour kRunning{127, 224, 168};
constexpr Colour kTrouble{239, 106, 106};
/// Characters between two arrows of a link.
constexpr int kArrowSpacing = 4;

/// Where a cell's middle is, in characters.
struct Spot {
  int column = 0;
  int row = 0;
};

Spot spot_of(const Picture& picture, Vec3 cell) {
  return {picture.column_of(cell.x + 0.5), picture.row_of(cell.y + 0.5)};
}

Colour colour_of(const protocol::PipeNode& node) {
  return node.fluid == "water" ? kWater : kOther;
}

double fill_of(const PipeNodeView& view) {
  return std::clamp(view.amount / static_cast<double>(view.node->capacity), 0.0, 1.0);
}

constexpr std::array<std::string_view, 8> kLines = {"─", "╱", "│", "╲", "─", "╱", "│", "╲"};
constexpr std::array<std::string_view, 8> kChecks = {"▷", "▷", "▵", "◁", "◁", "◁", "▿", "▷"};

class PipeDrawing {
 public:
  PipeDrawing(const Picture& picture, const protocol::Mirror& mirror, Screen& screen)
      : picture_(picture), mirror_(mirror), screen_(screen), rows_(picture.height / 2) {}

  void draw(std::string_view marked) {
    const protocol::PipeMirror& pipes = mirror_.pipes();
    pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
      for (std::size_t i = 0; key.placed() && i < section.plan.links.size(); ++i) {
        const protocol::PipeLink& link = section.plan.links[i];
        draw_link(pipes.look({key.nodes(), link.from}), pipes.look(link.to), link.one_way,
                  section.flow(i));
      }
    });
    pipes.for_each_section([&](const protocol::PipeKey&, const protocol::PipeSection& section) {
      for (std::size_t i = 0; i < section.plan.ports.size(); ++i) {
        draw_port(section.plan.ports[i], section.port(i));
      }
    });
    pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
      for (const protocol::PipeNode& node : section.plan.nodes) {
        if (!key.placed() || node.at.z != picture_.slice) continue;
        draw_node(*pipes.look({key, node.index}), node.name == marked);
      }
    });
  }

 private:
  /// Above the status line only.
  void mark(Spot spot, std::string_view text, Colour ink) {
    if (spot.row < rows_) screen_.mark(spot.column, spot.row, text, ink);
  }

  [[nodiscard]] bool in_slice(const std::optional<PipeNodeView>& view) const {
    return view && view->section.placed() && view->node->at.z == picture_.slice;
  }

  void draw_link(const std::optional<PipeNodeView>& from, const std::optional<PipeNodeView>& to,
                 bool one_way, std::int32_t flow_class) {
    if (!in_slice(from) || !in_slice(to)) return;
    const Spot a = spot_of(picture_, from->node->at);
    const Spot b = spot_of(picture_, to->node->at);
    const int steps = std::max(std::abs(b.column - a.column), std::abs(b.row - a.row));
    // A link that leaves the picture by this much is a line across it at most.
    if (steps > 4 * (screen_.columns() + screen_.rows())) return;
    // A character is twice as high as wide.
    const std::size_t forward = direction_of(b.column - a.column, -2.0 * (b.row - a.row), 8);
    const std::size_t flowing = flow_class < 0 ? (forward + 4) % 8 : forward;
    const bool is_pumped = from->node->kind == NodeKind::kPump || to->node->kind == NodeKind::kPump;
    const double share = (fill_of(*from) + fill_of(*to)) / 2;
    const Colour ink = blend(kCasing, colour_of(*from->node), share);
    const int phase = static_cast<int>(mirror_.tick() / 2 % kArrowSpacing);
    for (int step = 1; step < steps; ++step) {
      const double t = step / static_cast<double>(steps);
      const Spot spot{a.column + static_cast<int>(std::lround((b.column - a.column) * t)),
                      a.row + static_cast<int>(std::lround((b.row - a.row) * t))};
      const int beat = flow_class < 0 ? step + phase : step - phase + kArrowSpacing;
      if (one_way && !is_pumped && step == (steps + 1) / 2) {
        mark(spot, kChecks[forward], kCasing);
      } else if (flow_class != 0 && beat % kArrowSpacing == 0) {
        mark(spot, kArrows[flowing], {235, 245, 255});
      } else {
        mark(spot, kLines[forward], ink);
      }
    }
  }

  void draw_port(const protocol::PipePort& port, std::int32_t value) {
    if (port.cell.z != picture_.slice) return;
    const PortState state = protocol::state_of_port(value);
    const std::string_view text = port.kind == PortKind::kInlet    ? "^"
                                  : port.kind == PortKind::kOutlet ? "v"
                                                                   : "o";
    const Colour ink = state == PortState::kRunning ? kRunning
                       : state == PortState::kIdle  ? kCasing
                                                    : kTrouble;
    Spot spot = spot_of(picture_, port.cell);
    // A node in the same cell would hide it: it stands beside that.
    if (!mirror_.pipes().nodes_in(port.cell).empty()) ++spot.column;
    mark(spot, text, ink);
  }

  void draw_node(const PipeNodeView& view, bool marked) {
    constexpr std::array<std::string_view, 9> kFills = {" ", "▁", "▂", "▃", "▄",
                                                        "▅", "▆", "▇", "█"};
    const protocol::PipeNode& node = *view.node;
    const Spot spot = spot_of(picture_, node.at);
    if (spot.row >= rows_) return;
    const double fill = fill_of(view);
    const Colour fluid = colour_of(node);
    const Colour shell = marked ? kMarked : blend(kInside, kCasing, 0.35);
    if (node.kind == NodeKind::kPipe) {
      // Anything at all shows as the thinnest bar, and only the last unit makes it whole.
      const auto eighths = view.amount <= 0 ? 0 : std::clamp(static_cast<int>(fill * 8), 1, 8);
      screen_.text(spot.column, spot.row, kFills[static_cast<std::size_t>(eighths)], fluid, shell);
      return;
    }
    const std::string_view text = node.kind == NodeKind::kPump ? (node.rate > 0 ? "P" : "p")
                                  : node.open                  ? "V"
                                                               : "X";
    const Colour ink = node.kind == NodeKind::kPump ? Colour{255, 255, 255}
                       : node.open                  ? kRunning
                                                    : kTrouble;
    screen_.text(spot.column, spot.row, text, ink,
                 marked ? blend(kMarked, kInside, 0.4) : blend(kInside, fluid, fill * 0.7));
  }

  const Picture& picture_;
  const protocol::Mirror& mirror_;
  Screen& screen_;
  int rows_;
};

std::string short_flow(std::int64_t flow) {
  return (std::abs(flow) < 4 ? "" : "~") + std::to_string(flow);
}

}  // namespace

void draw_pipes(const Picture& picture, const protocol::Mirror& mirror, std::string_view marked,
                Screen& screen) {
  PipeDrawing(picture, mirror, screen).draw(marked);
}

std::string describe_node(const protocol::PipeMirror& pipes, const PipeNodeView& view) {
  const protocol::PipeNode& node = *view.node;
  const protocol::PipeFlows flows = pipes.flows(view);
  const std::int64_t percent = std::int64_t{100} * view.amount / node.capacity;
  std::string text = node.name + "  " + std::string(name_of(node.kind)) + "  " + node.fluid + " " +
                     std::to_string(view.amount) + " of " + std::to_string(node.capacity) + " (" +
                     std::to_string(percent) + " %)  level " + std::to_string(view.level) +
                     "  in " + short_flow(flows.in) + "  out " + short_flow(flows.out);
  if (node.kind == NodeKind::kPump) text += "  rate " + std::to_string(node.rate);
  if (node.kind == NodeKind::kValve) text += node.open ? "  open" : "  closed";
  if (node.throughput > 0) text += "  at most " + std::to_string(node.throughput);
  pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
    if (key.nodes() != view.section) return;
    for (std::size_t i = 0; i < section.plan.ports.size(); ++i) {
      const protocol::PipePort& port = section.plan.ports[i];
      if (port.node != node.index) continue;
      text += "  " + std::string(name_of(port.kind)) + " at [" + std::to_string(port.cell.x) +
              ", " + std::to_string(port.cell.y) + ", " + std::to_string(port.cell.z) + "] " +
              std::string(name_of(protocol::state_of_port(section.port(i))));
    }
  });
  return text;
}

}  // namespace sluice::client
