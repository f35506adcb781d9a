#include "server/net/interest.h"

namespace sluice::net {

namespace {

// Chunks that the world does not hold and that a viewer may still ask for, until it was answered.
constexpr std::size_t kMaxStaleAir = 4096;

}  // namespace

// A message in the making, and its size so far.
struct Interest::Draft {
  protocol::Tick tick;
  std::size_t bytes = 0;

  explicit Draft(const PublishedWorld& world) {
    tick.tick = world.tick();
    tick.counters = world.counters();
  }
  [[nodiscard]] bool full() const { return bytes >= protocol::kTickBudgetBytes; }
  void drop(protocol::Position coord) {
    tick.dropped.push_back(coord);
    bytes += sizeof(coord);
  }
  void update(protocol::Position coord, protocol::ByteView payload) {
    tick.chunks.push_back({coord, payload});
    bytes += payload.size() + protocol::kChunkOverheadBytes;
  }
};

void Interest::set_view(const ChunkRange& range, const PublishedWorld& world) {
  if (range == view_) return;
  const ChunkRange before = view_;
  view_ = range;
  world.for_each_in(before, [&](protocol::Position coord) {
    if (!range.contains(coord)) stale_.insert(coord);
    return true;
  });
  world.for_each_in(range, [&](protocol::Position coord) {
    if (!before.contains(coord)) stale_.insert(coord);
    return true;
  });
}

bool Interest::resync(protocol::Position coord, const PublishedWorld& world) {
  if (!view_.contains(coord)) return true;  // asked for before the view moved on
  if (!world.has(coord) && stale_.size() >= world.chunk_count() + kMaxStaleAir) return false;
  stale_.insert(coord);
  return true;
}

void Interest::miss(const PublishedWorld& world) {
  for (const Change& change : world.changes()) {
    if (view_.contains(change.coord)) stale_.insert(change.coord);
  }
}

void Interest::add_changes(PublishedWorld& world, Draft& draft) {
  for (const Change& change : world.changes()) {
    if (!view_.contains(change.coord) || stale_.contains(change.coord)) continue;
    if (draft.full()) {
      stale_.insert(change.coord);
    } else if (change.payload == nullptr) {
      draft.drop(change.coord);
    } else {
      draft.update(change.coord, *change.payload);
    }
  }
}

void Interest::add_stale(PublishedWorld& world, Draft& draft) {
  while (!stale_.empty() && !draft.full()) {
    const protocol::Position coord = *stale_.begin();
    stale_.erase(stale_.begin());
    if (!view_.contains(coord) || !world.has(coord)) {
      draft.drop(coord);
      continue;
    }
    draft.update(coord, world.keyframe(coord));
    draft.tick.digests.push_back({coord, world.checksum(coord)});
  }
}

void Interest::add_checks(PublishedWorld& world, Draft& draft) const {
  for (const protocol::Position coord : world.due_checks(view_)) {
    if (!stale_.contains(coord)) draft.tick.digests.push_back({coord, world.checksum(coord)});
  }
}

protocol::Bytes Interest::step_frame(PublishedWorld& world) {
  Draft draft(world);
  add_changes(world, draft);
  add_stale(world, draft);
  add_checks(world, draft);
  return protocol::encode(protocol::ServerMessage{std::move(draft.tick)});
}

protocol::Bytes Interest::catch_up_frame(PublishedWorld& world) {
  Draft draft(world);
  add_stale(world, draft);
  return protocol::encode(protocol::ServerMessage{std::move(draft.tick)});
}

}  // namespace sluice::net
