// A chunk's cells as bytes. The grammar, for both ends:
//
//   payload  = tag row | tag columns
//   tag      = 0x01 keyframe | 0x02 delta, of a row
//            | 0x07 keyframe | 0x08 delta, of columns of 64 cells (chunks of 64x64x1)
//            | 0x09 keyframe | 0x0a delta, of columns of 16 cells (chunks of 16x16x16)
//   row      = 4096 differences (row_coding.h), which wrap at 32 bits
//   columns  = decisions of a range coder (column_coding.h)
//
//   row of a keyframe: difference = cell - the cell before it in the array (the first: - 0)
//   row of a delta:    difference = cell - the same cell in the baseline, the chunk that the client
//                      holds (all air when it holds none)
//   columns:           the change from the baseline; of a keyframe, from all air. A delta begins
//                      with the chances that the server told last (column_lessons.h), a keyframe
//                      with the first ones: whoever comes can read it
//
// An encoder takes the shorter of the two; a decoder takes what comes. README.md has worked
// examples. A new coding takes a new tag; tags are never reused (3 to 6 were other columns, of the
// protocol's versions 2 and 3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/chunk.h"
#include "protocol/column_lessons.h"

namespace sluice::protocol {

enum class PayloadTag : std::uint8_t {
  kKeyframe = 1,
  kDelta = 2,
  kKeyframeOf64 = 7,
  kDeltaOf64 = 8,
  kKeyframeOf16 = 9,
  kDeltaOf16 = 10,
};

/// Rows are made in some 10 microseconds, columns in 30 to 110, and in up to 500 at the worst.
enum class Effort : std::uint8_t { kRows, kShortest };

/// Appends the chunk, whatever the other end holds. `sides` are those of the world's chunks.
void encode_keyframe(const ChunkCells& cells, const ChunkShape& sides,
                     std::vector<std::uint8_t>& payload, Effort effort = Effort::kShortest);

/// Appends the change from `baseline` to `cells`. The teacher, if there is one, has the chances at
/// the start, and learns.
void encode_delta(const ChunkCells& baseline, const ChunkCells& cells, const ChunkShape& sides,
                  std::vector<std::uint8_t>& payload, Effort effort = Effort::kShortest,
                  ColumnTeacher* teacher = nullptr);

/// Turns `cells`, the baseline, into what the payload says (a keyframe ignores the baseline);
/// `told`: the chances of the teacher's last lesson. Any bytes are safe to give. The error names
/// the offset; `cells` is then unchanged.
[[nodiscard]] Status decode_chunk(std::span<const std::uint8_t> payload, ChunkCells& cells,
                                  const ColumnChances& told = first_chances());

}  // namespace sluice::protocol
