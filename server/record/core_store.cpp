#include "server/record/core_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "server/record/database.h"
#include "server/record/packing.h"
#include "server/sim/digest.h"

namespace sluice::record {

namespace {

constexpr std::byte kInPieces{3};
constexpr int kPieceLevel = 3;
constexpr std::size_t kTailBytes = sizeof(sim::Digest);
constexpr std::size_t kMostKnown = std::size_t{1} << 20;

/// A number without any pattern for each byte. Written down nowhere: a reader does not need it.
constexpr std::array<std::uint64_t, 256> kGear = [] {
  std::array<std::uint64_t, 256> gear{};
  for (std::uint64_t i = 0; i < gear.size(); ++i) gear[i] = sim::combine(0x67656172, i);
  return gear;
}();

/// The clock, the totals and the options of most worlds.
std::size_t head_bytes(std::size_t core_bytes, std::size_t piece_bytes) {
  return std::min<std::size_t>(core_bytes - kTailBytes, std::min<std::size_t>(piece_bytes, 1024));
}

}  // namespace

std::vector<std::size_t> piece_ends(std::span<const std::byte> bytes, std::size_t piece_bytes) {
  const std::size_t least = std::max<std::size_t>(piece_bytes / 4, 1);
  const std::size_t most = 4 * piece_bytes;
  // So many high bits are zero once in piece_bytes.
  const int bits = static_cast<int>(std::bit_width(piece_bytes)) - 1;
  const std::uint64_t mask = bits == 0 ? 0 : ~std::uint64_t{0} << (64 - bits);
  std::vector<std::size_t> ends;
  std::uint64_t hash = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    hash = (hash << 1) + kGear[std::to_integer<std::size_t>(bytes[i])];
    const std::size_t size = i + 1 - begin;
    if (size < least || ((hash & mask) != 0 && size < most)) continue;
    ends.push_back(begin = i + 1);
  }
  if (begin < bytes.size()) ends.push_back(bytes.size());
  return ends;
}

Result<Bytes> CoreStore::store(std::span<const std::byte> core) {
  if (core.size() > limits_.core_bytes) {
    return database_.error("cannot take a checkpoint whose core has " +
                           std::to_string(core.size()) + " bytes; at most " +
                           std::to_string(limits_.core_bytes));
  }
  Bytes blob;
  if (core.size() <= limits_.core_piece_bytes + kTailBytes) {
    pack(core, kWholeLevel, blob);
    return blob;
  }
  const std::size_t head = head_bytes(core.size(), limits_.core_piece_bytes);
  const auto middle = core.subspan(head, core.size() - head - kTailBytes);
  const std::vector<std::size_t> ends = piece_ends(middle, limits_.core_piece_bytes);
  blob.push_back(kInPieces);
  append_varint(core.size(), blob);
  append_varint(head, blob);
  append_varint(ends.size(), blob);
  std::size_t begin = 0;
  std::int64_t before = 0;
  for (const std::size_t end : ends) {
    const auto row_id = store_piece(middle.subspan(begin, end - begin));
    if (!row_id) return Error{row_id.error()};
    append_varint(zigzag(*row_id - (before + 1)), blob);
    before = *row_id;
    begin = end;
  }
  Bytes rest(core.begin(), core.begin() + static_cast<std::ptrdiff_t>(head));
  rest.insert(rest.end(), core.end() - kTailBytes, core.end());
  pack(rest, kWholeLevel, blob);
  return blob;
}

Result<std::int64_t> CoreStore::store_piece(std::span<const std::byte> piece) {
  const Bytes hash = content_hash(piece);
  auto find = database_.prepare("SELECT id FROM pieces WHERE content_hash = ?1");
  if (!find) return Error{find.error()};
  const Result<bool> found = find->bind(1, hash).step();
  if (!found) return Error{found.error()};
  const std::int64_t known = *found ? find->integer(0) : 0;
  find->reset();
  if (good_.size() >= kMostKnown) good_.clear();
  if (known != 0 && good_.contains(known)) return known;
  // What a row is said to hold is not built upon before it was read.
  if (known != 0) {
    const Result<Bytes> held = load_piece(known);
    if (held && std::ranges::equal(*held, piece)) {
      good_.insert(known);
      return known;
    }
  }
  Bytes data;
  pack(piece, kPieceLevel, data);
  // No number is given out twice, as of chunks (chunk_store.cpp).
  auto write = database_.prepare(
      known != 0 ? "UPDATE pieces SET data = ?2 WHERE id = ?1"
                 : "INSERT INTO pieces (id, data, content_hash) VALUES "
                   "(max(?1, coalesce((SELECT max(id) FROM pieces), 0) + 1), ?2, ?3)");
  if (!write) return Error{write.error()};
  write->bind(1, known != 0 ? known : last_ + 1).bind(2, data);
  if (known == 0) write->bind(3, hash);
  if (const Status done = write->run(); !done) return Error{done.error()};
  const std::int64_t row_id = known != 0 ? known : database_.last_row_id();
  last_ = std::max(last_, row_id);
  good_.insert(row_id);
  return row_id;
}

Result<Bytes> CoreStore::load_piece(std::int64_t row_id) {
  const auto failed = [row_id](const std::string& what) {
    return Error{"is in pieces, of which " + std::to_string(row_id) + " " + what};
  };
  auto read = database_.prepare("SELECT content_hash, data FROM pieces WHERE id = ?1");
  if (!read) return failed(read.error());
  const Result<bool> found = read->bind(1, row_id).step();
  if (!found) return failed(found.error());
  if (!*found) return failed("is not there");
  const Bytes hash(read->blob(0).begin(), read->blob(0).end());
  Result<Bytes> piece = unpack(read->blob(1), 4 * limits_.core_piece_bytes);
  read->reset();
  if (!piece) return failed(piece.error());
  if (!std::ranges::equal(content_hash(*piece), hash)) {
    return failed("does not fit its content hash");
  }
  return piece;
}

Result<Bytes> CoreStore::load(std::span<const std::byte> blob) {
  if (blob.empty() || blob.front() != kInPieces) return unpack(blob, limits_.core_bytes);
  ByteReader reader(blob.subspan(1));
  const std::uint64_t size = reader.varint();
  const std::uint64_t head = reader.varint();
  const std::size_t count = reader.count();
  std::vector<std::int64_t> ids;
  std::uint64_t id = 0;
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    id += 1 + static_cast<std::uint64_t>(unzigzag(reader.varint()));
    ids.push_back(static_cast<std::int64_t>(id));
  }
  if (reader.failed() || size > limits_.core_bytes || head > size || size - head < kTailBytes) {
    return Error{"states an impossible size"};
  }
  const Result<Bytes> rest = unpack(reader.rest(), limits_.core_bytes);
  if (!rest) return Error{rest.error()};
  if (rest->size() != head + kTailBytes) return Error{"has a head of the wrong size"};
  Bytes core(rest->begin(), rest->end() - kTailBytes);
  for (const std::int64_t row_id : ids) {
    const Result<Bytes> piece = load_piece(row_id);
    if (!piece) return Error{piece.error()};
    if (piece->size() > size - kTailBytes - core.size()) {
      return Error{"is in pieces that are too long together"};
    }
    core.insert(core.end(), piece->begin(), piece->end());
  }
  core.insert(core.end(), rest->end() - kTailBytes, rest->end());
  if (core.size() != size) return Error{"is in pieces that are too short together"};
  return core;
}

}  // namespace sluice::record
