#include "protocol/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace sluice {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "sluice: program error: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace sluice
