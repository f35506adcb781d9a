#include "server/sim/models/hydro/solver.h"

#include <algorithm>

#include "server/sim/int_math.h"

namespace sluice::sim::hydro {

namespace {

std::uint64_t size_of(std::int64_t v) {
  return static_cast<std::uint64_t>(absolute(v));
}

}  // namespace

void Solver::clear() {
  joined_.clear();
  held_.clear();
  correction_.clear();
  rest_.clear();
  enough_.clear();
  diagonal_.clear();
}

std::int32_t Solver::add(Q16 rest, Q16 enough) {
  correction_.push_back(0);
  rest_.push_back(rest);
  enough_.push_back(enough);
  diagonal_.push_back(4);
  return static_cast<std::int32_t>(rest_.size()) - 1;
}

void Solver::join(std::int32_t low, std::int32_t high, Q16 conductance) {
  joined_.push_back({low, high, conductance});
  diagonal_[static_cast<std::size_t>(low)] += conductance;
  diagonal_[static_cast<std::size_t>(high)] += conductance;
}

void Solver::hold(std::int32_t run, Q16 conductance) {
  held_.push_back({run, conductance});
  diagonal_[static_cast<std::size_t>(run)] += conductance;
}

// Each factor to 20 bits, so that a million products fit. The bits of all numbers together are as
// many as those of the greatest.
Solver::Wide Solver::dot(const List& a, std::uint64_t bits_a, const List& b, std::uint64_t bits_b) {
  const int shift_a = std::max(0, static_cast<int>(std::bit_width(bits_a)) - 20);
  const int shift_b = std::max(0, static_cast<int>(std::bit_width(bits_b)) - 20);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] >> shift_a) * (b[i] >> shift_b);
  return {sum, shift_a + shift_b};
}

// a / b to 30 bits; both are positive.
Solver::Wide Solver::quotient(Wide a, Wide b) {
  const int up = 61 - bits_of(a.mantissa);
  const int down = std::max(0, bits_of(b.mantissa) - 31);
  const int up_b = std::max(0, 31 - bits_of(b.mantissa));
  const std::int64_t below = (b.mantissa >> down) << up_b;
  return {(a.mantissa << up) / below, a.exponent - up - b.exponent - down + up_b};
}

// value * factor, toward zero.
std::int64_t Solver::times(std::int64_t value, Wide factor) {
  const std::uint64_t size = size_of(value);
  const auto mantissa = static_cast<std::uint64_t>(factor.mantissa);
  const std::uint64_t high = (size >> 32) * mantissa;
  const std::uint64_t low = (size & 0xffffffffU) * mantissa;
  const int down = -factor.exponent;
  std::uint64_t product = 0;
  if (down >= 96) {
    product = 0;
  } else if (down >= 32) {
    product = (high + (low >> 32)) >> (down - 32);
  } else if (down >= 0) {
    product = (high << (32 - down)) + (low >> down);
  }
  const auto result = static_cast<std::int64_t>(product & INT64_MAX);
  return value < 0 ? -result : result;
}

// The rest by the diagonal, in Q16, toward zero. The diagonal stays, so its inverse is multiplied
// with, and what that leaves is put right: it is at most one too small.
void Solver::divide(std::size_t i) {
  constexpr std::uint64_t kFits = std::uint64_t{1} << 47;
  const std::uint64_t size = size_of(rest_[i]);
  const auto by = static_cast<std::uint64_t>(diagonal_[i]);
  std::uint64_t result = 0;
  if (size < kFits) {
    result = multiply_high(size << 16, inverse_[i]);
    if ((size << 16) - result * by >= by) ++result;
  } else {
    result = (size / by << 16) + (size % by << 16) / by;
  }
  step_[i] = rest_[i] < 0 ? -static_cast<std::int64_t>(result) : static_cast<std::int64_t>(result);
  bits_of_step_ |= result;
  bits_of_rest_ |= size;
}

void Solver::multiply() {
  for (std::size_t i = 0; i < image_.size(); ++i) image_[i] = scaled(4, direction_[i]);
  for (const Joined& way : joined_) {
    const auto low = static_cast<std::size_t>(way.low);
    const auto high = static_cast<std::size_t>(way.high);
    const std::int64_t flow = scaled(way.conductance, direction_[low] - direction_[high]);
    image_[low] += flow;
    image_[high] -= flow;
  }
  for (const Held& way : held_) {
    const auto run = static_cast<std::size_t>(way.run);
    image_[run] += scaled(way.conductance, direction_[run]);
  }
  bits_of_image_ = 0;
  for (const std::int64_t one : image_) bits_of_image_ |= size_of(one);
}

void Solver::go_along(Wide factor) {
  bits_of_rest_ = 0;
  bits_of_step_ = 0;
  done_ = true;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    correction_[i] += times(direction_[i], factor);
    rest_[i] -= times(image_[i], factor);
    done_ = done_ && absolute(rest_[i]) <= enough_[i];
    divide(i);
  }
}

void Solver::turn(Wide factor) {
  bits_of_direction_ = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    direction_[i] = step_[i] + times(direction_[i], factor);
    bits_of_direction_ |= size_of(direction_[i]);
  }
}

void Solver::solve() {
  const std::size_t count = rest_.size();
  direction_.resize(count);
  image_.resize(count);
  done_ = true;
  for (std::size_t i = 0; i < count; ++i) done_ = done_ && absolute(rest_[i]) <= enough_[i];
  if (!done_ && elimination_.prepare(joined_, diagonal_)) eliminate();
  if (!done_) search();
}

// What rounding leaves is eliminated once more.
void Solver::eliminate() {
  for (int i = 0; i < kMostEliminations && !done_; ++i) {
    elimination_.solve(rest_, direction_);
    multiply();
    done_ = true;
    for (std::size_t run = 0; run < rest_.size(); ++run) {
      correction_[run] += direction_[run];
      rest_[run] -= image_[run];
      done_ = done_ && absolute(rest_[run]) <= enough_[run];
    }
  }
}

void Solver::search() {
  const std::size_t count = rest_.size();
  step_.resize(count);
  inverse_.resize(count);
  bits_of_rest_ = 0;
  bits_of_step_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    inverse_[i] = UINT64_MAX / static_cast<std::uint64_t>(diagonal_[i]);
    divide(i);
    direction_[i] = step_[i];
  }
  bits_of_direction_ = bits_of_step_;
  Wide rests = dot(rest_, bits_of_rest_, step_, bits_of_step_);
  for (int i = 0; i < kMostIterations && rests.mantissa > 0; ++i) {
    multiply();
    const Wide images = dot(direction_, bits_of_direction_, image_, bits_of_image_);
    if (images.mantissa <= 0) break;
    go_along(quotient(rests, images));
    if (done_) break;
    const Wide next = dot(rest_, bits_of_rest_, step_, bits_of_step_);
    if (next.mantissa <= 0) break;
    turn(quotient(next, rests));
    rests = next;
  }
}

}  // namespace sluice::sim::hydro
