// A medium in memory, below SQLite (as its default layer) and below what recordings do to files
// beside it. Everything written is seen at once, as by way of a system's cache, and outlasts a loss
// of power only when it was synced: of the rest a crash keeps what the dice say, in any order, and
// parts of single writes.
//
//   write ─► `now` and a list of what is not yet synced
//   sync  ─► the list goes into `synced`; a sync that fails may forget what it was given: it is
//   still
//            seen, and no later sync brings it onto the medium
//   crash ─► `now` = `synced` and some of the list, each whole or up to a sector
//
// Names go likewise, but in their order, as in a journal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/record/files.h"
#include "tests/support/dice.h"

namespace sluice::hunt {

enum class DiskFault : std::uint8_t { kNone, kFull, kGone, kSyncsFail, kReadsFail };

/// One at a time; it is SQLite's default layer while it lives.
class Disk final : public record::Files {
 public:
  explicit Disk(std::uint64_t seed);
  ~Disk() override;

  // What the simulation does to it.

  void set_fault(DiskFault fault) { fault_ = fault; }
  [[nodiscard]] DiskFault fault() const { return fault_; }
  /// It has this fault from the change of that number from now on.
  void fail_in(std::uint64_t changes, DiskFault fault) {
    fails_in_ = changes;
    next_fault_ = fault;
  }
  /// The process dies in the change of that number from now; 0: not by itself.
  void die_in(std::uint64_t changes) { dies_in_ = changes; }
  /// Likewise in the change of a name of that number: files that are made, renamed, linked,
  /// removed.
  void die_in_names(std::uint64_t changes) { dies_in_names_ = changes; }
  void die() { dead_ = true; }
  /// From now on nothing that the process does has an effect, nor succeeds.
  [[nodiscard]] bool dead() const { return dead_; }
  /// To be called when all that had files open is gone: what a new process finds.
  void restart(bool power_lost);
  /// Flips a bit of a file on the medium. False where there is none.
  bool flip_a_bit(const std::string& path);
  /// A sector of a file on the medium has other content: zeros, or anything. False where there is
  /// none.
  bool lose_a_sector(const std::string& path);
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] std::vector<std::string> names() const;

  // record::Files.

  bool exists(const std::string& path) override { return names_.contains(path); }
  bool same(const std::string& path, const std::string& other) override;
  std::vector<std::string> names_beside(const std::string& path) override;
  Status remove(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status copy(const std::string& from, const std::string& to) override;
  Status write_anew(const std::string& path) override;
  Status sync(const std::string& path) override;
  Status sync_folder_of(const std::string& path) override;
  Result<std::unique_ptr<record::WriteLock>> lock(const std::string& path) override;
  bool is_locked(const std::string& path) override { return locked_.contains(path); }

  // SQLite's side (disk_vfs.cpp). Codes are SQLite's.

  struct Write {
    std::size_t at = 0;
    std::string bytes;
    bool cut = false;  // the file ends at `at`
  };
  struct File {
    std::string now;
    std::string synced;
    std::vector<Write> unsynced;
    // SQLite's locks, of those that have it open in this process.
    int shared = 0;
    const void* reserved = nullptr;
    const void* exclusive = nullptr;
    std::vector<std::unique_ptr<char[]>> memory;  // shared, of a write-ahead log's index
    int memory_users = 0;                         // it goes with the last one
    int memory_shared[8] = {};
    const void* memory_exclusive[8] = {};
  };
  using FilePtr = std::shared_ptr<File>;

  [[nodiscard]] FilePtr find(const std::string& path) const;
  FilePtr make(const std::string& path);
  int write(File& file, const char* bytes, std::size_t size, std::size_t at);
  int truncate(File& file, std::size_t size);
  int sync_file(File& file, bool its_name);
  [[nodiscard]] int read_code();
  int remove_name(const std::string& path, bool synced);
  [[nodiscard]] std::uint64_t random() { return dice_.next(); }

 private:
  struct NameChange {
    std::string path;
    FilePtr file;         // null: removed
    std::string renamed;  // what had been its name, if it had one
  };

  [[nodiscard]] bool change();  // counts one; false when it must not happen
  [[nodiscard]] bool change_of_name();
  void put(File& file, std::size_t at, std::string_view bytes);
  void set_name(const std::string& path, FilePtr file);
  static void follow(const NameChange& change, std::map<std::string, FilePtr>& names);
  static void apply(const Write& write, std::string& content, std::size_t bytes);

  tests::Dice dice_;
  DiskFault fault_ = DiskFault::kNone;
  bool dead_ = false;
  std::uint64_t fails_in_ = 0;
  DiskFault next_fault_ = DiskFault::kNone;
  std::uint64_t dies_in_ = 0;
  std::uint64_t dies_in_names_ = 0;
  std::uint64_t changes_ = 0;
  std::map<std::string, FilePtr> names_;
  std::map<std::string, FilePtr> synced_names_;
  std::vector<NameChange> name_changes_;  // since
  std::set<std::string> locked_;
};

/// The one that lives.
[[nodiscard]] Disk& disk_in_use();
void put_below_sqlite();
void take_from_below_sqlite();

}  // namespace sluice::hunt
