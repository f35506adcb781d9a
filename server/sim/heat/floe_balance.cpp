// Which way a floe goes: what it weighs, against the water that it would displace (heat.md,
// "Floating ice").
#include <algorithm>
#include <set>

#include "server/sim/heat/floe.h"

namespace sluice::sim {

namespace {

/// Water that stands in a cell; what is pressed together is no higher.
std::int64_t standing(Cell cell) {
  return std::min<std::int64_t>(water_of(cell), kFull);
}

/// A floe and the water around it, layer by layer from the one below its lowest to the one above
/// its highest cell.
class Surroundings {
 public:
  Surroundings(const Floe& floe, const std::vector<Vec3>& sides, FloeReader& reader)
      : floe_(floe), sides_(sides), reader_(reader) {
    low_ = INT32_MAX;
    std::int32_t high = INT32_MIN;
    for (const FloeRun& run : floe.runs) {
      low_ = std::min(low_, run.below().y);
      high = std::max(high, run.above().y);
    }
    layers_.resize(static_cast<std::size_t>(high - low_) + 1);
    for (const FloeRun& run : floe.runs) {
      for (std::int32_t i = 0; i < run.cells; ++i) {
        ++layers_[layer_of(run.bottom.y + i)].ice;
        weight_ += std::min(held_in(reader_(run.bottom + Vec3{0, i, 0})), kHeaviestIce);
      }
    }
    find_rim();
  }

  [[nodiscard]] std::int64_t rim_cells() const {
    return static_cast<std::int64_t>(rim_.size() * layers_.size());
  }

  /// To be called once, before what follows.
  void measure() {
    for (std::size_t i = 0; i < layers_.size(); ++i) measure_rim(i);
    // Where the level lies it is that of more water than touches the floe.
    std::size_t level = layers_.size() - 1;
    while (level > 0 && layers_[level].water < kFull / 2) --level;
    for (std::size_t i = level > 0 ? level - 1 : 0; i <= level + 1 && i < layers_.size(); ++i) {
      measure_around(i);
    }
    area_ = std::max<std::int64_t>(area_, 1);
    // Beside what no water gets past it stands as above.
    for (std::size_t i = layers_.size() - 1; i-- > 0;) {
      if (layers_[i].open == 0) layers_[i].water = layers_[i + 1].water;
    }
  }

  /// Of the ice, in units of water.
  [[nodiscard]] std::int64_t weight() const { return weight_; }
  /// Cells of its widest layer.
  [[nodiscard]] std::int64_t widest() const {
    std::int64_t most = 0;
    for (const Layer& layer : layers_) most = std::max(most, layer.ice);
    return most;
  }
  /// Columns over which what the floe displaces spreads.
  [[nodiscard]] std::int64_t area() const { return area_; }
  /// Units that it displaces so many cells further up, from -1 to 1.
  [[nodiscard]] std::int64_t displaced(std::int32_t up) const {
    std::int64_t units = 0;
    for (std::size_t i = 1; i + 1 < layers_.size(); ++i) {
      units += layers_[i].ice * layers_[i + static_cast<std::size_t>(up + 1) - 1].water;
    }
    return units;
  }
  /// Units that lie on the floe and will run off, less those that are still to come under it.
  [[nodiscard]] std::int64_t on_its_way() const {
    std::int64_t units = 0;
    for (const FloeRun& run : floe_.runs) {
      const Cell above = reader_(run.above());
      const Cell below = reader_(run.below());
      const std::int64_t beside_top = layers_[layer_of(run.above().y)].water;
      const std::int64_t beside_bottom = layers_[layer_of(run.below().y)].water;
      units += std::max<std::int64_t>(standing(above) - beside_top, 0);
      if (is_open(below)) units -= std::max<std::int64_t>(beside_bottom - standing(below), 0);
    }
    return units;
  }

 private:
  struct Layer {
    std::int64_t ice = 0;    // cells of the floe
    std::int64_t open = 0;   // cells beside it
    std::int64_t water = 0;  // units in each of those, on average
  };

  [[nodiscard]] std::size_t layer_of(std::int32_t y) const {
    return static_cast<std::size_t>(y - low_);
  }

  void find_rim() {
    for (const FloeRun& run : floe_.runs) columns_.insert({run.bottom.x, 0, run.bottom.z});
    for (const Vec3 column : columns_) {
      for (const Vec3 side : sides_) {
        if (!columns_.contains(column + side)) rim_.insert(column + side);
      }
    }
  }

  void take_mean(Layer& layer, std::int64_t open, std::int64_t units) {
    layer.open = open;
    layer.water = open == 0 ? 0 : units / open;
  }

  void measure_rim(std::size_t i) {
    const std::int32_t y = low_ + static_cast<std::int32_t>(i);
    std::int64_t open = 0;
    std::int64_t units = 0;
    for (const Vec3 column : rim_) {
      const Cell cell = reader_({column.x, y, column.z});
      if (!is_open(cell)) continue;
      ++open;
      units += standing(cell);
    }
    take_mean(layers_[i], open, units);
  }

  // Ring by ring through the layer's open cells, the last ring whole: so it is the same for a
  // mirror image. What lies on the floe, or under it, is no part of that water: it is on its way.
  void measure_around(std::size_t i) {
    const std::int32_t y = low_ + static_cast<std::int32_t>(i);
    const auto enough = kWaterOfARun * static_cast<std::int64_t>(floe_.runs.size());
    CellSet seen(reader_.grid().shape());
    std::vector<Vec3> ring;
    const auto meet = [&](Vec3 at, std::vector<Vec3>& next) {
      if (columns_.contains({at.x, 0, at.z})) return;
      if (is_open(reader_(at)) && seen.add(at)) next.push_back(at);
    };
    for (const Vec3 column : rim_) meet({column.x, y, column.z}, ring);
    std::int64_t open = 0;
    std::int64_t units = 0;
    while (!ring.empty()) {
      for (const Vec3 at : ring) units += standing(reader_(at));
      open += static_cast<std::int64_t>(ring.size());
      if (open >= enough) break;
      std::vector<Vec3> next;
      for (const Vec3 at : ring) {
        for (const Vec3 side : sides_) meet(at + side, next);
      }
      ring = std::move(next);
    }
    take_mean(layers_[i], open, units);
    if (open > 0 && (area_ == 0 || open < area_)) area_ = open;
  }

  const Floe& floe_;
  const std::vector<Vec3>& sides_;
  FloeReader& reader_;
  std::set<Vec3> columns_;  // of the floe, as places of y = 0
  std::set<Vec3> rim_;      // those beside them
  std::int32_t low_ = 0;    // y of the first layer
  std::vector<Layer> layers_;
  std::int64_t weight_ = 0;
  std::int64_t area_ = 0;  // the least of those layers
};

}  // namespace

// With the level where it comes to stand when the floe has moved half of its way, or all of it: so
// a move and the one back cannot both be to its liking. All sums are times 2 * area, so that
// nothing is rounded.
FloeWay FloeRule::way(const Floe& floe, FloeReader& reader) const {
  Surroundings around(floe, sides_, reader);
  if (around.rim_cells() > kRimOfACell * most_cells_) return {};
  around.measure();
  const std::int64_t weight = 2 * around.weight() * around.area();
  const std::int64_t here = around.displaced(0);
  // In water that is less wide than the floe the level moves by more than the floe does.
  const std::int64_t ways = around.widest() > around.area() ? 2 : 1;
  const auto lift = [&](std::int64_t there) {
    const std::int64_t more = there - here;
    const std::int64_t rises = more == 0 ? 0 : more + 2 * around.on_its_way();
    return (here + there) * around.area() + around.widest() * ways * rises;
  };
  const auto free = [&](Vec3 (FloeRun::*beyond)() const) {
    return std::all_of(floe.runs.begin(), floe.runs.end(),
                       [&](const FloeRun& run) { return world_.contains((run.*beyond)()); });
  };
  const std::int64_t below = std::max(around.displaced(-1), here);
  if (weight > lift(below)) return {free(&FloeRun::below) ? -1 : 0, below != here};
  const std::int64_t above = std::min(around.displaced(1), here);
  if (weight < lift(above)) return {free(&FloeRun::above) ? 1 : 0, above != here};
  return {};
}

}  // namespace sluice::sim
