// Any bytes given to the chunk decoder are a chunk or an error; a chunk that decodes can be
// encoded and decodes to itself again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "protocol/codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice::protocol;  // NOLINT(google-build-using-namespace)
  ChunkCells cells{};
  if (!decode_chunk({data, size}, cells).ok()) return 0;
  std::vector<std::uint8_t> payload;
  encode_keyframe(cells, payload);
  ChunkCells again{};
  if (!decode_chunk(payload, again).ok() || again != cells) std::abort();
  return 0;
}
