#include "server/tools/commands.h"

#include <iostream>

namespace sluice::tools {

int fail(const std::string& message, int exit_status) {
  std::cerr << "sluice: " << message << '\n';
  return exit_status;
}

}  // namespace sluice::tools
