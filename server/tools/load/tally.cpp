#include "server/tools/load/tally.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace sluice::tools {

namespace {

/// Null when there is nothing to tell. `values` are sorted.
nlohmann::json percentile(const std::vector<double>& values, double share) {
  if (values.empty()) return nullptr;
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

std::vector<double> lateness_of(const Tally& tally) {
  std::vector<double> late = tally.offsets;
  std::sort(late.begin(), late.end());
  const double least = late.empty() ? 0 : late.front();
  for (double& value : late) value -= least;
  return late;
}

std::string row(const std::string& name, const std::vector<double>& values) {
  constexpr std::array<double, 5> kShares = {0.5, 0.9, 0.99, 0.999, 1};
  std::array<char, 120> text{};
  std::snprintf(text.data(), text.size(), "%-22s %10zu", name.c_str(), values.size());
  std::string line = text.data();
  for (const double share : kShares) {
    const auto value = percentile(values, share);
    std::snprintf(text.data(), text.size(), " %9.2f", value.is_null() ? 0.0 : value.get<double>());
    line += value.is_null() ? "         -" : text.data();
  }
  return line + "\n";
}

}  // namespace

double milliseconds_since(LoadClock::time_point then, LoadClock::time_point now) {
  return std::chrono::duration<double, std::milli>(now - then).count();
}

void TickTimes::came(std::uint64_t tick, std::uint32_t rate, LoadClock::time_point start,
                     Tally& tally) {
  if (tick == last_tick_) return;  // keyframes of the same tick
  const LoadClock::time_point now = LoadClock::now();
  ++tally.ticks;
  if (last_tick_ != 0) {
    tally.intervals.push_back(milliseconds_since(last_time_, now));
    if (rate > 0) {
      const double due = static_cast<double>(tick) * 1e3 / rate;
      tally.offsets.push_back(milliseconds_since(start, now) - due);
    }
  }
  last_tick_ = tick;
  last_time_ = now;
}

void print_json(Tally& tally, double seconds, std::ostream& out) {
  std::sort(tally.intervals.begin(), tally.intervals.end());
  std::sort(tally.round_trips.begin(), tally.round_trips.end());
  const std::vector<double> late = lateness_of(tally);
  const nlohmann::ordered_json json = {
      {"clients", tally.connected},
      {"stalled", tally.stalled},
      {"seconds", seconds},
      {"ticks", tally.ticks},
      {"bytes", tally.bytes},
      {"tick_interval_p50_ms", percentile(tally.intervals, 0.5)},
      {"tick_interval_p99_ms", percentile(tally.intervals, 0.99)},
      {"tick_interval_max_ms", percentile(tally.intervals, 1)},
      {"tick_lateness_p50_ms", percentile(late, 0.5)},
      {"tick_lateness_p99_ms", percentile(late, 0.99)},
      {"tick_lateness_max_ms", percentile(late, 1)},
      {"commands_sent", tally.sent},
      {"commands_applied", tally.applied},
      {"commands_refused", tally.refused},
      {"command_round_trip_p50_ms", percentile(tally.round_trips, 0.5)},
      {"command_round_trip_p99_ms", percentile(tally.round_trips, 0.99)},
      {"errors", tally.errors.size()},
      {"mirrors", tally.mirrors},
      {"chunks_checked", tally.checked},
      {"digest_mismatches", tally.mismatches}};
  out << json.dump() << '\n';
}

void print_table(Tally& tally, double seconds, std::ostream& out) {
  std::sort(tally.intervals.begin(), tally.intervals.end());
  std::sort(tally.round_trips.begin(), tally.round_trips.end());
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "%d clients for %.1f s, %d of them stalled: %.1f ticks and %.1f kB a second each\n",
                tally.connected, seconds, tally.stalled,
                static_cast<double>(tally.ticks) / std::max(tally.connected, 1) / seconds,
                static_cast<double>(tally.bytes) / std::max(tally.connected, 1) / seconds / 1e3);
  out << text.data();
  std::snprintf(text.data(), text.size(), "%-22s %10s %9s %9s %9s %9s %9s\n", "milliseconds",
                "number", "p50", "p90", "p99", "p99.9", "most");
  out << text.data();
  out << row("between two ticks", tally.intervals);
  out << row("a tick's lateness", lateness_of(tally));
  out << row("a command's answer", tally.round_trips);
  out << tally.sent << " commands sent, " << tally.applied << " applied, " << tally.refused
      << " refused; " << tally.checked << " chunks compared in " << tally.mirrors << " mirrors, "
      << tally.mismatches << " differed; " << tally.errors.size() << " errors\n";
}

}  // namespace sluice::tools
