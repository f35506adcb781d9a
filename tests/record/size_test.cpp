// Goal: the promise of a compact file: at most 12 bytes a tick and 12 bytes a command, checkpoints
// aside (README.md of server/record states what is reached).
// Method: a quiet and a busy recording, each committed at every tick, less the file of the same
// world without any tick. The busy one has 100 clients with a command a second at 20 ticks/s.
#include <gtest/gtest.h>

#include "server/record/recorder.h"
#include "tests/record/support.h"

namespace sluice::record::test::size_test {
namespace {

double bytes_of(std::uint64_t ticks, double commands_per_tick, std::uint64_t ticks_per_commit) {
  TemporaryFolder folder;
  const auto world = make_world();
  const auto size_of = [&](const std::string& path, std::uint64_t count) {
    auto recorder = must(Recorder::create(path, kWorldFile, *world));
    CommandSource source(9, 100);
    std::uint64_t digest = 1;
    for (std::uint64_t tick = 1; tick <= count; ++tick) {
      digest = sim::mix64(digest + tick);
      must(recorder->append({tick, digest, source.some(commands_per_tick)}));
      if (tick % ticks_per_commit == 0) must(recorder->commit());
    }
    must(recorder->commit());
    recorder.reset();
    return static_cast<double>(std::filesystem::file_size(path));
  };
  return size_of(folder.file("full.sluice"), ticks) - size_of(folder.file("empty.sluice"), 0);
}

TEST(Size, AtMostTwelveBytesATick) {
  constexpr std::uint64_t kTicks = 10000;
  const double per_tick = bytes_of(kTicks, 0, 1) / kTicks;
  std::printf("bytes a tick, committed at every tick: %.2f\n", per_tick);
  RecordProperty("bytes_per_tick", std::to_string(per_tick));
  EXPECT_LE(per_tick, 12);
}

TEST(Size, AtMostTwelveBytesACommand) {
  constexpr std::uint64_t kTicks = 10000;
  const double quiet = bytes_of(kTicks, 0, 1);
  const double busy = bytes_of(kTicks, 5, 1);
  const double per_command = (busy - quiet) / (5.0 * kTicks);
  std::printf("bytes a command, 100 clients at one a second: %.2f\n", per_command);
  RecordProperty("bytes_per_command", std::to_string(per_command));
  EXPECT_LE(per_command, 12);
}

}  // namespace
}  // namespace sluice::record::test::size_test
