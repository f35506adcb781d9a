// How the network learns of one layer of a world (protocol/layers.h): which chunks may look
// different, and what they look like. On the world's thread.
//
// Layers are less urgent than cells. They are told some times a second, and a publication takes
// only so many chunks; the others wait for the next ones, round and round, so none waits for ever.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocol/chunk.h"
#include "server/net/publication.h"
#include "server/net/sizes.h"
#include "server/sim/carried/amounts.h"
#include "server/sim/world.h"

namespace sluice::net {

struct Layer {
  enum class Kind : std::uint8_t { kTemperature, kWaves, kTracer, kSteam, kEvents };
  Kind kind = Kind::kTemperature;
  std::size_t tracer = 0;        // its number
  std::string name;              // in the welcome
  std::string tracer_kind = {};  // likewise; empty: of no tracer
};

/// Those that a world has.
[[nodiscard]] std::vector<Layer> layers_of(const sim::World& world);

class LayerFollower {
 public:
  explicit LayerFollower(Layer layer, const Sizes& sizes = {})
      : layer_(std::move(layer)),
        most_chunks_(sizes.layer_chunks),
        most_untold_(sizes.layer_events) {}

  [[nodiscard]] const Layer& layer() const { return layer_; }
  /// From now on: nothing was told of it, and all that the world has of it is due.
  void begin();
  /// Nobody follows it any more.
  void stop();
  /// The world is any other one than it was: all is due, and all that was told.
  void jump();
  /// After each tick.
  void note(const sim::World& world);
  /// Adds what is due, as many chunks as one publication takes.
  void collect(const sim::World& world, ChunkPictures& pictures);
  /// Whether the last collect() left chunks for the next.
  [[nodiscard]] bool unfinished() const { return unfinished_; }
  /// Whether what was told is of an earlier tick: of layers that are looked for when they are told.
  [[nodiscard]] bool behind(std::uint64_t tick) const { return scattered() && looked_at_ != tick; }

 private:
  [[nodiscard]] std::optional<ChunkCoord> take_due(const sim::World& world);
  /// Not kept in chunks by the world: looked for whenever it is told.
  [[nodiscard]] bool scattered() const {
    return layer_.kind == Layer::Kind::kWaves || layer_.kind == Layer::Kind::kSteam ||
           layer_.kind == Layer::Kind::kEvents;
  }
  void note_events(const sim::World& world);
  void look_for_all(const sim::World& world);
  template <class F>
  void for_each_number(const sim::World& world, F&& f) const;
  void draw_numbers(const sim::World& world, ChunkPictures& pictures);
  [[nodiscard]] ChunkPicture picture(const sim::World& world, ChunkCoord coord) const;
  /// What the numbers follow from, with the cells; null: they are scattered.
  [[nodiscard]] const sim::AmountPages* amounts(const sim::World& world) const;

  Layer layer_;
  std::size_t most_chunks_;
  std::size_t most_untold_;
  std::set<ChunkCoord> due_;
  std::set<ChunkCoord> told_;  // those that are not all 0
  ChunkCoord next_;            // where the round goes on
  // All that the world has from there on is due, too: that is not listed, since a large world would
  // take long to be.
  std::optional<ChunkCoord> rest_;
  bool unfinished_ = false;
  std::uint64_t looked_at_ = 0;                 // the tick in which a round began
  std::map<Vec3, std::int32_t> happened_ = {};  // events that were not told yet
};

}  // namespace sluice::net
