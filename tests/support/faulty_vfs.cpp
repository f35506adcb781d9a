#include "tests/support/faulty_vfs.h"

#include <atomic>

namespace sluice::tests {

namespace {

struct State {
  sqlite3_vfs* inner = nullptr;
  sqlite3_vfs shim = {};
  std::atomic<Fault> fault = Fault::kNone;
  std::atomic<std::uint64_t> at_write = 0;
  std::atomic<std::uint64_t> writes = 0;
  ReadFault read_fault = ReadFault::kNone;
  std::uint64_t at_read = 0;
  std::atomic<std::uint64_t> written_bytes = 0;
  std::atomic<std::uint64_t> syncs = 0;
  std::atomic<std::uint64_t> reads = 0;
  std::atomic<std::uint64_t> openings = 0;
  std::atomic<bool> struck = false;
  bool no_shared_memory = false;
  bool syncs_fail = false;
  bool clock_runs_back = false;
  sqlite3_int64 clock = 0;
  std::function<void(std::chrono::microseconds)> waited;
  std::chrono::microseconds waiting{};
};
State state;

struct File {
  sqlite3_file base;
  sqlite3_file* real;  // lies behind this struct
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<File*>(file)->real;
}

/// What a write or a sync meets now; SQLITE_OK: go on.
int strike(bool is_write) {
  if (is_write) ++state.writes;
  if (state.fault == Fault::kNone || state.writes < state.at_write) return SQLITE_OK;
  state.struck = true;
  switch (state.fault) {
    case Fault::kFull:
      return SQLITE_FULL;
    case Fault::kForbidden:
      return SQLITE_READONLY;
    case Fault::kGone:
    case Fault::kTorn:
      return is_write ? SQLITE_IOERR_WRITE : SQLITE_IOERR_FSYNC;
    case Fault::kDropped:
    case Fault::kNone:
      break;
  }
  return SQLITE_OK;
}

int x_close(sqlite3_file* file) {
  return real(file)->pMethods->xClose(real(file));
}
int x_read(sqlite3_file* file, void* out, int size, sqlite3_int64 at) {
  if (++state.reads >= state.at_read) {
    if (state.read_fault != ReadFault::kNone) state.struck = true;
    if (state.read_fault == ReadFault::kDevice) return SQLITE_IOERR_READ;
    if (state.read_fault == ReadFault::kNoMemory) return SQLITE_IOERR_NOMEM;
  }
  return real(file)->pMethods->xRead(real(file), out, size, at);
}
int x_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
  state.written_bytes += static_cast<std::uint64_t>(size);
  const bool first = !state.struck;
  const int code = strike(true);
  if (state.struck && state.fault == Fault::kDropped) return SQLITE_OK;
  if (code != SQLITE_OK) {
    if (first && state.fault == Fault::kTorn) {
      (void)real(file)->pMethods->xWrite(real(file), bytes, size / 2, at);
    }
    return code;
  }
  return real(file)->pMethods->xWrite(real(file), bytes, size, at);
}
int x_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (state.struck && state.fault == Fault::kDropped) return SQLITE_OK;
  if (const int code = strike(false); code != SQLITE_OK) return code;
  return real(file)->pMethods->xTruncate(real(file), size);
}
int x_sync(sqlite3_file* file, int flags) {
  ++state.syncs;
  if (state.syncs_fail) return SQLITE_IOERR_FSYNC;
  if (state.struck && state.fault == Fault::kDropped) return SQLITE_OK;
  if (const int code = strike(false); code != SQLITE_OK) return code;
  return real(file)->pMethods->xSync(real(file), flags);
}
int x_file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int x_lock(sqlite3_file* file, int kind) {
  return real(file)->pMethods->xLock(real(file), kind);
}
int x_unlock(sqlite3_file* file, int kind) {
  return real(file)->pMethods->xUnlock(real(file), kind);
}
int x_check_reserved(sqlite3_file* file, int* out) {
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
int x_control(sqlite3_file* file, int op, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), op, argument);
}
int x_sector_size(sqlite3_file* file) {
  return real(file)->pMethods->xSectorSize(real(file));
}
int x_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
int x_shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, out);
}
int x_shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void x_shm_barrier(sqlite3_file* file) {
  real(file)->pMethods->xShmBarrier(real(file));
}
int x_shm_unmap(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

constexpr sqlite3_io_methods methods_of(int version) {
  return {version,           x_close,          x_read,      x_write,
          x_truncate,        x_sync,           x_file_size, x_lock,
          x_unlock,          x_check_reserved, x_control,   x_sector_size,
          x_characteristics, x_shm_map,        x_shm_lock,  x_shm_barrier,
          x_shm_unmap,       nullptr,          nullptr};
}
constexpr sqlite3_io_methods kMethods = methods_of(2);
constexpr sqlite3_io_methods kMethodsWithoutSharedMemory = methods_of(1);

int x_open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* ours = reinterpret_cast<File*>(file);
  ours->real = reinterpret_cast<sqlite3_file*>(ours + 1);
  ours->base.pMethods = nullptr;
  ours->real->pMethods = nullptr;
  if (++state.openings >= state.at_read && state.read_fault == ReadFault::kNoDescriptors) {
    state.struck = true;
    return SQLITE_CANTOPEN;
  }
  const int code = state.inner->xOpen(state.inner, name, ours->real, flags, out);
  if (ours->real->pMethods != nullptr) {
    ours->base.pMethods = state.no_shared_memory ? &kMethodsWithoutSharedMemory : &kMethods;
  }
  return code;
}
int x_current_time(sqlite3_vfs* /*vfs*/, sqlite3_int64* out) {
  if (!state.clock_runs_back) return state.inner->xCurrentTimeInt64(state.inner, out);
  if (state.clock == 0) (void)state.inner->xCurrentTimeInt64(state.inner, &state.clock);
  *out = state.clock -= 3600000;  // an hour
  return SQLITE_OK;
}

int x_sleep(sqlite3_vfs* /*vfs*/, int microseconds) {
  if (!state.waited) return state.inner->xSleep(state.inner, microseconds);
  state.waited(state.waiting += std::chrono::microseconds(microseconds));
  return microseconds;
}

void start_counting() {
  state.writes = state.written_bytes = state.syncs = state.reads = state.openings = 0;
  state.struck = false;
}

}  // namespace

FaultyVfs::FaultyVfs() {
  state.clock_runs_back = state.no_shared_memory = false;
  state.clock = 0;
  wait_by({});
  heal();
  state.inner = sqlite3_vfs_find(nullptr);
  state.shim = *state.inner;
  state.shim.zName = "faulty";
  state.shim.szOsFile = static_cast<int>(sizeof(File)) + state.inner->szOsFile;
  state.shim.pNext = nullptr;
  state.shim.xOpen = x_open;
  state.shim.xCurrentTimeInt64 = x_current_time;
  state.shim.xSleep = x_sleep;
  sqlite3_vfs_register(&state.shim, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&state.shim);
  sqlite3_vfs_register(state.inner, 1);
}

void FaultyVfs::fail(Fault fault, std::uint64_t at_write) {
  state.fault = fault;
  state.at_write = at_write;
  start_counting();
}

void FaultyVfs::fail_reads(ReadFault fault, std::uint64_t at) {
  state.read_fault = fault;
  state.at_read = at;
  start_counting();
}

void FaultyVfs::fail_syncs() {
  state.syncs_fail = true;
}

void FaultyVfs::share_no_memory() {
  state.no_shared_memory = true;
}

void FaultyVfs::heal() {
  state.read_fault = ReadFault::kNone;
  state.syncs_fail = false;
  fail(Fault::kNone, 0);
}

void FaultyVfs::turn_back_the_clock() {
  state.clock_runs_back = true;
}

void FaultyVfs::wait_by(std::function<void(std::chrono::microseconds)> waited) {
  state.waited = std::move(waited);
  state.waiting = {};
}

std::uint64_t FaultyVfs::writes() const {
  return state.writes;
}

std::uint64_t FaultyVfs::written_bytes() const {
  return state.written_bytes;
}

std::uint64_t FaultyVfs::syncs() const {
  return state.syncs;
}

std::uint64_t FaultyVfs::reads() const {
  return state.reads;
}

std::uint64_t FaultyVfs::openings() const {
  return state.openings;
}

bool FaultyVfs::struck() const {
  return state.struck;
}

}  // namespace sluice::tests
