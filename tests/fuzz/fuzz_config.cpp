// Any bytes as a server's configuration: what it says, or an error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "protocol/base/assert.h"
#include "server/host/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A file that lies in memory.
  const int file = memfd_create("config", 0);
  SLUICE_ASSERT(file >= 0);
  SLUICE_ASSERT(write(file, data, size) == static_cast<ssize_t>(size));
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  sluice::host::Config config;
  const auto read = sluice::host::read_config(path, config);
  close(file);
  if (!read) {
    SLUICE_ASSERT(read.error().find(path) != std::string::npos);
    return 0;
  }
  (void)sluice::host::check_together(config);
  (void)sluice::host::gate_rules(config);
  return 0;
}
