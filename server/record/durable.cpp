#include "server/record/durable.h"

#include <cerrno>
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

}  // namespace sluice::record
