// Numbers of one to five bytes: seven bits a byte, the low ones first, the top bit set on every
// byte but the last (LEB128). Signed ones are zigzagged first: 0, -1, 1, -2 become 0, 1, 2, 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sluice::protocol {

constexpr std::uint32_t zigzag(std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  return (bits << 1) ^ (value < 0 ? ~std::uint32_t{0} : 0);
}

constexpr std::int32_t unzigzag(std::uint32_t value) {
  return static_cast<std::int32_t>((value >> 1) ^ (~(value & 1) + 1));
}

inline void append_varint(std::uint32_t value, std::vector<std::uint8_t>& bytes) {
  while (value >= 0x80) {
    bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<std::uint8_t>(value));
}

/// Reads at `offset` and moves it behind what was read. Nothing when the bytes end too early or
/// hold more than 32 bits; `offset` then stays.
inline std::optional<std::uint32_t> read_varint(std::span<const std::uint8_t> bytes,
                                                std::size_t& offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    if (offset + i >= bytes.size()) return std::nullopt;
    const std::uint8_t byte = bytes[offset + i];
    value |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) != 0) continue;
    if (value > UINT32_MAX) return std::nullopt;
    offset += i + 1;
    return static_cast<std::uint32_t>(value);
  }
  return std::nullopt;
}

}  // namespace sluice::protocol
