#include "server/replay/timeline.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "server/record/diff.h"
#include "server/record/reader.h"

namespace sluice::replay {

namespace {

// Ticks between two looks at whether to stop.
constexpr std::uint64_t kTicksAtATime = 20'000;

/// Thins a rising list to at most `most` of its members.
std::vector<std::uint64_t> thinned(std::vector<std::uint64_t> ticks, std::size_t most) {
  if (ticks.size() <= most) return ticks;
  std::vector<std::uint64_t> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(ticks[i * ticks.size() / most]);
  return some;
}

}  // namespace

Timeline::Timeline(std::vector<TimelineRow> rows, std::uint64_t first_tick, std::uint64_t last_tick,
                   std::int64_t tick_rate)
    : rows_(std::move(rows)),
      first_tick_(first_tick),
      last_tick_(last_tick),
      tick_rate_(tick_rate),
      overviews_(rows_.size()),
      thread_([this] { run(); }) {}

Timeline::~Timeline() {
  stop_ = true;
  thread_.join();
}

// The difference first: it is what two recordings are opened for.
void Timeline::run() {
  std::string trouble = rows_.size() == 2 ? compare() : "";
  for (std::size_t row = 0; row < rows_.size() && !stop_ && trouble.empty(); ++row) {
    trouble = look(row);
  }
  const std::lock_guard lock(mutex_);
  trouble_ = std::move(trouble);
  complete_ = true;
}

// Empty when well.
std::string Timeline::compare() {
  const auto a = record::Reader::open(rows_[0].path);
  if (!a) return a.error();
  const auto b = record::Reader::open(rows_[1].path);
  if (!b) return b.error();
  const auto found = record::first_differing_tick(**a, **b, stop_);
  if (!found) return found.error();
  const std::lock_guard lock(mutex_);
  first_difference_ = *found;
  return "";
}

std::string Timeline::look(std::size_t row) {
  const auto reader = record::Reader::open(rows_[row].path);
  if (!reader) return reader.error();
  const auto checkpoints = (*reader)->checkpoints();
  if (!checkpoints) return checkpoints.error();
  Overview overview;
  for (const record::CheckpointInfo& checkpoint : *checkpoints) {
    if (checkpoint.tick < first_tick_ || checkpoint.tick > last_tick_) continue;
    overview.checkpoints.push_back(checkpoint.tick);
  }
  overview.checkpoints = thinned(std::move(overview.checkpoints), kMostMarks);
  const std::uint64_t piece =
      std::max<std::uint64_t>(1, (last_tick_ - first_tick_) / kMostMarks + 1);
  const auto visit = [&](const record::TickRecord& record) {
    if (record.commands.empty()) return true;
    overview.commands += record.commands.size();
    const bool same_piece =
        !overview.marks.empty() &&
        (overview.marks.back().tick - first_tick_) / piece == (record.tick - first_tick_) / piece;
    if (!same_piece) overview.marks.push_back({record.tick, 0});
    overview.marks.back().commands += record.commands.size();
    return true;
  };
  for (std::uint64_t tick = first_tick_ + 1; tick <= last_tick_ && !stop_; tick += kTicksAtATime) {
    const std::uint64_t end = std::min(last_tick_, tick + kTicksAtATime - 1);
    if (const auto read = (*reader)->read_ticks(tick, end, visit); !read) return read.error();
  }
  const std::lock_guard lock(mutex_);
  overviews_[row] = std::move(overview);
  return "";
}

bool Timeline::complete() const {
  const std::lock_guard lock(mutex_);
  return complete_;
}

std::string Timeline::json() const {
  using Ordered = nlohmann::ordered_json;
  const std::lock_guard lock(mutex_);
  Ordered recordings = Ordered::array();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const TimelineRow& row = rows_[i];
    Ordered marks = Ordered::array();
    for (const Mark& mark : overviews_[i].marks) marks.push_back({mark.tick, mark.commands});
    recordings.push_back({{"world", row.world},
                          {"file", std::filesystem::path(row.path).filename().string()},
                          {"recorded", row.recorded},
                          {"first_tick", row.first_tick},
                          {"last_tick", row.last_tick},
                          {"commands", overviews_[i].commands},
                          {"marks", std::move(marks)},
                          {"checkpoints", overviews_[i].checkpoints}});
  }
  const Ordered json = {
      {"first_tick", first_tick_},
      {"last_tick", last_tick_},
      {"tick_rate", tick_rate_},
      {"first_difference", first_difference_ ? Ordered(*first_difference_) : Ordered()},
      {"recordings", std::move(recordings)},
      {"trouble", trouble_},
      {"complete", complete_}};
  // A file's name may hold any bytes.
  return json.dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace sluice::replay
