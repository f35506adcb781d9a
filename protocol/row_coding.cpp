#include "protocol/row_coding.h"

#include <string>

#include "protocol/base/varint.h"

namespace sluice::protocol {

namespace {

// The end of the group that begins at `begin`. A single zero between two numbers is cheaper as one
// of the group's values (one byte) than as a new group (two bytes), so only two zeros end one.
std::size_t group_end(std::span<const std::int32_t> row, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < row.size()) {
    if (row[end] != 0) {
      ++end;
    } else if (end + 1 < row.size() && row[end + 1] != 0) {
      end += 2;
    } else {
      break;
    }
  }
  return end;
}

Error error_at(std::size_t offset, const std::string& what) {
  return Error{"byte " + std::to_string(offset) + ": " + what};
}

}  // namespace

void append_row(std::span<const std::int32_t> row, std::vector<std::uint8_t>& bytes) {
  std::size_t done = 0;
  for (std::size_t begin = 0; begin < row.size();) {
    if (row[begin] == 0) {
      ++begin;
      continue;
    }
    const std::size_t end = group_end(row, begin);
    append_varint(static_cast<std::uint32_t>(begin - done), bytes);
    append_varint(static_cast<std::uint32_t>(end - begin), bytes);
    for (std::size_t i = begin; i < end; ++i) append_varint(zigzag(row[i]), bytes);
    begin = done = end;
  }
}

Status read_row(std::span<const std::uint8_t> bytes, std::size_t offset,
                std::span<std::int32_t> row) {
  std::size_t place = 0;
  while (offset < bytes.size()) {
    const std::size_t group = offset;
    const auto gap = read_varint<std::uint32_t>(bytes, offset);
    const auto count = gap ? read_varint<std::uint32_t>(bytes, offset) : gap;
    if (!gap || !count) return error_at(offset, "not a number");
    if (*count == 0) return error_at(group, "a group without values");
    if (*gap > row.size() - place || *count > row.size() - place - *gap) {
      return error_at(group, "a group that reaches past the row's end");
    }
    place += *gap;
    for (const std::size_t end = place + *count; place < end; ++place) {
      const auto value = read_varint<std::uint32_t>(bytes, offset);
      if (!value) return error_at(offset, "not a number");
      row[place] = unzigzag(*value);
    }
  }
  return Done{};
}

}  // namespace sluice::protocol
