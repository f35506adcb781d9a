#include "server/net/published_world.h"

#include <algorithm>
#include <utility>

#include "protocol/base/sometimes.h"
#include "protocol/limits.h"

namespace sluice::net {

namespace {

std::int32_t cut(std::int64_t value, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(std::clamp(value, low, high));
}

}  // namespace

ChunkRange chunks_in_view(const Box& view, Vec3 size, const ChunkShape& sides) {
  const auto last = [](std::int32_t from, std::int32_t length) {
    return std::int64_t{from} + length - 1;
  };
  const Vec3 low = {cut(view.from.x, 0, size.x), cut(view.from.y, 0, size.y),
                    cut(view.from.z, 0, size.z)};
  const Vec3 high = {cut(last(view.from.x, view.size.x), -1, size.x - 1),
                     cut(last(view.from.y, view.size.y), -1, size.y - 1),
                     cut(last(view.from.z, view.size.z), -1, size.z - 1)};
  // Compared as cells: two ends in one chunk can still hold no cell between them.
  if (low.x > high.x || low.y > high.y || low.z > high.z) return {};
  return {sides.chunk_of(low), sides.chunk_of(high)};
}

PublishedWorld::PublishedWorld(const ChunkShape& sides, std::size_t layers, const Sizes& sizes,
                               Vec3 size)
    : PublishedChunks(sides, sizes.thorough_chunks, sizes.lessons), sizes_(sizes) {
  for (std::size_t i = 0; i < layers; ++i) {
    layers_.emplace_back(sides, sizes.thorough_layer_chunks, sizes.lessons);
  }
  const auto add_levels = [&](CoarseChunks::Of of, std::size_t many) {
    for (std::int32_t level = 1; level <= protocol::kLevelsOfDetail; ++level) {
      for (std::size_t i = 0; i < many; ++i) {
        coarse_.emplace_back(of, sides, size, level, sizes.thorough_layer_chunks, sizes.lessons);
      }
    }
  };
  add_levels(CoarseChunks::Of::kCells, 1);
  add_levels(CoarseChunks::Of::kNumbers, layers);
}

std::optional<std::size_t> PublishedWorld::named_layer_of(std::size_t layer) const {
  if (layer < layers_.size()) return layer;
  const std::size_t behind_levels = layers_.size() + protocol::kLevelsOfDetail;
  if (layer < behind_levels) return std::nullopt;
  return (layer - behind_levels) % layers_.size();
}

std::uint64_t PublishedWorld::bits_of(std::size_t level, std::uint64_t named,
                                      std::uint64_t coarse) const {
  const std::uint64_t known = (std::uint64_t{1} << layers_.size()) - 1;
  if (level == 0) return named & known;
  const std::size_t levels = layers_.size();
  const std::size_t layers_of_it =
      levels + protocol::kLevelsOfDetail + (level - 1) * layers_.size();
  return (named & known) | std::uint64_t{1} << (levels + level - 1) |
         (coarse & known) << layers_of_it;
}

void PublishedWorld::keep_layers(std::uint64_t bits) {
  for (std::size_t i = layers_.size(); i < layer_count(); ++i) {
    if ((bits >> i & 1U) == 0) continue;
    const auto named = named_layer_of(i);
    coarse_[i - layers_.size()].begin(tick_, named ? layers_[*named] : *this);
  }
}

void PublishedWorld::forget_layer(std::size_t layer) {
  if (layer >= layers_.size()) return coarse_[layer - layers_.size()].end();
  layers_[layer].pause(tick_, true);
  for (std::size_t i = layers_.size(); i < layer_count(); ++i) {
    if (named_layer_of(i) == layer) coarse_[i - layers_.size()].pause(tick_, true);
  }
}

std::size_t PublishedWorld::apply(Publication publication, bool watched) {
  tick_ = publication.tick;
  counters_ = publication.counters;
  playback_ = std::move(publication.playback);
  begin_tick();
  for (std::size_t i = 0; i < layer_count(); ++i) layer(i).begin_tick();
  publication.layers.resize(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    layers_[i].apply(tick_, std::move(publication.layers[i]), false);
  }
  for (std::size_t i = layers_.size(); i < layer_count(); ++i) {
    if (const auto named = named_layer_of(i))
      coarse_[i - layers_.size()].follow(tick_, layers_[*named]);
  }
  if (!publication.has_chunks) {
    // Somebody may have come just after this was published: the copy then stays as it is, one tick
    // behind, and the complete publication that follows brings it forward.
    if (watched) SLUICE_SOMETIMES("somebody came just after a publication for nobody");
    PublishedChunks::pause(tick_, !watched);
    pipes_.pause(tick_, !watched);
    for (CoarseChunks& detail : details()) detail.pause(tick_, !watched);
    return 0;
  }
  PublishedChunks::apply(tick_, std::move(publication.chunks), publication.complete);
  pipes_.apply(tick_, std::move(publication.pipes), publication.complete);
  const std::size_t mismatches = audit(std::move(publication.audits));
  for (CoarseChunks& detail : details()) detail.follow(tick_, *this);
  return mismatches;
}

}  // namespace sluice::net
