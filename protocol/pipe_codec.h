// A section of a pipe network as bytes. The grammar, for both ends:
//
//   payload = 0x01 plan row | 0x02 row
//   row     = the section's values: all of them, or their differences (row_coding.h)
//   plan    = fluids nodes links ports
//   fluids  = count text{count}
//   nodes   = count node{count}
//   node    = gap text fluid flags capacity height base throughput [rate] [cell]
//   links   = count link{count}
//   link    = from flags [place] to
//   place   = [dx dy dz] part
//   ports   = count port{count}
//   port    = node kind x y z rate
//   text    = length byte{length}
//
// README.md says what each number means and has worked examples. A new coding takes a new tag; tags
// are never reused.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/pipes.h"

namespace sluice::protocol {

/// Appends the plan of the section. Nodes must be in rising order of index, and within the limits.
void encode_plan(const PipeKey& key, const ChunkShape& sides, const PipePlan& plan,
                 std::vector<std::uint8_t>& bytes);

/// Appends the section, whatever the other end holds.
void encode_pipe_keyframe(std::span<const std::uint8_t> plan, std::span<const std::int32_t> values,
                          std::vector<std::uint8_t>& payload);

/// Appends the change of values between two states of one plan.
void encode_pipe_delta(std::span<const std::int32_t> before, std::span<const std::int32_t> after,
                       std::vector<std::uint8_t>& payload);

/// Turns `section`, what is held so far, into what the payload says. Any bytes are safe to give.
/// The error names the offset; `section` is then unchanged.
[[nodiscard]] Status decode_pipes(const PipeKey& key, const ChunkShape& sides,
                                  std::span<const std::uint8_t> payload, PipeSection& section);

/// By which a mirror's section is compared with the server's. README.md says how it is made.
[[nodiscard]] std::uint64_t pipe_checksum(std::span<const std::uint8_t> plan,
                                          std::span<const std::int32_t> values);

}  // namespace sluice::protocol
