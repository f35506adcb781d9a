// What recordings need of a file system beside what SQLite does through its own layer: names,
// copies, syncs, and the lock that keeps a second writer out. An interface, so that a test can put
// a medium of its own below all that is written, as it puts one below SQLite.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/write_lock.h"

namespace sluice::record {

/// Errors say what went wrong and do not name the file: whoever asks knows it.
class Files {
 public:
  virtual ~Files() = default;

  [[nodiscard]] virtual bool exists(const std::string& path) = 0;
  /// Whether both are names of one file.
  [[nodiscard]] virtual bool same(const std::string& path, const std::string& other) = 0;
  /// The names of all that lies in the folder of `path`, in no order.
  [[nodiscard]] virtual std::vector<std::string> names_beside(const std::string& path) = 0;
  /// Nothing to remove is well.
  [[nodiscard]] virtual Status remove(const std::string& path) = 0;
  /// Takes the place of what has the new name.
  [[nodiscard]] virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// A second name for a file.
  [[nodiscard]] virtual Status link(const std::string& from, const std::string& to) = 0;
  [[nodiscard]] virtual Status copy(const std::string& from, const std::string& to) = 0;
  /// Writes all of the file over itself, so that the next sync brings each byte onto the medium:
  /// also what a sync that failed gave up, which the system holds for written. Nothing there is
  /// well.
  [[nodiscard]] virtual Status write_anew(const std::string& path) = 0;
  /// What was written to the file outlasts a loss of power.
  [[nodiscard]] virtual Status sync(const std::string& path) = 0;
  /// What was made, renamed and removed in the folder of `path` does.
  [[nodiscard]] virtual Status sync_folder_of(const std::string& path) = 0;
  /// See WriteLock.
  [[nodiscard]] virtual Result<std::unique_ptr<WriteLock>> lock(const std::string& path) = 0;
  [[nodiscard]] virtual bool is_locked(const std::string& path) = 0;
};

/// Those of the system, unless others were put in their place.
[[nodiscard]] Files& files();
/// For tests: null brings the system's back. Like SQLite's default layer this is the process's, and
/// is not to be changed while anything is open.
void put_files(Files* others);

}  // namespace sluice::record
