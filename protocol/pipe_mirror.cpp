#include "protocol/pipe_mirror.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/pipe_codec.h"

namespace sluice::protocol {

namespace {

std::string text_of(const PipeKey& key) {
  const std::string part = "part " + std::to_string(key.part);
  if (!key.placed()) return "nowhere, " + part;
  return "[" + std::to_string(key.coord.x) + ", " + std::to_string(key.coord.y) + ", " +
         std::to_string(key.coord.z) + "], " + part;
}

/// Where the node of this index stands in the plan.
std::optional<std::size_t> place_of(const PipeSection& section, std::uint8_t index) {
  const auto& nodes = section.plan.nodes;
  const auto found =
      std::lower_bound(nodes.begin(), nodes.end(), index,
                       [](const PipeNode& node, std::uint8_t i) { return node.index < i; });
  if (found == nodes.end() || found->index != index) return std::nullopt;
  return static_cast<std::size_t>(found - nodes.begin());
}

}  // namespace

Status PipeMirror::update(const PipeUpdate& update) {
  auto place = sections_.find(update.key);
  if (place == sections_.end()) {
    if (sections_.size() >= kMaxMirrorSections) {
      return Error{"tick: more pipe sections than a world can hold"};
    }
    place = sections_.emplace(update.key, PipeSection{}).first;
  }
  const Status status = decode_pipes(update.key, sides_, update.payload, place->second);
  if (status.ok()) return Done{};
  return Error{"tick: pipe section " + text_of(update.key) + ": " + status.error()};
}

bool PipeMirror::matches(const PipeDigest& digest) const {
  const PipeSection* section = find(digest.key);
  const std::uint64_t mine =
      section == nullptr ? 0 : pipe_checksum(section->plan_bytes, section->values);
  return mine == digest.digest;
}

const PipeSection* PipeMirror::find(const PipeKey& key) const {
  const auto place = sections_.find(key);
  return place == sections_.end() ? nullptr : &place->second;
}

PipeNodeView PipeMirror::view(const PipeKey& key, const PipeSection& section,
                              std::size_t place) const {
  PipeNodeView view;
  view.section = key;
  view.node = &section.plan.nodes[place];
  view.amount = section.amount(place);
  view.level =
      view.node->base + std::int64_t{view.amount} * view.node->height / view.node->capacity;
  return view;
}

std::optional<PipeNodeView> PipeMirror::look(const PipeRef& ref) const {
  const PipeSection* section = find(ref.section);
  if (section == nullptr) return std::nullopt;
  const auto place = place_of(*section, ref.index);
  if (!place) return std::nullopt;
  return view(ref.section, *section, *place);
}

PipeFlows PipeMirror::flows(const PipeNodeView& view) const {
  const PipeRef me{view.section, view.node->index};
  PipeFlows flows;
  const auto count = [&](std::int64_t into) { (into > 0 ? flows.in : flows.out) += into; };
  for (const auto& [key, section] : sections_) {
    for (std::size_t i = 0; i < section.plan.links.size(); ++i) {
      const PipeLink& link = section.plan.links[i];
      const std::int64_t flow = flow_of_class(section.flow(i));
      if (PipeRef{key.nodes(), link.from} == me) count(-flow);
      if (link.to == me) count(flow);
    }
    if (key.nodes() != view.section) continue;
    for (std::size_t i = 0; i < section.plan.ports.size(); ++i) {
      if (section.plan.ports[i].node != me.index) continue;
      count(flow_of_class(class_of_port(section.port(i))));
    }
  }
  flows.out = -flows.out;
  return flows;
}

std::vector<PipeNodeView> PipeMirror::nodes_in(Vec3 cell) const {
  std::vector<PipeNodeView> found;
  const ChunkCoord coord = sides_.chunk_of(cell);
  for (auto it = sections_.lower_bound({coord, 0});
       it != sections_.end() && it->first.coord == coord; ++it) {
    const auto& nodes = it->second.plan.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].at == cell) found.push_back(view(it->first, it->second, i));
    }
  }
  return found;
}

std::optional<PipeNodeView> PipeMirror::find_name(std::string_view name) const {
  for (const auto& [key, section] : sections_) {
    for (std::size_t i = 0; i < section.plan.nodes.size(); ++i) {
      if (section.plan.nodes[i].name == name) return view(key, section, i);
    }
  }
  return std::nullopt;
}

}  // namespace sluice::protocol
