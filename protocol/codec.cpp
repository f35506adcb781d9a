#include "protocol/codec.h"

#include <cstddef>
#include <optional>
#include <string>

#include "protocol/column_coding.h"
#include "protocol/row_coding.h"

namespace sluice::protocol {

namespace {

using Differences = ChunkCells;

// A row of so few bytes is not worth the work on columns, which need about as many.
constexpr std::size_t kShortRowBytes = 4;
// A row of so many bytes is noise: columns would take up to a millisecond, and save a sixth.
constexpr std::size_t kNoisyRowBytes = 7 * std::size_t{kChunkCells} / 4;

constexpr ChunkCells kAllAir{};

struct Coding {
  bool keyframe;
  int log_height;  // of columns; 0: a row
};

std::optional<Coding> coding_of(std::uint8_t tag) {
  switch (static_cast<PayloadTag>(tag)) {
    case PayloadTag::kKeyframe:
      return Coding{true, 0};
    case PayloadTag::kDelta:
      return Coding{false, 0};
    case PayloadTag::kKeyframeOf64:
      return Coding{true, 6};
    case PayloadTag::kDeltaOf64:
      return Coding{false, 6};
    case PayloadTag::kKeyframeOf16:
      return Coding{true, 4};
    case PayloadTag::kDeltaOf16:
      return Coding{false, 4};
  }
  return std::nullopt;
}

std::uint8_t tag_of_columns(bool keyframe, int log_height) {
  const PayloadTag keyframes =
      log_height == 6 ? PayloadTag::kKeyframeOf64 : PayloadTag::kKeyframeOf16;
  const PayloadTag deltas = log_height == 6 ? PayloadTag::kDeltaOf64 : PayloadTag::kDeltaOf16;
  return static_cast<std::uint8_t>(keyframe ? keyframes : deltas);
}

Error error_in_payload(const std::string& what) {
  return Error{"chunk payload, " + what};
}

// Puts columns in the place of the row that begins at `begin` (with its tag), where they are
// shorter.
void shorten(const ChunkCells& baseline, const ChunkCells& cells, bool keyframe,
             const ChunkShape& sides, ColumnTeacher* teacher, std::size_t begin,
             std::vector<std::uint8_t>& payload) {
  const std::size_t row_bytes = payload.size() - begin;
  if (row_bytes <= kShortRowBytes || row_bytes >= kNoisyRowBytes) return;
  if (!has_column_coding(sides.log_y)) return;
  std::vector<std::uint8_t> columns = {tag_of_columns(keyframe, sides.log_y)};
  append_columns(baseline, cells, sides.log_y, columns,
                 teacher == nullptr ? first_chances() : teacher->chances(),
                 teacher == nullptr ? nullptr : &teacher->counts());
  if (columns.size() >= row_bytes) return;
  payload.resize(begin);
  payload.insert(payload.end(), columns.begin(), columns.end());
}

// Changes no cell before all bytes were read.
Status read_row_of(std::span<const std::uint8_t> payload, bool keyframe, ChunkCells& cells) {
  Differences differences{};
  if (Status status = read_row(payload, 1, differences); !status.ok()) return status;
  std::int32_t before = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int32_t base = keyframe ? before : cells[i];
    cells[i] = before = wrapping_add(base, differences[i]);
  }
  return Done{};
}

}  // namespace

void encode_keyframe(const ChunkCells& cells, const ChunkShape& sides,
                     std::vector<std::uint8_t>& payload, Effort effort) {
  Differences differences;
  std::int32_t before = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    differences[i] = wrapping_subtract(cells[i], before);
    before = cells[i];
  }
  const std::size_t begin = payload.size();
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kKeyframe));
  append_row(differences, payload);
  if (effort == Effort::kRows) return;
  shorten(kAllAir, cells, true, sides, nullptr, begin, payload);
}

void encode_delta(const ChunkCells& baseline, const ChunkCells& cells, const ChunkShape& sides,
                  std::vector<std::uint8_t>& payload, Effort effort, ColumnTeacher* teacher) {
  Differences differences;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    differences[i] = wrapping_subtract(cells[i], baseline[i]);
  }
  const std::size_t begin = payload.size();
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kDelta));
  append_row(differences, payload);
  if (effort == Effort::kRows) return;
  shorten(baseline, cells, false, sides, teacher, begin, payload);
}

Status decode_chunk(std::span<const std::uint8_t> payload, ChunkCells& cells,
                    const ColumnChances& told) {
  if (payload.empty()) return error_in_payload("byte 0: no tag");
  const std::optional<Coding> coding = coding_of(payload[0]);
  if (!coding) {
    return error_in_payload("byte 0: unknown tag " + std::to_string(payload[0]) +
                            " (1, 7, 9 keyframe, 2, 8, 10 delta)");
  }
  if (coding->log_height == 0) {
    const Status status = read_row_of(payload, coding->keyframe, cells);
    return status ? status : error_in_payload(status.error());
  }
  const ChunkCells before = cells;
  if (coding->keyframe) cells = kAllAir;
  const Status status = read_columns(payload, 1, coding->log_height, cells,
                                     coding->keyframe ? first_chances() : told);
  if (status) return status;
  cells = before;
  return error_in_payload(status.error());
}

}  // namespace sluice::protocol
