#include "server/net/interest.h"

#include <utility>

#include "protocol/base/sometimes.h"

namespace sluice::net {

// A message in the making, and its size so far.
struct Interest::Draft {
  protocol::Tick tick;
  std::size_t bytes = 0;
  const std::size_t most_bytes;

  explicit Draft(const PublishedWorld& world) : most_bytes(world.sizes().tick_bytes) {
    tick.tick = world.tick();
    tick.counters = world.counters();
    tick.playback = world.playback();
  }
  [[nodiscard]] bool full() const { return bytes >= most_bytes; }
  /// Adds to one of the message's lists of things with a key and, except those dropped, a content.
  template <class Key>
  void drop(std::vector<Key>& list, const Key& key) {
    list.push_back(key);
    bytes += sizeof(key);
  }
  template <class Update, class Key>
  void update(std::vector<Update>& list, const Key& key, protocol::ByteView payload) {
    list.push_back({key, payload});
    bytes += payload.size() + protocol::kChunkOverheadBytes;
  }
};

namespace {

/// Where in a message that stands which is said of chunks of cells, of sections, of a layer.
template <class Updates, class Dropped, class Digests>
struct Part {
  Updates& updates;
  Dropped& dropped;
  Digests& digests;
};
// Some compilers do not find that by themselves.
template <class Updates, class Dropped, class Digests>
Part(Updates&, Dropped&, Digests&) -> Part<Updates, Dropped, Digests>;

template <class Draft, class Lists>  // Tick or LayerChanges
void tell_lesson(Draft& draft, Lists& lists, const PublishedChunks& published,
                 std::uint32_t& told) {
  if (told == published.lessons()) return;
  told = published.lessons();
  lists.lesson = published.lesson();
  draft.bytes += lists.lesson.size();
}

template <class Lists>  // Tick or LayerChanges
auto chunks_of(Lists& lists) {
  return Part{lists.chunks, lists.dropped, lists.digests};
}
auto pipes_of(protocol::Tick& tick) {
  return Part{tick.pipes, tick.pipes_dropped, tick.pipe_digests};
}

// What a frame says of one part: `published` is the world's copy of it, `stale` what this viewer
// lacks.

template <class Draft, class To, class Published, class Stale>
void add_changes(Draft& draft, To to, Published& published, const ChunkRange& view, Stale& stale) {
  for (const auto& change : published.changes()) {
    if (!Published::in_view(view, change.key) || stale.contains(change.key)) continue;
    if (draft.full()) {
      stale.insert(change.key);
    } else if (change.payload != nullptr) {
      draft.update(to.updates, change.key, *change.payload);
    } else if (published.has(change.key)) {
      draft.update(to.updates, change.key, published.keyframe(change.key));
    } else {
      draft.drop(to.dropped, change.key);
    }
  }
}

template <class Draft, class To, class Published, class Stale>
void add_stale(Draft& draft, To to, Published& published, const ChunkRange& view, Stale& stale) {
  while (!stale.empty() && !draft.full()) {
    const auto key = *stale.begin();
    stale.erase(stale.begin());
    if (!Published::in_view(view, key) || !published.has(key)) {
      draft.drop(to.dropped, key);
      continue;
    }
    draft.update(to.updates, key, published.keyframe(key));
    to.digests.push_back({key, published.checksum(key)});
  }
}

template <class To, class Published, class Stale>
void add_checks(To to, Published& published, const ChunkRange& view, const Stale& stale) {
  for (const auto& key : published.due_checks(view)) {
    if (!stale.contains(key)) to.digests.push_back({key, published.checksum(key)});
  }
}

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

std::size_t Interest::stale_count() const {
  std::size_t count = chunks_.size() + pipes_.size();
  for (const auto& stale : layers_) count += stale.size();
  return count;
}

void Interest::set_view(const ChunkRange& range, const PublishedWorld& world,
                        std::uint64_t layers) {
  if (range == view_ && layers == wanted_) return;
  layers_.resize(world.layer_count());
  std::vector<ChunkRange> before;
  for (std::size_t i = 0; i < layers_.size(); ++i) before.push_back(range_of(world, i));
  const ChunkRange view_before = std::exchange(view_, range);
  wanted_ = layers;
  const ChunkRange cells_before =
      std::exchange(cells_, (layers & world.detail_bits()) == 0 ? view_ : ChunkRange{});
  change_view(world, cells_before, cells_, chunks_);
  change_view(world.pipes(), view_before, view_, pipes_);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    change_view(world.layer(i), before[i], range_of(world, i), layers_[i]);
  }
  lessons_.resize(1 + layers_.size());
  if (cells_.empty()) lessons_[0] = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!wants(i)) lessons_[1 + i] = 0;
  }
  if (lacks_lesson(world)) told_ = false;
}

bool Interest::lacks_lesson(const PublishedWorld& world) const {
  if (!cells_.empty() && lessons_[0] != world.lessons()) return true;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (wants(i) && lessons_[1 + i] != world.layer(i).lessons()) return true;
  }
  return false;
}

bool Interest::sees(ChunkCoord coord, const PublishedWorld& world, std::size_t layer) const {
  if (layer == 0) return cells_.contains(coord);
  return layer <= layers_.size() && range_of(world, layer - 1).contains(coord);
}

bool Interest::resync(ChunkCoord coord, const PublishedWorld& world, std::size_t layer) {
  if (!sees(coord, world, layer)) return true;  // asked for before the view moved on
  const PublishedChunks& published = layer == 0 ? world : world.layer(layer - 1);
  std::set<ChunkCoord>& stale = layer == 0 ? chunks_ : layers_[layer - 1];
  if (!published.has(coord) && stale.size() >= published.chunk_count() + world.sizes().stale_air)
    return false;
  stale.insert(coord);
  return true;
}

bool Interest::resync_pipes(const protocol::PipeKey& key, const PublishedWorld& world) {
  if (!PublishedPipes::in_view(view_, key)) return true;
  if (!world.pipes().has(key) && pipes_.size() >= world.pipes().count() + world.sizes().stale_air)
    return false;
  pipes_.insert(key);
  return true;
}

void Interest::miss(const PublishedWorld& world) {
  told_ = false;
  miss_changes(world, cells_, chunks_);
  miss_changes(world.pipes(), view_, pipes_);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (wants(i)) miss_changes(world.layer(i), range_of(world, i), layers_[i]);
  }
}

// draw(to, published, view, stale) for each layer that the viewer wants, or still has some of.
template <class Draw>
void Interest::draw_layers(PublishedWorld& world, Draft& draft, Draw&& draw) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!wants(i) && layers_[i].empty()) continue;
    protocol::LayerChanges changes;
    changes.layer = static_cast<std::uint8_t>(i);
    if (wants(i)) tell_lesson(draft, changes, world.layer(i), lessons_[1 + i]);
    draw(chunks_of(changes), world.layer(i), range_of(world, i), layers_[i]);
    if (changes.chunks.empty() && changes.dropped.empty() && changes.digests.empty() &&
        changes.lesson.empty()) {
      continue;
    }
    draft.tick.layers.push_back(std::move(changes));
  }
}

// Layers come last: they wait where there is much to tell of cells.
protocol::Bytes Interest::step_frame(PublishedWorld& world) {
  told_ = true;
  Draft draft(world);
  protocol::Tick& tick = draft.tick;
  if (!cells_.empty()) tell_lesson(draft, tick, world, lessons_[0]);
  add_changes(draft, chunks_of(tick), world, cells_, chunks_);
  add_changes(draft, pipes_of(tick), world.pipes(), view_, pipes_);
  add_stale(draft, chunks_of(tick), world, cells_, chunks_);
  add_stale(draft, pipes_of(tick), world.pipes(), view_, pipes_);
  add_checks(chunks_of(tick), world, cells_, chunks_);
  add_checks(pipes_of(tick), world.pipes(), view_, pipes_);
  draw_layers(world, draft, [&](auto to, auto& published, const auto& view, auto& stale) {
    add_changes(draft, to, published, view, stale);
    add_stale(draft, to, published, view, stale);
    add_checks(to, published, view, stale);
  });
  return protocol::encode(protocol::ServerMessage{std::move(tick)});
}

protocol::Bytes Interest::catch_up_frame(PublishedWorld& world) {
  told_ = true;
  Draft draft(world);
  if (!cells_.empty()) tell_lesson(draft, draft.tick, world, lessons_[0]);
  add_stale(draft, chunks_of(draft.tick), world, cells_, chunks_);
  add_stale(draft, pipes_of(draft.tick), world.pipes(), view_, pipes_);
  draw_layers(world, draft, [&](auto to, auto& published, const auto& view, auto& stale) {
    add_stale(draft, to, published, view, stale);
  });
  return protocol::encode(protocol::ServerMessage{std::move(draft.tick)});
}

std::shared_ptr<const protocol::Bytes> TickFrames::next(Interest& viewer) {
  const auto step = [this](Interest& of) {
    return std::make_shared<const protocol::Bytes>(of.step_frame(world_));
  };
  if (!viewer.up_to_date()) {
    SLUICE_SOMETIMES("a client caught up with a tick");
    return step(viewer);
  }
  const auto place = shared_.find(viewer.subject());
  if (place == shared_.end()) {
    auto frame = step(viewer);
    shared_.emplace(viewer.subject(), Shared{frame, viewer});
    return frame;
  }
  SLUICE_SOMETIMES("two clients shared a frame");
  viewer = place->second.after;
  return place->second.frame;
}

}  // namespace sluice::net
