// Putting repaired files in the place of a damaged one, so that a crash at any moment leaves either
// the damaged file with all that belongs to it, or a repair that finish_exchange() completes.
//
//   PATH.new-main, PATH.new-part-A-B     being made; whoever finds them alone removes them
//   PATH.damaged                         another name of the damaged file, with a copy of its log
//                                        (PATH.uncut, without one, where nothing was damaged)
//   PATH.new-main -> PATH.repaired       the moment that decides
//   PATH.new-part-A-B -> PATH.part-A-B   from here on finish_exchange() does the rest
//   PATH-wal, PATH-shm                   removed: they would be taken for those of the new file
//   PATH.repaired -> PATH
//
// This is also done to a file that this process has open (replaced_files.h): by its writer, between
// two commits (cut.h).
//
// The log goes before the new file comes. Without PATH.repaired a crash between the two would leave
// the old file without its log, and the other way round the new file with a stranger's.
#pragma once

#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace sluice::record {

/// Names of files that are being made.
[[nodiscard]] std::string unfinished_main(const std::string& path);
/// `range`: "A-B".
[[nodiscard]] std::string unfinished_part(const std::string& path, const std::string& range);
/// The name that it gets, if nothing has it.
[[nodiscard]] std::string part_of(const std::string& path, const std::string& range);
/// Removes what a repair left that was ended before it decided.
void remove_unfinished(const std::string& path);
/// The same of a cut, and the file that was cut.
void remove_leftovers(const std::string& path);

/// Sets the file at `path` aside and puts those that were made in its place: all of them single
/// files. Returns where it lies now: PATH.WORD, or a free name like it. Needs the writer's lock.
[[nodiscard]] Result<std::string> begin_exchange(const std::string& path, const std::string& word);
/// The same where the old file is not wanted any more: it has a second name (uncut_of) only so that
/// taking its room back, which takes long for a large one, need not be done now.
[[nodiscard]] Status begin_replacement(const std::string& path);
[[nodiscard]] std::string uncut_of(const std::string& path);
/// Whether anything lies beside the file that was being made, or is not wanted any more.
[[nodiscard]] bool has_leftovers(const std::string& path);
/// Whether a repair decided and did not end.
[[nodiscard]] bool is_exchanging(const std::string& path);
/// Completes it, and returns the new names of the parts. Needs the writer's lock.
[[nodiscard]] Result<std::vector<std::string>> finish_exchange(const std::string& path);

/// A name beside `path` that nothing has: PATH.WORD, PATH.WORD-2 ...
[[nodiscard]] std::string free_name(const std::string& path, const std::string& word);

}  // namespace sluice::record
