#include "server/host/backups.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include <spdlog/spdlog.h>

#include "server/access/bans.h"
#include "server/record/durable.h"
#include "server/record/repair.h"

namespace sluice::host {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLook{30};
constexpr std::string_view kEnding = ".sluice";
constexpr std::string_view kForm = "20261122T131500Z";

std::optional<std::int64_t> seconds_of_stamp(std::string_view stamp) {
  if (stamp.size() != kForm.size()) return std::nullopt;
  std::string time(stamp);
  for (const std::size_t at : {13U, 11U}) time.insert(at, ":");
  for (const std::size_t at : {6U, 4U}) time.insert(at, "-");
  return access::seconds_of(time);
}

/// When a file of that name was made for this world; nothing where it is none of its backups.
std::optional<std::int64_t> made_at(const std::string& name, const std::string& world,
                                    std::string_view ending) {
  const std::size_t size = world.size() + 1 + kForm.size() + ending.size();
  if (name.size() != size || !name.starts_with(world + "-") || !name.ends_with(ending)) {
    return std::nullopt;
  }
  return seconds_of_stamp(std::string_view(name).substr(world.size() + 1, kForm.size()));
}

/// The world's backups, the oldest first.
std::vector<fs::path> backups_of(const std::string& folder, const std::string& world,
                                 std::string_view ending = kEnding) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (made_at(entry.path().filename().string(), world, ending)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string stamp_of(std::int64_t seconds) {
  std::string time = access::time_of(seconds);
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return time;
}

void Backups::add(const std::string& world, const std::string& recording) {
  const std::lock_guard lock(mutex_);
  recordings_[world] = recording;
}

void Backups::remove(const std::string& world) {
  const std::lock_guard one_at_a_time(making_);
  const std::lock_guard lock(mutex_);
  recordings_.erase(world);
  samples_.erase(world);
}

Backups::~Backups() {
  stop();
}

void Backups::start() {
  if (options_.interval_seconds > 0) thread_ = std::thread([this] { run(); });
}

void Backups::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Backups::run() {
  for (;;) {
    make_due();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kLook, [this] { return stopping_; })) return;
  }
}

std::optional<std::int64_t> Backups::newest(const std::string& world) const {
  const std::vector<fs::path> found = backups_of(options_.folder, world);
  if (found.empty()) return std::nullopt;
  return made_at(found.back().filename().string(), world, kEnding);
}

void Backups::make_due() {
  std::vector<std::string> worlds;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [world, recording] : recordings_) worlds.push_back(world);
  }
  for (const std::string& world : worlds) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      if (!recordings_.contains(world)) continue;  // it went meanwhile
    }
    const auto before = newest(world);
    if (before && options_.now() < *before + options_.interval_seconds) continue;
    const auto made = make(world);
    if (made.ok()) {
      spdlog::info("{}: backup {} of tick {}", world, made->file, made->tick);
    } else {
      spdlog::error("{}: no backup: {}", world, made.error());
    }
  }
}

Result<Backups::Made> Backups::make(const std::string& world) {
  const std::lock_guard one_at_a_time(making_);
  std::string recording;
  {
    const std::lock_guard lock(mutex_);
    const auto place = recordings_.find(world);
    if (place == recordings_.end()) return Error{"no such world: " + world};
    recording = place->second;
  }
  const std::string file = world + "-" + stamp_of(options_.now()) + std::string(kEnding);
  std::error_code error;
  fs::create_directories(options_.folder, error);
  // Of a server that was killed meanwhile.
  const std::string unfinished = std::string(kEnding) + record::kUnfinishedEnding;
  for (const fs::path& left : backups_of(options_.folder, world, unfinished)) {
    record::remove_recording(left.string());
  }
  const auto tick = record::backup(recording, (fs::path(options_.folder) / file).string());
  if (tick.ok()) take_away_old(world);
  const std::lock_guard lock(mutex_);
  BackupSample& sample = samples_[world];
  ++(tick.ok() ? sample.made : sample.failures);
  if (!tick.ok()) return Error{tick.error()};
  sample.tick = *tick;
  return Made{file, *tick};
}

void Backups::take_away_old(const std::string& world) const {
  const std::vector<fs::path> found = backups_of(options_.folder, world);
  std::error_code error;
  for (std::size_t i = 0; i + options_.kept < found.size(); ++i) fs::remove(found[i], error);
}

BackupSample Backups::sample(const std::string& world) const {
  const std::lock_guard lock(mutex_);
  const auto place = samples_.find(world);
  return place == samples_.end() ? BackupSample{} : place->second;
}

}  // namespace sluice::host
