// Any bytes given to the chunk decoder are a chunk or an error; a chunk that decodes can be
// encoded, as a keyframe and as a delta of any other, and decodes to itself again. The first byte
// is the tag, so that each coding is tried; some of the cells are the bytes themselves. The bytes
// are tried as a lesson, too, and what is taught by one delta is told before the next.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "protocol/codec.h"
#include "protocol/limits.h"

namespace {

using namespace sluice::protocol;  // NOLINT(google-build-using-namespace)

void must_come_back(const std::vector<std::uint8_t>& payload, ChunkCells held,
                    const ChunkCells& wanted, const ColumnChances& told = first_chances()) {
  if (payload.size() > kMaxChunkPayloadBytes) std::abort();
  if (!decode_chunk(payload, held, told).ok() || held != wanted) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ChunkCells baseline{};
  const std::size_t words = std::min(size / 4, baseline.size());
  for (std::size_t i = 0; i < words; ++i) {
    std::int32_t word = 0;
    std::memcpy(&word, data + 4 * i, 4);
    // Half of them are like real cells: water, rock, air.
    baseline[i * 97 % baseline.size()] = (word & 1) != 0 ? word : (word >> 1) % 5000;
  }
  ChunkCells cells = baseline;
  if (!decode_chunk({data, size}, cells).ok() && cells != baseline) std::abort();
  ColumnChances told = first_chances();
  if (read_lesson({data, size}, told).ok()) {
    ChunkCells others = baseline;
    (void)decode_chunk({data, size}, others, told);
  }
  for (const sluice::ChunkShape& sides : {sluice::kSideViewShape, sluice::kSolidShape}) {
    std::vector<std::uint8_t> payload;
    encode_keyframe(cells, sides, payload);
    must_come_back(payload, baseline, cells);
    payload.clear();
    ColumnTeacher teacher({.pause = 1, .least_saved = -1e9});
    encode_delta(baseline, cells, sides, payload, Effort::kShortest, &teacher);
    must_come_back(payload, baseline, cells);
    teacher.begin_tick();
    told = first_chances();
    if (teacher.lessons() > 0 && !read_lesson(teacher.lesson(), told).ok()) std::abort();
    payload.clear();
    encode_delta(cells, baseline, sides, payload, Effort::kShortest, &teacher);
    must_come_back(payload, cells, baseline, told);
  }
  return 0;
}
