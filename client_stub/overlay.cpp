#include "client_stub/overlay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "client_stub/flow.h"
#include "client_stub/layers.h"
#include "client_stub/overlay_scales.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

/// From little to much: brighter with every step, and from blue to yellow, which nearly everybody
/// sees.
constexpr std::array<Colour, 5> kRamp = {
    {{78, 70, 152}, {58, 110, 172}, {33, 152, 148}, {104, 201, 98}, {250, 230, 60}}};
/// Of a terminal's sixteen colours, those that keep that order.
constexpr std::array<Colour, 5> kFewRamp = {
    {{0, 0, 170}, {85, 85, 255}, {0, 170, 170}, {85, 255, 85}, {255, 255, 85}}};
/// From far below zero to far above: blue, white, red, which nearly everybody tells apart.
constexpr std::array<Colour, 5> kDiverging = {
    {{33, 102, 172}, {146, 197, 222}, {240, 240, 240}, {244, 165, 130}, {178, 24, 43}}};
constexpr std::array<Colour, 5> kFewDiverging = {
    {{0, 0, 170}, {85, 85, 255}, {255, 255, 255}, {255, 85, 85}, {170, 0, 0}}};
/// Of the bytes' ramp, in powers of ten: 10 bytes a second to 100,000.
constexpr double kLeastPower = 1;
constexpr double kMostPower = 5;
constexpr double kFadeMilliseconds = 3000;
/// Of the ages' ramp, in powers of ten: a second to a thousand.
constexpr double kMostAge = 3;
/// How much of the picture is left under what is laid over it.
constexpr double kDimmed = 0.5;

bool is_water(std::int32_t cell) {
  return cell > 0;
}

/// The value farthest from zero of what is held of a layer, at the level that is shown.
double farthest_of(const Known& known, std::string_view name, double (*value)(std::int32_t)) {
  double farthest = 0;
  const auto layer = find_layer(known.mirror, name);
  if (!layer) return farthest;
  const std::size_t shown =
      known.level == 0 ? *layer : known.mirror.layer_of_coarse(known.level, *layer);
  known.mirror.for_each_chunk_of(shown, [&](ChunkCoord, const protocol::ChunkCells& numbers) {
    const auto reach = [&](std::int32_t number) {
      if (number > 0) farthest = std::max(farthest, std::abs(value(number)));
    };
    std::int32_t least = INT32_MAX;
    std::int32_t most = 0;
    for (const std::int32_t number : numbers) {
      if (number > 0) least = std::min(least, number);
      most = std::max(most, number);
    }
    if (most > 0) reach(least);
    reach(most);
  });
  return farthest;
}

/// Of a thousand seconds, in powers of ten.
double age_share(std::chrono::milliseconds since) {
  const double seconds = static_cast<double>(since.count()) / 1000;
  return std::min(1.0, std::log10(std::max(seconds, 1.0)) / kMostAge);
}

/// "40 s", "12 min", "3 h".
std::string age_text(std::chrono::milliseconds since) {
  const auto seconds = since.count() / 1000;
  if (seconds < 90) return std::to_string(seconds) + " s";
  const auto minutes = seconds / 60;
  return minutes < 90 ? std::to_string(minutes) + " min" : std::to_string(minutes / 60) + " h";
}

double power_share(double bytes) {
  return (std::log10(std::max(bytes, 1.0)) - kLeastPower) / (kMostPower - kLeastPower);
}

}  // namespace

std::string_view name_of(OverlayKind kind) {
  switch (kind) {
    case OverlayKind::kNone:
      return "none";
    case OverlayKind::kAmount:
      return "amount";
    case OverlayKind::kDepth:
      return "depth";
    case OverlayKind::kHead:
      return "head";
    case OverlayKind::kFlow:
      return "flow";
    case OverlayKind::kTemperature:
      return "temperature";
    case OverlayKind::kWaves:
      return "waves";
    case OverlayKind::kSteam:
      return "steam";
    case OverlayKind::kTracer:
      return "tracer";
    case OverlayKind::kAwake:
      return "awake chunks";
    case OverlayKind::kAge:
      return "age of chunks";
    case OverlayKind::kBytes:
      return "bytes per chunk";
    case OverlayKind::kViews:
      return "what others see";
  }
  return "";
}

std::string bytes_text(double bytes) {
  char text[40];
  if (bytes < 1e3) {
    std::snprintf(text, sizeof(text), "%.0f B/s", bytes);
  } else if (bytes < 1e6) {
    std::snprintf(text, sizeof(text), "%.1f kB/s", bytes / 1e3);
  } else {
    std::snprintf(text, sizeof(text), "%.2f MB/s", bytes / 1e6);
  }
  return text;
}

std::string Overlay::name() const {
  return kind_ == OverlayKind::kTracer ? tracer_name_ : std::string(name_of(kind_));
}

void Overlay::next(const protocol::Mirror& mirror) {
  const std::vector<std::string> tracers = tracers_of(mirror);
  const auto missing = [&] {
    if (kind_ == OverlayKind::kTracer) return tracers.empty();
    const bool needs = kind_ == OverlayKind::kTemperature || kind_ == OverlayKind::kWaves ||
                       kind_ == OverlayKind::kSteam;
    return needs && layers(mirror) == 0;
  };
  if (kind_ == OverlayKind::kTracer && ++tracer_ < tracers.size()) {
    tracer_name_ = tracers[tracer_];
    return;
  }
  tracer_ = 0;
  do {
    kind_ = kind_ == OverlayKind::kViews ? OverlayKind::kNone
                                         : static_cast<OverlayKind>(static_cast<int>(kind_) + 1);
  } while (missing());
  if (kind_ == OverlayKind::kTracer) tracer_name_ = tracers.front();
}

std::uint32_t Overlay::layers(const protocol::Mirror& mirror) const {
  if (kind_ == OverlayKind::kTemperature) return bit_of_layer(mirror, protocol::kTemperatureLayer);
  if (kind_ == OverlayKind::kWaves) return bit_of_layer(mirror, protocol::kWaveLayer);
  if (kind_ == OverlayKind::kSteam) return bit_of_layer(mirror, protocol::kSteamLayer);
  if (kind_ != OverlayKind::kTracer) return 0;
  return bit_of_layer(mirror, std::string(protocol::kTracerLayer) + tracer_name_);
}

void Overlay::rescale(const Known& known) {
  if (kind_ == OverlayKind::kDepth) depth_ = fitting(kDepths, known.surfaces.deepest(), depth_);
  if (kind_ == OverlayKind::kHead) {
    const auto heads = known.surfaces.heads();
    if (heads) span_ = span_of(heads->first, heads->second, span_);
  }
  if (kind_ == OverlayKind::kTemperature) {
    const double farthest = farthest_of(known, protocol::kTemperatureLayer, protocol::degrees_told);
    degrees_ = fitting(kReachesOfDegrees, farthest, degrees_);
  }
  if (kind_ == OverlayKind::kWaves) {
    const double farthest = farthest_of(known, protocol::kWaveLayer, protocol::wave_told);
    wave_ = fitting(kReachesOfWaves, farthest, wave_);
  }
  if (kind_ == OverlayKind::kSteam) {
    const double farthest = farthest_of(known, protocol::kSteamLayer, protocol::steam_told);
    steam_ = fitting(kReachesOfSteam, farthest, steam_);
  }
  if (kind_ == OverlayKind::kTracer) {
    const std::string layer = std::string(protocol::kTracerLayer) + tracer_name_;
    share_ = fitting(kReachesOfShares, farthest_of(known, layer, protocol::share_told), share_);
  }
}

bool Overlay::of_cells() const {
  return kind_ == OverlayKind::kAmount || kind_ == OverlayKind::kDepth ||
         kind_ == OverlayKind::kHead || kind_ == OverlayKind::kTemperature ||
         kind_ == OverlayKind::kWaves || kind_ == OverlayKind::kSteam ||
         kind_ == OverlayKind::kTracer;
}

/// From 0 to 1 of the brightest colour, of quantities that have no value below zero.
std::optional<double> Overlay::share_of(const Known& known, Vec3 cell) const {
  if (kind_ == OverlayKind::kDepth) {
    const auto depth = known.surfaces.depth(cell.x, cell.y);
    return depth ? std::optional(*depth / depth_) : std::nullopt;
  }
  if (kind_ == OverlayKind::kHead) {
    const auto head = known.surfaces.head(cell.x, cell.y);
    return head ? std::optional((*head - span_.from) / span_.size) : std::nullopt;
  }
  const bool steam = kind_ == OverlayKind::kSteam;
  const auto value = steam ? steam_at(known.mirror, cell, known.level)
                           : share_at(known.mirror, tracer_name_, cell, known.level);
  if (!value) return std::nullopt;
  return *value / (steam ? steam_ : share_);
}

/// Read on water of every depth, as those of the ramp are not.
Colour Overlay::arrow_ink(double share) const {
  constexpr Colour kGentle{190, 205, 225};
  constexpr Colour kStrong{255, 235, 90};
  return blend(kGentle, kStrong, colours_ == ColourDepth::k16 ? std::round(share) : share);
}

double Overlay::reach() const {
  return kind_ == OverlayKind::kTemperature ? degrees_ : wave_;
}

/// Of the layer that it shows.
std::optional<double> Overlay::value_at(const Known& known, Vec3 cell) const {
  if (kind_ == OverlayKind::kTemperature) return degrees_at(known.mirror, cell, known.level);
  return wave_at(known.mirror, known.surfaces, cell, known.level);
}

// A colour of the steps, or between two of them; of sixteen colours none lies between.
Colour Overlay::between(const std::array<Colour, 5>& steps, double share) const {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(steps.size() - 1);
  if (colours_ == ColourDepth::k16) return steps.at(static_cast<std::size_t>(std::lround(at)));
  const auto i = std::min(steps.size() - 2, static_cast<std::size_t>(at));
  return blend(steps.at(i), steps.at(i + 1), at - static_cast<double>(i));
}

Colour Overlay::ramp(double share) const {
  return between(colours_ == ColourDepth::k16 ? kFewRamp : kRamp, share);
}

Colour Overlay::around_zero(double value) const {
  return between(colours_ == ColourDepth::k16 ? kFewDiverging : kDiverging,
                 (value / reach() + 1) / 2);
}

Colour Overlay::tint(const Known& known, Vec3 cell, Colour base) const {
  if (!colours_anything() || kind_ == OverlayKind::kFlow) return base;
  const Colour dim = blend(base, {0, 0, 0}, kDimmed);
  const std::int32_t units = known.mirror.cell(cell);
  if (units == kOutside) return base;
  const ChunkCoord chunk = known.mirror.welcome().sides.chunk_of(cell);
  switch (kind_) {
    case OverlayKind::kAmount:
      return is_water(units) ? ramp(units / (2.0 * kFull)) : dim;
    case OverlayKind::kTemperature:
    case OverlayKind::kWaves: {
      const auto value = value_at(known, cell);
      return value ? around_zero(*value) : dim;
    }
    case OverlayKind::kDepth:
    case OverlayKind::kHead:
    case OverlayKind::kSteam:
    case OverlayKind::kTracer: {
      const auto share = share_of(known, cell);
      return share ? ramp(*share) : dim;
    }
    case OverlayKind::kAwake: {
      if (known.mirror.find(chunk) == nullptr) return dim;
      const auto since = known.activity.since_change(chunk, known.now);
      if (!since) return blend(dim, kRestingChunk, 0.25);
      const double late = static_cast<double>((*since - Activity::kAwakeFor).count());
      const double share = std::clamp(1 - late / kFadeMilliseconds, 0.0, 1.0);
      return share == 0 ? blend(dim, kRestingChunk, 0.25)
                        : blend(dim, kAwakeChunk, 0.15 + 0.35 * share);
    }
    case OverlayKind::kAge: {
      if (known.mirror.find(chunk) == nullptr) return dim;
      const auto since = known.activity.since_change(chunk, known.now);
      return since ? blend(dim, ramp(1 - age_share(*since)), 0.65)
                   : blend(dim, kRestingChunk, 0.25);
    }
    case OverlayKind::kBytes: {
      if (known.mirror.find(chunk) == nullptr) return dim;
      const double bytes = known.activity.bytes_per_second(chunk, known.now);
      return bytes < 1 ? blend(dim, kRestingChunk, 0.25)
                       : blend(dim, ramp(power_share(bytes)), 0.65);
    }
    case OverlayKind::kFlow:
    case OverlayKind::kViews:
    case OverlayKind::kNone:
      break;
  }
  return base;
}

char Overlay::letter(const Known& known, Vec3 cell) const {
  if (kind_ == OverlayKind::kTemperature || kind_ == OverlayKind::kWaves) {
    const auto value = value_at(known, cell);
    if (!value) return 0;
    const double share = (std::clamp(*value / reach(), -1.0, 1.0) + 1) / 2;
    return static_cast<char>('0' + std::lround(share * 8));
  }
  if (kind_ == OverlayKind::kSteam || kind_ == OverlayKind::kTracer) {
    const auto share = share_of(known, cell);
    if (!share) return 0;
    return static_cast<char>('0' + std::min(9, static_cast<int>(*share * 9)));
  }
  if (kind_ == OverlayKind::kDepth || kind_ == OverlayKind::kHead) {
    const auto share = share_of(known, cell);
    if (!share) return 0;
    return static_cast<char>('0' + std::clamp(static_cast<int>(*share * 10), 0, 9));
  }
  const std::int32_t units = known.mirror.cell(cell);
  if (!is_water(units)) return 0;
  if (kind_ == OverlayKind::kAmount) {
    const std::int32_t eighths = units > kFull ? 9 : std::max(1, (units * 8 + kFull / 2) / kFull);
    return static_cast<char>('0' + eighths);
  }
  return 0;
}

void Overlay::write(const Known& known, const Picture& picture, Screen& screen) const {
  if (!colours_anything()) return;
  if (kind_ == OverlayKind::kFlow) return write_arrows(known, picture, screen);
  if (of_cells()) {
    if (colours_ == ColourDepth::kNone) write_digits(known, picture, screen);
    return;
  }
  const protocol::Mirror& mirror = known.mirror;
  const Box view = picture.view(mirror.welcome().size);
  const ChunkShape& sides = mirror.welcome().sides;
  const ChunkCoord low = sides.chunk_of(view.from);
  const ChunkCoord high = sides.chunk_of(view.end() - Vec3{1, 1, 1});
  for (std::int32_t y = low.y; y <= high.y; ++y) {
    for (std::int32_t x = low.x; x <= high.x; ++x) {
      const ChunkCoord chunk{x, y, low.z};
      if (mirror.find(chunk) != nullptr) label_chunk(known, picture, chunk, screen);
    }
  }
}

/// A digit for each character that has water in either half.
void Overlay::write_digits(const Known& known, const Picture& picture, Screen& screen) const {
  for (int row = 0; row < picture.height / 2; ++row) {
    for (int column = 0; column < picture.width; ++column) {
      char digit = 0;
      for (const int half : {0, 1}) {
        const Vec3 cell{picture.cell_x(column), picture.cell_y(row * 2 + half), picture.slice};
        digit = std::max(digit, letter(known, cell));
      }
      if (digit != 0) screen.mark(column, row, std::string(1, digit), kOverlayInk);
    }
  }
}

/// One for so many characters, of the water that they show.
void Overlay::write_arrows(const Known& known, const Picture& picture, Screen& screen) const {
  constexpr int kColumns = 4;
  constexpr int kRows = 2;
  for (int row = 0; row + kRows <= picture.height / 2; row += kRows) {
    for (int column = 0; column + kColumns <= picture.width; column += kColumns) {
      const Vec3 from{picture.cell_x(column), picture.cell_y((row + kRows) * 2 - 1), picture.slice};
      const Vec3 last{picture.cell_x(column + kColumns - 1), picture.cell_y(row * 2),
                      picture.slice};
      const auto drive = drive_in(known, {from, last - from + Vec3{1, 1, 1}});
      if (!drive) continue;
      screen.mark(column + kColumns / 2 - 1, row + kRows / 2, arrow_of(*drive, unicode_),
                  arrow_ink(share_of_drive(*drive)));
    }
  }
}

void Overlay::label_chunk(const Known& known, const Picture& picture, ChunkCoord chunk,
                          Screen& screen) const {
  const Box box =
      intersect(known.mirror.welcome().sides.box(chunk), {{}, known.mirror.welcome().size});
  const double scale = picture.pixels_per_cell();
  const double middle_x = box.from.x + box.size.x / 2.0 - picture.center_x;
  const double middle_y = box.from.y + box.size.y / 2.0 - picture.center_y;
  const int wide = static_cast<int>(box.size.x * scale);
  std::string text;
  if (kind_ == OverlayKind::kAwake) {
    const auto since = known.activity.since_change(chunk, known.now);
    const bool rests = !since || *since >= Activity::kAwakeFor;
    text = rests ? "rests" : "awake";
    if (wide < 8) text = rests ? "." : "*";
  } else if (kind_ == OverlayKind::kAge) {
    const auto since = known.activity.since_change(chunk, known.now);
    text = since ? age_text(*since) : "rests";
    // The power of ten of the seconds: what fits.
    if (wide < 8)
      text = since ? std::to_string(static_cast<int>(age_share(*since) * kMostAge)) : ".";
  } else {
    const double bytes = known.activity.bytes_per_second(chunk, known.now);
    text = bytes_text(bytes);
    // The power of ten: what fits.
    if (wide < 11) text = bytes < 1 ? "." : std::to_string(static_cast<int>(std::log10(bytes)));
  }
  const int column = static_cast<int>(std::floor(middle_x * scale + picture.width / 2)) -
                     static_cast<int>(text.size()) / 2;
  const int row = static_cast<int>(std::floor((picture.height / 2 - middle_y * scale) / 2));
  if (row < 0 || row >= picture.height / 2 || wide < 2) return;
  screen.text(column, row, text, kOverlayInk, kOverlayPaper);
}

}  // namespace sluice::client
