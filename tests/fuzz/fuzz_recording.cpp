// Any bytes as a recording: a message, or a history that can be read to its end. The first byte
// chooses what the rest is taken for: few random files get past SQLite's own checks, so they are
// edits of a whole recording, too.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "server/record/checkpoint.h"
#include "server/record/command_batch.h"
#include "server/record/reader.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/recorded_history.h"

namespace {

using sluice::record::TickRecord;

constexpr sluice::record::Limits kLimits;

void read_whole_file(std::span<const std::byte> bytes) {
  // A file in WAL mode cannot be opened in memory; bytes 18 and 19 of its header say so.
  std::vector<std::byte> image(bytes.begin(), bytes.end());
  if (image.size() > 19) image[18] = image[19] = std::byte{1};
  auto reader = sluice::record::Reader::open_image(image);
  if (!reader) return;
  if ((*reader)->last_tick() > 0) {
    const std::uint64_t last = (*reader)->last_tick();
    (void)(*reader)->read_ticks(1, last, [](const TickRecord&) { return true; });
    (void)(*reader)->digests(1, last);
  }
  const auto checkpoints = (*reader)->checkpoints();
  if (!checkpoints) return;
  for (const auto& checkpoint : *checkpoints) (void)(*reader)->restore(checkpoint.tick);
}

void read_edited_file(std::span<const std::byte> plan) {
  static const std::vector<std::byte>& whole =
      *new std::vector<std::byte>(sluice::tests::recorded_history());
  std::vector<std::byte> image = whole;
  sluice::tests::apply_edits({reinterpret_cast<const std::uint8_t*>(plan.data()), plan.size()},
                             image);
  read_whole_file(image);
}

void read_commands(std::span<const std::byte> bytes) {
  std::vector<TickRecord> ticks(64);
  for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i].tick = i + 1;
  if (!sluice::record::decode_commands(bytes, kLimits.batch_bytes, ticks)) return;
  // What was read must be writable, and come back.
  std::vector<std::byte> again;
  sluice::record::encode_commands(ticks, 1, again);
  std::vector<TickRecord> back(ticks.size());
  for (std::size_t i = 0; i < back.size(); ++i) back[i].tick = i + 1;
  SLUICE_ASSERT(sluice::record::decode_commands(again, kLimits.batch_bytes, back).ok());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    SLUICE_ASSERT(ticks[i].commands.size() == back[i].commands.size());
    SLUICE_ASSERT(ticks[i].refused_more == back[i].refused_more);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read_whole_file(bytes);
      break;
    case 1:
      read_commands(bytes);
      break;
    case 2:
      read_edited_file(bytes);
      break;
    default:
      (void)sluice::record::decode_chunk_list(bytes, kLimits.chunk_list_bytes);
      break;
  }
  return 0;
}
