// Any bytes given to the decoder of pipe sections are a section or an error; a section that decodes
// can be encoded and decodes to itself again; and any bytes are a delta of it, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "protocol/pipe_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sluice::protocol;  // NOLINT(google-build-using-namespace)
  const sluice::ChunkShape sides;
  for (const PipeKey& key : {PipeKey{{1, 2, 0}, 0}, PipeKey{}}) {
    PipeSection section;
    if (!decode_pipes(key, sides, {data, size}, section).ok()) continue;
    if (section.values.size() != section.plan.value_count()) std::abort();
    std::vector<std::uint8_t> plan;
    encode_plan(key, sides, section.plan, plan);
    std::vector<std::uint8_t> payload;
    encode_pipe_keyframe(plan, section.values, payload);
    PipeSection again;
    if (!decode_pipes(key, sides, payload, again).ok() || again.plan != section.plan ||
        again.values != section.values) {
      std::abort();
    }
    (void)pipe_checksum(section.plan_bytes, section.values);
    // The same bytes after the tag of a delta.
    std::vector<std::uint8_t> delta(data, data + size);
    if (!delta.empty()) delta[0] = 2;
    (void)decode_pipes(key, sides, delta, again);
  }
  return 0;
}
