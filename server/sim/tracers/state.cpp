#include "server/sim/tracers/state.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/sim/limits.h"
#include "server/sim/range.h"
#include "server/sim/spec.h"

namespace sluice::sim {

namespace {

/// Columns of dumps that are there beside those of tracers.
constexpr std::array<std::string_view, 10> kOtherColumns = {
    "kind", "name", "x", "y", "z", "material", "amount", "temperature", "ice", "steam"};

bool valid_tracer_name(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto later = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kMostTracerName && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), later);
}

}  // namespace

std::optional<std::size_t> TracerState::find(std::string_view name) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (tracers[i].options.name == name) return i;
  }
  return std::nullopt;
}

std::vector<TracerOptions> TracerState::options() const {
  std::vector<TracerOptions> list;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    list.push_back(tracers[i].options);
  }
  return list;
}

std::int64_t TracerState::room(std::size_t tracer) const {
  const AmountTotals& totals = tracers[tracer].totals;
  return kMostTracerUnits - totals.initial - totals.in;
}

std::map<std::string, TracerImage> images_of(const Tracers& tracers, std::int32_t count,
                                             const ChunkShape& shape) {
  std::map<std::string, TracerImage> images;
  for (std::int32_t i = 0; i < count; ++i) {
    const Tracer& tracer = tracers[static_cast<std::size_t>(i)];
    images[tracer.options.name] = {i, tracer.options, tracer.totals, runs_of(tracer.pages, shape)};
  }
  return images;
}

std::optional<std::int32_t> take_images(const std::map<std::string, TracerImage>& images,
                                        const ChunkShape& shape, Tracers& tracers) {
  if (images.size() > kMostTracers) return std::nullopt;
  const auto count = static_cast<std::int32_t>(images.size());
  std::array<bool, kMostTracers> taken{};
  for (const auto& [name, image] : images) {
    if (image.number < 0 || image.number >= count || image.options.name != name) {
      return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(image.number);
    if (std::exchange(taken[number], true)) return std::nullopt;
    Tracer& tracer = tracers[number];
    tracer.options = image.options;
    tracer.totals = image.totals;
    if (!take_runs(image.amounts, shape, tracer.pages)) return std::nullopt;
  }
  return count;
}

Status validate(const TracerOptions& options, const std::string& path) {
  if (!valid_tracer_name(options.name)) {
    return Error{path + ".name: '" + options.name +
                 "' is no name of a tracer; allowed: a letter of a to z, then up to 31 of a to z, "
                 "0 to 9 and _"};
  }
  if (std::find(kOtherColumns.begin(), kOtherColumns.end(), options.name) != kOtherColumns.end()) {
    return Error{path + ".name: '" + options.name + "' is a column of every dump"};
  }
  struct Range {
    const char* key;
    std::int64_t value, low, high;
  };
  const Range ranges[] = {{".spread", options.spread, 0, kMostSpread},
                          {".overturn", options.overturn, 0, kMostOverturn},
                          {".sink", options.sink, -kMostSink, kMostSink},
                          {".fade", options.fade, 0, kMostFade},
                          {".crest", options.crest, 0, kMostCrest},
                          {".whip", options.whip, 0, kMostWhip}};
  for (const Range& range : ranges) {
    if (Status s = check_key(path + range.key, range.value, range.low, range.high); !s) return s;
  }
  if (options.sink != 0 && (options.spread != 0 || options.overturn != 0)) {
    return Error{path +
                 ".sink: what sinks or rises neither spreads nor overturns: one of them is "
                 "to be 0"};
  }
  if (options.kind != TracerKind::kWhitecaps && (options.crest != 0 || options.whip != 0)) {
    return Error{path + ": only whitecaps have the keys crest and whip"};
  }
  return Done{};
}

Status validate(const TracerState& state, const WorldConfig& config) {
  const Error wrong{"snapshot: its tracers are none that can be"};
  if (!state.possible) return wrong;
  if (state.on() && state.solid == config.side_view()) return wrong;
  for (std::size_t i = 0; i < static_cast<std::size_t>(state.count); ++i) {
    const Tracer& tracer = state.tracers[i];
    if (Status s = validate(tracer.options, "tracer[" + std::to_string(i) + "]"); !s) {
      return Error{"snapshot: " + s.error()};
    }
    const AmountTotals& totals = tracer.totals;
    const bool possible = totals.balanced() && totals.initial >= 0 && totals.in >= 0 &&
                          totals.initial <= kMostTracerUnits &&
                          totals.in <= kMostTracerUnits - totals.initial &&
                          state.find(tracer.options.name) == i;
    if (!possible) return wrong;
  }
  for (const auto& [at, spring] : state.springs) {
    if (!config.box().contains(at) || !check_amounts(state.options(), spring.shares)) return wrong;
  }
  return Done{};
}

Status check_amounts(const std::vector<TracerOptions>& tracers, const TracerAmounts& amounts) {
  if (tracers.empty()) return Error{"this world has no tracers: its world file has no [[tracer]]"};
  std::string allowed;
  for (const TracerOptions& tracer : tracers) {
    allowed += (allowed.empty() ? "" : ", ") + tracer.name;
  }
  for (const auto& entry : amounts) {
    const std::string& name = entry.first;  // clang 14 captures no structured bindings
    const bool known = std::any_of(tracers.begin(), tracers.end(),
                                   [&](const TracerOptions& t) { return t.name == name; });
    if (!known) {
      return Error{"'" + name + "' is no tracer of this world; allowed: " + allowed};
    }
    if (Status s = check_range(name.c_str(), entry.second, 0, kMaxPourUnits, " units"); !s)
      return s;
  }
  return Done{};
}

}  // namespace sluice::sim
