// Pipe networks on a terminal: a character for each node, lines of characters for links.
//
//   ▁ to █  a pipe's fill     P  pump, p one that stands still     V  open valve, X closed
//   ─ │ ╱ ╲ links, arrows on them run with the fluid, ▷ ◁ ▵ ▿ check valves
//   ^ inlet, v outlet, o open port: green running, grey idle, red blocked
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client_stub/picture.h"
#include "client_stub/screen.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// Draws the nodes of the picture's slice over it. `marked` is the name of a node to be shown so,
/// or empty.
void draw_pipes(const Picture& picture, const protocol::Mirror& mirror, std::string_view marked,
                Screen& screen);

/// "tank  pipe  water 15612 of 240000 (7 %)  level 99369  in ~448  out ~320", and its ports.
[[nodiscard]] std::string describe_node(const protocol::PipeMirror& pipes,
                                        const protocol::PipeNodeView& view);

}  // namespace sluice::client
