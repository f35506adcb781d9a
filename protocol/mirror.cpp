#include "protocol/mirror.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/checksum.h"
#include "protocol/codec.h"
#include "protocol/column_lessons.h"

namespace sluice::protocol {

Mirror::Mirror(Welcome welcome)
    : welcome_(std::move(welcome)),
      tick_(welcome_.tick),
      layers_(welcome_.layers.size() + (welcome_.coarse_layers ? welcome_.layers.size() + 1 : 1) *
                                           static_cast<std::size_t>(welcome_.levels_of_detail)),
      pipes_(welcome_.sides) {}

Status Mirror::apply(const Tick& tick) {
  changed_.clear();
  // A live world's time never falls; a replay's goes where its viewers send it.
  if (tick.tick < tick_ && !tick.playback) {
    return Error{"tick " + std::to_string(tick.tick) + " after tick " + std::to_string(tick_)};
  }
  tick_ = tick.tick;
  counters_ = tick.counters;
  playback_ = tick.playback;
  ++stats_.frames;
  for (const ChunkCoord& coord : tick.dropped) {
    if (chunks_.erase(coord) > 0) changed_.push_back({coord, 0, false});
  }
  if (Status status = learn(0, tick.lesson); !status.ok()) return status;
  for (const ChunkUpdate& chunk : tick.chunks) {
    changed_.push_back({chunk.coord, chunk.payload.size(), !chunks_.contains(chunk.coord)});
    if (Status status = update(chunk, chunks_, 0); !status.ok()) return status;
  }
  for (const ChunkDigest& digest : tick.digests) check(digest, chunks_, 0);
  for (const LayerChanges& changes : tick.layers) {
    if (Status status = apply(changes); !status.ok()) return status;
  }
  for (const PipeKey& key : tick.pipes_dropped) pipes_.drop(key);
  for (const PipeUpdate& pipes : tick.pipes) {
    if (Status status = update(pipes); !status.ok()) return status;
  }
  for (const PipeDigest& digest : tick.pipe_digests) check(digest);
  return Done{};
}

Status Mirror::apply(const LayerChanges& changes) {
  if (changes.layer >= layers_.size()) {
    return Error{"tick: layer " + std::to_string(changes.layer) + ", but the world has " +
                 std::to_string(layers_.size())};
  }
  Chunks& layer = layers_[changes.layer];
  const auto number = static_cast<std::uint8_t>(changes.layer + 1);
  if (Status status = learn(number, changes.lesson); !status.ok()) return status;
  for (const ChunkCoord& coord : changes.dropped) layer.erase(coord);
  for (const ChunkUpdate& chunk : changes.chunks) {
    if (Status status = update(chunk, layer, number); !status.ok()) return status;
  }
  for (const ChunkDigest& digest : changes.digests) check(digest, layer, number);
  return Done{};
}

Status Mirror::learn(std::size_t part, ByteView lesson) {
  if (lesson.empty()) return Done{};
  ColumnChances chances;
  if (Status status = read_lesson(lesson, chances); !status.ok()) {
    return Error{"tick: " + status.error()};
  }
  learnt_.insert_or_assign(part, chances);
  return Done{};
}

Status Mirror::update(const ChunkUpdate& chunk, Chunks& chunks, std::size_t part) {
  if (!in_world(chunk.coord, level_of(part))) {
    return Error{"tick: chunk " + to_string(chunk.coord) + " lies outside the world"};
  }
  auto place = chunks.find(chunk.coord);
  if (place == chunks.end()) {
    if (chunks.size() >= kMaxMirrorChunks) return Error{"tick: more chunks than a world can hold"};
    place = chunks.emplace(chunk.coord, std::make_unique<ChunkCells>()).first;
  }
  ++stats_.chunk_updates;
  const auto learnt = learnt_.find(part);
  const ColumnChances& told = learnt == learnt_.end() ? first_chances() : learnt->second;
  if (Status status = decode_chunk(chunk.payload, *place->second, told); !status.ok()) {
    return Error{"tick: chunk " + to_string(chunk.coord) + ": " + status.error()};
  }
  return Done{};
}

void Mirror::check(const ChunkDigest& digest, const Chunks& chunks, std::uint8_t number) {
  const auto place = chunks.find(digest.coord);
  const std::uint64_t mine =
      place == chunks.end() ? air_checksum() : chunk_checksum(*place->second);
  ++stats_.chunks_checked;
  if (mine == digest.digest) return;
  ++stats_.digest_mismatches;
  ++stats_.resyncs;
  wanted_resyncs_.push_back({digest.coord, number});
}

Status Mirror::update(const PipeUpdate& pipes) {
  if (pipes.key.placed() && !in_world(pipes.key.coord)) {
    return Error{"tick: pipe section " + to_string(pipes.key.coord) + " lies outside the world"};
  }
  ++stats_.pipe_updates;
  stats_.pipe_bytes += pipes.payload.size();
  return pipes_.update(pipes);
}

void Mirror::check(const PipeDigest& digest) {
  ++stats_.sections_checked;
  if (pipes_.matches(digest)) return;
  ++stats_.digest_mismatches;
  ++stats_.resyncs;
  wanted_pipe_resyncs_.push_back(digest.key);
}

bool Mirror::in_world(ChunkCoord coord, int level) const {
  const ChunkShape& sides = welcome_.sides;
  const ChunkCoord last =
      sides.chunk_of({(welcome_.size.x - 1) >> level, (welcome_.size.y - 1) >> level,
                      (welcome_.size.z - 1) >> level});
  return coord.x >= 0 && coord.y >= 0 && coord.z >= 0 && coord.x <= last.x && coord.y <= last.y &&
         coord.z <= last.z;
}

bool Mirror::in_world(Vec3 at) const {
  const Vec3 size = welcome_.size;
  return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < size.x && at.y < size.y && at.z < size.z;
}

// Of the cells that it counts.
int Mirror::level_of(std::size_t part) const {
  const std::size_t named = welcome_.layers.size();
  if (part <= named) return 0;
  const auto behind = static_cast<int>(part - 1 - named);
  const int levels = welcome_.levels_of_detail;
  return 1 + (behind < levels ? behind : (behind - levels) / static_cast<int>(named));
}

std::int32_t Mirror::coarse_layer_at(int level, std::size_t layer, Vec3 at) const {
  if (level == 0) return layer_at(layer, at);
  return layer_at(layer_of_coarse(level, layer), {at.x >> level, at.y >> level, at.z >> level});
}

std::int32_t Mirror::coarse_cell(int level, Vec3 at) const {
  if (!in_world(at)) return kOutside;
  return layer_at(layer_of_detail(level), {at.x >> level, at.y >> level, at.z >> level});
}

std::int32_t Mirror::cell(Vec3 at) const {
  if (!in_world(at)) return kOutside;
  const ChunkCells* cells = find(welcome_.sides.chunk_of(at));
  return cells == nullptr ? 0 : (*cells)[static_cast<std::size_t>(welcome_.sides.index_of(at))];
}

std::int32_t Mirror::layer_at(std::size_t layer, Vec3 at) const {
  const Chunks& chunks = layers_[layer];
  const auto place = chunks.find(welcome_.sides.chunk_of(at));
  if (place == chunks.end()) return 0;
  return (*place->second)[static_cast<std::size_t>(welcome_.sides.index_of(at))];
}

const ChunkCells* Mirror::find(ChunkCoord coord) const {
  const auto place = chunks_.find(coord);
  return place == chunks_.end() ? nullptr : place->second.get();
}

std::vector<Resync> Mirror::take_wanted_resyncs() {
  return std::exchange(wanted_resyncs_, {});
}

std::vector<PipeKey> Mirror::take_wanted_pipe_resyncs() {
  return std::exchange(wanted_pipe_resyncs_, {});
}

}  // namespace sluice::protocol
