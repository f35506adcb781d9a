#include "server/record/durable.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace sluice::record {

namespace {

sim::Status sync(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  if (!synced) return sim::Error{path + ": cannot be made durable: " + std::strerror(reason)};
  return sim::Done{};
}

}  // namespace

sim::Status sync_file(const std::string& path) {
  return sync(path, O_RDONLY);
}

sim::Status sync_directory_of(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  return sync(directory.empty() ? "." : directory, O_RDONLY | O_DIRECTORY);
}

void remove_recording(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  for (const char* companion : kCompanions) std::filesystem::remove(path + companion, ignored);
}

sim::Status copy_durably(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  if (error) return sim::Error{to + ": cannot be made: " + error.message()};
  return sync_file(to);
}

sim::Status rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return sim::Done{};
  return sim::Error{to + ": cannot be replaced: " + std::strerror(errno)};
}

}  // namespace sluice::record
