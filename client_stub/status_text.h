// The words of the terminal viewer: status line and help.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "client_stub/picture.h"
#include "client_stub/pouring.h"
#include "client_stub/shapes.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// Lines of equal length.
[[nodiscard]] std::span<const std::string_view> help_lines();

/// What the status line tells besides the mirror.
struct Facts {
  Picture picture;
  Tool tool = Tool::kDig;
  Shape shape = Shape::kBrush;
  std::int32_t brush = 1;
  Mixture mixture;
  std::size_t people = 0;  // who are here
  std::string connection_error;

  /// Counts the rates over about a second.
  void tick_came(const protocol::Mirror& mirror);
  /// Shown for a few seconds instead of the counters.
  void say(std::string text);
  [[nodiscard]] std::string status(const protocol::Mirror& mirror) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
  std::uint64_t ticks_then_ = 0;
  std::uint64_t bytes_then_ = 0;
  double ticks_per_second_ = 0;
  double bytes_per_second_ = 0;
  std::string said_;
  Clock::time_point said_until_;
};

}  // namespace sluice::client
