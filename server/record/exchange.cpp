#include "server/record/exchange.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "server/record/durable.h"

namespace sluice::record {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".new-";
constexpr const char* kRepaired = ".repaired";
constexpr const char* kPart = "part-";

/// The files beside `path` whose names begin as its own and go on so, in the order of their names.
std::vector<std::string> beside(const std::string& path, const std::string& word) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string begin = fs::path(path).filename().string() + word;
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin)) found.push_back((folder / name).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Where a repair that was interrupted set the file aside already, or a free name.
std::string name_aside(const std::string& path) {
  for (const std::string& name : beside(path, ".damaged")) {
    std::error_code ignored;
    if (fs::equivalent(path, name, ignored)) return name;
  }
  return free_name(path, "damaged");
}

sim::Status set_aside(const std::string& path, const std::string& aside) {
  std::error_code error;
  if (!fs::exists(aside)) fs::create_hard_link(path, aside, error);
  if (error) {
    // A file system without links. What is half copied must not pass for a copy.
    const std::string copy = path + kUnfinished + "aside";
    sim::Status done = copy_durably(path, copy);
    if (done) done = rename_file(copy, aside);
    if (!done) return done;
  }
  for (const char* companion : {"-wal", "-journal"}) {
    if (!fs::exists(path + companion)) continue;
    if (const auto done = copy_durably(path + companion, aside + companion); !done) return done;
  }
  return sync_directory_of(path);
}

}  // namespace

std::string unfinished_main(const std::string& path) {
  return path + kUnfinished + "main";
}

std::string unfinished_part(const std::string& path, const std::string& range) {
  return path + kUnfinished + kPart + range;
}

void remove_unfinished(const std::string& path) {
  std::error_code ignored;
  for (const std::string& name : beside(path, kUnfinished)) fs::remove(name, ignored);
}

sim::Result<std::string> exchange(const std::string& path) {
  for (const std::string& made : beside(path, kUnfinished)) {
    if (const auto synced = sync_file(made); !synced) return sim::Error{synced.error()};
  }
  const std::string aside = name_aside(path);
  sim::Status done = set_aside(path, aside);
  if (done) done = rename_file(unfinished_main(path), path + kRepaired);
  if (done) done = sync_directory_of(path);
  if (!done) return sim::Error{done.error()};
  return aside;
}

bool is_exchanging(const std::string& path) {
  return fs::exists(path + kRepaired);
}

sim::Result<std::vector<std::string>> finish_exchange(const std::string& path) {
  std::vector<std::string> parts;
  const std::string begin = path + kUnfinished;
  for (const std::string& made : beside(path, std::string(kUnfinished) + kPart)) {
    parts.push_back(free_name(path, made.substr(begin.size())));
    if (const auto done = rename_file(made, parts.back()); !done) return sim::Error{done.error()};
  }
  sim::Status done = sync_directory_of(path);
  for (const char* companion : kCompanions) {
    std::error_code error;
    fs::remove(path + companion, error);
    if (error) return sim::Error{path + companion + ": cannot be removed: " + error.message()};
  }
  if (done) done = sync_directory_of(path);
  if (done) done = rename_file(path + kRepaired, path);
  if (done) done = sync_directory_of(path);
  if (!done) return sim::Error{done.error()};
  return parts;
}

std::string free_name(const std::string& path, const std::string& word) {
  std::string name = path + "." + word;
  for (int i = 2; fs::exists(name); ++i) name = path + "." + word + "-" + std::to_string(i);
  return name;
}

}  // namespace sluice::record
