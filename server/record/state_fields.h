// The declared fields of a state as text (sim/field_list.h), those of pipe networks by places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/digest.h"
#include "server/sim/field_list.h"
#include "server/sim/pipes/image.h"
#include "server/sim/pipes/network.h"

namespace sluice::record {

/// Of a pipe network: a place for each node, link and port, by the nodes' names.
[[nodiscard]] inline std::vector<sim::StateField> pipe_fields(const sim::PipesImage& pipes) {
  std::vector<sim::StateField> fields;
  sim::StateFieldLister lister(fields, true);
  const std::string_view layer = sim::layer_name(sim::Layer::kPipes);
  const auto name = [&pipes](std::uint32_t node) {
    return "'" + pipes.nodes[node].fields.name + "'";
  };
  for (const sim::PipesImage::Node& node : pipes.nodes) {
    lister.at_place(layer, std::string(name_of(node.kind)) + " '" + node.fields.name + "'", node);
  }
  for (const sim::PipesImage::Link& link : pipes.links) {
    lister.at_place(layer, "link " + name(link.from) + " to " + name(link.to), link);
  }
  for (const sim::PipesImage::Port& port : pipes.ports) {
    lister.at_place(layer, "port of " + name(port.node) + " at " + to_string(port.cell), port);
  }
  return fields;
}

}  // namespace sluice::record
