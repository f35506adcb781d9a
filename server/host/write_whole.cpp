#include "server/host/write_whole.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "server/record/durable.h"
#include "server/record/files.h"

namespace sluice::host {

Status write_whole(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".new";
  Status status = Done{};
  {
    std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (!file) status = Error{path + ": cannot be written: " + std::strerror(errno)};
  }
  if (status) status = record::sync_file(unfinished);
  if (status) status = record::rename_file(unfinished, path);
  if (!status) {
    (void)record::files().remove(unfinished);
    return status;
  }
  return record::sync_directory_of(path);
}

}  // namespace sluice::host
