// The longest tick that clients can bring a world of the largest size to, at the default limits:
// 50 of them send what costs most, as fast as they may, for 1,000 ticks. The queue gives each tick
// what its budget allows (server/host/README.md, "Work").
#include <algorithm>
#include <ctime>
#include <deque>

#include <benchmark/benchmark.h>

#include "server/host/command_queue.h"
#include "server/sim/digest.h"
#include "server/sim/world.h"

namespace sluice::bench::worst_tick_bench {
namespace {

constexpr std::uint64_t kClients = 50;
constexpr std::int32_t kTicks = 1000;
constexpr double kLong = 0.020;                  // seconds
constexpr std::uint64_t kCommandsPerTick = 100;  // of each client: 2,000 a second

/// The n-th number of a stream.
std::int32_t dice(std::uint64_t n, std::int32_t from, std::int32_t to) {
  const auto span = static_cast<std::uint64_t>(to - from + 1);
  return from + static_cast<std::int32_t>(sim::mix64(n * 0x9e3779b97f4a7c15U) % span);
}

std::string name_of(std::uint64_t n) {
  return "p" + std::to_string(n);
}

/// About the largest box that a host takes.
constexpr std::int32_t kSide = 768;

sim::Command fill_and_empty(std::uint64_t n) {
  const Vec3 from = {dice(n, 0, 15) * kSide, 0, 0};
  return {sim::SetCells{from, {kSide, kSide, 1}, n % 2 == 0 ? kFull : kAir}};
}
sim::Command fill_and_empty_less(std::uint64_t n) {
  constexpr std::int32_t kLess = 192;
  const Vec3 from = {dice(n, 0, 63) * kLess, 0, 0};
  return {sim::SetCells{from, {kLess, kLess, 1}, n % 2 == 0 ? kFull : kAir}};
}
sim::Command pour_far_apart(std::uint64_t n) {
  return {sim::Pour{{dice(n, 0, (1 << 20) - 1), dice(n + 1, 1 << 19, (1 << 20) - 1), 0}, 1}};
}
sim::Command rock_far_apart(std::uint64_t n) {
  const Vec3 from = {dice(n, 0, 1 << 19), dice(n + 1, 0, 1 << 19), 0};
  return {sim::SetCells{from, {kSide, kSide, 1}, kRock}};
}
sim::Command springs_far_apart(std::uint64_t n) {
  return {sim::AddSource{{dice(n, 0, (1 << 20) - 1), dice(n + 1, 0, (1 << 20) - 1), 0}, 1}};
}
sim::Command remove_everything(std::uint64_t n) {
  if (n % 4 != 0) return pour_far_apart(n);
  return {sim::RemoveWater{{0, 0, 0}, {1 << 20, 1 << 20, 1}}};
}
sim::Command pipes_in_a_star(std::uint64_t n) {
  if (n % 3 == 0) return {sim::LinkPipes{name_of(n - 3), name_of(0), false}};
  if (n % 97 == 1) return {sim::RemovePipe{name_of(0)}};
  sim::AddPipe pipe;
  pipe.name = name_of(n % 3 == 1 ? n - 1 : 0);
  pipe.amount = 100;
  return {pipe};
}

/// What else the machine does is not the world's: one core's time, not the clock on the wall.
double seconds_of_this_thread() {
  std::timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What the queue gives, each command at its cost of the moment, as a host takes them.
class Queued final : public sim::CommandSource {
 public:
  explicit Queued(host::CommandQueue& queue) : queue_(queue) {}
  const sim::Command* next(const sim::World& world) override {
    auto next = queue_.next([&](const sim::Command& c) { return sim::cost_of(c, world); }, away_);
    if (!next) {
      ended = seconds_of_this_thread();
      return nullptr;
    }
    return &taken.emplace_back(std::move(*next)).command;
  }
  std::deque<host::QueuedCommand> taken;
  double ended = 0;

 private:
  host::CommandQueue& queue_;
  std::vector<host::QueuedCommand> away_;
};

sim::WorldSpec largest_world(sim::WaterModel water, std::int32_t depth = 1) {
  sim::WorldSpec spec;
  spec.config.size = {kMaxSide, kMaxSide, depth};
  spec.config.water = water;
  return spec;
}

/// Half of the stream fills, pours, adds springs; the other half takes water away and splashes.
sim::Command of_every_kind(std::uint64_t n) {
  const Vec3 low = {dice(n, 0, 15) * 256 + dice(n + 1, 0, 255), dice(n + 2, 0, 300), 0};
  switch (n % 8) {
    case 0:
      return {sim::SetCells{low, {300, 300, 1}, kFull}};
    case 1:
      return {sim::SetCells{low, {90, 5, 1}, kRock}};
    case 2:
      return {sim::RemoveWater{low, {400, 400, 1}}};
    case 3:
      return {sim::AddSource{low, kFull}};
    case 4:
      return {sim::AddDrain{low, kFull}};
    case 5:
      return {sim::Splash{low, sim::kMaxSplashRadius, 1 << 20, 1}};
    case 6:
      return {sim::FillLevel{low, 1 << 20}};
    default:
      return {sim::Pour{low, 1 << 20}};
  }
}

void BM_WorstTick(benchmark::State& state, const sim::WorldSpec& spec, std::int32_t tick_count,
                  sim::Command (*command)(std::uint64_t)) {
  double longest = 0;
  double longest_own = 0;
  std::int64_t long_ticks = 0;
  double total = 0;
  std::int64_t ticks = 0;
  std::int64_t applied = 0;
  for (auto _ : state) {
    auto world = std::move(sim::World::create(spec)).value();
    host::CommandQueue queue(host::WorkLimits{}, spec.config.tick_rate);
    sim::SerialExecutor serial;
    std::uint64_t sent = 0;
    double own = 0;
    for (std::int32_t t = 0; t < tick_count; ++t) {
      for (std::uint64_t i = 0; i < kClients * kCommandsPerTick; ++i) {
        (void)queue.push({{command(++sent), "client", sent}, 1 + i % kClients});
      }
      const double begin = seconds_of_this_thread();
      queue.begin_tick(own);
      Queued commands(queue);
      const sim::TickReport report = world->tick(commands, serial);
      const double end = seconds_of_this_thread();
      for (std::size_t i = 0; i < commands.taken.size(); ++i) {
        if (!report.outcomes[i].applied()) continue;
        queue.let_fall(commands.taken[i].to_fall);
        ++applied;
      }
      own = end - commands.ended;
      longest_own = std::max(longest_own, own);
      const double seconds = end - begin;
      longest = std::max(longest, seconds);
      long_ticks += seconds > kLong ? 1 : 0;
      total += seconds;
      ++ticks;
    }
  }
  state.counters["longest_ms"] = 1e3 * longest;
  state.counters["over_20_ms"] = static_cast<double>(long_ticks);
  state.counters["longest_own_ms"] = 1e3 * longest_own;
  state.counters["mean_ms"] = 1e3 * total / static_cast<double>(ticks);
  state.counters["commands_a_tick"] = static_cast<double>(applied) / static_cast<double>(ticks);
}

#define WORST_TICK(stream)                                                                   \
  BENCHMARK_CAPTURE(BM_WorstTick, stream, largest_world(sim::WaterModel::kCellular), kTicks, \
                    stream)                                                                  \
      ->Unit(benchmark::kSecond)
WORST_TICK(fill_and_empty);
WORST_TICK(pour_far_apart);
WORST_TICK(rock_far_apart);
WORST_TICK(springs_far_apart);
WORST_TICK(remove_everything);
WORST_TICK(pipes_in_a_star);

sim::WorldSpec with_waves(sim::WorldSpec spec) {
  spec.waves.on = true;
  return spec;
}
sim::WorldSpec with_heat(sim::WorldSpec spec) {
  spec.heat.on = true;
  return spec;
}
/// Other models, for fewer ticks.
constexpr std::int32_t kFewTicks = 200;
#define WORST_TICK_OF(name, spec, stream) \
  BENCHMARK_CAPTURE(BM_WorstTick, name, spec, kFewTicks, stream)->Unit(benchmark::kSecond)
WORST_TICK_OF(cellular_of_every_kind, largest_world(sim::WaterModel::kCellular), of_every_kind);
WORST_TICK_OF(waves_of_every_kind, with_waves(largest_world(sim::WaterModel::kCellular)),
              of_every_kind);
WORST_TICK_OF(heat_of_every_kind, with_heat(largest_world(sim::WaterModel::kCellular)),
              of_every_kind);
WORST_TICK_OF(solid_of_every_kind, largest_world(sim::WaterModel::kCellular, 16), of_every_kind);
WORST_TICK_OF(block_of_every_kind, largest_world(sim::WaterModel::kBlock), of_every_kind);
WORST_TICK_OF(block_boxes, largest_world(sim::WaterModel::kBlock), fill_and_empty_less);
WORST_TICK_OF(stream_of_every_kind, largest_world(sim::WaterModel::kStream), of_every_kind);
WORST_TICK_OF(stream_boxes, largest_world(sim::WaterModel::kStream), fill_and_empty_less);
WORST_TICK_OF(hydro_of_every_kind, largest_world(sim::WaterModel::kHydro), of_every_kind);
WORST_TICK_OF(hydro_pours, largest_world(sim::WaterModel::kHydro), pour_far_apart);
WORST_TICK_OF(hydro_boxes, largest_world(sim::WaterModel::kHydro), fill_and_empty_less);

}  // namespace
}  // namespace sluice::bench::worst_tick_bench
