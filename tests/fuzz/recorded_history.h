// A recording for fuzzers to begin with.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "protocol/base/assert.h"
#include "server/record/recorder.h"
#include "server/sim/world.h"
#include "tests/support/random_world.h"

namespace sluice::tests {

/// The world that it is of, at tick 0.
inline Result<std::unique_ptr<sim::World>> fuzzed_world() {
  return sim::World::create(random_world(5, {.side = 70}));
}

/// A small history with commands and three checkpoints, as it lies on the disk.
inline std::vector<std::byte> recorded_history() {
  char folder[] = "/tmp/sluice-fuzz-XXXXXX";
  SLUICE_ASSERT(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/a.sluice";
  auto world = fuzzed_world();
  SLUICE_ASSERT(world.ok());
  auto recorder = record::Recorder::create(path, "[world]\nname = \"fuzz\"\n", **world);
  SLUICE_ASSERT(recorder.ok());
  sim::SerialExecutor serial;
  const auto script = random_script(5, (*world)->config().size, 20);
  for (const auto& commands : script) {
    record::TickRecord record;
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
  recorder = Error{"closed"};
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove_all(folder);
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace sluice::tests
