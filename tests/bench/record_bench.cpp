// How fast a recording replays, against the time that its world took when it was hosted.
#include <filesystem>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "server/formats/world_file.h"
#include "server/record/recorder.h"
#include "server/record/verify.h"
#include "server/sim/world.h"

namespace sluice::bench::record_bench {
namespace {

constexpr std::uint64_t kTicks = 2400;  // two minutes at 20 ticks a second

void require(const Status& status) {
  if (!status) throw std::runtime_error(status.error());
}

/// `file` lies in the project's folder.
std::string record_world(const std::string& file) {
  const std::string world_file = SLUICE_SOURCE_DIR "/" + file;
  const std::string path = std::filesystem::temp_directory_path() / "bench-verify.sluice";
  std::filesystem::remove(path);
  const auto spec = formats::read_world_file(world_file);
  const auto world = std::move(sim::World::create(*spec)).value();
  auto recorder = record::Recorder::create(path, *formats::read_file(world_file), *world);
  sim::SerialExecutor serial;
  for (std::uint64_t t = 0; t < kTicks; ++t) {
    const sim::TickReport report = world->tick({}, serial);
    require((*recorder)->append({report.tick, report.digest, {}}));
  }
  require((*recorder)->commit());
  return path;
}

void BM_Verify(benchmark::State& state, const std::string& file) {
  const std::string path = record_world(file);
  sim::SerialExecutor serial;
  for (auto _ : state) {
    auto reader = record::Reader::open(path);
    const auto report = record::verify(**reader, {}, serial);
    if (!report || report->divergence) state.SkipWithError("the recording does not verify");
  }
  const double world_seconds = static_cast<double>(kTicks) / 20;
  state.counters["times_real_time"] = benchmark::Counter(
      world_seconds * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  std::filesystem::remove(path);
}
// In cellular water, and in hydro water.
BENCHMARK_CAPTURE(BM_Verify, cave, "tests/scenes/cave.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Verify, dam_break, "tests/scenes/dam-break.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Verify, u_tube, "tests/scenes/u-tube.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Verify, waterfall, "server/worlds/waterfall.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Verify, cave_hydro, "server/worlds/cave.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Verify, dam_break_hydro, "server/worlds/dam-break.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Verify, u_tube_hydro, "server/worlds/u-tube.toml")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace sluice::bench::record_bench
