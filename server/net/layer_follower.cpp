#include "server/net/layer_follower.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/layers.h"
#include "server/sim/events.h"
#include "server/sim/heat/field.h"
#include "server/sim/tracers/field.h"
#include "server/sim/waves/state.h"

namespace sluice::net {

namespace {

using protocol::ChunkCells;

constexpr ChunkCoord kFirst{INT32_MIN, INT32_MIN, INT32_MIN};

ChunkPicture temperatures(const sim::World& world, ChunkCoord coord) {
  const sim::HeatState& heat = world.core().heat;
  const sim::Chunk* const chunk = world.grid().find(coord);
  const auto page = heat.pages.find(coord);
  if (chunk == nullptr || page == heat.pages.end()) return nullptr;
  const sim::HeatCurve curve(heat.options.latent);
  constexpr std::int32_t kQuarter = sim::kDegree / protocol::kToldInDegree;
  auto picture = std::make_shared<ChunkCells>();
  bool nothing = true;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int32_t units = held_in(chunk->cells[i]);
    if (units == 0) continue;
    const std::int32_t degrees = curve.temperature(page->second.at(i), units);
    // Rounded down, below 0 degrees too.
    (*picture)[i] =
        protocol::told_temperature((degrees - sim::kColdest) / kQuarter + sim::kColdest / kQuarter);
    nothing = false;
  }
  return nothing ? nullptr : picture;
}

ChunkPicture shares(const sim::World& world, std::size_t tracer, ChunkCoord coord) {
  const sim::AmountPages& pages = world.core().tracers.tracers[tracer].pages;
  const sim::Chunk* const chunk = world.grid().find(coord);
  const auto page = pages.find(coord);
  if (chunk == nullptr || page == pages.end()) return nullptr;
  auto picture = std::make_shared<ChunkCells>();
  bool nothing = true;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int64_t amount = page->second.at(i);
    if (amount == 0) continue;
    (*picture)[i] = protocol::told_share(amount, held_in(chunk->cells[i]));
    nothing = false;
  }
  return nothing ? nullptr : picture;
}

/// A wave's height in the parts that are told, rounded to the nearest.
std::int32_t parts_of(std::int32_t height) {
  constexpr std::int32_t kPart = 64 * kFull / protocol::kToldInCell;
  return (height + (height < 0 ? -kPart : kPart) / 2) / kPart;
}

}  // namespace

std::vector<Layer> layers_of(const sim::World& world) {
  std::vector<Layer> layers;
  const auto add = [&](Layer::Kind kind, std::string_view name) {
    layers.push_back({kind, 0, std::string(name)});
  };
  if (world.core().heat.on) add(Layer::Kind::kTemperature, protocol::kTemperatureLayer);
  if (world.core().waves.on) add(Layer::Kind::kWaves, protocol::kWaveLayer);
  const sim::TracerState& tracers = world.core().tracers;
  for (std::size_t t = 0; t < static_cast<std::size_t>(tracers.count); ++t) {
    add(Layer::Kind::kTracer,
        std::string(protocol::kTracerLayer) + tracers.tracers[t].options.name);
    layers.back().tracer = t;
    const auto kind = static_cast<std::size_t>(tracers.tracers[t].options.kind);
    layers.back().tracer_kind = sim::kTracerKinds[kind];
  }
  if (world.core().heat.on && world.core().heat.options.steam) {
    add(Layer::Kind::kSteam, protocol::kSteamLayer);
  }
  if (world.core().waves.on || world.core().heat.on) {
    add(Layer::Kind::kEvents, protocol::kEventLayer);
  }
  return layers;
}

const sim::AmountPages* LayerFollower::amounts(const sim::World& world) const {
  if (layer_.kind == Layer::Kind::kTemperature) return &world.core().heat.pages;
  if (scattered()) return nullptr;
  return &world.core().tracers.tracers[layer_.tracer].pages;
}

void LayerFollower::begin() {
  stop();
  rest_ = kFirst;
}

void LayerFollower::stop() {
  due_.clear();
  told_.clear();
  rest_.reset();
  unfinished_ = false;
  happened_.clear();
}

void LayerFollower::jump() {
  if (scattered()) {
    due_.clear();  // all of it is looked for anew
  } else {
    due_.insert(told_.begin(), told_.end());
  }
  rest_ = kFirst;
  happened_.clear();
}

// A temperature follows from a cell's energy and from its amount, a share of a tracer likewise.
void LayerFollower::note(const sim::World& world) {
  if (layer_.kind == Layer::Kind::kTemperature) {
    const auto& warmed = world.heat()->changed_chunks();
    due_.insert(warmed.begin(), warmed.end());
    due_.insert(world.changed_chunks().begin(), world.changed_chunks().end());
  } else if (layer_.kind == Layer::Kind::kTracer) {
    // Among them are all whose water changed: most hold none of it, and held none.
    for (const ChunkCoord coord : world.tracers()->changed_chunks(layer_.tracer)) {
      if (told_.contains(coord) || amounts(world)->contains(coord)) due_.insert(coord);
    }
  } else if (layer_.kind == Layer::Kind::kEvents) {
    note_events(world);
  }
}

// Of several in one cell the last one is told.
void LayerFollower::note_events(const sim::World& world) {
  const auto tick = static_cast<std::int32_t>(world.tick_number() % protocol::kEventTicks);
  for (const sim::WorldEvent& event : sim::events_of(world)) {
    if (happened_.size() >= most_untold_ && !happened_.contains(event.at)) continue;
    happened_[event.at] = protocol::told_event({event.kind, event.strength, tick});
  }
}

// f(place, number) for each number that is not 0, of a layer that is scattered.
template <class F>
void LayerFollower::for_each_number(const sim::World& world, F&& f) const {
  if (layer_.kind == Layer::Kind::kWaves) {
    const sim::WaveColumns& columns = world.core().waves.columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::int32_t parts = parts_of(columns.heights[i + 1]);
      if (parts != 0) f(columns.places[i], protocol::told_wave(parts));
    }
    for (const auto& [at, wave] : world.core().waves.frozen) {
      const std::int32_t parts = parts_of(wave.height);
      if (parts != 0) f(at, protocol::told_wave(parts));
    }
  } else if (layer_.kind == Layer::Kind::kSteam) {
    for (const sim::SteamCell& steam : world.core().heat.steam.cells) {
      f(steam.at, protocol::told_steam(steam.held.units));
    }
  } else {
    for (const auto& [place, number] : happened_) f(place, number);
  }
}

// All of them, whenever they are told: they are few, or move everywhere.
void LayerFollower::look_for_all(const sim::World& world) {
  looked_at_ = world.tick_number();
  due_ = told_;
  const ChunkShape shape = world.config().shape();
  for_each_number(world, [&](Vec3 place, std::int32_t) { due_.insert(shape.chunk_of(place)); });
}

// The pictures of the chunks that are keys of it.
void LayerFollower::draw_numbers(const sim::World& world, ChunkPictures& pictures) {
  const ChunkShape shape = world.config().shape();
  std::map<ChunkCoord, std::shared_ptr<ChunkCells>> drawn;
  for_each_number(world, [&](Vec3 place, std::int32_t number) {
    const ChunkCoord coord = shape.chunk_of(place);
    if (!pictures.contains(coord)) return;
    std::shared_ptr<ChunkCells>& picture = drawn[coord];
    if (picture == nullptr) picture = std::make_shared<ChunkCells>();
    (*picture)[static_cast<std::size_t>(shape.index_of(place))] = number;
  });
  for (auto& [coord, picture] : drawn) pictures[coord] = std::move(picture);
  std::erase_if(happened_,
                [&](const auto& event) { return pictures.contains(shape.chunk_of(event.first)); });
}

std::optional<ChunkCoord> LayerFollower::take_due(const sim::World& world) {
  if (const sim::AmountPages* const pages = amounts(world); rest_ && pages != nullptr) {
    auto page = pages->lower_bound(*rest_);
    if (page != pages->end()) {
      const ChunkCoord coord = page->first;
      rest_ = ++page == pages->end() ? std::nullopt : std::optional(page->first);
      due_.erase(coord);
      return coord;
    }
  }
  rest_.reset();
  if (due_.empty()) return std::nullopt;
  auto place = due_.lower_bound(next_);
  if (place == due_.end()) place = due_.begin();
  const ChunkCoord coord = *place;
  place = due_.erase(place);
  if (place != due_.end()) next_ = *place;
  return coord;
}

// What is scattered is drawn all at once, when it is known where it is wanted.
ChunkPicture LayerFollower::picture(const sim::World& world, ChunkCoord coord) const {
  switch (layer_.kind) {
    case Layer::Kind::kTemperature:
      return temperatures(world, coord);
    case Layer::Kind::kTracer:
      return shares(world, layer_.tracer, coord);
    case Layer::Kind::kWaves:
    case Layer::Kind::kSteam:
    case Layer::Kind::kEvents:
      break;
  }
  return nullptr;
}

void LayerFollower::collect(const sim::World& world, ChunkPictures& pictures) {
  if (scattered() && due_.empty()) look_for_all(world);
  ChunkPictures now;
  while (now.size() < most_chunks_) {
    const std::optional<ChunkCoord> coord = take_due(world);
    if (!coord) break;
    now[*coord] = picture(world, *coord);
  }
  unfinished_ = rest_ || !due_.empty();
  if (scattered()) draw_numbers(world, now);
  for (auto& [coord, picture] : now) {
    if (picture != nullptr) {
      told_.insert(coord);
    } else if (told_.erase(coord) == 0) {
      continue;  // nobody knows of it
    }
    pictures[coord] = std::move(picture);
  }
}

}  // namespace sluice::net
