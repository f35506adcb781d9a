// Copies that are known to be good; declared in repair.h.
#include <string>

#include "server/record/database.h"
#include "server/record/durable.h"
#include "server/record/files.h"
#include "server/record/repair.h"

namespace sluice::record {

namespace {

/// Whether the copy holds all that the old backup holds.
Status goes_on_from(Reader& copy, const std::string& old_path) {
  if (!files().exists(old_path)) return Done{};
  auto old = Reader::open(old_path);
  // What is no recording is nobody's backup of one, and not ours to replace.
  if (!old) return Error{old.error() + "; it is not replaced"};
  const std::uint64_t last = (*old)->last_tick();
  const std::string kept = old_path + ": keeps its history up to tick " + std::to_string(last) +
                           ", because the recording ";
  if (copy.last_tick() < last || copy.first_tick() > (*old)->first_tick()) {
    return Error{kept + "holds less (ticks " + std::to_string(copy.first_tick()) + " to " +
                 std::to_string(copy.last_tick()) + ")"};
  }
  if (last == (*old)->first_tick()) return Done{};
  const auto before = (*old)->digests(last, last);
  const auto now = copy.digests(last, last);
  if (!before) return Done{};  // the old one is damaged there: the good copy replaces it
  if (!now) return Error{now.error()};
  if (*before != *now) return Error{kept + "holds another history"};
  return Done{};
}

}  // namespace

Result<std::uint64_t> backup(const std::string& path, const std::string& to) {
  if (files().exists(to) && files().same(path, to)) {
    return Error{to + ": is the recording itself"};
  }
  const std::string unfinished = to + kUnfinishedEnding;
  remove_recording(unfinished);
  const auto clean_up = [&](const std::string& why) {
    remove_recording(unfinished);
    return Error{why};
  };
  if (const auto reader = Reader::open(path); !reader) return Error{reader.error()};
  if (const auto copied = Database::copy(path, unfinished); !copied)
    return clean_up(copied.error());
  std::uint64_t last = 0;
  {
    auto copy = Reader::open(unfinished);
    if (!copy) return clean_up(copy.error());
    last = (*copy)->last_tick();
    const auto found = find_damage(**copy);
    if (!found) return clean_up(found.error());
    if (!found->ticks.empty()) return clean_up(path + ": " + found->ticks.front().why);
    if (!found->checkpoints.empty()) return clean_up(path + ": " + found->checkpoints.front().why);
    if (const auto fits = goes_on_from(**copy, to); !fits) return clean_up(fits.error());
  }
  if (const auto synced = sync_file(unfinished); !synced) return clean_up(synced.error());
  if (const auto done = rename_file(unfinished, to); !done) return clean_up(done.error());
  if (const auto synced = sync_directory_of(to); !synced) return Error{synced.error()};
  return last;
}

}  // namespace sluice::record
