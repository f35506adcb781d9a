// Numbers of variable length: seven bits a byte, the low ones first, the top bit set on every byte
// but the last (LEB128). Signed ones are zigzagged first: 0, -1, 1, -2 become 0, 1, 2, 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace sluice {

/// Small magnitudes of either sign become small numbers.
template <class Signed>
constexpr std::make_unsigned_t<Signed> zigzag(Signed value) {
  using Unsigned = std::make_unsigned_t<Signed>;
  const auto bits = static_cast<Unsigned>(value);
  return static_cast<Unsigned>(bits << 1) ^ (value < 0 ? static_cast<Unsigned>(~Unsigned{0}) : 0);
}

template <class Unsigned>
constexpr std::make_signed_t<Unsigned> unzigzag(Unsigned value) {
  return static_cast<std::make_signed_t<Unsigned>>((value >> 1) ^ (~(value & 1) + 1));
}

template <class Byte>
void append_varint(std::uint64_t value, std::vector<Byte>& bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<Byte>(value | 0x80));
  bytes.push_back(static_cast<Byte>(value));
}

/// Reads at `offset` and moves it behind what was read. Nothing when the bytes end too early or
/// hold more bits than the type; `offset` then stays.
template <class Unsigned, class Byte>
std::optional<Unsigned> read_varint(std::span<const Byte> bytes, std::size_t& offset) {
  constexpr int kBits = std::numeric_limits<Unsigned>::digits;
  Unsigned value = 0;
  for (int shift = 0; shift < kBits; shift += 7) {
    const std::size_t at = offset + static_cast<std::size_t>(shift / 7);
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<std::uint8_t>(bytes[at]);
    const auto low = static_cast<Unsigned>(byte & 0x7fU);
    if (kBits - shift < 7 && low >> (kBits - shift) != 0) return std::nullopt;
    value |= static_cast<Unsigned>(low << shift);
    if (byte >= 0x80) continue;
    offset = at + 1;
    return value;
  }
  return std::nullopt;
}

}  // namespace sluice
