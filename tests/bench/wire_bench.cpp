// What a change costs on the wire: bytes a changed cell, and the time to encode it.
#include <algorithm>
#include <map>

#include <benchmark/benchmark.h>

#include "protocol/codec.h"
#include "server/formats/world_file.h"
#include "server/sim/world.h"
#include "tests/bench/wire_scenes.h"

namespace sluice::bench::wire_bench {
namespace {

protocol::ChunkCells copy_of(const sim::Chunk& chunk) {
  protocol::ChunkCells cells{};
  std::copy_n(chunk.cells.begin(), kChunkCells, cells.begin());
  return cells;
}

/// A world as a viewer of all of it would be told of it, tick by tick, lessons included.
void measure_deltas(benchmark::State& state, const sim::WorldSpec& spec) {
  const auto world = std::move(sim::World::create(spec)).value();
  const ChunkShape sides = spec.config.shape();
  sim::SerialExecutor serial;
  std::map<ChunkCoord, protocol::ChunkCells> baselines;
  world->grid().for_each([&](const sim::Chunk& chunk) { baselines[chunk.coord] = copy_of(chunk); });
  std::int64_t changed = 0;
  std::int64_t bytes = 0;
  std::int64_t lesson_bytes = 0;
  std::vector<std::uint8_t> payload;
  protocol::ColumnTeacher teacher;
  for (auto _ : state) {
    state.PauseTiming();
    (void)world->tick({}, serial);
    state.ResumeTiming();
    const std::uint32_t lessons = teacher.lessons();
    teacher.begin_tick();
    if (teacher.lessons() != lessons) {
      lesson_bytes += static_cast<std::int64_t>(teacher.lesson().size());
    }
    for (const ChunkCoord coord : world->changed_chunks()) {
      const sim::Chunk* chunk = world->grid().find(coord);
      if (chunk == nullptr) continue;
      protocol::ChunkCells& baseline = baselines[coord];
      const protocol::ChunkCells cells = copy_of(*chunk);
      payload.clear();
      protocol::encode_delta(baseline, cells, sides, payload, protocol::Effort::kShortest,
                             &teacher);
      bytes += static_cast<std::int64_t>(payload.size());
      for (std::size_t i = 0; i < cells.size(); ++i) changed += cells[i] != baseline[i] ? 1 : 0;
      baseline = cells;
    }
  }
  bytes += lesson_bytes;
  state.SetItemsProcessed(changed);
  state.counters["bytes_per_changed_cell"] =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(changed, 1));
  state.counters["bytes_per_tick"] =
      static_cast<double>(bytes) / static_cast<double>(state.iterations());
  state.counters["lesson_bytes_per_tick"] =
      static_cast<double>(lesson_bytes) / static_cast<double>(state.iterations());
}

void BM_Deltas(benchmark::State& state, const std::string& file) {
  measure_deltas(state, *formats::read_world_file(SLUICE_SOURCE_DIR "/" + file));
}
// In cellular water, and in hydro water.
BENCHMARK_CAPTURE(BM_Deltas, cave, "tests/scenes/cave.toml")->Iterations(600)->UseRealTime();
BENCHMARK_CAPTURE(BM_Deltas, dam_break, "tests/scenes/dam-break.toml")
    ->Iterations(600)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Deltas, waterfall, "server/worlds/waterfall.toml")
    ->Iterations(600)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Deltas, cave_hydro, "server/worlds/cave.toml")->Iterations(600)->UseRealTime();
BENCHMARK_CAPTURE(BM_Deltas, dam_break_hydro, "server/worlds/dam-break.toml")
    ->Iterations(600)
    ->UseRealTime();

using Scene = sim::WorldSpec (*)(sim::WaterModel);
void BM_DeltasOf512(benchmark::State& state, Scene scene, sim::WaterModel water) {
  measure_deltas(state, scene(water));
}
BENCHMARK_CAPTURE(BM_DeltasOf512, flood_hydro, flood, sim::WaterModel::kHydro)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, flood_cellular, flood, sim::WaterModel::kCellular)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, flood_stream, flood, sim::WaterModel::kStream)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, streams_hydro, streams, sim::WaterModel::kHydro)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, streams_cellular, streams, sim::WaterModel::kCellular)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, streams_stream, streams, sim::WaterModel::kStream)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, drips_hydro, drips, sim::WaterModel::kHydro)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, drips_cellular, drips, sim::WaterModel::kCellular)
    ->Iterations(300)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_DeltasOf512, drips_stream, drips, sim::WaterModel::kStream)
    ->Iterations(300)
    ->UseRealTime();

}  // namespace
}  // namespace sluice::bench::wire_bench
