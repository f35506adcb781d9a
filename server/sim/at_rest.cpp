#include "server/sim/at_rest.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace sluice::sim {

namespace {

/// Wet cells, one above the other.
struct Run {
  std::int32_t bottom = 0;
  std::int32_t top = 0;  // the highest, included
  Cell surface = 0;      // units in the highest
};

using Column = std::pair<std::int32_t, std::int32_t>;  // z, x

/// The parts of one column that the boxes cover, from the bottom up, none touching another.
std::vector<std::pair<std::int32_t, std::int32_t>> merged(
    std::vector<std::pair<std::int32_t, std::int32_t>> parts) {
  std::sort(parts.begin(), parts.end());
  std::vector<std::pair<std::int32_t, std::int32_t>> whole;
  for (const auto& part : parts) {
    if (!whole.empty() && part.first <= whole.back().second) {
      whole.back().second = std::max(whole.back().second, part.second);
    } else {
      whole.push_back(part);
    }
  }
  return whole;
}

/// The bodies of all boxes: runs, column by column, joined where they touch.
class Bodies {
 public:
  Bodies(const std::function<Cell(Vec3)>& cell, const std::vector<Box>& boxes) {
    std::map<Column, std::vector<std::pair<std::int32_t, std::int32_t>>> covered;
    for (const Box& box : boxes) {
      const Vec3 end = box.end();
      for (std::int32_t z = box.from.z; z < end.z; ++z) {
        for (std::int32_t x = box.from.x; x < end.x; ++x) {
          covered[{z, x}].emplace_back(box.from.y, end.y);
        }
      }
    }
    for (auto& [column, parts] : covered) {
      first_run_[column] = runs_.size();
      for (const auto& [from, end] : merged(std::move(parts))) add_runs(cell, column, from, end);
      ends_[column] = runs_.size();
    }
    body_.resize(runs_.size());
    std::iota(body_.begin(), body_.end(), std::size_t{0});
    for (const auto& [column, first] : first_run_) {
      join(column, {column.first, column.second - 1});
      join(column, {column.first - 1, column.second});
    }
  }

  /// f(x, z, run, the body's highest run) for each run.
  template <class F>
  void for_each(F&& f) {
    std::vector<std::size_t> highest(runs_.size());
    std::iota(highest.begin(), highest.end(), std::size_t{0});
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::size_t& best = highest[body_of(i)];
      const auto height = [this](std::size_t run) {
        return std::pair(runs_[run].top, runs_[run].surface);
      };
      if (height(i) > height(best)) best = i;
    }
    for (const auto& [column, first] : first_run_) {
      for (std::size_t i = first; i < ends_.at(column); ++i) {
        f(column.second, column.first, runs_[i], runs_[highest[body_of(i)]]);
      }
    }
  }

 private:
  void add_runs(const std::function<Cell(Vec3)>& cell_at, Column column, std::int32_t from,
                std::int32_t end) {
    bool wet_below = false;
    for (std::int32_t y = from; y < end; ++y) {
      const Cell cell = cell_at({column.second, y, column.first});
      const bool wet = water_of(cell) > 0;
      if (wet && !wet_below) runs_.push_back({y, y, cell});
      if (wet) {
        runs_.back().top = y;
        runs_.back().surface = cell;
      }
      wet_below = wet;
    }
  }

  void join(Column a, Column b) {
    const auto other = first_run_.find(b);
    if (other == first_run_.end()) return;
    std::size_t i = first_run_.at(a);
    std::size_t k = other->second;
    while (i < ends_.at(a) && k < ends_.at(b)) {
      if (runs_[i].bottom <= runs_[k].top && runs_[k].bottom <= runs_[i].top) {
        body_[body_of(i)] = body_of(k);
      }
      if (runs_[i].top < runs_[k].top) {
        ++i;
      } else {
        ++k;
      }
    }
  }

  std::size_t body_of(std::size_t run) {
    while (body_[run] != run) {
      body_[run] = body_[body_[run]];
      run = body_[run];
    }
    return run;
  }

  std::vector<Run> runs_;
  std::vector<std::size_t> body_;  // union-find over runs
  std::map<Column, std::size_t> first_run_;
  std::map<Column, std::size_t> ends_;
};

}  // namespace

Cell amount_at_rest(const WaterMeasure& measure, std::int32_t depth, Cell surface) {
  const std::int64_t full = measure.full;
  const std::int64_t load = measure.load;
  const std::int64_t top = std::min<std::int64_t>(surface, full);
  if (depth == 0) return static_cast<Cell>(top);
  if (measure.uniform_load) return static_cast<Cell>(full + load);
  const std::int64_t amount = full + top * load / full + (depth - 1) * load;
  return static_cast<Cell>(std::min<std::int64_t>(amount, kMaxCellUnits));
}

void for_each_at_rest(const WaterMeasure& measure, const std::function<Cell(Vec3)>& cell,
                      const std::vector<Box>& boxes,
                      const std::function<void(Vec3, Cell, Cell)>& set) {
  Bodies bodies(cell, boxes);
  bodies.for_each([&](std::int32_t x, std::int32_t z, const Run& run, const Run& highest) {
    // A surface that cannot be divided evenly is a unit lower here and there, and bears so much
    // less.
    const bool own = run.top == highest.top && highest.surface - run.surface <= 1;
    for (std::int32_t y = run.bottom; y <= run.top; ++y) {
      const Cell before = cell({x, y, z});
      const std::int32_t depth = highest.top - y;
      const Cell surface = depth == 0 ? before : own ? run.surface : highest.surface;
      set({x, y, z}, before, amount_at_rest(measure, depth, surface));
    }
  });
}

std::int64_t set_at_rest(const WaterMeasure& measure, Grid& grid, const std::vector<Box>& boxes) {
  std::int64_t gain = 0;
  for_each_at_rest(
      measure, [&grid](Vec3 at) { return grid.cell(at); }, boxes,
      [&](Vec3 at, Cell before, Cell after) {
        if (after == before) return;
        grid.add_to_cell(at, after - before);
        gain += after - before;
      });
  return gain;
}

}  // namespace sluice::sim
