// Goal: the same world file and inputs give the same bits on every machine, compiler, thread count
// and build.
// Method: each scene (a world file, and a script where there is one) is run and its digests at some
// ticks are compared with tests/golden/NAME.digests. A golden value changes only with a written
// reason: add it to the head of tests/golden/README.md. SLUICE_WRITE_GOLDEN=1 writes the files
// anew.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "server/formats/script.h"
#include "server/formats/world_file.h"
#include "server/sim/kernels.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"

namespace sluice::tests::golden_test {
namespace {

const std::filesystem::path kRoot = SLUICE_SOURCE_DIR;
constexpr std::uint64_t kTicks = 300;

struct Scene {
  const char* name;
  const char* folder;
};

class Golden : public ::testing::TestWithParam<Scene> {
 protected:
  /// "tick digest" at the chosen ticks.
  static std::string run(const Scene& scene, sim::Executor& executor) {
    const auto path = kRoot / scene.folder / scene.name;
    const auto spec = formats::read_world_file(path.string() + ".toml");
    if (!spec) return spec.error();
    std::vector<formats::ScriptLine> script;
    if (std::filesystem::exists(path.string() + ".jsonl")) {
      script = std::move(formats::read_script(path.string() + ".jsonl")).value();
    }
    const auto world = std::move(sim::World::create(*spec)).value();
    std::ostringstream digests;
    const auto note = [&] {
      char line[64];
      std::snprintf(line, sizeof line, "%" PRIu64 " %016" PRIx64 "\n", world->tick_number(),
                    world->digest());
      digests << line;
    };
    note();
    std::size_t next = 0;
    for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
      std::vector<sim::Command> commands;
      for (; next < script.size() && script[next].tick == tick; ++next) {
        commands.push_back(script[next].command);
      }
      (void)world->tick(commands, executor);
      if (tick == 1 || tick % 50 == 0) note();
    }
    return digests.str();
  }
};

TEST_P(Golden, DigestsAreThoseOfTheFirstDay) {
  const auto file = kRoot / "tests/golden" / (std::string(GetParam().name) + ".digests");
  sim::SerialExecutor serial;
  const std::string digests = run(GetParam(), serial);
  if (std::getenv("SLUICE_WRITE_GOLDEN") != nullptr) std::ofstream(file) << digests;
  std::ifstream stored(file);
  std::stringstream golden;
  golden << stored.rdbuf();
  EXPECT_EQ(digests, golden.str()) << file;

  workers::ThreadPool pool(3);
  workers::ShuffledExecutor shuffled(pool, 99);
  EXPECT_EQ(run(GetParam(), shuffled), digests);
  const std::string best = sim::kernels().name;
  for (const sim::Kernels& set : sim::all_kernels()) {
    ASSERT_TRUE(sim::select_kernels(set.name));
    EXPECT_EQ(run(GetParam(), serial), digests) << set.name;
  }
  ASSERT_TRUE(sim::select_kernels(best));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Golden,
    ::testing::Values(Scene{"u-tube", "tests/scenes"}, Scene{"dam-break", "tests/scenes"},
                      Scene{"cave", "tests/scenes"}, Scene{"waterfall", "server/worlds"},
                      Scene{"storm", "tests/scenes"}, Scene{"network", "tests/scenes"},
                      Scene{"hall", "tests/scenes"}, Scene{"brook", "tests/scenes"},
                      Scene{"blocks", "tests/scenes"}, Scene{"eighths", "tests/scenes"},
                      Scene{"breach", "tests/scenes"}, Scene{"cistern", "tests/scenes"},
                      Scene{"frost", "server/worlds"}, Scene{"estuary", "server/worlds"},
                      Scene{"kettle", "tests/scenes"}, Scene{"floes", "tests/scenes"}),
    [](const auto& scene) {
      std::string name = scene.param.name;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace sluice::tests::golden_test
