// The commands of a run of ticks as bytes. Column by column, because alike things side by side
// compress to a fraction of what whole records do.
//
//   batch  := varint(commands)
//             strings(clients) strings(reasons)          strings := varint(n) { varint(size) bytes
//             } { varint(tick - the tick before) }         per command; the first counts from the
//                                                        batch's first tick
//             { varint(client) }                         index of its name
//             { varint(zigzag(seq - expected)) }         expected: that client's last in the batch
//                                                        plus 1, or 0
//             { varint(outcome) }                        0 applied, else index of the reason plus 1
//             { canonical command }                      sim::append_command
//             and, where refused commands were counted and not kept, which format 2 did not do:
//             varint(counts) { varint(tick - the tick before) varint(client) varint(commands) }
//   blob   := packed(batch)                              packing.h
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/byte_io.h"
#include "server/record/records.h"

namespace sluice::record {

/// Appends the blob of all commands of `ticks`, which follow each other; nothing when they have
/// none. `level` is zstd's.
void encode_commands(std::span<const TickRecord> ticks, int level, Bytes& out);

/// Puts the commands of a blob where their ticks are: `ticks` follow each other and hold no
/// commands yet. At most `most_bytes` before packing are read. Any bytes are safe to give; the
/// error says what is wrong with the blob.
[[nodiscard]] Status decode_commands(std::span<const std::byte> blob, std::size_t most_bytes,
                                     std::span<TickRecord> ticks);

}  // namespace sluice::record
