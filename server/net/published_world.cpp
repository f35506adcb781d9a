#include "server/net/published_world.h"

#include <algorithm>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/checksum.h"
#include "server/sim/sometimes.h"

namespace sluice::net {

namespace {

// A delta of fewer bytes is not worth the comparison with a keyframe.
constexpr std::size_t kLargeDeltaBytes = 2048;

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

std::size_t PublishedWorld::apply(Publication publication, bool watched) {
  tick_ = publication.tick;
  counters_ = publication.counters;
  playback_ = std::move(publication.playback);
  changes_.clear();
  thorough_left_ = thorough_chunks_;
  if (!publication.has_chunks) {
    // Somebody may have come just after this was published: the copy then stays as it is, one tick
    // behind, and the complete publication that follows brings it forward.
    if (watched) SLUICE_SOMETIMES("somebody came just after a publication for nobody");
    if (!watched) chunks_.clear();
    pipes_.pause(tick_, !watched);
    return 0;
  }
  if (publication.complete) {
    for (const auto& [coord, entry] : chunks_) publication.chunks.try_emplace(coord, nullptr);
  }
  for (auto& [coord, cells] : publication.chunks) update(coord, std::move(cells));
  pipes_.apply(tick_, std::move(publication.pipes), publication.complete);
  std::size_t mismatches = 0;
  for (auto& [coord, cells] : publication.audits) {
    if (sound(coord, cells.get())) continue;
    ++mismatches;
    update(coord, std::move(cells));
  }
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.key < b.key; });
  return mismatches;
}

// Whether viewers that take in every message hold these cells; null: air.
bool PublishedWorld::sound(ChunkCoord coord, const protocol::ChunkCells* cells) {
  if (cells == nullptr || !has(coord)) return cells == nullptr && !has(coord);
  if (*entry(coord).cells != *cells) return false;
  protocol::ChunkCells read_back{};
  return protocol::decode_chunk(keyframe(coord), read_back).ok() && read_back == *cells;
}

void PublishedWorld::update(ChunkCoord coord, std::shared_ptr<const protocol::ChunkCells> cells) {
  const auto place = chunks_.find(coord);
  const bool held = place != chunks_.end();
  if (cells == nullptr) {
    if (!held) return;
    chunks_.erase(place);
    changes_.push_back({coord, nullptr});
    return;
  }
  if (held && *place->second.cells == *cells) return;
  Entry now{std::move(cells), {}, std::nullopt};
  changes_.push_back({coord, payload_to(held ? &place->second : nullptr, now)});
  chunks_.insert_or_assign(coord, std::move(now));
}

protocol::Effort PublishedWorld::effort() {
  if (thorough_left_ == 0) return protocol::Effort::kRows;
  --thorough_left_;
  return protocol::Effort::kShortest;
}

std::shared_ptr<const protocol::Bytes> PublishedWorld::payload_to(const Entry* before, Entry& now) {
  auto payload = std::make_shared<protocol::Bytes>();
  if (before != nullptr) {
    protocol::encode_delta(*before->cells, *now.cells, sides_, *payload, effort());
    if (payload->size() < kLargeDeltaBytes) return payload;
  }
  protocol::encode_keyframe(*now.cells, sides_, now.keyframe, effort());
  if (before == nullptr || now.keyframe.size() < payload->size()) *payload = now.keyframe;
  return payload;
}

PublishedWorld::Entry& PublishedWorld::entry(ChunkCoord coord) {
  const auto place = chunks_.find(coord);
  SLUICE_ASSERT(place != chunks_.end());
  return place->second;
}

const protocol::Bytes& PublishedWorld::keyframe(ChunkCoord coord) {
  Entry& e = entry(coord);
  if (e.keyframe.empty()) protocol::encode_keyframe(*e.cells, sides_, e.keyframe, effort());
  return e.keyframe;
}

std::uint64_t PublishedWorld::checksum(ChunkCoord coord) {
  Entry& e = entry(coord);
  if (!e.checksum) e.checksum = protocol::chunk_checksum(*e.cells);
  return *e.checksum;
}

std::vector<ChunkCoord> PublishedWorld::due_checks(const ChunkRange& range) const {
  return due_of<ChunkCoord>(tick_, [&](auto&& f) { for_each_in(range, f); });
}

}  // namespace sluice::net
