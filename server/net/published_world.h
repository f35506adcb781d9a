// The network's copy of a world: what every viewer in step with it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/limits.h"
#include "protocol/messages.h"
#include "server/net/chunk_range.h"
#include "server/net/coarse_chunks.h"
#include "server/net/published_chunks.h"
#include "server/net/published_pipes.h"
#include "server/net/sizes.h"

namespace sluice::net {

/// The chunks that a view touches, after it was cut to the world. Any box is safe to give.
[[nodiscard]] ChunkRange chunks_in_view(const Box& view, Vec3 size, const ChunkShape& sides);

/// The published chunks of a world's cells, and with them its pipes and its layers. The layers are
/// those that the world names, and after them what is made of them here: its levels of detail
/// (level n is the n-th of them), and behind those all named layers of level 1, of level 2, and so
/// on.
class PublishedWorld : public PublishedChunks {
 public:
  /// `sides` are those of the world's chunks; `layers`: how many it names; `size`: in cells, where
  /// levels of detail are wanted.
  explicit PublishedWorld(const ChunkShape& sides = kSideViewShape, std::size_t layers = 0,
                          const Sizes& sizes = {}, Vec3 size = {1, 1, 1});

  /// Takes in what the world's thread published. `watched`: somebody holds chunks, so none may be
  /// forgotten silently. Returns how many of the audited chunks were not what they should be.
  std::size_t apply(Publication publication, bool watched);
  /// Somebody is about to look at these layers, by their bits.
  void keep_layers(std::uint64_t bits);
  /// Nobody holds anything of the layer, nor of what is made of it, any more.
  void forget_layer(std::size_t layer);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  [[nodiscard]] const protocol::Counters& counters() const { return counters_; }
  /// Of a replay.
  [[nodiscard]] const std::optional<protocol::Playback>& playback() const { return playback_; }

  [[nodiscard]] std::size_t layer_count() const { return layers_.size() + coarse_.size(); }
  [[nodiscard]] PublishedChunks& layer(std::size_t i) {
    return i < layers_.size() ? layers_[i] : coarse_[i - layers_.size()];
  }
  [[nodiscard]] const PublishedChunks& layer(std::size_t i) const {
    return i < layers_.size() ? layers_[i] : coarse_[i - layers_.size()];
  }
  /// The layer's chunks in a view of the world's.
  [[nodiscard]] ChunkRange range_of(std::size_t layer, const ChunkRange& view) const {
    if (layer < layers_.size() || view.empty()) return view;
    return coarse_[layer - layers_.size()].range_of(view);
  }
  /// The named layer that this one is made of, or itself; nothing: of cells.
  [[nodiscard]] std::optional<std::size_t> named_layer_of(std::size_t layer) const;
  /// The bits of the levels of detail among those of all layers.
  [[nodiscard]] std::uint64_t detail_bits() const {
    return ((std::uint64_t{1} << protocol::kLevelsOfDetail) - 1) << layers_.size();
  }
  /// Of all layers, the bits of what a view at that level of detail, which may be 0, asks for: of
  /// named layers, of those of coarse cells, and of the level itself.
  [[nodiscard]] std::uint64_t bits_of(std::size_t level, std::uint64_t named,
                                      std::uint64_t coarse) const;
  [[nodiscard]] PublishedPipes& pipes() { return pipes_; }
  [[nodiscard]] const PublishedPipes& pipes() const { return pipes_; }

 private:
  /// The levels of detail.
  [[nodiscard]] std::span<CoarseChunks> details() {
    return std::span(coarse_).first(protocol::kLevelsOfDetail);
  }

  Sizes sizes_;
  std::uint64_t tick_ = 0;
  protocol::Counters counters_;
  std::optional<protocol::Playback> playback_;
  std::vector<PublishedChunks> layers_;
  std::vector<CoarseChunks> coarse_;
  PublishedPipes pipes_;
};

}  // namespace sluice::net
