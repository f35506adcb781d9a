#include "server/record/chunk_store.h"

#include <algorithm>
#include <utility>

#include "protocol/base/cell.h"
#include "server/record/database.h"
#include "server/record/packing.h"
#include "server/sim/limits.h"

namespace sluice::record {

namespace {

constexpr std::byte kDifference{2};
constexpr std::size_t kChunkBytes = std::size_t{kChunkCells} * sizeof(Cell);

std::uint32_t cell_at(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    value |= std::to_integer<std::uint32_t>(bytes[4 * index + k]) << 8 * k;
  }
  return value;
}

Bytes planes_of(std::span<const std::byte> bytes, std::span<const std::byte> base) {
  Bytes planes(kChunkBytes);
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::uint32_t change = cell_at(bytes, i) - cell_at(base, i);
    const std::uint32_t small = change << 1 ^ (0 - (change >> 31));
    for (std::size_t k = 0; k < 4; ++k) {
      planes[k * kChunkCells + i] = static_cast<std::byte>(small >> 8 * k);
    }
  }
  return planes;
}

/// The inverse of planes_of, in place of the base.
void add_planes(std::span<const std::byte> planes, Bytes& bytes) {
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    std::uint32_t small = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      small |= std::to_integer<std::uint32_t>(planes[k * kChunkCells + i]) << 8 * k;
    }
    if (small == 0) continue;
    const std::uint32_t value = cell_at(bytes, i) + (small >> 1 ^ (0 - (small & 1)));
    for (std::size_t k = 0; k < 4; ++k) bytes[4 * i + k] = static_cast<std::byte>(value >> 8 * k);
  }
}

}  // namespace

Result<std::int64_t> ChunkStore::store(std::span<const std::byte> bytes, std::int64_t base) {
  const Bytes hash = content_hash(bytes);
  auto find = database_.prepare("SELECT id FROM chunks WHERE content_hash = ?1");
  if (!find) return Error{find.error()};
  const Result<bool> found = find->bind(1, hash).step();
  if (!found) return Error{found.error()};
  const std::int64_t known = *found ? find->integer(0) : 0;
  find->reset();
  if (known != 0) return reuse(known, bytes);
  std::optional<Bytes> data = as_difference(bytes, base);
  if (!data) pack(bytes, kWholeLevel, data.emplace());
  const std::int64_t least = std::max(last_row_, base) + 1;
  // A row that the medium lost has a number that checkpoints still name: none is given out twice.
  auto insert = database_.prepare(
      "INSERT INTO chunks (id, content_hash, data) VALUES "
      "(max(?1, coalesce((SELECT max(id) FROM chunks), 0) + 1), ?2, ?3)");
  if (!insert) return Error{insert.error()};
  if (const Status done = insert->bind(1, least).bind(2, hash).bind(3, *data).run(); !done) {
    return Error{done.error()};
  }
  const std::int64_t row_id = last_row_ = database_.last_row_id();
  const int depth = data->front() == kDifference ? std::to_integer<int>((*data)[1]) : 0;
  keep(row_id, {Bytes(bytes.begin(), bytes.end()), depth});
  return row_id;
}

// What a row is said to hold is not built upon before it was read; where the medium lost it, every
// checkpoint that shares it gets it back.
Result<std::int64_t> ChunkStore::reuse(std::int64_t row_id, std::span<const std::byte> bytes) {
  if (const auto held = whole(row_id); held && std::ranges::equal(held->bytes, bytes))
    return row_id;
  Bytes data;
  pack(bytes, kWholeLevel, data);
  auto heal = database_.prepare("UPDATE chunks SET data = ?2 WHERE id = ?1");
  if (!heal) return Error{heal.error()};
  if (const Status done = heal->bind(1, row_id).bind(2, data).run(); !done) {
    return Error{done.error()};
  }
  keep(row_id, {Bytes(bytes.begin(), bytes.end()), 0});
  return row_id;
}

std::optional<Bytes> ChunkStore::as_difference(std::span<const std::byte> bytes,
                                               std::int64_t base) {
  if (base <= 0) return std::nullopt;
  // A base that cannot be read is not built upon; whoever needs it will be told.
  const Result<Content> before = whole(base);
  if (!before || before->depth >= kMaxDepth) return std::nullopt;
  Bytes data{kDifference, static_cast<std::byte>(before->depth + 1)};
  append_varint(static_cast<std::uint64_t>(base), data);
  pack(planes_of(bytes, before->bytes), kDifferenceLevel, data);
  // Where more than a fourth is left a fresh start is worth its price to those who come after.
  if (data.size() > kChunkBytes / 4) return std::nullopt;
  return data;
}

Result<Bytes> ChunkStore::read_row(std::int64_t row_id, Bytes* hash) {
  auto read = database_.prepare("SELECT content_hash, data FROM chunks WHERE id = ?1");
  if (!read) return Error{read.error()};
  const Result<bool> found = read->bind(1, row_id).step();
  if (!found) return Error{found.error()};
  if (!*found) return Error{"is not there"};
  if (hash != nullptr) hash->assign(read->blob(0).begin(), read->blob(0).end());
  return Bytes(read->blob(1).begin(), read->blob(1).end());
}

Result<ChunkStore::Content> ChunkStore::content(std::int64_t row_id, int most_depth, Bytes* hash) {
  if (const auto kept = lately_.find(row_id); kept != lately_.end() && hash == nullptr) {
    if (kept->second.depth > most_depth) return Error{"states an impossible depth"};
    return kept->second;
  }
  const Result<Bytes> row = read_row(row_id, hash);
  if (!row) return Error{row.error()};
  const Bytes& data = *row;
  if (data.empty() || data.front() != kDifference) {
    Result<Bytes> bytes = unpack(data, kChunkBytes);
    if (!bytes) return Error{bytes.error()};
    if (bytes->size() != kChunkBytes) return Error{"has the wrong size"};
    return Content{std::move(bytes).value(), 0};
  }
  const int depth = data.size() < 2 ? 0 : std::to_integer<int>(data[1]);
  if (depth < 1 || depth > most_depth) return Error{"states an impossible depth"};
  ByteReader reader(std::span<const std::byte>(data).subspan(2));
  const auto base = static_cast<std::int64_t>(reader.varint());
  const Result<Bytes> planes = unpack(reader.rest(), kChunkBytes);
  if (reader.failed() || !planes) return Error{"does not unpack"};
  if (planes->size() != kChunkBytes) return Error{"has the wrong size"};
  // Depths fall along the chain, so that damage cannot make it endless.
  Result<Content> whole = content(base, depth - 1, nullptr);
  if (!whole)
    return Error{"is based on chunk " + std::to_string(base) + ", which " + whole.error()};
  add_planes(*planes, whole->bytes);
  whole->depth = depth;
  return whole;
}

void ChunkStore::keep(std::int64_t row_id, const Content& content) {
  // Rows grow with time, and what is old is not asked for again.
  if (lately_.size() >= kKept) lately_.erase(lately_.begin());
  lately_.insert_or_assign(row_id, content);
}

Result<ChunkStore::Content> ChunkStore::whole(std::int64_t row_id) {
  if (const auto kept = lately_.find(row_id); kept != lately_.end()) return kept->second;
  Bytes hash;
  Result<Content> loaded = content(row_id, kMaxDepth, &hash);
  if (!loaded) return loaded;
  if (!std::ranges::equal(content_hash(loaded->bytes), hash)) {
    return Error{"does not fit its content hash"};
  }
  keep(row_id, *loaded);
  return loaded;
}

Result<Bytes> ChunkStore::load(std::int64_t row_id) {
  Result<Content> loaded = whole(row_id);
  if (!loaded) return Error{loaded.error()};
  return std::move(loaded->bytes);
}

}  // namespace sluice::record
