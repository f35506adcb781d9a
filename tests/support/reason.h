// Why something was refused, for tests that compare texts.
#pragma once

#include <string>

#include "protocol/base/result.h"

namespace sluice::tests {

/// Empty where nothing was.
inline std::string reason(const Status& status) {
  return status ? "" : status.error();
}

}  // namespace sluice::tests
