// The client-side world: what the server has sent so far. Shared by the viewers, the load bots and
// the tests. It does no I/O: give it each Tick, ask it for cells.
//
//   Tick ──► dropped ──► chunks (decode over what is held) ──► digests (compare) ──► resyncs wanted
//
// and likewise for the layers that were asked for, and the sections of pipe networks
// (pipe_mirror.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/chunk.h"
#include "protocol/column_model.h"
#include "protocol/messages.h"
#include "protocol/pipe_mirror.h"

namespace sluice::protocol {

struct MirrorStats {
  std::uint64_t frames = 0;             // tick messages taken in
  std::uint64_t bytes = 0;              // of all messages counted by count_bytes
  std::uint64_t chunk_updates = 0;      // keyframes and deltas
  std::uint64_t resyncs = 0;            // keyframes asked for because a check failed
  std::uint64_t chunks_checked = 0;     // digests compared
  std::uint64_t digest_mismatches = 0;  // of those and of sections', unequal
  std::uint64_t pipe_updates = 0;       // keyframes and deltas of pipe sections
  std::uint64_t pipe_bytes = 0;         // of their payloads
  std::uint64_t sections_checked = 0;   // digests of pipe sections compared
};

/// What a message did to a chunk.
struct ChunkChange {
  ChunkCoord coord;
  std::size_t bytes = 0;  // of its payload; 0: it was dropped
  bool came_in = false;   // it was not held before: it need not have changed in the world

  friend bool operator==(const ChunkChange&, const ChunkChange&) = default;
};

class Mirror {
 public:
  Mirror() = default;
  /// Of the world that the server announced.
  explicit Mirror(Welcome welcome);

  /// Takes in a message. An error means that the server is wrong or speaks another protocol; the
  /// mirror is then of no more use than to be shown.
  [[nodiscard]] Status apply(const Tick& tick);

  /// Adds a received message's size to the statistics.
  void count_bytes(std::size_t bytes) { stats_.bytes += bytes; }

  [[nodiscard]] const Welcome& welcome() const { return welcome_; }
  /// Of the newest message; 0 before the first.
  [[nodiscard]] std::uint64_t tick() const { return tick_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Of the newest message; nothing when the world is a live one.
  [[nodiscard]] const std::optional<Playback>& playback() const { return playback_; }
  [[nodiscard]] const MirrorStats& stats() const { return stats_; }

  /// Units of water, kRock, or kOutside beyond the world. Air where nothing was sent.
  [[nodiscard]] std::int32_t cell(Vec3 at) const;
  /// Null where nothing is held: all air, or not in view.
  [[nodiscard]] const ChunkCells* find(ChunkCoord coord) const;
  /// f(ChunkCoord coord, const ChunkCells& cells), in rising order of coordinates.
  template <class F>
  void for_each_chunk(F&& f) const {
    for (const auto& [coord, cells] : chunks_) f(coord, *cells);
  }
  [[nodiscard]] std::size_t chunk_count() const { return chunks_.size(); }

  [[nodiscard]] const PipeMirror& pipes() const { return pipes_; }

  /// A number of a layer (layers.h), by its place in Welcome::layers; 0 where nothing was sent.
  [[nodiscard]] std::int32_t layer_at(std::size_t layer, Vec3 at) const;
  /// The place of a level of detail above 0 among the layers; it is at most
  /// welcome().levels_of_detail. Its chunks count coarse cells: cell p of the world is of the
  /// coarse cell p >> level.
  [[nodiscard]] std::size_t layer_of_detail(int level) const {
    return welcome_.layers.size() + static_cast<std::size_t>(level - 1);
  }
  /// Likewise the place of a named layer's coarse numbers: coarse_layer_at(1, 0, at) is the number
  /// of the coarse cell that stands for `at`.
  [[nodiscard]] std::size_t layer_of_coarse(int level, std::size_t layer) const {
    return layer_of_detail(welcome_.levels_of_detail + 1) +
           static_cast<std::size_t>(level - 1) * welcome_.layers.size() + layer;
  }
  /// At level 0: layer_at().
  [[nodiscard]] std::int32_t coarse_layer_at(int level, std::size_t layer, Vec3 at) const;
  /// The coarse cell that stands for `at`; as cell() otherwise.
  [[nodiscard]] std::int32_t coarse_cell(int level, Vec3 at) const;
  /// f(ChunkCoord coord, const ChunkCells& numbers), in rising order of coordinates.
  template <class F>
  void for_each_chunk_of(std::size_t layer, F&& f) const {
    for (const auto& [coord, numbers] : layers_[layer]) f(coord, *numbers);
  }

  /// Chunks of cells that the last message changed or dropped.
  [[nodiscard]] const std::vector<ChunkChange>& changed() const { return changed_; }

  /// Chunks whose digest differed, of cells and layers. Empties the list.
  [[nodiscard]] std::vector<Resync> take_wanted_resyncs();
  [[nodiscard]] std::vector<PipeKey> take_wanted_pipe_resyncs();

 private:
  using Chunks = std::map<ChunkCoord, std::unique_ptr<ChunkCells>>;

  // `part`: 0 for cells, and from 1 on the layers.
  [[nodiscard]] Status learn(std::size_t part, ByteView lesson);
  [[nodiscard]] Status update(const ChunkUpdate& chunk, Chunks& chunks, std::size_t part);
  [[nodiscard]] int level_of(std::size_t part) const;
  void check(const ChunkDigest& digest, const Chunks& chunks, std::uint8_t number);
  [[nodiscard]] Status apply(const LayerChanges& changes);
  [[nodiscard]] Status update(const PipeUpdate& pipes);
  void check(const PipeDigest& digest);
  [[nodiscard]] bool in_world(ChunkCoord coord, int level = 0) const;
  [[nodiscard]] bool in_world(Vec3 at) const;

  Welcome welcome_;
  std::uint64_t tick_ = 0;
  Counters counters_;
  std::optional<Playback> playback_;
  MirrorStats stats_;
  Chunks chunks_;
  std::vector<Chunks> layers_;                   // as LayerChanges::layer
  std::map<std::size_t, ColumnChances> learnt_;  // by the part; not there: no lesson came
  std::vector<ChunkChange> changed_;
  std::vector<Resync> wanted_resyncs_;
  PipeMirror pipes_;
  std::vector<PipeKey> wanted_pipe_resyncs_;
};

}  // namespace sluice::protocol
