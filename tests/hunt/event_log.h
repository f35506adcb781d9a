// The last events of a run in memory that outlives its process: what is known of one that crashed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <sys/mman.h>

namespace sluice::hunt {

class EventLog {
 public:
  static constexpr std::size_t kLines = 60;
  static constexpr std::size_t kLineBytes = 120;

  struct Unmap {
    void operator()(EventLog* log) const { munmap(log, sizeof(EventLog)); }
  };
  using Shared = std::unique_ptr<EventLog, Unmap>;

  /// Shared with the processes that this one makes from now on. Null where there is no memory.
  [[nodiscard]] static Shared make() {
    void* const memory =
        mmap(nullptr, sizeof(EventLog), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return Shared(memory == MAP_FAILED ? nullptr : new (memory) EventLog());
  }

  void add(std::string_view line) {
    Line& place = lines_[written_ % kLines];
    place.size = std::min(line.size(), kLineBytes);
    std::copy_n(line.begin(), place.size, place.text.begin());
    ++written_;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::uint64_t i = written_ - std::min<std::uint64_t>(written_, kLines); i < written_;
         ++i) {
      const Line& line = lines_[i % kLines];
      all.append(line.text.data(), std::min(line.size, kLineBytes));
    }
    return all;
  }

 private:
  struct Line {
    std::size_t size = 0;
    std::array<char, kLineBytes> text{};
  };

  std::array<Line, kLines> lines_;
  std::uint64_t written_ = 0;
};

}  // namespace sluice::hunt
