// The simulation and the reading of world files, with nothing else: runs a world and prints
// "tick digest" for each tick. What `sluice sim --digests -` prints, for machines on which only a
// compiler and the standard library are at hand.
//
//   digests WORLD.toml SCRIPT.jsonl|- TICKS THREADS SHUFFLE_SEED|-
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "server/formats/script.h"
#include "server/formats/world_file.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"

namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "digests: %s\n", message.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace sluice;
  if (argc != 6) return fail("usage: digests WORLD.toml SCRIPT.jsonl|- TICKS THREADS SEED|-");
  const auto spec = formats::read_world_file(argv[1]);
  if (!spec) return fail(spec.error());
  auto world = sim::World::create(*spec);
  if (!world) return fail(world.error());
  std::vector<formats::ScriptLine> script;
  if (std::strcmp(argv[2], "-") != 0) {
    auto read = formats::read_script(argv[2]);
    if (!read) return fail(read.error());
    script = std::move(read).value();
  }
  const std::uint64_t ticks = std::strtoull(argv[3], nullptr, 10);
  workers::ThreadPool pool(static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)));
  std::optional<workers::ShuffledExecutor> shuffled;
  if (std::strcmp(argv[5], "-") != 0) shuffled.emplace(pool, std::strtoull(argv[5], nullptr, 10));
  sim::Executor& executor = shuffled ? static_cast<sim::Executor&>(*shuffled) : pool;
  std::size_t next = 0;
  for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
    std::vector<sim::Command> commands;
    for (; next < script.size() && script[next].tick == tick; ++next) {
      commands.push_back(script[next].command);
    }
    const sim::TickReport report = (*world)->tick(commands, executor);
    std::printf("%" PRIu64 " %016" PRIx64 "\n", report.tick, report.digest);
  }
  return 0;
}
