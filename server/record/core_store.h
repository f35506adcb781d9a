// The cores of checkpoints (World::snapshot_core): small ones as they are, large ones in pieces of
// which each content is stored once, so that of a million pipes a checkpoint holds what changed.
//
//   core   := packed(bytes)                                        packing.h
//           | 03 varint(size) varint(head) varint(n) { zigzag varint(id - (the id before + 1)) }
//             packed(the core's first `head` bytes, then its last eight)
//   piece  := content hash, packed(bytes)                          a row of `pieces`
//
// The head holds the clock and the totals, the last eight bytes are the core's digest: they change
// at every tick, and are kept out of the pieces. Where a piece ends follows from the bytes before
// its end alone, so that what was inserted moves the borders near it and no others (Muthitacharoen,
// Chen and Mazieres, A low-bandwidth network file system, 2001; the gear hash is that of Xia et
// al., Ddelta, 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/byte_io.h"
#include "server/record/format.h"

namespace sluice::record {

class Database;

class CoreStore {
 public:
  /// Used by the database's own thread; must go before it does.
  CoreStore(Database& database, const Limits& limits) : database_(database), limits_(limits) {}
  CoreStore(const CoreStore&) = delete;
  CoreStore& operator=(const CoreStore&) = delete;

  /// What goes into the checkpoint's row, its pieces stored. Refuses what load() would not take.
  [[nodiscard]] Result<Bytes> store(std::span<const std::byte> core);
  /// Any bytes are safe to give.
  [[nodiscard]] Result<Bytes> load(std::span<const std::byte> blob);

 private:
  [[nodiscard]] Result<std::int64_t> store_piece(std::span<const std::byte> piece);
  [[nodiscard]] Result<Bytes> load_piece(std::int64_t row_id);

  Database& database_;
  const Limits limits_;
  std::set<std::int64_t> good_;  // rows whose content was seen here, lately
  std::int64_t last_ = 0;        // the highest row that was stored here
};

/// Where the pieces of some bytes end; exposed for tests.
[[nodiscard]] std::vector<std::size_t> piece_ends(std::span<const std::byte> bytes,
                                                  std::size_t piece_bytes);

}  // namespace sluice::record
