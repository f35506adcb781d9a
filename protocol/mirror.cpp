#include "protocol/mirror.h"

#include <string>
#include <utility>

#include "protocol/checksum.h"
#include "protocol/codec.h"

namespace sluice::protocol {

Mirror::Mirror(Welcome welcome)
    : welcome_(std::move(welcome)), tick_(welcome_.tick), pipes_(welcome_.sides) {}

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
  for (const ChunkUpdate& chunk : tick.chunks) {
    if (Status status = update(chunk); !status.ok()) return status;
  }
  for (const ChunkDigest& digest : tick.digests) check(digest);
  for (const PipeKey& key : tick.pipes_dropped) pipes_.drop(key);
  for (const PipeUpdate& pipes : tick.pipes) {
    if (Status status = update(pipes); !status.ok()) return status;
  }
  for (const PipeDigest& digest : tick.pipe_digests) check(digest);
  return Done{};
}

Status Mirror::update(const ChunkUpdate& chunk) {
  if (!in_world(chunk.coord)) {
    return Error{"tick: chunk " + to_string(chunk.coord) + " lies outside the world"};
  }
  auto place = chunks_.find(chunk.coord);
  const bool came_in = place == chunks_.end();
  if (came_in) {
    if (chunks_.size() >= kMaxMirrorChunks) return Error{"tick: more chunks than a world can hold"};
    place = chunks_.emplace(chunk.coord, std::make_unique<ChunkCells>()).first;
  }
  ++stats_.chunk_updates;
  changed_.push_back({chunk.coord, chunk.payload.size(), came_in});
  if (Status status = decode_chunk(chunk.payload, *place->second); !status.ok()) {
    return Error{"tick: chunk " + to_string(chunk.coord) + ": " + status.error()};
  }
  return Done{};
}

void Mirror::check(const ChunkDigest& digest) {
  const ChunkCells* cells = find(digest.coord);
  const std::uint64_t mine = cells == nullptr ? air_checksum() : chunk_checksum(*cells);
  ++stats_.chunks_checked;
  if (mine == digest.digest) return;
  ++stats_.digest_mismatches;
  ++stats_.resyncs;
  wanted_resyncs_.push_back(digest.coord);
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

bool Mirror::in_world(ChunkCoord coord) const {
  const ChunkShape& sides = welcome_.sides;
  const ChunkCoord last =
      sides.chunk_of({welcome_.size.x - 1, welcome_.size.y - 1, welcome_.size.z - 1});
  return coord.x >= 0 && coord.y >= 0 && coord.z >= 0 && coord.x <= last.x && coord.y <= last.y &&
         coord.z <= last.z;
}

std::int32_t Mirror::cell(Vec3 at) const {
  const Vec3 size = welcome_.size;
  if (at.x < 0 || at.y < 0 || at.z < 0 || at.x >= size.x || at.y >= size.y || at.z >= size.z) {
    return kOutside;
  }
  const ChunkCells* cells = find(welcome_.sides.chunk_of(at));
  return cells == nullptr ? 0 : (*cells)[static_cast<std::size_t>(welcome_.sides.index_of(at))];
}

const ChunkCells* Mirror::find(ChunkCoord coord) const {
  const auto place = chunks_.find(coord);
  return place == chunks_.end() ? nullptr : place->second.get();
}

std::vector<ChunkCoord> Mirror::take_wanted_resyncs() {
  return std::exchange(wanted_resyncs_, {});
}

std::vector<PipeKey> Mirror::take_wanted_pipe_resyncs() {
  return std::exchange(wanted_pipe_resyncs_, {});
}

}  // namespace sluice::protocol
