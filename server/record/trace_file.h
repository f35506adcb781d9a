// A tick's trace as a file: what one build or machine did in the tick where another one parts from
// it, to be compared where both can be read (`sluice trace`, `sluice diff --trace-b`).
//
//   file   := u32 "SLTR"  u64 checksum of the rest  packed(body)
//   body   := varint(version = 1) string(world) string(made by) varint(tick) u64 digest
//             varint(contents) { 4096 little-endian cells }
//             varint(phases) { string(name) u64 digest  varint(layers) { u64 }
//                              string(core and pipes, canonical bytes)
//                              varint(chunks) { zigzag varints of x, y, z; varint(content) } }
#pragma once

#include <span>
#include <string>

#include "protocol/base/result.h"
#include "server/record/byte_io.h"
#include "server/record/phase_trace.h"

namespace sluice::record {

struct TraceFile {
  std::string world;
  std::string made_by;  // the program
  TickTrace trace;
};

[[nodiscard]] Bytes encode_trace(const TraceFile& file);
/// Any bytes are safe to give.
[[nodiscard]] Result<TraceFile> decode_trace(std::span<const std::byte> bytes);

}  // namespace sluice::record
