#include "server/record/replaced_files.h"

#include <map>

#include "protocol/base/assert.h"

namespace sluice::record {

namespace {

/// Of all files: names change for moments, and seldom.
std::shared_mutex& names() {
  static std::shared_mutex mutex;
  return mutex;
}

thread_local bool replaces = false;

struct Counts {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> of;  // guarded by mutex; as many as there were recordings
};

Counts& counts() {
  static Counts counts;
  return counts;
}

}  // namespace

OpeningFile::OpeningFile() {
  if (!replaces) lock_ = std::shared_lock(names());
}

ReplacingFile::ReplacingFile() {
  SLUICE_ASSERT(!replaces);
  lock_ = std::unique_lock(names());
  replaces = true;
}

ReplacingFile::~ReplacingFile() {
  replaces = false;
}

void note_replaced(const std::string& path) {
  const std::lock_guard lock(counts().mutex);
  ++counts().of[path];
}

std::uint64_t times_replaced(const std::string& path) {
  const std::lock_guard lock(counts().mutex);
  const auto found = counts().of.find(path);
  return found == counts().of.end() ? 0 : found->second;
}

}  // namespace sluice::record
