// Rows of numbers, most of them zero, as bytes: what chunks and pipe sections change by.
//
//   row    = group*
//   group  = gap count value{count}        gap, count: varint; value: zigzag varint
//
// `gap` zeros, then `count` (at least one) numbers; what follows the last group is zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"

namespace sluice::protocol {

/// Modulo 2^32, so that no pair of numbers overflows.
constexpr std::int32_t wrapping_subtract(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
constexpr std::int32_t wrapping_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

/// Appends the row.
void append_row(std::span<const std::int32_t> row, std::vector<std::uint8_t>& bytes);

/// Reads a row from `offset` to the end of the bytes into `row`, which must be zeros. Any bytes are
/// safe to give; the error names the offset, and `row` is then of no use.
[[nodiscard]] Status read_row(std::span<const std::uint8_t> bytes, std::size_t offset,
                              std::span<std::int32_t> row);

}  // namespace sluice::protocol
