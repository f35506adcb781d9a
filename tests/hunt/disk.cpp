#include "tests/hunt/disk.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sqlite3.h>

#include "protocol/base/assert.h"

namespace sluice::hunt {

namespace {

constexpr std::size_t kSector = 512;
Disk* in_use = nullptr;

class HeldLock final : public record::WriteLock {
 public:
  HeldLock(std::set<std::string>& locked, std::string path)
      : locked_(locked), path_(std::move(path)) {
    locked_.insert(path_);
  }
  ~HeldLock() override { locked_.erase(path_); }

 private:
  std::set<std::string>& locked_;
  std::string path_;
};

Status status_of(bool done) {
  return done ? Status(Done{}) : Error{"Input/output error"};
}

}  // namespace

Disk& disk_in_use() {
  SLUICE_ASSERT(in_use != nullptr);
  return *in_use;
}

Disk::Disk(std::uint64_t seed) : dice_(seed) {
  SLUICE_ASSERT(in_use == nullptr);
  in_use = this;
  record::put_files(this);
  put_below_sqlite();
}

Disk::~Disk() {
  take_from_below_sqlite();
  record::put_files(nullptr);
  in_use = nullptr;
}

bool Disk::change() {
  if (dead_) return false;
  ++changes_;
  if (fails_in_ > 0 && --fails_in_ == 0) fault_ = next_fault_;
  if (dies_in_ > 0 && --dies_in_ == 0) dead_ = true;
  return !dead_;
}

bool Disk::change_of_name() {
  if (dies_in_names_ > 0 && --dies_in_names_ == 0) dead_ = true;
  return change();
}

void Disk::apply(const Write& write, std::string& content, std::size_t bytes) {
  if (write.cut) {
    content.resize(write.at);
    return;
  }
  if (content.size() < write.at + bytes) content.resize(write.at + bytes);
  std::memcpy(content.data() + write.at, write.bytes.data(), bytes);
}

void Disk::restart(bool power_lost) {
  dead_ = false;
  dies_in_ = dies_in_names_ = 0;
  locked_.clear();
  if (power_lost) {
    const auto kept =
        static_cast<std::size_t>(dice_.roll(0, static_cast<std::int32_t>(name_changes_.size())));
    names_ = synced_names_;
    for (std::size_t i = 0; i < kept; ++i) follow(name_changes_[i], names_);
  }
  synced_names_ = names_;
  name_changes_.clear();
  std::set<File*> seen;
  for (auto& [path, file] : names_) {
    if (!seen.insert(file.get()).second) continue;
    file->shared = 0;
    file->reserved = file->exclusive = nullptr;
    file->memory.clear();
    file->memory_users = 0;
    std::fill(std::begin(file->memory_shared), std::end(file->memory_shared), 0);
    std::fill(std::begin(file->memory_exclusive), std::end(file->memory_exclusive), nullptr);
    if (!power_lost) continue;
    const std::int32_t percent = dice_.roll(0, 100);
    for (const Write& write : file->unsynced) {
      if (!dice_.chance(percent)) continue;
      const std::size_t whole = write.bytes.size();
      const bool torn = whole > kSector && dice_.chance(30);
      apply(write, file->synced, torn ? whole / kSector / 2 * kSector : whole);
    }
    file->unsynced.clear();
    file->now = file->synced;
  }
}

bool Disk::flip_a_bit(const std::string& path) {
  const FilePtr file = find(path);
  if (file == nullptr || file->synced.empty()) return false;
  const std::size_t at = dice_.next() % file->synced.size();
  const auto bit = static_cast<char>(1 << dice_.roll(0, 7));
  const auto flipped = static_cast<char>(file->synced[at] ^ bit);
  put(*file, at, {&flipped, 1});
  return true;
}

bool Disk::lose_a_sector(const std::string& path) {
  const FilePtr file = find(path);
  if (file == nullptr || file->synced.size() < kSector) return false;
  const std::size_t sector = dice_.next() % (file->synced.size() / kSector);
  std::string other(kSector, '\0');
  if (dice_.chance(50)) {
    for (char& byte : other) byte = static_cast<char>(dice_.next());
  }
  put(*file, sector * kSector, other);
  return true;
}

// On the medium, and in what the system read of it before.
void Disk::put(File& file, std::size_t at, std::string_view bytes) {
  file.synced.replace(at, bytes.size(), bytes);
  if (at + bytes.size() <= file.now.size()) file.now.replace(at, bytes.size(), bytes);
}

std::vector<std::string> Disk::names() const {
  std::vector<std::string> all;
  for (const auto& [path, file] : names_) all.push_back(path);
  return all;
}

bool Disk::same(const std::string& path, const std::string& other) {
  const FilePtr file = find(path);
  return file != nullptr && file == find(other);
}

std::vector<std::string> Disk::names_beside(const std::string& path) {
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  std::vector<std::string> found;
  for (const auto& [name, file] : names_) {
    if (name.starts_with(folder)) found.push_back(name.substr(folder.size()));
  }
  return found;
}

void Disk::follow(const NameChange& change, std::map<std::string, FilePtr>& names) {
  names.erase(change.renamed);
  if (change.file == nullptr) {
    names.erase(change.path);
  } else {
    names[change.path] = change.file;
  }
}

void Disk::set_name(const std::string& path, FilePtr file) {
  name_changes_.push_back({path, std::move(file), {}});
  follow(name_changes_.back(), names_);
}

Status Disk::remove(const std::string& path) {
  if (!exists(path)) return Done{};
  if (!change_of_name()) return status_of(false);
  set_name(path, nullptr);
  return Done{};
}

Status Disk::rename(const std::string& from, const std::string& to) {
  const FilePtr file = find(from);
  if (file == nullptr || fault_ == DiskFault::kGone || !change_of_name()) return status_of(false);
  name_changes_.push_back({to, file, from});
  follow(name_changes_.back(), names_);
  return Done{};
}

Status Disk::link(const std::string& from, const std::string& to) {
  const FilePtr file = find(from);
  const bool full = fault_ == DiskFault::kFull || fault_ == DiskFault::kGone;
  if (file == nullptr || exists(to) || full || !change_of_name()) return status_of(false);
  set_name(to, file);
  return Done{};
}

Status Disk::copy(const std::string& from, const std::string& to) {
  const FilePtr file = find(from);
  if (file == nullptr || read_code() != SQLITE_OK) return status_of(false);
  const FilePtr made = make(to);
  if (made == nullptr || truncate(*made, 0) != SQLITE_OK) return status_of(false);
  return status_of(write(*made, file->now.data(), file->now.size(), 0) == SQLITE_OK);
}

Status Disk::write_anew(const std::string& path) {
  const FilePtr file = find(path);
  if (file == nullptr) return Done{};
  const std::string held = file->now;
  return status_of(write(*file, held.data(), held.size(), 0) == SQLITE_OK);
}

Status Disk::sync(const std::string& path) {
  const FilePtr file = find(path);
  return status_of(file != nullptr && sync_file(*file, false) == SQLITE_OK);
}

Status Disk::sync_folder_of(const std::string& /*path*/) {
  if (fault_ == DiskFault::kSyncsFail || fault_ == DiskFault::kGone || !change()) {
    return status_of(false);
  }
  synced_names_ = names_;
  name_changes_.clear();
  return Done{};
}

Result<std::unique_ptr<record::WriteLock>> Disk::lock(const std::string& path) {
  if (dead_) return Error{path + "-lock: cannot be created"};
  if (locked_.contains(path)) return Error{path + ": is being written by another process"};
  return std::unique_ptr<record::WriteLock>(new HeldLock(locked_, path));
}

Disk::FilePtr Disk::find(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? nullptr : found->second;
}

Disk::FilePtr Disk::make(const std::string& path) {
  if (FilePtr there = find(path)) return there;
  if (fault_ == DiskFault::kGone || !change_of_name()) return nullptr;
  auto file = std::make_shared<File>();
  if (!path.empty()) set_name(path, file);
  return file;
}

int Disk::write(File& file, const char* bytes, std::size_t size, std::size_t at) {
  if (fault_ == DiskFault::kGone) return SQLITE_IOERR_WRITE;
  if (fault_ == DiskFault::kFull && at + size > file.now.size()) return SQLITE_FULL;
  Write write{at, std::string(bytes, size)};
  const bool lived = !dead_;
  const bool lives = change();
  // The last one of a process happens, and nobody hears of it.
  if (lived) {
    apply(write, file.now, size);
    file.unsynced.push_back(std::move(write));
  }
  return lives ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

int Disk::truncate(File& file, std::size_t size) {
  if (fault_ == DiskFault::kGone || !change()) return SQLITE_IOERR_TRUNCATE;
  if (size >= file.now.size()) return SQLITE_OK;
  file.now.resize(size);
  file.unsynced.push_back({size, {}, true});
  return SQLITE_OK;
}

int Disk::sync_file(File& file, bool its_name) {
  if (fault_ == DiskFault::kGone || !change()) return SQLITE_IOERR_FSYNC;
  if (fault_ == DiskFault::kSyncsFail) {
    // The system holds for clean what it could not write.
    std::erase_if(file.unsynced,
                  [this](const Write& write) { return !write.cut && dice_.chance(50); });
    return SQLITE_IOERR_FSYNC;
  }
  for (const Write& write : file.unsynced) apply(write, file.synced, write.bytes.size());
  file.unsynced.clear();
  if (its_name) {
    synced_names_ = names_;
    name_changes_.clear();
  }
  return SQLITE_OK;
}

int Disk::read_code() {
  if (dead_) return SQLITE_IOERR_READ;
  return fault_ == DiskFault::kReadsFail && dice_.chance(10) ? SQLITE_IOERR_READ : SQLITE_OK;
}

int Disk::remove_name(const std::string& path, bool synced) {
  if (!exists(path)) return SQLITE_IOERR_DELETE_NOENT;
  if (fault_ == DiskFault::kGone || !change_of_name()) return SQLITE_IOERR_DELETE;
  set_name(path, nullptr);
  if (synced) return sync_folder_of(path) ? SQLITE_OK : SQLITE_IOERR_DIR_FSYNC;
  return SQLITE_OK;
}

}  // namespace sluice::hunt
