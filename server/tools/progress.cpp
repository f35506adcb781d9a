#include "server/tools/progress.h"

#include <cstdio>
#include <utility>

#include <unistd.h>

namespace sluice::tools {

namespace {
constexpr std::chrono::milliseconds kInterval{200};
}

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + 2 * kInterval) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::at(std::uint64_t done) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  const std::uint64_t percent = total_ == 0 ? 100 : 100 * done / total_;
  std::fprintf(stderr, "\r%s: tick %llu of %llu (%llu %%)\033[K", what_.c_str(),
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(total_),
               static_cast<unsigned long long>(percent));
}

}  // namespace sluice::tools
