// A line on standard error that tells how far long work has come: on a terminal only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sluice::tools {

class Progress {
 public:
  /// `what` begins the line; `total` is what at() counts up to.
  Progress(std::string what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(std::uint64_t done);

 private:
  std::string what_;
  std::uint64_t total_;
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sluice::tools
