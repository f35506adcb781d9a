#include "server/record/durable.h"

#include "server/record/files.h"

namespace sluice::record {

namespace {

Status named(const std::string& path, const char* what, const Status& done) {
  if (done) return done;
  return Error{path + ": " + what + ": " + done.error()};
}

}  // namespace

Status sync_file(const std::string& path) {
  return named(path, "cannot be made durable", files().sync(path));
}

Status write_log_anew(const std::string& path) {
  if (!files().exists(path)) return Done{};
  if (Status written = named(path, "cannot be written anew", files().write_anew(path)); !written) {
    return written;
  }
  return sync_file(path);
}

Status sync_directory_of(const std::string& path) {
  return named(path, "its folder cannot be made durable", files().sync_folder_of(path));
}

void remove_recording(const std::string& path) {
  (void)files().remove(path);
  for (const char* companion : kCompanions) (void)files().remove(path + companion);
}

Status expect_alone(const std::string& path) {
  for (const char* companion : kCompanions) {
    if (!files().exists(path + companion)) continue;
    return Error{path + companion + ": is left: somebody reads what is being made"};
  }
  return Done{};
}

Status take_place(const std::string& made, const std::string& path) {
  remove_recording(path);
  if (Status alone = expect_alone(path); !alone) return alone;
  if (Status gone = sync_directory_of(path); !gone) return gone;
  if (Status done = rename_file(made, path); !done) return done;
  return sync_directory_of(path);
}

Status copy_durably(const std::string& from, const std::string& to) {
  if (const Status made = named(to, "cannot be made", files().copy(from, to)); !made) return made;
  return sync_file(to);
}

Status rename_file(const std::string& from, const std::string& to) {
  return named(to, "cannot be replaced", files().rename(from, to));
}

}  // namespace sluice::record
