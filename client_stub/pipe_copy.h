// Pipes that were copied: the nodes that stand in a part of a slice, the links between them, and
// their ports into its cells. They are built anew under other names, since a name is one pipe's in
// all of a world. As client_stub/web/src/pipe_plan.ts has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/mirror.h"

namespace sluice::client {

/// Places are those in the part, from its left lower cell.
struct PipeCopy {
  struct Node {
    protocol::PipeNode node;
    std::int32_t amount = 0;
    Vec3 at;
  };
  struct Link {
    std::size_t from = 0;  // nodes, by their places in the list
    std::size_t to = 0;
    bool one_way = false;
  };
  struct Port {
    std::size_t node = 0;
    protocol::PipePort port;
    Vec3 at;
  };
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Port> ports;
};

[[nodiscard]] PipeCopy copy_pipes(const protocol::PipeMirror& pipes, const Box& box);

struct PipesToBuild {
  std::vector<std::string> commands;  // lines of a command script, in order
  std::vector<std::string> names;     // of the nodes that they build
};

/// With the part's left lower cell at `at`. What lies outside the world is left out. `named`: names
/// given so far; what was built a moment ago may not have reached the mirror yet.
[[nodiscard]] PipesToBuild pipes_to_build(const PipeCopy& copy, Vec3 at,
                                          const protocol::Mirror& mirror, std::uint64_t& named);
/// Of the nodes that are held.
[[nodiscard]] std::set<std::string_view> names_of(const protocol::PipeMirror& pipes);

}  // namespace sluice::client
