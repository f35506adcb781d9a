#include "server/net/interest.h"

#include <utility>

namespace sluice::net {

namespace {

// Chunks and sections that the world does not hold and that a viewer may still ask for, until it
// was answered.
constexpr std::size_t kMaxStaleAir = 4096;

}  // namespace

// A message in the making, and its size so far.
struct Interest::Draft {
  protocol::Tick tick;
  std::size_t bytes = 0;

  explicit Draft(const PublishedWorld& world) {
    tick.tick = world.tick();
    tick.counters = world.counters();
    tick.playback = world.playback();
  }
  [[nodiscard]] bool full() const { return bytes >= protocol::kTickBudgetBytes; }
  void drop(ChunkCoord coord) {
    tick.dropped.push_back(coord);
    bytes += sizeof(coord);
  }
  void drop(const protocol::PipeKey& key) {
    tick.pipes_dropped.push_back(key);
    bytes += sizeof(key);
  }
  void update(ChunkCoord coord, protocol::ByteView payload) {
    tick.chunks.push_back({coord, payload});
    bytes += payload.size() + protocol::kChunkOverheadBytes;
  }
  void update(const protocol::PipeKey& key, protocol::ByteView payload) {
    tick.pipes.push_back({key, payload});
    bytes += payload.size() + protocol::kChunkOverheadBytes;
  }
  void check(ChunkCoord coord, std::uint64_t digest) { tick.digests.push_back({coord, digest}); }
  void check(const protocol::PipeKey& key, std::uint64_t digest) {
    tick.pipe_digests.push_back({key, digest});
  }

  // The parts of a frame, alike for chunks and for sections: `published` is the world's copy of
  // them, `stale` those that this viewer lacks.

  template <class Published, class Stale>
  void add_changes(const Published& published, const ChunkRange& view, Stale& stale) {
    for (const auto& change : published.changes()) {
      if (!Published::in_view(view, change.key) || stale.contains(change.key)) continue;
      if (full()) {
        stale.insert(change.key);
      } else if (change.payload == nullptr) {
        drop(change.key);
      } else {
        update(change.key, *change.payload);
      }
    }
  }
  template <class Published, class Stale>
  void add_stale(Published& published, const ChunkRange& view, Stale& stale) {
    while (!stale.empty() && !full()) {
      const auto key = *stale.begin();
      stale.erase(stale.begin());
      if (!Published::in_view(view, key) || !published.has(key)) {
        drop(key);
        continue;
      }
      update(key, published.keyframe(key));
      check(key, published.checksum(key));
    }
  }
  template <class Published, class Stale>
  void add_checks(Published& published, const ChunkRange& view, const Stale& stale) {
    for (const auto& key : published.due_checks(view)) {
      if (!stale.contains(key)) check(key, published.checksum(key));
    }
  }
};

namespace {

template <class Published, class Stale>
void change_view(const Published& published, const ChunkRange& before, const ChunkRange& now,
                 Stale& stale) {
  const auto mark = [&stale](const ChunkRange& unless) {
    return [&stale, &unless](const auto& key) {
      if (!Published::in_view(unless, key)) stale.insert(key);
      return true;
    };
  };
  published.for_each_in(before, mark(now));
  published.for_each_in(now, mark(before));
}

template <class Published, class Stale>
void miss_changes(const Published& published, const ChunkRange& view, Stale& stale) {
  for (const auto& change : published.changes()) {
    if (Published::in_view(view, change.key)) stale.insert(change.key);
  }
}

}  // namespace

void Interest::set_view(const ChunkRange& range, const PublishedWorld& world) {
  if (range == view_) return;
  const ChunkRange before = view_;
  view_ = range;
  change_view(world, before, range, chunks_);
  change_view(world.pipes(), before, range, pipes_);
}

bool Interest::resync(ChunkCoord coord, const PublishedWorld& world) {
  if (!view_.contains(coord)) return true;  // asked for before the view moved on
  if (!world.has(coord) && chunks_.size() >= world.chunk_count() + kMaxStaleAir) return false;
  chunks_.insert(coord);
  return true;
}

bool Interest::resync_pipes(const protocol::PipeKey& key, const PublishedWorld& world) {
  if (!PublishedPipes::in_view(view_, key)) return true;
  if (!world.pipes().has(key) && pipes_.size() >= world.pipes().count() + kMaxStaleAir)
    return false;
  pipes_.insert(key);
  return true;
}

void Interest::miss(const PublishedWorld& world) {
  told_ = false;
  miss_changes(world, view_, chunks_);
  miss_changes(world.pipes(), view_, pipes_);
}

protocol::Bytes Interest::step_frame(PublishedWorld& world) {
  told_ = true;
  Draft draft(world);
  draft.add_changes(world, view_, chunks_);
  draft.add_changes(world.pipes(), view_, pipes_);
  draft.add_stale(world, view_, chunks_);
  draft.add_stale(world.pipes(), view_, pipes_);
  draft.add_checks(world, view_, chunks_);
  draft.add_checks(world.pipes(), view_, pipes_);
  return protocol::encode(protocol::ServerMessage{std::move(draft.tick)});
}

protocol::Bytes Interest::catch_up_frame(PublishedWorld& world) {
  told_ = true;
  Draft draft(world);
  draft.add_stale(world, view_, chunks_);
  draft.add_stale(world.pipes(), view_, pipes_);
  return protocol::encode(protocol::ServerMessage{std::move(draft.tick)});
}

}  // namespace sluice::net
