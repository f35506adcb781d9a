// Any bytes as a recording: a message, or a history that can be read to its end. The first byte
// chooses what the rest is taken for: few random files get past SQLite's own checks, so they are
// edits of a whole recording, too.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "server/record/checkpoint.h"
#include "server/record/command_batch.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "server/sim/world.h"
#include "tests/fuzz/edits.h"
#include "tests/support/random_world.h"

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

/// A small history with commands and three checkpoints, as it lies on the disk.
std::vector<std::byte> record_history() {
  namespace record = sluice::record;
  namespace tests = sluice::tests;
  char folder[] = "/tmp/sluice-fuzz-XXXXXX";
  SLUICE_ASSERT(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/a.sluice";
  auto world = sluice::sim::World::create(tests::random_world(5, {.side = 70}));
  SLUICE_ASSERT(world.ok());
  auto recorder = record::Recorder::create(path, "[world]\nname = \"fuzz\"\n", **world);
  SLUICE_ASSERT(recorder.ok());
  sluice::sim::SerialExecutor serial;
  const auto script = tests::random_script(5, (*world)->config().size, 20);
  for (const auto& commands : script) {
    TickRecord record;
    const auto report = (*world)->tick(commands, serial);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto& outcome = report.outcomes[i];
      record.commands.push_back({commands[i], "fuzz", i + 1, outcome.applied(), outcome.reason});
    }
    record.tick = (*world)->tick_number();
    record.digest = (*world)->digest();
    SLUICE_ASSERT((*recorder)->append(record).ok());
    if (record.tick % 10 == 0) {
      SLUICE_ASSERT((*recorder)->checkpoint(record::CheckpointImage::of(**world)).ok());
    }
  }
  SLUICE_ASSERT((*recorder)->commit().ok());
  recorder = sluice::Error{"closed"};
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove_all(folder);
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

void read_edited_file(std::span<const std::byte> plan) {
  static const std::vector<std::byte>& whole = *new std::vector<std::byte>(record_history());
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
