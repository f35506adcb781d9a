#include "server/record/seal.h"

#include <memory>
#include <utility>

#include "server/record/cut.h"
#include "server/record/reader.h"
#include "server/record/write_lock.h"

namespace sluice::record {

Result<std::optional<Sealed>> seal(const std::string& path, const SealOptions& options) {
  if (const auto finished = finish_repair(path); !finished) return Error{finished.error()};
  // Asked first, so that a wrong path leaves no lock file.
  if (const auto asked = Reader::open(path, options.limits); !asked) return Error{asked.error()};
  const auto lock = WriteLock::acquire(path);
  if (!lock) return Error{lock.error()};
  auto cut = Cut::find(path, options);
  if (!cut) return Error{cut.error()};
  if (*cut == nullptr) return std::optional<Sealed>();
  if (const Status ready = (*cut)->prepare(); !ready) return Error{ready.error()};
  auto sealed = (*cut)->take_place();
  if (!sealed) return Error{sealed.error()};
  return std::optional(std::move(sealed).value());
}

std::string describe(const Sealed& sealed) {
  const auto ticks = [](const Part& part) {
    return "ticks " + std::to_string(part.first_tick + 1) + " to " + std::to_string(part.last_tick);
  };
  std::string text = sealed.main.path + ": holds " + ticks(sealed.main) + " now (" +
                     std::to_string(sealed.kept_commands) + " commands)\n";
  if (sealed.old.path.empty()) {
    return text + ticks(sealed.old) + " are gone: how the world came to be what it was at tick " +
           std::to_string(sealed.old.last_tick) + " can no longer be proved";
  }
  return text + sealed.old.path + ": holds " + ticks(sealed.old) + " (" +
         std::to_string(sealed.old_commands) + " commands), and verifies by itself";
}

}  // namespace sluice::record
