#include "server/sim/heat/floe.h"

#include <algorithm>
#include <array>

namespace sluice::sim {

std::vector<ChunkCoord> FloeReader::take_read() {
  std::sort(read_.begin(), read_.end());
  read_.erase(std::unique(read_.begin(), read_.end()), read_.end());
  return std::exchange(read_, {});
}

FloeRule::FloeRule(const WorldConfig& config, std::int32_t most_cells)
    : world_(config.box()),
      edges_(config.edges),
      sides_{{-1, 0, 0}, {1, 0, 0}},
      most_cells_(most_cells) {
  if (config.side_view()) return;
  sides_.push_back({0, 0, -1});
  sides_.push_back({0, 0, 1});
}

// Ice does not leave through an open edge, and nothing there holds it.
bool FloeRule::holds(Vec3 beyond) const {
  const Vec3 end = world_.end();
  const Edge edge = beyond.x < 0        ? edges_.left
                    : beyond.x >= end.x ? edges_.right
                    : beyond.y < 0      ? edges_.bottom
                    : beyond.y >= end.y ? edges_.top
                    : beyond.z < 0      ? edges_.front
                                        : edges_.back;
  return edge == Edge::kWall;
}

namespace {

bool column_order(Vec3 a, Vec3 b) {
  if (a.x != b.x) return a.x < b.x;
  if (a.z != b.z) return a.z < b.z;
  return a.y < b.y;
}

std::vector<FloeRun> runs_of(std::vector<Vec3> cells) {
  std::sort(cells.begin(), cells.end(), column_order);
  std::vector<FloeRun> runs;
  for (const Vec3 at : cells) {
    if (!runs.empty() && runs.back().above() == at) {
      ++runs.back().cells;
    } else {
      runs.push_back({at, 1});
    }
  }
  return runs;
}

}  // namespace

bool FloeRule::find(Vec3 start, FloeReader& reader, CellSet& seen, Floe& floe) const {
  std::vector<Vec3> steps = sides_;
  steps.push_back({0, -1, 0});
  steps.push_back({0, 1, 0});
  CellSet own(reader.grid().shape());
  std::vector<Vec3> cells = {start};
  (void)own.add(start);
  (void)seen.add(start);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const Vec3 step : steps) {
      const Vec3 at = cells[i] + step;
      if (!world_.contains(at)) {
        if (holds(at)) return false;
        continue;
      }
      const Cell cell = reader(at);
      if (is_open(cell)) continue;
      if (!is_ice(cell)) return false;
      if (!own.add(at)) continue;
      // Of floes that do not hold every cell was seen, so this one is of one that does.
      if (!seen.add(at)) return false;
      if (cells.size() >= static_cast<std::size_t>(most_cells_)) return false;
      cells.push_back(at);
    }
  }
  floe.first = *std::min_element(cells.begin(), cells.end());
  floe.runs = runs_of(std::move(cells));
  return true;
}

}  // namespace sluice::sim
