#include "server/record/exchange.h"

#include <algorithm>

#include "server/record/durable.h"
#include "server/record/files.h"

namespace sluice::record {

namespace {

constexpr const char* kUnfinished = ".new-";
constexpr const char* kRepaired = ".repaired";
constexpr const char* kPart = "part-";
constexpr const char* kUncut = ".uncut";

/// The files beside `path` whose names begin as its own and go on so, in the order of their names.
std::vector<std::string> beside(const std::string& path, const std::string& word) {
  const std::size_t folder = path.find_last_of('/') + 1;  // none: 0
  const std::string begin = path.substr(folder) + word;
  std::vector<std::string> found;
  for (const std::string& name : files().names_beside(path)) {
    if (name.starts_with(begin)) found.push_back(path.substr(0, folder) + name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Where a repair that was interrupted set the file aside already, or a free name.
std::string name_aside(const std::string& path, const std::string& word) {
  for (const std::string& name : beside(path, "." + word)) {
    if (files().same(path, name)) return name;
  }
  return free_name(path, word);
}

Status set_aside(const std::string& path, const std::string& aside) {
  if (!files().exists(aside) && !files().link(path, aside)) {
    // A file system without links. What is half copied must not pass for a copy.
    const std::string copy = path + kUnfinished + "aside";
    Status done = copy_durably(path, copy);
    if (done) done = rename_file(copy, aside);
    if (!done) return done;
  }
  for (const char* companion : {"-wal", "-journal"}) {
    if (!files().exists(path + companion)) continue;
    if (const auto done = copy_durably(path + companion, aside + companion); !done) return done;
  }
  return sync_directory_of(path);
}

Status sync_made(const std::string& path) {
  for (const std::string& made : beside(path, kUnfinished)) {
    if (Status synced = sync_file(made); !synced) return synced;
  }
  return Done{};
}

/// From here on the made files are what holds.
Status decide(const std::string& path) {
  Status done = rename_file(unfinished_main(path), path + kRepaired);
  if (done) done = sync_directory_of(path);
  return done;
}

}  // namespace

std::string unfinished_main(const std::string& path) {
  return path + kUnfinished + "main";
}

std::string unfinished_part(const std::string& path, const std::string& range) {
  return path + kUnfinished + kPart + range;
}

std::string part_of(const std::string& path, const std::string& range) {
  return path + "." + kPart + range;
}

void remove_unfinished(const std::string& path) {
  for (const std::string& name : beside(path, kUnfinished)) (void)files().remove(name);
}

Result<std::string> begin_exchange(const std::string& path, const std::string& word) {
  const std::string aside = name_aside(path, word);
  Status done = sync_made(path);
  if (done) done = set_aside(path, aside);
  if (done) done = decide(path);
  if (!done) return Error{done.error()};
  return aside;
}

std::string uncut_of(const std::string& path) {
  return path + kUncut;
}

bool has_leftovers(const std::string& path) {
  return files().exists(uncut_of(path)) || !beside(path, kUnfinished).empty();
}

void remove_leftovers(const std::string& path) {
  remove_unfinished(path);
  remove_recording(uncut_of(path));
}

Status begin_replacement(const std::string& path) {
  Status done = sync_made(path);
  // A file system without links takes the room back at once.
  if (done) (void)files().link(path, uncut_of(path));
  if (done) done = decide(path);
  return done;
}

bool is_exchanging(const std::string& path) {
  return files().exists(path + kRepaired);
}

Result<std::vector<std::string>> finish_exchange(const std::string& path) {
  std::vector<std::string> parts;
  const std::string begin = path + kUnfinished;
  for (const std::string& made : beside(path, std::string(kUnfinished) + kPart)) {
    parts.push_back(free_name(path, made.substr(begin.size())));
    if (const auto done = rename_file(made, parts.back()); !done) return Error{done.error()};
  }
  Status done = sync_directory_of(path);
  for (const char* companion : kCompanions) {
    const Status removed = files().remove(path + companion);
    if (!removed) return Error{path + companion + ": cannot be removed: " + removed.error()};
  }
  if (done) done = sync_directory_of(path);
  if (done) done = rename_file(path + kRepaired, path);
  if (done) done = sync_directory_of(path);
  if (!done) return Error{done.error()};
  return parts;
}

std::string free_name(const std::string& path, const std::string& word) {
  std::string name = path + "." + word;
  for (int i = 2; files().exists(name); ++i) name = path + "." + word + "-" + std::to_string(i);
  return name;
}

}  // namespace sluice::record
