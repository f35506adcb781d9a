#include "client_stub/sparks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "client_stub/layers.h"

namespace sluice::client {

namespace {

constexpr Colour kSparkInk{232, 244, 255};
/// Cells a second, each second.
constexpr double kGravity = 28;
/// Cells a second, of the weakest, and what force adds.
constexpr double kSlowest = 4;
constexpr double kFaster = 5;
/// Cells that a bubble rises: the event is told of where it bursts.
constexpr double kRise = 3;
/// Of zoom: farther away nothing so small is seen.
constexpr int kLeastZoom = -2;

double seconds_of(Sparks::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// So high over its surface is what flies up, in cells; below 0: it has landed.
double height_of(double force, double age) {
  return (kSlowest + kFaster * force) * age - kGravity / 2 * age * age;
}

std::string_view character_of(EventKind kind, bool unicode) {
  if (kind == EventKind::kBubble) return unicode ? "\u00b0" : "o";
  if (kind == EventKind::kSpray) return unicode ? "\u00b7" : ":";
  return "'";
}

}  // namespace

void Sparks::welcomed() {
  seen_.clear();
  alive_.clear();
  is_first_ = true;
}

void Sparks::told(const protocol::Mirror& mirror, Clock::time_point now) {
  const auto layer = find_layer(mirror, protocol::kEventLayer);
  if (!layer) return;
  // A leap, of a recording say: what is told of did not happen on the way.
  const auto leap = static_cast<std::uint64_t>(protocol::kEventTicks);
  const bool is_late = is_first_ || mirror.tick() < tick_ || mirror.tick() - tick_ >= leap;
  tick_ = mirror.tick();
  is_first_ = false;
  std::vector<Spark> fresh = take_new(mirror, *layer, now);
  if (is_late) return alive_.clear();
  std::erase_if(alive_, [now](const Spark& spark) { return now - spark.born >= kLongestLife; });
  const std::size_t room = std::min(fresh.size(), kMost - alive_.size());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (i * room % fresh.size() < room) alive_.push_back(fresh[i]);
  }
}

std::vector<Sparks::Spark> Sparks::take_new(const protocol::Mirror& mirror, std::size_t layer,
                                            Clock::time_point now) {
  std::vector<Spark> fresh;
  std::map<Vec3, std::int32_t> held;
  const ChunkShape& sides = mirror.welcome().sides;
  mirror.for_each_chunk_of(layer, [&](ChunkCoord coord, const protocol::ChunkCells& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == 0) continue;
      const Vec3 at = sides.cell_at(coord, static_cast<int>(i));
      held.emplace(at, numbers[i]);
      const auto before = seen_.find(at);
      if (before != seen_.end() && before->second == numbers[i]) continue;
      const protocol::ToldEvent event = protocol::event_told(numbers[i]);
      fresh.push_back({event.kind, at, static_cast<double>(event.strength) / kStrongestEvent, now});
    }
  });
  seen_ = std::move(held);
  return fresh;
}

void Sparks::draw(const protocol::Mirror& mirror, const Picture& picture, Clock::time_point now,
                  bool unicode, Screen& screen) const {
  if (picture.level > 0 || picture.zoom < kLeastZoom) return;
  const auto mark = [&](double x, double y, EventKind kind) {
    const Vec3 cell{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), picture.slice};
    const std::int32_t held = mirror.cell(cell);
    const bool is_open = kind == EventKind::kBubble ? held > 0 : held >= 0 && held < kFull;
    if (!is_open || x < 0 || y < 0) return;
    screen.mark(picture.column_of(x), picture.row_of(y), character_of(kind, unicode), kSparkInk);
  };
  for (const auto& [kind, at, force, born] : alive_) {
    const double age = seconds_of(now - born);
    if (at.z != picture.slice || now - born >= kLongestLife) continue;
    const double x = at.x + 0.5;
    if (kind == EventKind::kBubble) {
      mark(x, at.y + 0.5 - kRise * (1 - age / seconds_of(kLongestLife)), kind);
      continue;
    }
    const double height = height_of(force, age);
    if (height < 0) continue;
    // Over what the cell holds.
    const double surface =
        at.y + std::clamp(static_cast<double>(mirror.cell(at)) / kFull, 0.0, 1.0);
    if (kind == EventKind::kDroplet) {
      mark(x, surface + height, kind);
      continue;
    }
    const double aside = (kSlowest + kFaster * force) * age;
    mark(x - aside, surface + height / 2, kind);
    mark(x + aside, surface + height / 2, kind);
  }
}

}  // namespace sluice::client
