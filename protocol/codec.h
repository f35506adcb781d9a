// A chunk's cells as bytes. The grammar, for both ends:
//
//   payload  = tag row
//   tag      = 0x01 keyframe | 0x02 delta
//   row      = 4096 differences (row_coding.h), which wrap at 32 bits
//
//   keyframe: difference = cell - the cell before it in the array (the first: - 0)
//   delta:    difference = cell - the same cell in the baseline, the chunk that the client holds
//             (all air when it holds none)
//
// README.md has worked examples. A new coding takes a new tag; tags are never reused.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/chunk.h"

namespace sluice::protocol {

enum class PayloadTag : std::uint8_t { kKeyframe = 1, kDelta = 2 };

/// Appends the chunk, whatever the other end holds.
void encode_keyframe(const ChunkCells& cells, std::vector<std::uint8_t>& payload);

/// Appends the change from `baseline` to `cells`.
void encode_delta(const ChunkCells& baseline, const ChunkCells& cells,
                  std::vector<std::uint8_t>& payload);

/// Turns `cells`, the baseline, into what the payload says (a keyframe ignores the baseline). Any
/// bytes are safe to give. The error names the offset; `cells` is then unchanged.
[[nodiscard]] Status decode_chunk(std::span<const std::uint8_t> payload, ChunkCells& cells);

}  // namespace sluice::protocol
