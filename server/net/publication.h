// What a world's thread hands to the network's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/chunk.h"
#include "protocol/messages.h"
#include "server/net/pipe_sections.h"

namespace sluice::net {

/// A chunk's cells, or the numbers of a layer, copied out of the world; null: all air, all 0.
using ChunkPicture = std::shared_ptr<const protocol::ChunkCells>;
using ChunkPictures = std::map<ChunkCoord, ChunkPicture>;

/// A world's cells as of one tick, or what changed since the publication before.
struct Publication {
  std::uint64_t tick = 0;
  protocol::Counters counters;
  std::optional<protocol::Playback> playback;  // of a replay
  /// False when nobody watched: the tick only; a complete publication comes before the next change.
  bool has_chunks = false;
  /// `chunks` and `pipes` are all that is stored, not only what changed.
  bool complete = false;
  ChunkPictures chunks;
  PipeStates pipes;
  /// Chunks that somebody asked to have compared (WorldFeed::audit), as they are.
  ChunkPictures audits;
  /// What may look different in each layer (layer_follower.h); empty: in none.
  std::vector<ChunkPictures> layers = {};
  /// Of each layer, for which time that somebody wanted it this was found (WorldFeed::take).
  std::vector<std::uint32_t> layers_for = {};
};

}  // namespace sluice::net
