// The recording's file format: README.md describes it, and a test keeps the two equal.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::record {

/// "Slui" at offset 68 of the file: SQLite's place for an application's own file type.
inline constexpr std::int64_t kApplicationId = 0x536c7569;
/// Raised with every change that an older build could not read. Every version ever written is
/// read; a file is brought to this version when somebody goes on writing it.
inline constexpr std::int64_t kFormatVersion = 2;
inline constexpr std::int64_t kOldestFormatVersion = 1;

/// Ticks of a full history row. 2,000 digests fill SQLite's pages almost without waste: 8.2 bytes a
/// tick on disk, where 2,048 would take 10.
inline constexpr std::size_t kTicksPerRow = 2000;
/// A row is also full when it holds this many commands.
inline constexpr std::size_t kCommandsPerRow = 16384;

/// Rows of single commits are merged when they hold this much. Two steps, because a commit's own
/// row takes three times the room: the file keeps the room of the longest run of such rows.
inline constexpr std::size_t kTicksPerShortMerge = 200;
inline constexpr std::size_t kCommandsPerShortMerge = 1024;

/// Largest blobs that are read.
inline constexpr std::int64_t kMaxBlobBytes = std::int64_t{1} << 28;
inline constexpr std::size_t kMaxCoreBytes = std::size_t{1} << 26;
inline constexpr std::size_t kMaxChunkListBytes = std::size_t{1} << 24;

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
