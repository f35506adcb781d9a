#include "client_stub/pipe_copy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>

#include "client_stub/command_json.h"

namespace sluice::client {

namespace {

using protocol::PipeRef;

/// What a name keeps of the one that it is made from; names have at most kMaxPipeNameBytes.
constexpr std::size_t kStemBytes = 12;

/// "main" of "main-7k.3", which is a copy's.
std::string_view stem_of(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  const std::size_t dot = name.rfind('.');
  if (dash != name.npos && dot != name.npos && dash < dot) name = name.substr(0, dash);
  std::size_t end = std::min(kStemBytes, name.size());
  // No letter of several bytes is cut.
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80) {
    --end;
  }
  return name.substr(0, end);
}

/// Names that nobody has. Pipes out of view are not known here, so that a number alone would not
/// do: the tick is in them.
std::vector<std::string> fresh_names(const PipeCopy& copy, const protocol::Mirror& mirror,
                                     std::uint64_t& named) {
  std::array<char, 20> tick{};
  const auto end = std::to_chars(tick.data(), tick.data() + tick.size(), mirror.tick(), 36).ptr;
  const std::string middle = "-" + std::string(tick.data(), end) + ".";
  std::vector<std::string> names;
  if (copy.nodes.empty()) return names;
  const std::set<std::string_view> taken = names_of(mirror.pipes());
  for (const PipeCopy::Node& each : copy.nodes) {
    std::string name;
    do {
      name = std::string(stem_of(each.node.name)) + middle + std::to_string(++named);
    } while (taken.contains(name));
    names.push_back(std::move(name));
  }
  return names;
}

std::string add_line(const PipeCopy::Node& each, const std::string& name, Vec3 from, Vec3 at) {
  const protocol::PipeNode& node = each.node;
  CommandJson add = {{"cmd", "add_" + std::string(name_of(node.kind))},
                     {"name", name},
                     {"fluid", node.fluid},
                     {"capacity", node.capacity},
                     {"height", node.height},
                     {"amount", each.amount},
                     // It lies as high over its cell as it did.
                     {"base", node.base + (std::int64_t{at.y} - from.y) * kFull},
                     {"throughput", std::max(0, node.throughput)},
                     {"at", place_json(at)}};
  if (node.kind == NodeKind::kPump) add["rate"] = node.rate;
  if (node.kind == NodeKind::kValve) add["open"] = node.open;
  return line_of(add);
}

}  // namespace

PipeCopy copy_pipes(const protocol::PipeMirror& pipes, const Box& box) {
  PipeCopy copy;
  std::map<PipeRef, std::size_t> chosen;
  pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
    for (std::size_t i = 0; i < section.plan.nodes.size(); ++i) {
      const protocol::PipeNode& node = section.plan.nodes[i];
      if (!key.placed() || !box.contains(node.at)) continue;
      chosen[{key.nodes(), node.index}] = copy.nodes.size();
      copy.nodes.push_back({node, section.amount(i), node.at - box.from});
    }
  });
  pipes.for_each_section([&](const protocol::PipeKey& key, const protocol::PipeSection& section) {
    for (const protocol::PipeLink& link : section.plan.links) {
      const auto from = chosen.find({key.nodes(), link.from});
      const auto to = chosen.find(link.to);
      if (from == chosen.end() || to == chosen.end()) continue;
      copy.links.push_back({from->second, to->second, link.one_way});
    }
    for (const protocol::PipePort& port : section.plan.ports) {
      const auto node = chosen.find({key.nodes(), port.node});
      if (node == chosen.end() || !box.contains(port.cell)) continue;
      copy.ports.push_back({node->second, port, port.cell - box.from});
    }
  });
  return copy;
}

std::set<std::string_view> names_of(const protocol::PipeMirror& pipes) {
  std::set<std::string_view> names;
  pipes.for_each_section([&](const protocol::PipeKey&, const protocol::PipeSection& section) {
    for (const protocol::PipeNode& node : section.plan.nodes) names.insert(node.name);
  });
  return names;
}

PipesToBuild pipes_to_build(const PipeCopy& copy, Vec3 at, const protocol::Mirror& mirror,
                            std::uint64_t& named) {
  const std::vector<std::string> names = fresh_names(copy, mirror, named);
  const Box world{{}, mirror.welcome().size};
  PipesToBuild build;
  std::vector<bool> there;
  for (std::size_t i = 0; i < copy.nodes.size(); ++i) {
    const PipeCopy::Node& each = copy.nodes[i];
    there.push_back(world.contains(at + each.at));
    if (!there.back()) continue;
    build.commands.push_back(add_line(each, names[i], each.node.at, at + each.at));
    build.names.push_back(names[i]);
  }
  for (const auto& [from, to, one_way] : copy.links) {
    if (!there[from] || !there[to]) continue;
    build.commands.push_back(
        line_of({{"cmd", "link"}, {"from", names[from]}, {"to", names[to]}, {"one_way", one_way}}));
  }
  for (const auto& [node, port, place] : copy.ports) {
    if (!there[node] || !world.contains(at + place)) continue;
    build.commands.push_back(line_of({{"cmd", "add_port"},
                                      {"node", names[node]},
                                      {"cell", place_json(at + place)},
                                      {"kind", name_of(port.kind)},
                                      {"rate", port.rate}}));
  }
  return build;
}

}  // namespace sluice::client
