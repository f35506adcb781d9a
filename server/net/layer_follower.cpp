#include "server/net/layer_follower.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/layers.h"
#include "server/sim/heat/field.h"
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
  if (world.core().heat.on) layers.push_back(Layer::kTemperature);
  if (world.core().waves.on) layers.push_back(Layer::kWaves);
  return layers;
}

std::string_view name_of(Layer layer) {
  return layer == Layer::kTemperature ? protocol::kTemperatureLayer : protocol::kWaveLayer;
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
  if (layer_ == Layer::kTemperature) due_.insert(told_.begin(), told_.end());
  rest_ = kFirst;
}

// A temperature follows from a cell's energy and from its amount.
void LayerFollower::note(const sim::World& world) {
  if (layer_ == Layer::kWaves) return;
  const auto& warmed = world.heat()->changed_chunks();
  due_.insert(warmed.begin(), warmed.end());
  due_.insert(world.changed_chunks().begin(), world.changed_chunks().end());
}

// All of them, whenever they are told: they are few, or move everywhere.
void LayerFollower::look_for_waves(const sim::World& world) {
  due_ = told_;
  const ChunkShape shape = world.config().shape();
  for_each_wave(world, [&](Vec3 place, std::int32_t) { due_.insert(shape.chunk_of(place)); });
}

std::optional<ChunkCoord> LayerFollower::take_due(const sim::World& world) {
  if (rest_ && layer_ == Layer::kTemperature) {
    const sim::HeatPages& pages = world.core().heat.pages;
    auto page = pages.lower_bound(*rest_);
    if (page != pages.end()) {
      const ChunkCoord coord = page->first;
      rest_ = ++page == pages.end() ? std::nullopt : std::optional(page->first);
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

void LayerFollower::collect(const sim::World& world, ChunkPictures& pictures) {
  if (layer_ == Layer::kWaves && due_.empty()) look_for_waves(world);
  ChunkPictures now;
  while (now.size() < most_chunks_) {
    const std::optional<ChunkCoord> coord = take_due(world);
    if (!coord) break;
    now[*coord] = layer_ == Layer::kTemperature ? temperatures(world, *coord) : nullptr;
  }
  unfinished_ = rest_ || !due_.empty();
  if (layer_ == Layer::kWaves) draw_waves(world, now);
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
