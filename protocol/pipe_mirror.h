// The pipe networks that a client holds: sections, and the ways to look into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages.h"
#include "protocol/pipes.h"

namespace sluice::protocol {

/// A node with what it does. It points into the mirror, until the next message.
struct PipeNodeView {
  PipeKey section;
  const PipeNode* node = nullptr;
  std::int32_t amount = 0;  // units
  std::int64_t level = 0;   // base + amount * height / capacity, rounded down
};

/// Units of the last tick over a node's links and ports: the sum of classes, each within a quarter.
struct PipeFlows {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

class PipeMirror {
 public:
  /// The sides of the world's chunks.
  explicit PipeMirror(ChunkShape sides = {}) : sides_(sides) {}

  /// The error names the section; what is held of it is then unchanged.
  [[nodiscard]] Status update(const PipeUpdate& update);
  void drop(const PipeKey& key) { sections_.erase(key); }
  /// Whether the section is the server's. One that is not held has the checksum 0.
  [[nodiscard]] bool matches(const PipeDigest& digest) const;

  [[nodiscard]] const PipeSection* find(const PipeKey& key) const;
  [[nodiscard]] std::size_t section_count() const { return sections_.size(); }
  /// f(const PipeKey&, const PipeSection&), in rising order of keys: those without a place first.
  template <class F>
  void for_each_section(F&& f) const {
    for (const auto& [key, section] : sections_) f(key, section);
  }

  /// The node of a link's end; nothing when its section is not held, or has no such node.
  [[nodiscard]] std::optional<PipeNodeView> look(const PipeRef& ref) const;
  /// The nodes that lie in a cell, in the order of sections.
  [[nodiscard]] std::vector<PipeNodeView> nodes_in(Vec3 cell) const;
  /// Looks through all sections.
  [[nodiscard]] std::optional<PipeNodeView> find_name(std::string_view name) const;
  /// Walks through the links of all sections.
  [[nodiscard]] PipeFlows flows(const PipeNodeView& view) const;

 private:
  [[nodiscard]] PipeNodeView view(const PipeKey& key, const PipeSection& section,
                                  std::size_t place) const;

  ChunkShape sides_;
  std::map<PipeKey, PipeSection> sections_;
};

}  // namespace sluice::protocol
