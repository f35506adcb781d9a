#include "protocol/codec.h"

#include <cstddef>
#include <string>

#include "protocol/varint.h"

namespace sluice::protocol {

namespace {

using Differences = ChunkCells;

// Modulo 2^32, so that no pair of cells overflows.
std::int32_t subtract(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

std::int32_t add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

// The end of the group that begins at `begin`. A single zero between two differences is cheaper as
// one of the group's values (one byte) than as a new group (two bytes), so only two zeros end one.
std::size_t group_end(const Differences& differences, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < kChunkCells) {
    if (differences[end] != 0) {
      ++end;
    } else if (end + 1 < kChunkCells && differences[end + 1] != 0) {
      end += 2;
    } else {
      break;
    }
  }
  return end;
}

void append_groups(const Differences& differences, std::vector<std::uint8_t>& payload) {
  std::size_t done = 0;
  for (std::size_t begin = 0; begin < kChunkCells;) {
    if (differences[begin] == 0) {
      ++begin;
      continue;
    }
    const std::size_t end = group_end(differences, begin);
    append_varint(static_cast<std::uint32_t>(begin - done), payload);
    append_varint(static_cast<std::uint32_t>(end - begin), payload);
    for (std::size_t i = begin; i < end; ++i) append_varint(zigzag(differences[i]), payload);
    begin = done = end;
  }
}

Error error_at(std::size_t offset, const std::string& what) {
  return Error{"chunk payload, byte " + std::to_string(offset) + ": " + what};
}

Status read_groups(std::span<const std::uint8_t> payload, Differences& differences) {
  std::size_t offset = 1;
  std::size_t cell = 0;
  while (offset < payload.size()) {
    const std::size_t group = offset;
    const auto gap = read_varint(payload, offset);
    const auto count = gap ? read_varint(payload, offset) : gap;
    if (!gap || !count) return error_at(offset, "not a number");
    if (*count == 0) return error_at(group, "a group without values");
    if (*gap > kChunkCells - cell || *count > kChunkCells - cell - *gap) {
      return error_at(group, "a group that reaches past the chunk's last cell");
    }
    cell += *gap;
    for (const std::size_t end = cell + *count; cell < end; ++cell) {
      const auto value = read_varint(payload, offset);
      if (!value) return error_at(offset, "not a number");
      differences[cell] = unzigzag(*value);
    }
  }
  return Done{};
}

}  // namespace

void encode_keyframe(const ChunkCells& cells, std::vector<std::uint8_t>& payload) {
  Differences differences;
  std::int32_t before = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    differences[i] = subtract(cells[i], before);
    before = cells[i];
  }
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kKeyframe));
  append_groups(differences, payload);
}

void encode_delta(const ChunkCells& baseline, const ChunkCells& cells,
                  std::vector<std::uint8_t>& payload) {
  Differences differences;
  for (std::size_t i = 0; i < kChunkCells; ++i) differences[i] = subtract(cells[i], baseline[i]);
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kDelta));
  append_groups(differences, payload);
}

Status decode_chunk(std::span<const std::uint8_t> payload, ChunkCells& cells) {
  if (payload.empty()) return error_at(0, "no tag");
  const auto tag = static_cast<PayloadTag>(payload[0]);
  if (tag != PayloadTag::kKeyframe && tag != PayloadTag::kDelta) {
    return error_at(0, "unknown tag " + std::to_string(payload[0]) + " (1 keyframe, 2 delta)");
  }
  Differences differences{};
  if (Status status = read_groups(payload, differences); !status.ok()) return status;
  std::int32_t before = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int32_t base = tag == PayloadTag::kKeyframe ? before : cells[i];
    cells[i] = before = add(base, differences[i]);
  }
  return Done{};
}

}  // namespace sluice::protocol
