// Yes-or-no decisions as bytes, each at the cost of its surprise: an adaptive binary range coder
// (G. N. N. Martin, "Range encoding", 1979; the arithmetic is that of LZMA's, with 12-bit chances).
//
//   encoder: [low, low + range) is what the decisions so far have left of all numbers; each of them
//            keeps its part. The bytes are any number in what is left, as short as there is one.
//   decoder: code = number - low; the decision is the part in which it lies.
//
// Both ends do the same arithmetic on whole numbers, so no machine can differ. README.md has it in
// words, the start values of the chances included.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::protocol {

/// The chance that a decision is "no", as it was learnt so far: in 1/65536, and from how many
/// decisions (31: that many or more).
struct Chance {
  std::uint16_t of_no = 1 << 15;
  std::uint8_t seen = 0;

  /// What the coders take: in 1/4096, neither 0 nor 4096.
  [[nodiscard]] std::uint32_t coded() const { return of_no >> 4; }

  void learn(bool yes) {
    // A young chance follows each decision, an old one keeps what it learnt.
    static constexpr std::array<std::uint8_t, 32> kShift = {1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4,
                                                            4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5,
                                                            5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    const std::uint32_t now = of_no;
    const unsigned shift = kShift[seen];
    const std::uint32_t next = yes ? now - (now >> shift) : now + ((65536 - now) >> shift);
    of_no = static_cast<std::uint16_t>(std::clamp<std::uint32_t>(next, 32, 65504));
    if (seen < 31) ++seen;
  }

  friend bool operator==(const Chance&, const Chance&) = default;
};

inline constexpr std::uint32_t kLeastRange = 1U << 24;
/// Zero bytes at the end are left out, at most so many.
inline constexpr std::size_t kMostBytesLeftOut = 4;

class RangeEncoder {
 public:
  static constexpr bool kEncodes = true;

  /// Appends to `bytes`, which must stay until finish().
  explicit RangeEncoder(std::vector<std::uint8_t>& bytes) : bytes_(bytes), begin_(bytes.size()) {}

  bool decide(Chance& chance, bool yes) {
    const std::uint32_t no_part = (range_ >> 12) * chance.coded();
    chance.learn(yes);
    if (yes) {
      range_ -= no_part;
      raise(no_part);
    } else {
      range_ = no_part;
    }
    move_on();
    return yes;
  }

  /// The low `count` bits (0 to 30), each as likely 0 as 1, the highest first.
  std::uint32_t plain(std::uint32_t bits, unsigned count) {
    for (unsigned i = count; i > 0; --i) {
      range_ >>= 1;
      if ((bits >> (i - 1) & 1) != 0) raise(range_);
      move_on();
    }
    return bits;
  }

  void finish() {
    // The number in [low, low + range) that ends in the most zero bytes.
    for (unsigned kept = 0; kept <= 4; ++kept) {
      const std::uint64_t rest = kept == 4 ? 0 : 0xffffffffULL >> (8 * kept);
      const std::uint64_t number = (low_ + rest) & ~rest;
      if (number >= std::uint64_t{low_} + range_) continue;
      if (number >> 32 != 0) carry();
      for (unsigned i = 0; i < kept; ++i) {
        bytes_.push_back(static_cast<std::uint8_t>(number >> (24 - 8 * i)));
      }
      return;
    }
  }

 private:
  void raise(std::uint32_t by) {
    low_ += by;
    if (low_ < by) carry();
  }
  void carry() {
    for (std::size_t i = bytes_.size(); i > begin_ && ++bytes_[--i] == 0;) {
    }
  }
  void move_on() {
    while (range_ < kLeastRange) {
      bytes_.push_back(static_cast<std::uint8_t>(low_ >> 24));
      low_ <<= 8;
      range_ <<= 8;
    }
  }

  std::vector<std::uint8_t>& bytes_;
  std::size_t begin_;
  std::uint32_t low_ = 0;
  std::uint32_t range_ = 0xffffffff;
};

/// Any bytes are safe to give: they are decisions, if not sensible ones.
class RangeDecoder {
 public:
  static constexpr bool kEncodes = false;

  RangeDecoder(std::span<const std::uint8_t> bytes, std::size_t offset)
      : bytes_(bytes), offset_(offset) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next();
  }

  /// The argument is the encoder's; one piece of code serves both ends.
  bool decide(Chance& chance, bool /*yes*/ = false) {
    const std::uint32_t no_part = (range_ >> 12) * chance.coded();
    const bool yes = code_ >= no_part;
    chance.learn(yes);
    if (yes) {
      range_ -= no_part;
      code_ -= no_part;
    } else {
      range_ = no_part;
    }
    move_on();
    return yes;
  }

  std::uint32_t plain(std::uint32_t /*bits*/, unsigned count) {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < count; ++i) {
      range_ >>= 1;
      const bool one = code_ >= range_;
      if (one) code_ -= range_;
      bits = bits << 1 | (one ? 1 : 0);
      move_on();
    }
    return bits;
  }

  /// Whether more was read than there is: no encoder leaves out so much.
  [[nodiscard]] bool cut_off() const { return offset_ > bytes_.size() + kMostBytesLeftOut; }
  /// Whether bytes were not needed.
  [[nodiscard]] bool has_more() const { return offset_ < bytes_.size(); }

 private:
  std::uint8_t next() {
    const std::size_t at = offset_++;
    return at < bytes_.size() ? bytes_[at] : 0;
  }
  void move_on() {
    while (range_ < kLeastRange) {
      code_ = code_ << 8 | next();
      range_ <<= 8;
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t offset_;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = 0xffffffff;
};

}  // namespace sluice::protocol
