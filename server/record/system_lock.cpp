#include "server/record/system_lock.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::record {

namespace {

constexpr int kAttempts = 5;
constexpr useconds_t kAttemptMicroseconds = 2000;

}  // namespace

SystemLock::SystemLock(std::string lock_path, int descriptor)
    : lock_path_(std::move(lock_path)), descriptor_(descriptor) {}

SystemLock::~SystemLock() {
  // Removed while still held: whoever opened it meanwhile notices that it is no longer in place.
  unlink(lock_path_.c_str());
  close(descriptor_);
}

Result<std::unique_ptr<WriteLock>> SystemLock::acquire(const std::string& path) {
  const std::string lock_path = path + "-lock";
  for (int attempts = 0;;) {
    const int descriptor = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0) {
      return Error{lock_path + ": cannot be created: " + std::strerror(errno)};
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor);
      // held() takes the lock for a moment; whoever writes keeps it.
      if (++attempts < kAttempts) {
        usleep(kAttemptMicroseconds);
        continue;
      }
      return Error{path + ": is being written by another process; stop that one first"};
    }
    struct stat held = {};
    struct stat in_place = {};
    if (fstat(descriptor, &held) == 0 && stat(lock_path.c_str(), &in_place) == 0 &&
        held.st_ino == in_place.st_ino && held.st_dev == in_place.st_dev) {
      return std::unique_ptr<WriteLock>(new SystemLock(lock_path, descriptor));
    }
    close(descriptor);  // Its owner removed it between our two calls; a new one is to be made.
  }
}

bool SystemLock::held(const std::string& path) {
  const int descriptor = open((path + "-lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool free = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  close(descriptor);
  return !free;
}

}  // namespace sluice::record
