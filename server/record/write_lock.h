// One writer a recording: two servers on one file would each continue its history in their own way.
#pragma once

#include <memory>
#include <string>

#include "protocol/base/result.h"

namespace sluice::record {

/// Held from acquire() to destruction; ends with the process, however that ends. A file of its own
/// ("PATH-lock") carries the lock, because SQLite's own locks must let readers in, and because
/// closing any descriptor of the recording would drop SQLite's locks on it.
class WriteLock {
 public:
  [[nodiscard]] static Result<std::unique_ptr<WriteLock>> acquire(const std::string& path);
  /// Whether somebody holds it.
  [[nodiscard]] static bool held(const std::string& path);
  virtual ~WriteLock() = default;
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 protected:
  WriteLock() = default;
};

}  // namespace sluice::record
