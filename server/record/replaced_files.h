// Files that take the place of others while this process has those open, or is about to open them.
//
// SQLite finds a database's log by the database's name. A reader that opened the old file and then
// looked for its log after the names had changed would read the new file's log into the old one. So
// within a process opening a file to read it and changing its name exclude each other. Who had it
// open before goes on in the old file, which it holds with its log by their descriptors, and which
// is gone from the medium when the last one closes it; it learns here that another one has its
// name.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace sluice::record {

/// While it lives, no name changes. Not held for long: others wait for it.
class OpeningFile {
 public:
  OpeningFile();
  ~OpeningFile() = default;
  OpeningFile(const OpeningFile&) = delete;
  OpeningFile& operator=(const OpeningFile&) = delete;

 private:
  std::shared_lock<std::shared_mutex> lock_;  // none where this thread is the one that replaces
};

/// While it lives, no other thread opens a recording to read it. One at a time in a thread.
class ReplacingFile {
 public:
  ReplacingFile();
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

/// From now on another file has that name. While it is being replaced.
void note_replaced(const std::string& path);
/// How often that was so, in this process. Any thread.
[[nodiscard]] std::uint64_t times_replaced(const std::string& path);

}  // namespace sluice::record
