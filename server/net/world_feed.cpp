#include "server/net/world_feed.h"

#include <algorithm>
#include <utility>

#include "protocol/base/sometimes.h"

namespace sluice::net {

namespace {

// Reasons of the world are not cut once more on their way.
static_assert(protocol::kMaxReasonBytes >= std::size_t{sim::kMaxReasonBytes});

protocol::Counters counters_of(const sim::World& world) {
  const sim::Totals& totals = world.totals();
  return {totals.water,   totals.pipes,      totals.sourced,
          totals.drained, totals.evaporated, world.active_chunks()};
}

ChunkPicture all_of(Cell kind) {
  auto cells = std::make_shared<protocol::ChunkCells>();
  cells->fill(kind);
  return cells;
}

// Chunks of one kind of cell share their copies as they share their cells.
ChunkPicture copy_of(const sim::Chunk& chunk) {
  static const auto all_rock = all_of(kRock);
  static const auto all_full = all_of(kFull);
  if (chunk.cells.is_shared_rock()) return all_rock;
  if (chunk.cells.is_shared() && chunk.cells[0] == kFull) return all_full;
  auto cells = std::make_shared_for_overwrite<protocol::ChunkCells>();
  std::copy_n(chunk.cells.begin(), cells->size(), cells->begin());
  return cells;
}

// One that holds air alone is as good as none: viewers get no more chunks than a world may hold.
bool holds_cells(const sim::Chunk& chunk) {
  return chunk.digest != chunk.pristine;
}

// A chunk that holds nothing but an edge's gutter is no viewer's business.
bool in_world(const sim::Grid& grid, ChunkCoord coord) {
  return !intersect(grid.shape().box(coord), grid.world_box()).empty();
}

}  // namespace

WorldFeed::WorldFeed(const sim::World& world)
    : config_(world.config()), tick_(world.tick_number()) {
  mail_.publication.emplace();
  mail_.publication->tick = world.tick_number();
  mail_.publication->counters = counters_of(world);
  for (const Layer& layer : layers_of(world)) layers_.emplace_back(LayerFollower(layer));
  list_fixtures(world);
}

void WorldFeed::set_sizes(const Sizes& sizes) {
  sizes_ = sizes;
  for (auto& layer : layers_) layer.follower = LayerFollower(layer.follower.layer(), sizes);
}

WorldFeed::WorldFeed(const sim::World& world, std::string name, const protocol::Playback& playback)
    : WorldFeed(world) {
  config_.name = std::move(name);
  playback_ = playback;
  mail_.publication->playback = playback;
}

Publication WorldFeed::describe(const sim::World& world) {
  Publication publication;
  publication.tick = world.tick_number();
  publication.counters = counters_of(world);
  publication.playback = playback_;
  publication.has_chunks = watched_.load(std::memory_order_relaxed);
  publication.complete = publication.has_chunks && !complete_published_;
  complete_published_ = publication.has_chunks;
  std::set<ChunkCoord> changed = std::exchange(skipped_chunks_, {});
  publication.pipes = std::exchange(skipped_pipes_, {});
  if (!publication.has_chunks || publication.complete) publication.pipes.clear();
  if (!publication.has_chunks) {
    pipe_sections_.clear();
    return publication;
  }
  pipe_sections_.update(world, publication.complete, publication.pipes);
  const sim::Grid& grid = world.grid();
  if (publication.complete) {
    grid.for_each([&](const sim::Chunk& chunk) {
      if (!in_world(grid, chunk.coord) || !holds_cells(chunk)) return;
      publication.chunks[chunk.coord] = copy_of(chunk);
    });
    return publication;
  }
  changed.insert(world.changed_chunks().begin(), world.changed_chunks().end());
  for (const ChunkCoord coord : changed) {
    if (!in_world(grid, coord)) continue;
    const sim::Chunk* chunk = grid.find(coord);
    const bool holds = chunk != nullptr && holds_cells(*chunk);
    publication.chunks[coord] = holds ? copy_of(*chunk) : nullptr;
  }
  return publication;
}

void WorldFeed::publish(const sim::World& world) {
  tick_.store(world.tick_number(), std::memory_order_relaxed);
  follow_layers(world);
  Publication publication = describe(world);
  add_layers(world, publication);
  // Now and then, and only when they changed: a world may have a hundred thousand.
  const bool due = publication.tick % kFixturesInterval == 0;
  if (publication.complete || (due && springs_version_ != world.springs_version())) {
    list_fixtures(world);
  }
  add_audits(world, publication);
  put(std::move(publication));
}

std::vector<std::string> WorldFeed::layers() const {
  std::vector<std::string> names;
  for (const FollowedLayer& layer : layers_) names.push_back(layer.follower.layer().name);
  return names;
}

std::vector<std::string> WorldFeed::tracer_kinds() const {
  std::vector<std::string> kinds;
  for (const FollowedLayer& layer : layers_) kinds.push_back(layer.follower.layer().tracer_kind);
  return kinds;
}

void WorldFeed::want_layer(std::size_t layer, bool wanted) {
  std::atomic<std::uint32_t>& count = layers_[layer].wanted;
  const bool before = count.load(std::memory_order_relaxed) % 2 == 1;
  if (wanted == before) return;
  ++count;
  if (wanted && watch_) watch_();
}

// Whether or not this tick is published.
void WorldFeed::follow_layers(const sim::World& world) {
  // What a world that stands still is published for must come to an end: what its last tick changed
  // is due once.
  const bool goes_on = std::exchange(followed_tick_, world.tick_number()) != world.tick_number();
  for (FollowedLayer& layer : layers_) {
    const std::uint32_t count = layer.wanted.load(std::memory_order_relaxed);
    const bool anew = layer.followed != count;
    layer.followed = count;
    if (count % 2 == 0) {
      if (anew) layer.follower.stop();
    } else if (anew) {
      layer.follower.begin();
    } else if (jumped_) {
      layer.follower.jump();
    } else if (goes_on) {
      layer.follower.note(world);
    }
  }
  jumped_ = false;
}

// What stands still is told at once; what runs, some times a second.
void WorldFeed::add_layers(const sim::World& world, Publication& publication) {
  const auto every =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(config_.tick_rate) / kLayersPerSecond);
  const bool stands = playback_ || paused();
  const std::uint64_t tick = world.tick_number();
  const bool due = stands || tick % every == 0;
  publication.layers.resize(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    publication.layers_for.push_back(layers_[i].followed);
    LayerFollower& follower = layers_[i].follower;
    if (layers_[i].followed % 2 == 0 || !(due || follower.unfinished())) continue;
    follower.collect(world, publication.layers[i]);
  }
  if (due) layers_tick_ = tick;
}

// A world that runs tells more with its next ticks.
bool WorldFeed::layers_awaited() const {
  if (!paused()) return false;
  return std::any_of(layers_.begin(), layers_.end(), [this](const FollowedLayer& layer) {
    const std::uint32_t count = layer.wanted.load(std::memory_order_relaxed);
    if (count % 2 == 0) return false;
    return count != layer.followed || layer.follower.unfinished() || layers_tick_ != tick() ||
           layer.follower.behind(tick());
  });
}

void WorldFeed::list_fixtures(const sim::World& world) {
  springs_version_ = world.springs_version();
  Fixtures found;
  const auto copy = [&found](const auto& springs, std::vector<Fixture>& to) {
    for (const auto& [at, spring] : springs) {
      if (to.size() == kMostFixtures) break;
      to.push_back({at, spring.rate});
    }
    found.left_out += springs.size() - to.size();
  };
  const sim::HeatState& heat = world.core().heat;
  const auto& dyes = world.core().tracers.springs;
  copy(world.sources(), found.sources);
  copy(world.drains(), found.drains);
  copy(heat.heaters, found.heaters);
  found.heat = heat.on;
  for (const Fixture& source : found.sources) {
    const auto head = world.core().source_heads.find(source.at);
    if (head != world.core().source_heads.end()) found.heads.push_back({source.at, head->second});
    const auto spring = heat.springs.find(source.at);
    if (spring != heat.springs.end()) {
      found.temperatures.push_back({source.at, spring->second.temperature});
    }
    const auto dyed = dyes.find(source.at);
    if (dyed != dyes.end()) found.tracers.emplace_back(source.at, dyed->second.shares);
  }
  auto fixtures = std::make_shared<const Fixtures>(std::move(found));
  const std::lock_guard lock(mutex_);
  fixtures_ = std::move(fixtures);
}

std::shared_ptr<const Fixtures> WorldFeed::fixtures() {
  const std::lock_guard lock(mutex_);
  return fixtures_;
}

// What the world holds, whether or not anything says that it changed.
void WorldFeed::add_audits(const sim::World& world, Publication& publication) {
  std::set<ChunkCoord> audits;
  {
    const std::lock_guard lock(mutex_);
    audits.swap(audits_);
  }
  if (!publication.has_chunks) return;
  for (const ChunkCoord coord : audits) {
    const sim::Chunk* chunk = world.grid().find(coord);
    const bool holds = chunk != nullptr && holds_cells(*chunk);
    publication.audits[coord] = holds ? copy_of(*chunk) : nullptr;
  }
}

void WorldFeed::audit(ChunkCoord coord) {
  const std::lock_guard lock(mutex_);
  if (audits_.size() < kMostAudits) audits_.insert(coord);
}

void WorldFeed::skip(const sim::World& world) {
  tick_.store(world.tick_number(), std::memory_order_relaxed);
  follow_layers(world);
  if (!complete_published_) return;  // all there is will be published
  skipped_chunks_.insert(world.changed_chunks().begin(), world.changed_chunks().end());
  pipe_sections_.update(world, false, skipped_pipes_);
}

void WorldFeed::jump() {
  complete_published_ = false;
  jumped_ = true;
  pipe_sections_.clear();
}

void WorldFeed::set_watched(bool watched) {
  const bool before = watched_.exchange(watched, std::memory_order_relaxed);
  if (watched && !before && watch_) watch_();
}

void WorldFeed::put(Publication publication) {
  const std::lock_guard lock(mutex_);
  const bool was_empty = !mail_.publication && mail_.replies.empty();
  if (mail_.publication && mail_.publication->has_chunks && publication.has_chunks &&
      !publication.complete) {
    publication.complete = mail_.publication->complete;
    publication.chunks.merge(mail_.publication->chunks);  // keeps the newer of equal keys
    SLUICE_SOMETIMES("a publication was merged into the one before");
    publication.pipes.merge(mail_.publication->pipes);
    if (publication.complete) {
      std::erase_if(publication.chunks, [](auto& e) { return !e.second; });
      std::erase_if(publication.pipes, [](auto& e) { return !e.second; });
    }
  }
  // Nothing tells a layer's chunk again that did not change.
  if (mail_.publication) {
    for (std::size_t i = 0; i < mail_.publication->layers.size(); ++i) {
      if (mail_.publication->layers_for[i] != publication.layers_for[i]) continue;
      publication.layers[i].merge(mail_.publication->layers[i]);
    }
  }
  mail_.publication = std::move(publication);
  if (was_empty && wake_) wake_();
}

void WorldFeed::deliver(std::vector<CommandReply> replies) {
  if (replies.empty()) return;
  const std::lock_guard lock(mutex_);
  const bool was_empty = !mail_.publication && mail_.replies.empty();
  mail_.replies.insert(mail_.replies.end(), std::make_move_iterator(replies.begin()),
                       std::make_move_iterator(replies.end()));
  if (was_empty && wake_) wake_();
}

void WorldFeed::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
  if (wake_ && (mail_.publication || !mail_.replies.empty())) wake_();
}

// Somebody may have ceased to want a layer, and want it again, while this was on its way. Then it
// is told from its beginning: what was found before, nobody would take back.
WorldFeed::Mail WorldFeed::take() {
  Mail mail;
  {
    const std::lock_guard lock(mutex_);
    mail = std::exchange(mail_, {});
  }
  if (!mail.publication) return mail;
  for (std::size_t i = 0; i < mail.publication->layers.size(); ++i) {
    if (mail.publication->layers_for[i] == layers_[i].wanted.load(std::memory_order_relaxed))
      continue;
    mail.publication->layers[i].clear();
  }
  return mail;
}

}  // namespace sluice::net
