#include "server/net/layer_follower.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/layers.h"
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

/// f(place, parts) for each column that is seen to move.
template <class F>
void for_each_wave(const sim::World& world, F&& f) {
  const sim::WaveColumns& columns = world.core().waves.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::int32_t parts = parts_of(columns.heights[i + 1]);
    if (parts != 0) f(columns.places[i], parts);
  }
}

/// The pictures of the chunks that are keys of it.
void draw_waves(const sim::World& world, ChunkPictures& pictures) {
  const ChunkShape shape = world.config().shape();
  std::map<ChunkCoord, std::shared_ptr<ChunkCells>> drawn;
  for_each_wave(world, [&](Vec3 place, std::int32_t parts) {
    const ChunkCoord coord = shape.chunk_of(place);
    if (!pictures.contains(coord)) return;
    std::shared_ptr<ChunkCells>& picture = drawn[coord];
    if (picture == nullptr) picture = std::make_shared<ChunkCells>();
    (*picture)[static_cast<std::size_t>(shape.index_of(place))] = protocol::told_wave(parts);
  });
  for (auto& [coord, picture] : drawn) pictures[coord] = std::move(picture);
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
  }
  return layers;
}

const sim::AmountPages* LayerFollower::amounts(const sim::World& world) const {
  if (layer_.kind == Layer::Kind::kTemperature) return &world.core().heat.pages;
  if (layer_.kind == Layer::Kind::kWaves) return nullptr;
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
}

void LayerFollower::jump() {
  // Waves are looked for anew in any case.
  if (layer_.kind != Layer::Kind::kWaves) due_.insert(told_.begin(), told_.end());
  rest_ = kFirst;
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
  }
}

// All of them, whenever they are told: they are few, or move everywhere.
void LayerFollower::look_for_waves(const sim::World& world) {
  due_ = told_;
  const ChunkShape shape = world.config().shape();
  for_each_wave(world, [&](Vec3 place, std::int32_t) { due_.insert(shape.chunk_of(place)); });
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

// Waves are drawn all at once, when it is known where they are wanted.
ChunkPicture LayerFollower::picture(const sim::World& world, ChunkCoord coord) const {
  switch (layer_.kind) {
    case Layer::Kind::kTemperature:
      return temperatures(world, coord);
    case Layer::Kind::kTracer:
      return shares(world, layer_.tracer, coord);
    case Layer::Kind::kWaves:
      break;
  }
  return nullptr;
}

void LayerFollower::collect(const sim::World& world, ChunkPictures& pictures) {
  if (layer_.kind == Layer::Kind::kWaves && due_.empty()) look_for_waves(world);
  ChunkPictures now;
  while (now.size() < most_chunks_) {
    const std::optional<ChunkCoord> coord = take_due(world);
    if (!coord) break;
    now[*coord] = picture(world, *coord);
  }
  unfinished_ = rest_ || !due_.empty();
  if (layer_.kind == Layer::Kind::kWaves) draw_waves(world, now);
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
