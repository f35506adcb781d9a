#include "server/host/disk_guard.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <spdlog/spdlog.h>

#include "server/record/durable.h"

namespace sluice::host {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::int64_t kSecondsOfHour = 3600;

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes / kMebibyte) + " MiB";
}

}  // namespace

std::optional<std::uint64_t> DiskGuard::free_bytes_of(const std::string& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) return std::nullopt;
  return space.available;
}

std::uint64_t DiskGuard::recording_bytes_of(const std::string& path) {
  const auto size_of = [](const std::string& file) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    return error ? std::uint64_t{0} : std::uint64_t{size};
  };
  std::uint64_t bytes = size_of(path);
  for (const char* companion : record::kCompanions) bytes += size_of(path + companion);
  return bytes;
}

DiskGuard::DiskGuard(Options options) : options_(std::move(options)) {}

DiskGuard::~DiskGuard() {
  stop();
}

void DiskGuard::start() {
  thread_ = std::thread([this] { run(); });
}

void DiskGuard::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void DiskGuard::run() {
  for (;;) {
    look();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, options_.interval, [this] { return stopping_; })) return;
  }
}

void DiskGuard::look() {
  const std::optional<std::uint64_t> free = options_.free_bytes(options_.folder);
  const std::lock_guard lock(mutex_);
  for (State& state : states_) look_at(state, free);
}

void DiskGuard::look_at(State& state, std::optional<std::uint64_t> free) const {
  const std::string& world = state.recording.world;
  // A disk that cannot tell is the recorder's to complain of.
  state.sample.free_bytes = free.value_or(UINT64_MAX);
  count_growth(state);
  const std::string refusal = refusal_of(state);
  const std::string warning = warning_of(state);
  if (!refusal.empty() && !state.sample.refuses_edits) {
    spdlog::error("{}: edits are refused: {}", world, refusal);
  } else if (refusal.empty() && state.sample.refuses_edits) {
    spdlog::info("{}: edits are taken again", world);
  } else if (!warning.empty() && !state.warned) {
    spdlog::warn("{}: {}", world, warning);
  }
  state.warned = !warning.empty();
  // Told each time: it says until when.
  if (!refusal.empty() || state.sample.refuses_edits) state.recording.refuse_edits(refusal);
  state.sample.refuses_edits = !refusal.empty();
}

void DiskGuard::add(Recording recording) {
  const std::lock_guard lock(mutex_);
  State state;
  state.recording = std::move(recording);
  states_.push_back(std::move(state));
}

void DiskGuard::remove(const std::string& world) {
  const std::lock_guard lock(mutex_);
  std::erase_if(states_, [&](const State& state) { return state.recording.world == world; });
}

std::string DiskGuard::no_room_for(std::uint64_t bytes) const {
  const std::optional<std::uint64_t> free = options_.free_bytes(options_.folder);
  const std::uint64_t reserve = options_.limits.reserve * kMebibyte;
  if (!free || *free >= bytes + reserve) return {};
  return "the disk of the data folder has " + mebibytes(*free) + " left; this needs " +
         mebibytes(bytes + reserve) + ", those included that are kept back (disk_reserve)";
}

void DiskGuard::count_growth(State& state) const {
  const std::uint64_t bytes = options_.file_bytes(state.recording.path);
  const std::int64_t hour = options_.now() / kSecondsOfHour;
  // Of hours that have passed since, nothing is known yet. A clock that was set back changes
  // nothing.
  const std::int64_t passed = std::min<std::int64_t>(hour - state.hour, kHours);
  for (std::int64_t i = 0; i < passed; ++i) {
    state.grown[static_cast<std::size_t>(hour - i) % kHours] = 0;
  }
  state.hour = std::max(state.hour, hour);
  if (state.bytes && bytes > *state.bytes) {
    state.grown[static_cast<std::size_t>(state.hour) % kHours] += bytes - *state.bytes;
  }
  state.bytes = bytes;
  state.sample.recording_bytes = bytes;
  state.sample.grown_bytes =
      std::accumulate(state.grown.begin(), state.grown.end(), std::uint64_t{0});
}

std::string DiskGuard::refusal_of(const State& state) const {
  const std::uint64_t reserve = options_.limits.reserve * kMebibyte;
  // Once they are refused, there has to be some more room: else it would go to and fro.
  const std::uint64_t least = state.sample.refuses_edits ? reserve + reserve / 16 : reserve;
  if (state.sample.free_bytes < least) {
    return "the server's disk is nearly full; edits are possible again when there is room";
  }
  const std::uint64_t most = options_.limits.recording_per_day * kMebibyte;
  if (most > 0 && state.sample.grown_bytes >= most) {
    return "the recording has grown by " + mebibytes(most) +
           ", as much as it may in a day; edits are possible again within " +
           std::to_string(hours_until_room(state)) + " h";
  }
  return {};
}

std::string DiskGuard::warning_of(const State& state) const {
  const std::uint64_t reserve = options_.limits.reserve * kMebibyte;
  if (state.sample.free_bytes < 2 * reserve) {
    return "the disk has " + mebibytes(state.sample.free_bytes) +
           " left; edits are refused below " + mebibytes(reserve);
  }
  const std::uint64_t most = options_.limits.recording_per_day * kMebibyte;
  if (most > 0 && state.sample.grown_bytes >= most - most / 5) {
    return "the recording has grown by " + mebibytes(state.sample.grown_bytes) +
           " in a day; edits are refused from " + mebibytes(most) + " on";
  }
  return {};
}

// The oldest hours are forgotten first.
std::int64_t DiskGuard::hours_until_room(const State& state) const {
  std::uint64_t left = state.sample.grown_bytes;
  for (std::size_t i = 1; i <= kHours; ++i) {
    left -= state.grown[(static_cast<std::size_t>(state.hour) + i) % kHours];
    if (left < options_.limits.recording_per_day * kMebibyte) return static_cast<std::int64_t>(i);
  }
  return kHours;
}

DiskSample DiskGuard::sample(const std::string& world) const {
  const std::lock_guard lock(mutex_);
  for (const State& state : states_) {
    if (state.recording.world == world) return state.sample;
  }
  return {};
}

}  // namespace sluice::host
