// The network's copy of what a world has in chunks: its cells, or one of its layers. Each change is
// encoded here once, for all viewers; so is each keyframe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/chunk.h"
#include "protocol/codec.h"
#include "protocol/messages.h"
#include "server/net/chunk_range.h"
#include "server/net/publication.h"

namespace sluice::net {

struct ChunkChange {
  ChunkCoord key;
  /// From the state before to the state now; null: there was none before, and the keyframe leads
  /// there, or there is none now.
  std::shared_ptr<const protocol::Bytes> payload;
};

class PublishedChunks {
 public:
  /// `sides` are those of the world's chunks; `thorough_chunks` are coded with all effort between
  /// two publications, the others are only rows.
  PublishedChunks(const ChunkShape& sides, std::size_t thorough_chunks,
                  const protocol::LessonTerms& lessons = {})
      : sides_(sides), thorough_chunks_(thorough_chunks), lesson_terms_(lessons) {}

  /// Takes in what was published with a tick; `complete`: chunks that are not in it are air now.
  /// Afterwards changes() leads from the state before to the state now.
  void apply(std::uint64_t tick, ChunkPictures chunks, bool complete);
  /// Compares chunks with what they should be: the copy, and what its payload is read back as.
  /// What differs is put right, as a change. Returns how many did.
  std::size_t audit(ChunkPictures chunks);
  /// Nothing was published with this tick.
  void pause(std::uint64_t tick, bool forget);

  /// In rising order of coordinates, each once.
  [[nodiscard]] const std::vector<ChunkChange>& changes() const { return changes_; }
  /// Before apply(): the only time at which there may be another lesson.
  void begin_tick();
  /// How many lessons there were. The payloads of changes() are for who was told the last of them.
  [[nodiscard]] std::uint32_t lessons() const {
    return teacher_ == nullptr ? 0 : teacher_->lessons();
  }
  /// The last one, until the next begin_tick(); empty while there was none.
  [[nodiscard]] protocol::ByteView lesson() const {
    return teacher_ == nullptr ? protocol::ByteView{} : teacher_->lesson();
  }
  [[nodiscard]] static bool in_view(const ChunkRange& view, ChunkCoord coord) {
    return view.contains(coord);
  }

  [[nodiscard]] bool has(ChunkCoord coord) const { return chunks_.contains(coord); }
  /// Null: all air. Valid until the next apply().
  [[nodiscard]] const protocol::ChunkCells* cells(ChunkCoord coord) const {
    const auto place = chunks_.find(coord);
    return place == chunks_.end() ? nullptr : place->second.cells.get();
  }
  [[nodiscard]] std::size_t chunk_count() const { return chunks_.size(); }
  /// Only when has(coord). Valid until the next apply().
  [[nodiscard]] const protocol::Bytes& keyframe(ChunkCoord coord);
  /// Only when has(coord).
  [[nodiscard]] std::uint64_t checksum(ChunkCoord coord);

  /// f(coord) for each chunk, in rising order.
  template <class F>
  void for_each_chunk(F&& f) const {
    for (const auto& [coord, entry] : chunks_) f(coord);
  }
  /// f(coord) for each chunk in the range, in rising order; f returns whether to go on.
  template <class F>
  void for_each_in(const ChunkRange& range, F&& f) const {
    const auto same = [](ChunkCoord coord) { return coord; };
    walk_range(chunks_, range, same, same, f);
  }

  /// A few chunks of the range to be checked with this tick, other ones each time; often none.
  [[nodiscard]] std::vector<ChunkCoord> due_checks(const ChunkRange& range) const;

 private:
  struct Entry {
    ChunkPicture cells;
    protocol::Bytes keyframe;               // empty until asked for
    std::optional<std::uint64_t> checksum;  // empty until asked for
  };

  [[nodiscard]] bool sound(ChunkCoord coord, const protocol::ChunkCells* cells);
  void update(ChunkCoord coord, ChunkPicture cells);
  [[nodiscard]] std::shared_ptr<const protocol::Bytes> payload_to(const Entry& before, Entry& now);
  [[nodiscard]] protocol::Effort effort();
  Entry& entry(ChunkCoord coord);

  ChunkShape sides_;
  std::size_t thorough_chunks_;
  protocol::LessonTerms lesson_terms_;
  std::size_t thorough_left_ = thorough_chunks_;
  std::uint64_t tick_ = 0;
  std::map<ChunkCoord, Entry> chunks_;
  std::vector<ChunkChange> changes_;
  // From the first change on: of most layers of most worlds, nobody sees any.
  std::unique_ptr<protocol::ColumnTeacher> teacher_;
};

}  // namespace sluice::net
