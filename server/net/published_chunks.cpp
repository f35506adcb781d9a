#include "server/net/published_chunks.h"

#include <algorithm>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/base/sometimes.h"
#include "protocol/checksum.h"

namespace sluice::net {

namespace {

// A delta of fewer bytes is not worth the comparison with a keyframe.
constexpr std::size_t kLargeDeltaBytes = 2048;

}  // namespace

void PublishedChunks::begin_tick() {
  if (teacher_ == nullptr) return;
  const std::uint32_t before = teacher_->lessons();
  teacher_->begin_tick();
  if (teacher_->lessons() != before) SLUICE_SOMETIMES("viewers were told what the water taught");
}

void PublishedChunks::apply(std::uint64_t tick, ChunkPictures chunks, bool complete) {
  tick_ = tick;
  changes_.clear();
  thorough_left_ = thorough_chunks_;
  if (complete) {
    for (const auto& [coord, entry] : chunks_) chunks.try_emplace(coord, nullptr);
  }
  for (auto& [coord, cells] : chunks) update(coord, std::move(cells));
}

std::size_t PublishedChunks::audit(ChunkPictures chunks) {
  std::size_t mismatches = 0;
  for (auto& [coord, cells] : chunks) {
    if (sound(coord, cells.get())) continue;
    ++mismatches;
    update(coord, std::move(cells));
  }
  std::sort(changes_.begin(), changes_.end(),
            [](const ChunkChange& a, const ChunkChange& b) { return a.key < b.key; });
  return mismatches;
}

void PublishedChunks::pause(std::uint64_t tick, bool forget) {
  tick_ = tick;
  changes_.clear();
  if (forget) chunks_.clear();
}

// Whether viewers that take in every message hold these cells; null: air.
bool PublishedChunks::sound(ChunkCoord coord, const protocol::ChunkCells* cells) {
  if (cells == nullptr || !has(coord)) return cells == nullptr && !has(coord);
  if (*entry(coord).cells != *cells) return false;
  protocol::ChunkCells read_back{};
  return protocol::decode_chunk(keyframe(coord), read_back).ok() && read_back == *cells;
}

void PublishedChunks::update(ChunkCoord coord, ChunkPicture cells) {
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
  // What is new is coded when somebody sees it: of a large world's chunks, most are seen by nobody.
  changes_.push_back({coord, held ? payload_to(place->second, now) : nullptr});
  chunks_.insert_or_assign(coord, std::move(now));
}

protocol::Effort PublishedChunks::effort() {
  if (thorough_left_ == 0) return protocol::Effort::kRows;
  --thorough_left_;
  return protocol::Effort::kShortest;
}

std::shared_ptr<const protocol::Bytes> PublishedChunks::payload_to(const Entry& before,
                                                                   Entry& now) {
  auto payload = std::make_shared<protocol::Bytes>();
  if (teacher_ == nullptr) teacher_ = std::make_unique<protocol::ColumnTeacher>(lesson_terms_);
  protocol::encode_delta(*before.cells, *now.cells, sides_, *payload, effort(), teacher_.get());
  if (payload->size() < kLargeDeltaBytes) return payload;
  protocol::encode_keyframe(*now.cells, sides_, now.keyframe, effort());
  if (now.keyframe.size() < payload->size()) *payload = now.keyframe;
  return payload;
}

PublishedChunks::Entry& PublishedChunks::entry(ChunkCoord coord) {
  const auto place = chunks_.find(coord);
  SLUICE_ASSERT(place != chunks_.end());
  return place->second;
}

const protocol::Bytes& PublishedChunks::keyframe(ChunkCoord coord) {
  Entry& e = entry(coord);
  if (e.keyframe.empty()) protocol::encode_keyframe(*e.cells, sides_, e.keyframe, effort());
  return e.keyframe;
}

std::uint64_t PublishedChunks::checksum(ChunkCoord coord) {
  Entry& e = entry(coord);
  if (!e.checksum) e.checksum = protocol::chunk_checksum(*e.cells);
  return *e.checksum;
}

std::vector<ChunkCoord> PublishedChunks::due_checks(const ChunkRange& range) const {
  return due_of<ChunkCoord>(tick_, [&](auto&& f) { for_each_in(range, f); });
}

}  // namespace sluice::net
