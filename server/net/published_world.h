// The network's copy of a world: what every viewer in step with it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/messages.h"
#include "server/net/chunk_range.h"
#include "server/net/published_chunks.h"
#include "server/net/published_pipes.h"

namespace sluice::net {

/// The chunks that a view touches, after it was cut to the world. Any box is safe to give.
[[nodiscard]] ChunkRange chunks_in_view(const Box& view, Vec3 size, const ChunkShape& sides);

/// The published chunks of a world's cells, and with them its pipes and its layers.
class PublishedWorld : public PublishedChunks {
 public:
  /// Chunks that are coded with all effort between two publications. It bounds the time that a
  /// world with much in motion, or a new viewer of it, takes from the others.
  static constexpr std::size_t kThoroughChunks = 64;
  /// And of each layer.
  static constexpr std::size_t kThoroughLayerChunks = 16;

  /// `sides` are those of the world's chunks; `layers`: how many it has.
  explicit PublishedWorld(const ChunkShape& sides = kSideViewShape, std::size_t layers = 0,
                          std::size_t thorough_chunks = kThoroughChunks)
      : PublishedChunks(sides, thorough_chunks),
        layers_(layers, PublishedChunks(sides, kThoroughLayerChunks)) {}

  /// Takes in what the world's thread published. `watched`: somebody holds chunks, so none may be
  /// forgotten silently. Returns how many of the audited chunks were not what they should be.
  std::size_t apply(Publication publication, bool watched);
  /// Nobody holds anything of the layer any more.
  void forget_layer(std::size_t layer) { layers_[layer].pause(tick_, true); }

  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  [[nodiscard]] const protocol::Counters& counters() const { return counters_; }
  /// Of a replay.
  [[nodiscard]] const std::optional<protocol::Playback>& playback() const { return playback_; }

  [[nodiscard]] std::size_t layer_count() const { return layers_.size(); }
  [[nodiscard]] PublishedChunks& layer(std::size_t i) { return layers_[i]; }
  [[nodiscard]] const PublishedChunks& layer(std::size_t i) const { return layers_[i]; }
  [[nodiscard]] PublishedPipes& pipes() { return pipes_; }
  [[nodiscard]] const PublishedPipes& pipes() const { return pipes_; }

 private:
  std::uint64_t tick_ = 0;
  protocol::Counters counters_;
  std::optional<protocol::Playback> playback_;
  std::vector<PublishedChunks> layers_;
  PublishedPipes pipes_;
};

}  // namespace sluice::net
