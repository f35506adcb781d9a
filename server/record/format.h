// The recording's file format: README.md describes it, and a test keeps the two equal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "server/sim/limits.h"

namespace sluice::record {

/// "Slui" at offset 68 of the file: SQLite's place for an application's own file type.
inline constexpr std::int64_t kApplicationId = 0x536c7569;
/// Raised with every change that an older build could not read. Every version ever written is
/// read; a file is brought to this version when somebody goes on writing it.
inline constexpr std::int64_t kFormatVersion = 3;
inline constexpr std::int64_t kOldestFormatVersion = 1;
inline constexpr std::int64_t kFirstVersionWithFacts = 2;
/// From this one on the cores of checkpoints may lie in pieces.
inline constexpr std::int64_t kFirstVersionWithPieces = 3;

/// What writer and reader agree on, once for both: the writer refuses or cuts what the reader would
/// not take. A test may set other values, on both sides alike.
struct Limits {
  /// A history row is full when it reaches one of these three. 2,000 digests fill SQLite's pages
  /// almost without waste: 8.2 bytes a tick on disk, where 2,048 would take 10. Bytes are those of
  /// its commands before packing.
  std::size_t ticks_per_row = 2000;
  std::size_t commands_per_row = 16384;
  std::size_t bytes_per_row = std::size_t{4} << 20;

  /// Rows of single commits are merged when they hold this much. Two steps, because a commit's own
  /// row takes three times the room: the file keeps the room of the longest run of such rows. So
  /// what is recorded is written three times at the most.
  std::size_t ticks_per_short_merge = 200;
  std::size_t commands_per_short_merge = 1024;
  std::size_t bytes_per_short_merge = std::size_t{1} << 16;

  /// The commands of one row, before packing.
  std::size_t batch_bytes = std::size_t{256} << 20;

  /// A checkpoint's core (World::snapshot_core), whole.
  std::size_t core_bytes = std::size_t{1} << 31;
  /// Its pieces: a fourth to four times as much each, but for the last (core_store.h).
  std::size_t core_piece_bytes = std::size_t{1} << 14;
  std::size_t chunk_list_bytes = std::size_t{1} << 24;
};

/// Largest blob that SQLite writes or reads for us.
inline constexpr std::int64_t kMaxBlobBytes = std::int64_t{1} << 28;

/// What is kept of the texts of a command: who sent it (client_name.h), why it was refused, and
/// each name in it.
/// The last is longer than any name that can be, so that what is cut off changes no outcome.
inline constexpr std::size_t kMaxClientBytes = 128;
inline constexpr std::size_t kMaxReasonBytes = sim::kMaxReasonBytes;
inline constexpr std::size_t kMaxTextBytes = 80;
static_assert(kMaxTextBytes > std::size_t{kMaxPipeNameBytes} + 3);

/// The most that one command takes of a batch: columns, client, reason, and a body of two texts.
inline constexpr std::size_t kMaxCommandBytes =
    64 + kMaxClientBytes + kMaxReasonBytes + 2 * kMaxTextBytes + 128;
static_assert(Limits().bytes_per_row + std::size_t{sim::kMaxCommandsPerTick} * kMaxCommandBytes <=
              Limits().batch_bytes);

// The largest world that there can be has a core that fits: a node takes at most 46 bytes
// beside its two texts, a link 9, a port 21, a spring 20.
static_assert(std::uint64_t{kMaxPipes} * (2 * kMaxPipeNameBytes + 46) +
                  std::uint64_t{sim::kMaxPipeLinks} * 9 + std::uint64_t{sim::kMaxPorts} * 21 +
                  std::uint64_t{sim::kMaxSprings} * 40 <
              Limits().core_bytes);
// Coordinates of at most 3 bytes each as differences, a wake byte, two ids.
static_assert(std::size_t{2 * kMaxChunks} * (3 * 3 + 1 + 2 * 10) <= Limits().chunk_list_bytes);

/// Refused commands change nothing, so they need not be kept for the history's sake: of each
/// client's they are kept whole up to so many bytes in so many ticks, of all clients' together up
/// to sixty-four times that; of the rest only how many there were.
inline constexpr std::size_t kRefusedBytesPerWindow = 4096;
inline constexpr std::size_t kRefusedBytesOfAll = 64 * kRefusedBytesPerWindow;
inline constexpr std::uint64_t kRefusalWindowTicks = 20;

struct Table {
  const char* name;
  const char* sql;
  std::int64_t since;  // the first format version that has it
};

/// The schema, letter by letter as SQLite keeps it: a file that has another one is refused, so that
/// no view or trigger in a stranger's file is ever run.
inline constexpr Table kTables[] = {
    {"world",
     "CREATE TABLE world (id INTEGER PRIMARY KEY CHECK (id = 1), world_file BLOB NOT NULL, "
     "made_by TEXT NOT NULL, checksum INTEGER NOT NULL)",
     1},
    {"history",
     "CREATE TABLE history (first_tick INTEGER PRIMARY KEY, digests BLOB NOT NULL, commands BLOB, "
     "checksum INTEGER NOT NULL)",
     1},
    {"chunks",
     "CREATE TABLE chunks (id INTEGER PRIMARY KEY, content_hash BLOB NOT NULL UNIQUE, "
     "data BLOB NOT NULL)",
     1},
    {"pieces",
     "CREATE TABLE pieces (id INTEGER PRIMARY KEY, content_hash BLOB NOT NULL UNIQUE, "
     "data BLOB NOT NULL)",
     3},
    {"checkpoints",
     "CREATE TABLE checkpoints (tick INTEGER PRIMARY KEY, digest INTEGER NOT NULL, "
     "core BLOB NOT NULL, chunks BLOB NOT NULL, checksum INTEGER NOT NULL)",
     1},
    {"facts",
     "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL) "
     "WITHOUT ROWID",
     2},
};

}  // namespace sluice::record
