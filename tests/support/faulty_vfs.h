// A medium that fails on command: an SQLite VFS around the system's own, through which every file
// of a recording goes while it lives.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <sqlite3.h>

namespace sluice::tests {

enum class Fault : std::uint8_t {
  kNone,
  kFull,       // the disk is full
  kTorn,       // half of one write, then the device is gone
  kDropped,    // the device says yes and keeps nothing: a lost last transaction
  kForbidden,  // the permission to write is gone
  kGone,       // every write and sync fails
};

/// What a sound file may meet when it is read: none of it says anything about the file.
enum class ReadFault : std::uint8_t {
  kNone,
  kDevice,         // EIO
  kNoMemory,       // ENOMEM
  kNoDescriptors,  // EMFILE: what is open stays so, nothing can be opened
};

class FaultyVfs {
 public:
  /// Becomes the process's default until it ends.
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  /// From the write of that number on (counted from now, the first is 1) the medium has this fault.
  void fail(Fault fault, std::uint64_t at_write);
  /// From the read (of kNoDescriptors: the opening) of that number on, counted from now.
  void fail_reads(ReadFault fault, std::uint64_t at);
  /// Writes go well, and no sync does.
  void fail_syncs();
  /// Files of which no memory can be shared, as on some network file systems.
  void share_no_memory();
  /// The medium is sound again.
  void heal();
  /// Each look at the clock is earlier than the one before.
  void turn_back_the_clock();
  /// Waiting for a lock takes no time from now on: instead of each wait this is called, with all
  /// that would have been waited so far.
  void wait_by(std::function<void(std::chrono::microseconds)> waited);
  /// Writes since the last fail() or heal().
  [[nodiscard]] std::uint64_t writes() const;
  /// Likewise bytes written, syncs, reads, and openings of files.
  [[nodiscard]] std::uint64_t written_bytes() const;
  [[nodiscard]] std::uint64_t syncs() const;
  [[nodiscard]] std::uint64_t reads() const;
  [[nodiscard]] std::uint64_t openings() const;
  /// Whether the fault has struck.
  [[nodiscard]] bool struck() const;
};

}  // namespace sluice::tests
