#include "server/sim/models/cellular/balance.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace sluice::sim {

namespace {

constexpr std::int64_t kMostLevels = std::numeric_limits<std::int64_t>::max();

bool in_order(const WaterRun& a, const WaterRun& b) {
  return std::tie(a.z, a.x, a.floor) < std::tie(b.z, b.x, b.floor);
}

/// The runs of one column.
std::span<const WaterRun> column_of(const WaterBody& body, std::int32_t x, std::int32_t z) {
  const auto before = [](const WaterRun& run, std::pair<std::int32_t, std::int32_t> zx) {
    return std::pair(run.z, run.x) < zx;
  };
  const auto first = std::lower_bound(body.begin(), body.end(), std::pair(z, x), before);
  auto end = first;
  while (end != body.end() && end->x == x && end->z == z) ++end;
  return {first, end};
}

/// Which runs belong together.
class Groups {
 public:
  explicit Groups(std::size_t count) : group_(count) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t run) {
    while (group_[run] != run) run = group_[run] = group_[group_[run]];
    return run;
  }
  void join(std::size_t a, std::size_t b) { group_[of(a)] = of(b); }

 private:
  std::vector<std::size_t> group_;
};

}  // namespace

void Balance::level(WaterBody body) {
  body_ = std::move(body);
  std::sort(body_.begin(), body_.end(), in_order);
  units_ = 0;
  for (const WaterRun& run : body_) units_ += run.units;
  find_head();
  if (split()) return;
  // Deep enough to be held by no cell: such water stays as it is.
  if (order_.units(lowest_, head_) > kMaxCellUnits / 2) return;
  count_rows();
  const std::int64_t before = misplaced();
  if (before == 0 || !share_rest() || strayed_ >= before) return;
  if (far_apart() || contained()) note_gains();
}

std::int64_t Balance::units_below(std::int64_t level) const {
  std::int64_t sum = 0;
  for (const WaterRun& run : body_) sum += order_.units(run.floor, run.ceiling, level);
  return sum;
}

// The head lies near that of any run, mostly.
void Balance::find_head() {
  lowest_ = body_.front().floor;
  std::int32_t highest = 0;
  for (const WaterRun& run : body_) {
    lowest_ = std::min(lowest_, run.floor);
    highest = std::max(highest, run.top);
  }
  find_head_below(highest);
  // Where it lies higher, because all is roofed there, it may yet fall again.
  if (order_.row(head_) > highest) find_head_below(order_.row(head_));
}

/// Of what is open up to that row, included.
void Balance::find_head_below(std::int32_t row) {
  raise_ceilings(row);
  const WaterRun& any = body_.front();
  std::int64_t high = order_.level(any.top - 1, cell(any, any.top - 1));
  std::int64_t low = high - 1;
  for (std::int64_t step = 64; units_below(high) < units_; step *= 2) {
    low = high;
    high += step;
  }
  for (std::int64_t step = 64; units_below(low) >= units_; step *= 2) {
    high = low;
    low = std::max<std::int64_t>(low - step, 0);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (units_below(middle) < units_ ? low : high) = middle;
  }
  head_ = high;
  rest_ = units_ - units_below(high - 1);
}

void Balance::raise_ceilings(std::int32_t row) {
  const std::int32_t end = std::min(row + 1, grid_.world_box().end().y);
  for (WaterRun& run : body_) {
    while (run.ceiling < end && is_open(read_({run.x, run.ceiling, run.z}))) ++run.ceiling;
  }
}

/// Where some runs would fall dry, what they joined may be joined no more: levels the parts each by
/// itself.
bool Balance::split() {
  const auto dry = [this](const WaterRun& run) {
    return std::int64_t{run.floor} * order_.full() >= head_;
  };
  if (std::none_of(body_.begin(), body_.end(), dry)) return false;
  Groups groups(body_.size());
  for (std::size_t i = 0; i < body_.size(); ++i) {
    const WaterRun& run = body_[i];
    for (const Vec3 step : {Vec3{1, 0, 0}, Vec3{0, 0, 1}}) {
      for (const WaterRun& beside : column_of(body_, run.x + step.x, run.z + step.z)) {
        const bool touches = beside.floor < run.top && run.floor < beside.top;
        if (!touches || dry(beside) != dry(run)) continue;
        groups.join(i, static_cast<std::size_t>(&beside - body_.data()));
      }
    }
  }
  std::map<std::size_t, WaterBody> parts;
  for (std::size_t i = 0; i < body_.size(); ++i) parts[groups.of(i)].push_back(body_[i]);
  for (auto& [first, part] : parts) level(std::move(part));
  return true;
}

void Balance::count_rows() {
  std::int32_t end = order_.row(head_) + 1;
  for (const WaterRun& run : body_) end = std::max(end, run.top);
  rows_.assign(static_cast<std::size_t>(end - lowest_) + 1, {});
  // First by how much the number of cells differs from that of the row below.
  for (const WaterRun& run : body_) {
    ++row(run.floor).cells;
    --row(end_of(run)).cells;
  }
  std::int64_t cells = 0;
  for (std::int32_t y = lowest_; y <= end; ++y) {
    cells += row(y).cells;
    row(y) = {order_.units(y, head_ - 1), order_.units(y, head_), cells, false};
  }
}

/// By how many levels, in sum, units lie above the head, or are missing below it.
std::int64_t Balance::misplaced() {
  std::int64_t sum = 0;
  const auto add = [&sum](std::int64_t levels) { sum += std::min(levels, kMostLevels - sum); };
  for (const WaterRun& run : body_) {
    const std::int32_t end = end_of(run);
    for (std::int32_t y = run.floor; y < end && sum < kMostLevels; ++y) {
      const std::int64_t amount = cell(run, y);
      if (amount > row(y).most) add(order_.levels(y, row(y).most, amount, head_));
      if (amount < row(y).held) add(-order_.levels(y, amount, row(y).held, head_));
    }
  }
  return sum;
}

/// What differs at the surface beyond what one unit of compression bears is no matter of rounding.
bool Balance::far_apart() {
  std::int64_t highest = 0;
  std::int64_t lowest = 0;
  for (const WaterRun& run : body_) {
    const std::int32_t y = run.top - 1;
    const Cell amount = cell(run, y);
    std::int64_t above = 0;  // the head, levels
    if (run.ceiling > run.top) {
      above = std::int64_t{y} * order_.full() + amount - head_;
    } else if (amount > row(y).most) {
      above = order_.level(y, amount) - head_;
    } else if (amount < row(y).held) {
      above = order_.level(y, amount + 1) - head_;
    }
    highest = std::max(highest, above);
    lowest = std::min(lowest, above);
  }
  return highest - lowest > order_.step();
}

/// Whether the body, once level, would run out nowhere.
bool Balance::contained() {
  for (const WaterRun& run : body_) {
    for (std::int32_t y = std::max(run.floor, run.top - 1); y < end_of(run); ++y) {
      const std::int64_t amount = row(y).most;
      for (const Vec3 step : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}}) {
        if (side_view_ && step.z != 0) continue;
        const Vec3 at = Vec3{run.x, y, run.z} + step;
        const Cell beside = read_(at);
        if (is_open(beside) && amount - beside > kept_ && !holds(at)) return false;
      }
    }
  }
  return true;
}

bool Balance::holds(Vec3 at) const {
  const auto column = column_of(body_, at.x, at.z);
  return std::any_of(column.begin(), column.end(),
                     [at](const WaterRun& run) { return run.floor <= at.y && at.y < run.ceiling; });
}

std::int64_t Balance::due(const WaterRun& run, std::int32_t y) {
  const std::int64_t amount = row(y).whole ? row(y).most : row(y).held;
  if (singles_.empty()) return amount;
  const auto single = singles_.find({run.x, y, run.z});
  return single == singles_.end() ? amount : amount + single->second;
}

// Water moves at the surfaces, mixed with what the others give, and up or down within its column.
void Balance::note_gains() {
  const Vec3 pool = moves_ != nullptr ? moves_->new_pool() : Vec3{};
  for (const WaterRun& run : body_) {
    const std::int32_t end = end_of(run);
    std::int64_t sum = 0;
    for (std::int32_t y = run.floor; y < end; ++y) {
      const std::int64_t gain = due(run, y) - cell(run, y);
      if (gain == 0) continue;
      gains_.push_back({{run.x, y, run.z}, static_cast<std::int32_t>(gain)});
      sum += gain;
    }
    if (moves_ == nullptr || sum == 0) continue;
    if (sum > 0) {
      moves_->add(pool, {run.x, end - 1, run.z}, static_cast<std::int32_t>(sum));
    } else {
      moves_->add({run.x, run.top - 1, run.z}, pool, static_cast<std::int32_t>(-sum));
    }
  }
}

}  // namespace sluice::sim
