// A writer's lock as the system gives it: an flock on "PATH-lock".
#pragma once

#include <memory>
#include <string>

#include "protocol/base/result.h"
#include "server/record/write_lock.h"

namespace sluice::record {

class SystemLock final : public WriteLock {
 public:
  [[nodiscard]] static Result<std::unique_ptr<WriteLock>> acquire(const std::string& path);
  [[nodiscard]] static bool held(const std::string& path);
  ~SystemLock() override;

 private:
  SystemLock(std::string lock_path, int descriptor);
  std::string lock_path_;
  int descriptor_;
};

}  // namespace sluice::record
