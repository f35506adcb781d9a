#include "tests/bench/textbook.h"

#include <algorithm>

#include "server/sim/digest.h"

namespace sluice::bench {

namespace {
constexpr float kCompressedMax = 1.01F;
}

TextbookWater::TextbookWater(std::size_t width, std::size_t height)
    : width_(width + 2),
      height_(height + 2),
      mass_(width_ * height_, 0.0F),
      wall_(width_ * height_, 1) {
  for (std::size_t y = 1; y + 1 < height_; ++y) {
    for (std::size_t x = 1; x + 1 < width_; ++x) {
      const std::size_t i = y * width_ + x;
      wall_[i] = 0;
      mass_[i] = 0.5F + 0.5F * static_cast<float>(sim::mix64(i) & 1023) / 1024.0F;
    }
  }
}

float TextbookWater::sweep() {
  float largest = 0;
  for (std::size_t y = 1; y + 1 < height_; ++y) {
    for (std::size_t x = 1; x + 1 < width_; ++x) {
      const std::size_t i = y * width_ + x;
      if (wall_[i] != 0) continue;
      float remaining = mass_[i];
      if (remaining <= 0) continue;
      const auto move = [&](std::size_t to, float flow) {
        flow = std::clamp(flow, 0.0F, remaining);
        mass_[i] -= flow;
        mass_[to] += flow;
        remaining -= flow;
        largest = std::max(largest, flow);
      };
      const std::size_t below = i - width_;
      const std::size_t above = i + width_;
      if (wall_[below] == 0) move(below, kCompressedMax - mass_[below]);
      if (wall_[i + 1] == 0) move(i + 1, (remaining - mass_[i + 1]) / 2);
      if (wall_[i - 1] == 0) move(i - 1, (remaining - mass_[i - 1]) / 2);
      if (wall_[above] == 0) move(above, remaining - kCompressedMax);
    }
  }
  return largest;
}

}  // namespace sluice::bench
