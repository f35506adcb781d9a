// The disk as an SQLite layer: locks, a shared index of the write-ahead log, a clock that stands
// and randomness of the run's seed, so that SQLite does the same each time.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <sqlite3.h>

#include "tests/hunt/disk.h"

namespace sluice::hunt {

namespace {

struct Open {
  sqlite3_file base;
  Disk::FilePtr file;
  std::string* path;
  int lock;
  bool its_name;  // a sync makes its name durable, too
  bool gone;      // removed when closed
  bool reads;     // and does not write
  bool maps;      // the log's index
};

Open& of(sqlite3_file* file) {
  return *reinterpret_cast<Open*>(file);
}

int x_unlock(sqlite3_file* file, int level) {
  Open& open = of(file);
  Disk::File& it = *open.file;
  if (it.exclusive == &open && level < SQLITE_LOCK_PENDING) it.exclusive = nullptr;
  if (it.reserved == &open && level < SQLITE_LOCK_RESERVED) it.reserved = nullptr;
  if (open.lock >= SQLITE_LOCK_SHARED && level < SQLITE_LOCK_SHARED) --it.shared;
  open.lock = std::min(open.lock, level);
  return SQLITE_OK;
}

int x_lock(sqlite3_file* file, int level) {
  Open& open = of(file);
  Disk::File& it = *open.file;
  if (open.lock >= level) return SQLITE_OK;
  // As the system has it.
  if (open.reads && level > SQLITE_LOCK_SHARED) return SQLITE_IOERR_LOCK;
  if (level == SQLITE_LOCK_SHARED) {
    if (it.exclusive != nullptr) return SQLITE_BUSY;
    ++it.shared;
  } else if (level == SQLITE_LOCK_RESERVED) {
    if (it.reserved != nullptr && it.reserved != &open) return SQLITE_BUSY;
    it.reserved = &open;
  } else {
    if (it.reserved != nullptr && it.reserved != &open) return SQLITE_BUSY;
    if (it.exclusive != nullptr && it.exclusive != &open) return SQLITE_BUSY;
    it.reserved = it.exclusive = &open;
    if (it.shared > 1) return SQLITE_BUSY;
  }
  open.lock = level;
  return SQLITE_OK;
}

int x_check_reserved(sqlite3_file* file, int* out) {
  *out = of(file).file->reserved != nullptr ? 1 : 0;
  return SQLITE_OK;
}

int x_close(sqlite3_file* file) {
  Open& open = of(file);
  x_unlock(file, SQLITE_LOCK_NONE);
  if (open.gone && !open.path->empty()) (void)disk_in_use().remove_name(*open.path, false);
  delete open.path;
  open.file.~shared_ptr();
  return SQLITE_OK;
}

int x_read(sqlite3_file* file, void* out, int size, sqlite3_int64 from) {
  if (const int code = disk_in_use().read_code(); code != SQLITE_OK) return code;
  const std::string& content = of(file).file->now;
  const auto at = static_cast<std::size_t>(from);
  const auto wanted = static_cast<std::size_t>(size);
  const std::size_t there = at < content.size() ? std::min(wanted, content.size() - at) : 0;
  std::memcpy(out, content.data() + std::min(at, content.size()), there);
  std::memset(static_cast<char*>(out) + there, 0, wanted - there);
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int x_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  if (of(file).reads) return SQLITE_IOERR_WRITE;
  return disk_in_use().write(*of(file).file, static_cast<const char*>(bytes),
                             static_cast<std::size_t>(size), static_cast<std::size_t>(at));
}

int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (of(file).reads) return SQLITE_IOERR_TRUNCATE;
  return disk_in_use().truncate(*of(file).file, static_cast<std::size_t>(size));
}

int x_sync(sqlite3_file* file, int /*flags*/) {
  Open& open = of(file);
  const int code = disk_in_use().sync_file(*open.file, open.its_name);
  if (code == SQLITE_OK) open.its_name = false;
  return code;
}

int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(of(file).file->now.size());
  return SQLITE_OK;
}

int x_control(sqlite3_file* /*file*/, int /*op*/, void* /*argument*/) {
  return SQLITE_NOTFOUND;
}
int x_sector_size(sqlite3_file* /*file*/) {
  return 4096;
}
// As the system's layer says of most disks.
int x_characteristics(sqlite3_file* /*file*/) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int x_shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  Open& open = of(file);
  auto& memory = open.file->memory;
  if (!std::exchange(open.maps, true)) ++open.file->memory_users;
  *out = nullptr;
  const auto wanted = static_cast<std::size_t>(region);
  if (memory.size() <= wanted && extend == 0) return SQLITE_OK;
  while (memory.size() <= wanted) {
    memory.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
  }
  *out = memory[wanted].get();
  return SQLITE_OK;
}

int x_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  Disk::File& it = *of(file).file;
  const void* mine = &of(file);
  const bool shared = (flags & SQLITE_SHM_SHARED) != 0;
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    for (int i = offset; i < offset + count; ++i) {
      if (shared) {
        if (it.memory_shared[i] > 0) --it.memory_shared[i];
      } else if (it.memory_exclusive[i] == mine) {
        it.memory_exclusive[i] = nullptr;
      }
    }
    return SQLITE_OK;
  }
  for (int i = offset; i < offset + count; ++i) {
    if (it.memory_exclusive[i] != nullptr && it.memory_exclusive[i] != mine) return SQLITE_BUSY;
    if (!shared && it.memory_shared[i] > 0) return SQLITE_BUSY;
  }
  for (int i = offset; i < offset + count; ++i) {
    if (shared) {
      ++it.memory_shared[i];
    } else {
      it.memory_exclusive[i] = mine;
    }
  }
  return SQLITE_OK;
}

void x_shm_barrier(sqlite3_file* /*file*/) {}

// As the system's layer: who opens it when nobody has it finds nothing, and reads the log anew.
int x_shm_unmap(sqlite3_file* file, int remove) {
  Open& open = of(file);
  const bool last = std::exchange(open.maps, false) && --open.file->memory_users == 0;
  if (last || remove != 0) open.file->memory.clear();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {2,
                                         x_close,
                                         x_read,
                                         x_write,
                                         x_truncate,
                                         x_sync,
                                         x_file_size,
                                         x_lock,
                                         x_unlock,
                                         x_check_reserved,
                                         x_control,
                                         x_sector_size,
                                         x_characteristics,
                                         x_shm_map,
                                         x_shm_lock,
                                         x_shm_barrier,
                                         x_shm_unmap,
                                         nullptr,
                                         nullptr};

int x_open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out) {
  file->pMethods = nullptr;
  const std::string path = name == nullptr ? "" : name;
  Disk& disk = disk_in_use();
  if (disk.dead()) return SQLITE_CANTOPEN;
  Disk::FilePtr found = path.empty() ? nullptr : disk.find(path);
  const bool is_new = found == nullptr;
  if (is_new && path.empty()) found = std::make_shared<Disk::File>();
  if (is_new && (flags & SQLITE_OPEN_CREATE) != 0 && !found) found = disk.make(path);
  if (found == nullptr) return SQLITE_CANTOPEN;
  constexpr int kLogs = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
  new (file) Open{{&kMethods},
                  std::move(found),
                  new std::string(path),
                  SQLITE_LOCK_NONE,
                  (flags & kLogs) != 0 && (flags & SQLITE_OPEN_CREATE) != 0,
                  (flags & SQLITE_OPEN_DELETEONCLOSE) != 0,
                  (flags & SQLITE_OPEN_READONLY) != 0,
                  false};
  if (out != nullptr) *out = flags;
  return SQLITE_OK;
}

int x_delete(sqlite3_vfs* /*vfs*/, const char* name, int sync) {
  return disk_in_use().remove_name(name, sync != 0);
}

int x_access(sqlite3_vfs* /*vfs*/, const char* name, int /*flags*/, int* out) {
  const Disk::FilePtr file = disk_in_use().find(name);
  // As the system's layer: an empty file is as good as none.
  *out = file != nullptr && !file->now.empty() ? 1 : 0;
  return SQLITE_OK;
}

int x_full_path(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}

int x_random(sqlite3_vfs* /*vfs*/, int size, char* out) {
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(disk_in_use().random());
  return size;
}

int x_sleep(sqlite3_vfs* /*vfs*/, int microseconds) {
  return microseconds;  // nobody else runs meanwhile
}

int x_time(sqlite3_vfs* /*vfs*/, sqlite3_int64* out) {
  *out = 212'000'000'000'000;
  return SQLITE_OK;
}

int x_last_error(sqlite3_vfs* /*vfs*/, int /*size*/, char* /*out*/) {
  return 0;
}

sqlite3_vfs simulated_vfs;
sqlite3_vfs* vfs_before = nullptr;

}  // namespace

void put_below_sqlite() {
  vfs_before = sqlite3_vfs_find(nullptr);
  simulated_vfs = {};
  simulated_vfs.iVersion = 2;
  simulated_vfs.szOsFile = static_cast<int>(sizeof(Open));
  simulated_vfs.mxPathname = 512;
  simulated_vfs.zName = "hunt";
  simulated_vfs.xOpen = x_open;
  simulated_vfs.xDelete = x_delete;
  simulated_vfs.xAccess = x_access;
  simulated_vfs.xFullPathname = x_full_path;
  simulated_vfs.xRandomness = x_random;
  simulated_vfs.xSleep = x_sleep;
  simulated_vfs.xCurrentTimeInt64 = x_time;
  simulated_vfs.xGetLastError = x_last_error;
  sqlite3_vfs_register(&simulated_vfs, 1);
  // SQLite draws from the layer once, for ever after from itself.
  sqlite3_randomness(0, nullptr);
}

void take_from_below_sqlite() {
  sqlite3_vfs_unregister(&simulated_vfs);
  sqlite3_vfs_register(vfs_before, 1);
  sqlite3_randomness(0, nullptr);
}

}  // namespace sluice::hunt
