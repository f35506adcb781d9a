#include "server/record/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "server/record/system_lock.h"

namespace sluice::record {

namespace {

namespace fs = std::filesystem;

Status status_of(const std::error_code& error) {
  return error ? Status(Error{error.message()}) : Done{};
}

Status sync_descriptor(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  if (!synced) return Error{std::strerror(reason)};
  return Done{};
}

// In pieces that fit any memory.
int write_over_itself(int descriptor) {
  std::vector<char> piece(std::size_t{1} << 20);
  off_t at = 0;
  while (true) {
    const ssize_t held = pread(descriptor, piece.data(), piece.size(), at);
    if (held == 0) return 0;
    if (held < 0) return errno;
    for (ssize_t done = 0; done < held;) {
      const ssize_t written =
          pwrite(descriptor, piece.data() + done, static_cast<std::size_t>(held - done), at + done);
      if (written < 0) return errno;
      done += written;
    }
    at += held;
  }
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class SystemFiles final : public Files {
 public:
  bool exists(const std::string& path) override {
    std::error_code ignored;
    return fs::exists(path, ignored);
  }
  bool same(const std::string& path, const std::string& other) override {
    std::error_code ignored;
    return fs::equivalent(path, other, ignored);
  }
  std::vector<std::string> names_beside(const std::string& path) override {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_of(path), ignored)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  Status remove(const std::string& path) override {
    std::error_code error;
    fs::remove(path, error);
    return status_of(error);
  }
  Status rename(const std::string& from, const std::string& to) override {
    if (std::rename(from.c_str(), to.c_str()) == 0) return Done{};
    return Error{std::strerror(errno)};
  }
  Status link(const std::string& from, const std::string& to) override {
    std::error_code error;
    fs::create_hard_link(from, to, error);
    return status_of(error);
  }
  Status copy(const std::string& from, const std::string& to) override {
    std::error_code error;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
    return status_of(error);
  }
  Status write_anew(const std::string& path) override {
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT ? Status(Done{}) : Error{std::strerror(errno)};
    const int reason = write_over_itself(descriptor);
    close(descriptor);
    return reason == 0 ? Status(Done{}) : Error{std::strerror(reason)};
  }
  Status sync(const std::string& path) override { return sync_descriptor(path, O_RDONLY); }
  Status sync_folder_of(const std::string& path) override {
    return sync_descriptor(folder_of(path), O_RDONLY | O_DIRECTORY);
  }
  Result<std::unique_ptr<WriteLock>> lock(const std::string& path) override {
    return SystemLock::acquire(path);
  }
  bool is_locked(const std::string& path) override { return SystemLock::held(path); }
};

Files*& in_place() {
  static Files* others = nullptr;
  return others;
}

}  // namespace

Files& files() {
  static SystemFiles system;
  Files* others = in_place();
  return others == nullptr ? system : *others;
}

void put_files(Files* others) {
  in_place() = others;
}

Result<std::unique_ptr<WriteLock>> WriteLock::acquire(const std::string& path) {
  return files().lock(path);
}

bool WriteLock::held(const std::string& path) {
  return files().is_locked(path);
}

}  // namespace sluice::record
