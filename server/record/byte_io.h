// Writing and reading of the recording's own byte forms: little-endian, variable-length integers
// of seven bits a byte (lowest first), and strings behind their length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/varint.h"

namespace sluice::record {

using Bytes = std::vector<std::byte>;

inline void put_u64(std::uint64_t value, Bytes& out) {
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<std::byte>(value >> shift));
}

inline void put_string(std::string_view text, Bytes& out) {
  append_varint(text.size(), out);
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

/// Reads from the front of `bytes`, which must outlive it. What does not fit reads as zero and
/// makes failed() true for good, so that a caller may check once at the end of a structure.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
  /// Drops what was read from rest() by somebody else.
  void set_rest(std::span<const std::byte> rest) { bytes_ = rest; }

  std::uint64_t u64() {
    if (bytes_.size() < 8) return fail();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(bytes_[i]) << 8 * i;
    bytes_ = bytes_.subspan(8);
    return value;
  }

  std::uint64_t varint() {
    std::size_t read = 0;
    const auto value = read_varint<std::uint64_t>(bytes_, read);
    if (!value) return fail();
    bytes_ = bytes_.subspan(read);
    return *value;
  }

  std::string string() {
    const std::uint64_t size = varint();
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    std::string text(size, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = std::to_integer<char>(bytes_[i]);
    bytes_ = bytes_.subspan(text.size());
    return text;
  }

  /// A count of things that each take at least one more byte: a larger one is damage, and must not
  /// become an allocation.
  std::size_t count() {
    const std::uint64_t value = varint();
    if (value > bytes_.size()) return fail();
    return static_cast<std::size_t>(value);
  }

 private:
  std::uint8_t fail() {
    failed_ = true;
    bytes_ = {};
    return 0;
  }

  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

}  // namespace sluice::record
