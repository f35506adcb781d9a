// The network's copy of a world: what every viewer in step with it holds. Each change is encoded
// here once, for all viewers; so is each keyframe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/chunk.h"
#include "protocol/codec.h"
#include "protocol/messages.h"
#include "server/net/chunk_range.h"
#include "server/net/published_pipes.h"
#include "server/net/world_feed.h"

namespace sluice::net {

/// The chunks that a view touches, after it was cut to the world. Any box is safe to give.
[[nodiscard]] ChunkRange chunks_in_view(const Box& view, Vec3 size, const ChunkShape& sides);

struct Change {
  ChunkCoord key;
  /// From the state before to the state now; null: now all air.
  std::shared_ptr<const protocol::Bytes> payload;
};

class PublishedWorld {
 public:
  /// Chunks that are coded with all effort between two publications; the others are only rows. It
  /// bounds the time that a world with much in motion, or a new viewer of it, takes from the
  /// others.
  static constexpr std::size_t kThoroughChunks = 64;

  /// `sides` are those of the world's chunks.
  explicit PublishedWorld(const ChunkShape& sides = kSideViewShape,
                          std::size_t thorough_chunks = kThoroughChunks)
      : sides_(sides), thorough_chunks_(thorough_chunks) {}

  /// Takes in what the world's thread published. Afterwards changes() leads from the state before
  /// to the state now. `watched`: somebody holds chunks, so none may be forgotten silently. Returns
  /// how many of the audited chunks were not what they should be: the copy, or what its payload is
  /// read back as. The copy is then put right, as a change.
  std::size_t apply(Publication publication, bool watched);

  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  [[nodiscard]] const protocol::Counters& counters() const { return counters_; }
  /// Of a replay.
  [[nodiscard]] const std::optional<protocol::Playback>& playback() const { return playback_; }
  /// In rising order of coordinates, each once.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }

  [[nodiscard]] static bool in_view(const ChunkRange& view, ChunkCoord coord) {
    return view.contains(coord);
  }

  [[nodiscard]] bool has(ChunkCoord coord) const { return chunks_.contains(coord); }
  [[nodiscard]] std::size_t chunk_count() const { return chunks_.size(); }
  /// Only when has(coord). Valid until the next apply().
  [[nodiscard]] const protocol::Bytes& keyframe(ChunkCoord coord);
  /// Only when has(coord).
  [[nodiscard]] std::uint64_t checksum(ChunkCoord coord);

  /// f(coord) for each chunk in the range, in rising order; f returns whether to go on.
  template <class F>
  void for_each_in(const ChunkRange& range, F&& f) const {
    const auto same = [](ChunkCoord coord) { return coord; };
    walk_range(chunks_, range, same, same, f);
  }

  /// A few chunks of the range to be checked with this tick, other ones each time; often none.
  [[nodiscard]] std::vector<ChunkCoord> due_checks(const ChunkRange& range) const;

  [[nodiscard]] PublishedPipes& pipes() { return pipes_; }
  [[nodiscard]] const PublishedPipes& pipes() const { return pipes_; }

 private:
  struct Entry {
    std::shared_ptr<const protocol::ChunkCells> cells;
    protocol::Bytes keyframe;               // empty until asked for
    std::optional<std::uint64_t> checksum;  // empty until asked for
  };

  [[nodiscard]] bool sound(ChunkCoord coord, const protocol::ChunkCells* cells);
  void update(ChunkCoord coord, std::shared_ptr<const protocol::ChunkCells> cells);
  [[nodiscard]] std::shared_ptr<const protocol::Bytes> payload_to(const Entry* before, Entry& now);
  [[nodiscard]] protocol::Effort effort();
  Entry& entry(ChunkCoord coord);

  ChunkShape sides_;
  std::size_t thorough_chunks_;
  std::size_t thorough_left_ = thorough_chunks_;
  std::uint64_t tick_ = 0;
  protocol::Counters counters_;
  std::optional<protocol::Playback> playback_;
  std::map<ChunkCoord, Entry> chunks_;
  std::vector<Change> changes_;
  PublishedPipes pipes_;
};

}  // namespace sluice::net
