// The network's copy of a world: what every viewer in step with it holds. Each change is encoded
// here once, for all viewers; so is each keyframe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/chunk.h"
#include "protocol/messages.h"
#include "server/net/world_feed.h"

namespace sluice::net {

/// A box of chunks, both ends included; empty when low > high on an axis.
struct ChunkRange {
  protocol::Position low{0, 0, 0};
  protocol::Position high{-1, -1, -1};

  friend auto operator<=>(const ChunkRange&, const ChunkRange&) = default;
  [[nodiscard]] bool empty() const { return low.x > high.x || low.y > high.y || low.z > high.z; }
  [[nodiscard]] bool contains(protocol::Position p) const {
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
           p.z <= high.z;
  }
};

/// The chunks that a view touches, after it was cut to the world. Any box is safe to give.
[[nodiscard]] ChunkRange chunks_in_view(const protocol::ViewBox& view, protocol::Position size,
                                        const protocol::ChunkSides& sides);

struct Change {
  protocol::Position coord;
  /// From the state before to the state now; null: now all air.
  std::shared_ptr<const protocol::Bytes> payload;
};

class PublishedWorld {
 public:
  /// Takes in what the world's thread published. Afterwards changes() leads from the state before
  /// to the state now. `watched`: somebody holds chunks, so none may be forgotten silently.
  void apply(Publication publication, bool watched);

  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  [[nodiscard]] const protocol::Counters& counters() const { return counters_; }
  /// In rising order of coordinates, each once.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }

  [[nodiscard]] bool has(protocol::Position coord) const { return chunks_.contains(coord); }
  [[nodiscard]] std::size_t chunk_count() const { return chunks_.size(); }
  /// Only when has(coord). Valid until the next apply().
  [[nodiscard]] const protocol::Bytes& keyframe(protocol::Position coord);
  /// Only when has(coord).
  [[nodiscard]] std::uint64_t checksum(protocol::Position coord);

  /// f(coord) for each chunk in the range, in rising order; f returns whether to go on. Skips over
  /// what lies outside the range instead of walking through it.
  template <class F>
  void for_each_in(const ChunkRange& range, F&& f) const {
    if (range.empty()) return;
    const protocol::Position low = range.low;
    const protocol::Position high = range.high;
    auto it = chunks_.lower_bound(low);
    while (it != chunks_.end() && it->first.x <= high.x) {
      const protocol::Position p = it->first;
      if (p.y > high.y) {
        it = chunks_.lower_bound({p.x + 1, low.y, low.z});
      } else if (p.y < low.y) {
        it = chunks_.lower_bound({p.x, low.y, low.z});
      } else if (p.z > high.z) {
        it = chunks_.lower_bound({p.x, p.y + 1, low.z});
      } else if (p.z < low.z) {
        it = chunks_.lower_bound({p.x, p.y, low.z});
      } else {
        if (!f(p)) return;
        ++it;
      }
    }
  }

  /// A few chunks of the range to be checked with this tick, other ones each time; often none.
  [[nodiscard]] std::vector<protocol::Position> due_checks(const ChunkRange& range) const;

 private:
  struct Entry {
    std::shared_ptr<const protocol::ChunkCells> cells;
    protocol::Bytes keyframe;               // empty until asked for
    std::optional<std::uint64_t> checksum;  // empty until asked for
  };

  void update(protocol::Position coord, std::shared_ptr<const protocol::ChunkCells> cells);
  [[nodiscard]] std::shared_ptr<const protocol::Bytes> payload_to(const Entry* before,
                                                                  Entry& now) const;
  Entry& entry(protocol::Position coord);

  std::uint64_t tick_ = 0;
  protocol::Counters counters_;
  std::map<protocol::Position, Entry> chunks_;
  std::vector<Change> changes_;
};

}  // namespace sluice::net
