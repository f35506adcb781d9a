// Making files and names outlast a loss of power.
#pragma once

#include <string>

#include "protocol/base/result.h"

namespace sluice::record {

[[nodiscard]] Status sync_file(const std::string& path);
/// Of a write-ahead log, before anything is folded from it: see Files::write_anew. Nothing there is
/// well.
[[nodiscard]] Status write_log_anew(const std::string& path);
/// After a file was made, renamed or removed in it.
[[nodiscard]] Status sync_directory_of(const std::string& path);

/// What SQLite keeps beside a database while it is open, or leaves there when its process is
/// killed.
inline constexpr const char* kCompanions[] = {"-wal", "-shm", "-journal"};
/// After the name of a recording that is being made, until it is whole.
inline constexpr const char* kUnfinishedEnding = ".new";
/// An error where a file that was just closed still has one: somebody reads what is being made, and
/// its log would be taken for that of the file that gets the name.
[[nodiscard]] Status expect_alone(const std::string& path);
/// A file of ours with its companions, where there are any.
void remove_recording(const std::string& path);
/// Gives a whole recording the name of one that is gone. A crash may have left that one's log: it
/// would be taken for this one's, so it goes first.
[[nodiscard]] Status take_place(const std::string& made, const std::string& path);
/// Copies a file, onto the medium.
[[nodiscard]] Status copy_durably(const std::string& from, const std::string& to);
/// Gives a file another name, in place of one that has it; durable with the next
/// sync_directory_of().
[[nodiscard]] Status rename_file(const std::string& from, const std::string& to);

}  // namespace sluice::record
