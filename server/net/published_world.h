// The network's copy of a world: what every viewer in step with it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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
/// those that the world names, and after them its levels of detail, which are made here: level n is
/// the n-th of them.
class PublishedWorld : public PublishedChunks {
 public:
  /// `sides` are those of the world's chunks; `layers`: how many it names; `size`: in cells, where
  /// levels of detail are wanted.
  explicit PublishedWorld(const ChunkShape& sides = kSideViewShape, std::size_t layers = 0,
                          const Sizes& sizes = {}, Vec3 size = {1, 1, 1});

  /// Takes in what the world's thread published. `watched`: somebody holds chunks, so none may be
  /// forgotten silently. Returns how many of the audited chunks were not what they should be.
  std::size_t apply(Publication publication, bool watched);
  /// Nobody holds anything of the layer any more.
  void forget_layer(std::size_t layer);
  /// Somebody looks at the level of detail, which is above 0.
  void keep_detail(std::size_t level) { details_[level - 1].begin(tick_, *this); }

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  [[nodiscard]] const protocol::Counters& counters() const { return counters_; }
  /// Of a replay.
  [[nodiscard]] const std::optional<protocol::Playback>& playback() const { return playback_; }

  [[nodiscard]] std::size_t layer_count() const { return layers_.size() + details_.size(); }
  [[nodiscard]] PublishedChunks& layer(std::size_t i) {
    return i < layers_.size() ? layers_[i] : details_[i - layers_.size()];
  }
  [[nodiscard]] const PublishedChunks& layer(std::size_t i) const {
    return i < layers_.size() ? layers_[i] : details_[i - layers_.size()];
  }
  /// The layer's chunks in a view of the world's.
  [[nodiscard]] ChunkRange range_of(std::size_t layer, const ChunkRange& view) const {
    if (layer < layers_.size() || view.empty()) return view;
    return details_[layer - layers_.size()].range_of(view);
  }
  /// The bits of the levels of detail among those of all layers.
  [[nodiscard]] std::uint32_t detail_bits() const {
    return ((1U << details_.size()) - 1) << layers_.size();
  }
  /// The bit of a level of detail; of level 0: none.
  [[nodiscard]] std::uint32_t detail_bit(std::size_t level) const {
    return level == 0 ? 0 : 1U << (layers_.size() + level - 1);
  }
  [[nodiscard]] PublishedPipes& pipes() { return pipes_; }
  [[nodiscard]] const PublishedPipes& pipes() const { return pipes_; }

 private:
  Sizes sizes_;
  std::uint64_t tick_ = 0;
  protocol::Counters counters_;
  std::optional<protocol::Playback> playback_;
  std::vector<PublishedChunks> layers_;
  std::vector<CoarseChunks> details_;
  PublishedPipes pipes_;
};

}  // namespace sluice::net
