// The network's copy of a world's pipes, section by section: as PublishedWorld is for chunks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/messages.h"
#include "server/net/chunk_range.h"
#include "server/net/pipe_sections.h"

namespace sluice::net {

class PublishedPipes {
 public:
  struct Change {
    protocol::PipeKey key;
    /// From the state before to the state now; null: there is no such section any more.
    std::shared_ptr<const protocol::Bytes> payload;
  };

  /// Takes in what was published with a tick; `complete`: sections that are not in it are gone.
  void apply(std::uint64_t tick, PipeStates states, bool complete);
  /// Nothing was published with this tick.
  void pause(std::uint64_t tick, bool forget);

  /// In rising order of keys, each once.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  /// Sections without a place are in every view that is not empty.
  [[nodiscard]] static bool in_view(const ChunkRange& view, const protocol::PipeKey& key) {
    return key.placed() ? view.contains(key.coord) : !view.empty();
  }

  [[nodiscard]] bool has(const protocol::PipeKey& key) const { return sections_.contains(key); }
  [[nodiscard]] std::size_t count() const { return sections_.size(); }
  /// Only when has(key). Valid until the next apply().
  [[nodiscard]] const protocol::Bytes& keyframe(const protocol::PipeKey& key);
  /// Only when has(key).
  [[nodiscard]] std::uint64_t checksum(const protocol::PipeKey& key);

  /// f(key) for each section in view, in rising order; f returns whether to go on.
  template <class F>
  void for_each_in(const ChunkRange& view, F&& f) const {
    if (view.empty()) return;
    // Those without a place come first of all.
    for (auto it = sections_.begin(); it != sections_.end() && !it->first.placed(); ++it) {
      if (!f(it->first)) return;
    }
    walk_range(
        sections_, view, [](const protocol::PipeKey& key) { return key.coord; },
        [](ChunkCoord coord) {
          return protocol::PipeKey{coord, 0};
        },
        f);
  }
  /// A few sections in view to be checked with this tick, other ones each time; often none.
  [[nodiscard]] std::vector<protocol::PipeKey> due_checks(const ChunkRange& view) const;

 private:
  struct Entry {
    std::shared_ptr<const PipeState> state;
    protocol::Bytes keyframe;               // empty until asked for
    std::optional<std::uint64_t> checksum;  // empty until asked for
  };

  void update(const protocol::PipeKey& key, std::shared_ptr<const PipeState> state);
  Entry& entry(const protocol::PipeKey& key);

  std::uint64_t tick_ = 0;
  std::map<protocol::PipeKey, Entry> sections_;
  std::vector<Change> changes_;
};

}  // namespace sluice::net
