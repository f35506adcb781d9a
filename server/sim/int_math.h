// Integer arithmetic that the language leaves out: products of more than 64 bits.
#pragma once

#include <cstdint>

namespace sluice::sim {

constexpr std::int32_t round_down_to(std::int32_t value, std::int32_t quantum) {
  return value - value % quantum;
}

/// What a rate of units a tick comes to in this tick, moved in whole quanta: over the ticks so far
/// as much as the rate says, but for less than one quantum. Needs no memory. `tick` counts from 1,
/// the rate is at most kMaxPourUnits and the quantum at most kFull.
constexpr std::int32_t due_in_tick(std::int32_t rate, std::uint64_t tick, std::int32_t quantum) {
  // After `quantum` ticks the same pattern begins anew.
  const auto done = static_cast<std::int64_t>((tick - 1) % static_cast<std::uint64_t>(quantum));
  const std::int64_t quanta = (done + 1) * rate / quantum - done * rate / quantum;
  return static_cast<std::int32_t>(quanta * quantum);
}

/// The upper 64 bits of the product.
inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
#else
  const std::uint64_t a_low = a & 0xffffffffU;
  const std::uint64_t a_high = a >> 32;
  const std::uint64_t b_low = b & 0xffffffffU;
  const std::uint64_t b_high = b >> 32;
  const std::uint64_t middle = a_high * b_low + (a_low * b_low >> 32);
  const std::uint64_t carried = a_low * b_high + (middle & 0xffffffffU);
  return a_high * b_high + (middle >> 32) + (carried >> 32);
#endif
}

/// a * b / c, rounded down, without overflow on the way. c is not 0 and the result must fit.
inline std::uint64_t multiply_divide(std::uint64_t a, std::uint32_t b, std::uint32_t c) {
  // 96 bits divided by 32, a digit of 32 bits at a time.
  const std::uint64_t low = (a & 0xffffffffU) * b;
  const std::uint64_t high = (a >> 32) * b + (low >> 32);
  const std::uint64_t rest = high % c << 32 | (low & 0xffffffffU);
  return (high / c << 32) + rest / c;
}

/// A signed sum of products of 64-bit numbers, exact in 128 bits.
class WideSum {
 public:
  void add_product(std::int64_t a, std::int64_t b) {
    const bool negative = (a < 0) != (b < 0);
    const auto size = [](std::int64_t v) {
      return v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    };
    const std::uint64_t low = size(a) * size(b);
    const std::uint64_t high = multiply_high(size(a), size(b));
    if (negative) {
      high_ -= high + (low_ < low ? 1 : 0);
      low_ -= low;
    } else {
      low_ += low;
      high_ += high + (low_ < low ? 1 : 0);
    }
  }
  [[nodiscard]] bool negative() const { return high_ >> 63 != 0; }

 private:
  std::uint64_t high_ = 0;  // two's complement, with low_
  std::uint64_t low_ = 0;
};

}  // namespace sluice::sim
