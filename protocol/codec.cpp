#include "protocol/codec.h"

#include <cstddef>
#include <string>

#include "protocol/row_coding.h"

namespace sluice::protocol {

namespace {

using Differences = ChunkCells;

Error error_in_payload(const std::string& what) {
  return Error{"chunk payload, " + what};
}

}  // namespace

void encode_keyframe(const ChunkCells& cells, std::vector<std::uint8_t>& payload) {
  Differences differences;
  std::int32_t before = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    differences[i] = wrapping_subtract(cells[i], before);
    before = cells[i];
  }
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kKeyframe));
  append_row(differences, payload);
}

void encode_delta(const ChunkCells& baseline, const ChunkCells& cells,
                  std::vector<std::uint8_t>& payload) {
  Differences differences;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    differences[i] = wrapping_subtract(cells[i], baseline[i]);
  }
  payload.push_back(static_cast<std::uint8_t>(PayloadTag::kDelta));
  append_row(differences, payload);
}

Status decode_chunk(std::span<const std::uint8_t> payload, ChunkCells& cells) {
  if (payload.empty()) return error_in_payload("byte 0: no tag");
  const auto tag = static_cast<PayloadTag>(payload[0]);
  if (tag != PayloadTag::kKeyframe && tag != PayloadTag::kDelta) {
    return error_in_payload("byte 0: unknown tag " + std::to_string(payload[0]) +
                            " (1 keyframe, 2 delta)");
  }
  Differences differences{};
  if (Status status = read_row(payload, 1, differences); !status.ok()) {
    return error_in_payload(status.error());
  }
  std::int32_t before = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int32_t base = tag == PayloadTag::kKeyframe ? before : cells[i];
    cells[i] = before = wrapping_add(base, differences[i]);
  }
  return Done{};
}

}  // namespace sluice::protocol
