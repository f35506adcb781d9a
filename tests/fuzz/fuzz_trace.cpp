// Any bytes as a trace whose checksum fits: an error, or a trace that can be written, comes back,
// and compares with itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "protocol/base/assert.h"
#include "server/record/packing.h"
#include "server/record/trace_file.h"
#include "server/sim/world.h"
#include "tests/fuzz/edits.h"
#include "tests/support/random_world.h"

namespace {

namespace record = sluice::record;

constexpr std::size_t kHeadBytes = 12;  // "SLTR" and the checksum
constexpr std::uint64_t kChecksumKey = 2;

/// The unpacked body of a trace of a small world.
record::Bytes make_body() {
  auto world = sluice::sim::World::create(
      sluice::tests::random_world(3, {.side = 30, .pipes = sluice::tests::Pipes::kJoined}));
  SLUICE_ASSERT(world.ok());
  sluice::sim::SerialExecutor serial;
  const record::TraceFile file = {"fuzz", "a fuzzer", record::trace_tick(**world, {}, serial)};
  const record::Bytes bytes = record::encode_trace(file);
  auto body = record::unpack(std::span(bytes).subspan(kHeadBytes), std::size_t{1} << 24);
  SLUICE_ASSERT(body.ok());
  return std::move(body).value();
}

record::Bytes sealed(std::span<const std::byte> body) {
  record::Bytes packed = {std::byte{0}};  // stored as it is
  packed.insert(packed.end(), body.begin(), body.end());
  record::Bytes file;
  for (const char c : {'S', 'L', 'T', 'R'}) file.push_back(static_cast<std::byte>(c));
  record::put_u64(static_cast<std::uint64_t>(record::row_checksum(kChecksumKey, packed, {})), file);
  file.insert(file.end(), packed.begin(), packed.end());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const record::Bytes& whole = *new record::Bytes(make_body());
  if (size == 0) return 0;
  std::vector<std::byte> body;
  if (data[0] % 2 == 0) {
    body = whole;
    sluice::tests::apply_edits({data + 1, size - 1}, body);
  } else {
    for (std::size_t i = 1; i < size; ++i) body.push_back(static_cast<std::byte>(data[i]));
  }
  const auto file = record::decode_trace(sealed(body));
  if (data[0] % 2 == 0 && size < 5) SLUICE_ASSERT(file.ok());  // nothing was edited
  if (!file) return 0;
  const auto back = record::decode_trace(record::encode_trace(*file));
  SLUICE_ASSERT(back.ok());
  SLUICE_ASSERT(back->world == file->world && back->trace.tick == file->trace.tick);
  SLUICE_ASSERT(!record::compare_traces(file->trace, back->trace, 4));
  return 0;
}
