// Goal: no bit of a world's state can be wrong without being noticed in that very tick, and named:
// its tick, phase, layer, place, field and both values. And nothing is ever noticed that is not
// there.
// Method: a test double flips one bit of one declared value after one phase, on one of two engines
// that run side by side. The values are found by way of visit_state, so that what is declared later
// is flipped too; a map without an entry in this scene fails the test, because nothing in it could
// be flipped. Then a million clean ticks of random worlds, without a single alarm.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "server/record/state_fields.h"
#include "server/record/sync_test.h"
#include "server/sim/models/hydro/hydro.h"
#include "server/workers/thread_pool.h"
#include "tests/record/flipper.h"
#include "tests/record/support.h"
#include "tests/support/effort.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"
#include "tests/support/world_access.h"

namespace sluice::record::test::kill_matrix_test {
namespace {

constexpr std::uint64_t kTick = 23;
constexpr const char* kPhases[] = {"commands", "springs", "pipes", "pockets", "water", "sleep"};

/// Changes the second engine after one phase of one tick, and remembers what that makes different.
class Fault final : public sim::PhaseObserver {
 public:
  using Change = std::function<void(sim::World&)>;
  Fault(std::string phase, Change change) : phase_(std::move(phase)), change_(std::move(change)) {}

  void after_phase(const char* phase, const sim::World& world) override {
    if (world.tick_number() != kTick || phase_ != phase) return;
    const StateImage before = StateImage::of(world);
    // The observer of one's own world may change it: nobody else is looking.
    change_(const_cast<sim::World&>(world));
    expected_ = compare_states(before.view(), StateView::of(world), 4);
    happened_ = true;
  }
  [[nodiscard]] bool happened() const { return happened_; }
  [[nodiscard]] const Comparison& expected() const { return expected_; }

 private:
  std::string phase_;
  Change change_;
  Comparison expected_;
  bool happened_ = false;
};

using MakeScene = std::unique_ptr<sim::World> (*)();

/// What state_of(world) is after that phase of the tick of the fault: a copy, as a world goes on
/// otherwise where its own was shown to somebody who might write to it.
template <class StateOf>
auto state_after(MakeScene scene, const std::string& phase, const StateOf& state_of) {
  using State = std::decay_t<decltype(state_of(*scene()))>;
  State state;
  const auto world = scene();
  Fault look(phase, [&](sim::World& seen) { state = state_of(seen); });
  sim::SerialExecutor serial;
  world->set_phase_observer(&look);
  while (world->tick_number() < kTick) (void)world->tick({}, serial);
  EXPECT_TRUE(look.happened());
  return state;
}

/// A world in which every map and list of the state has an entry.
std::unique_ptr<sim::World> eventful_world() {
  auto world = make_world();
  sim::AddPipe tank;
  tank.name = "tank";
  tank.capacity = 50000;
  tank.amount = 30000;
  tank.base = 8000;
  tank.at = {70, 20, 0};
  sim::AddPipe pipe = tank;
  pipe.name = "pipe";
  pipe.amount = 10;
  sim::AddPort port;
  port.node = "pipe";
  port.cell = {72, 20, 0};
  port.kind = PortKind::kOutlet;
  port.rate = 300;
  std::vector<RecordedCommand> commands(5);
  commands[0].command.body = tank;
  commands[1].command.body = pipe;
  commands[2].command.body = sim::LinkPipes{"tank", "pipe", false};
  commands[3].command.body = port;
  commands[4].command.body = sim::AddSourceUpTo{{58, 60, 0}, 300, 70 * kFull};
  const TickRecord built = play(*world, std::move(commands));
  for (const RecordedCommand& command : built.commands)
    EXPECT_TRUE(command.applied) << command.reason;
  return world;
}

void expect_caught(const std::function<std::unique_ptr<sim::World>()>& scene,
                   const std::string& phase, const Fault::Change& change, const std::string& what) {
  const auto world = scene();
  Fault fault(phase, change);
  SyncOptions options;
  options.ticks = kTick + 20;
  options.restore_every = 10;
  options.disturbance = &fault;
  sim::SerialExecutor serial;
  const SyncReport report = must(sync_test(*world, serial, serial, options));
  ASSERT_TRUE(fault.happened()) << what;
  ASSERT_FALSE(fault.expected().same()) << what << ": the flip changed nothing that is compared";
  ASSERT_TRUE(report.divergence) << what << ": not noticed";
  EXPECT_EQ(report.divergence->tick, kTick) << what;
  EXPECT_EQ(report.divergence->at.phase, phase) << what;
  EXPECT_EQ(report.divergence->at.where.differences, fault.expected().differences) << what;
  EXPECT_EQ(report.divergence->at.where.cells, fault.expected().cells) << what;
  EXPECT_EQ(report.divergence->at.where.fields, fault.expected().fields) << what;
}

TEST(KillMatrix, EveryBitOfEveryDeclaredValueIsCaughtAndNamed) {
  // The scene must have entries in every map at the tick of the fault.
  const auto scene = eventful_world();
  while (scene->tick_number() < kTick) play(*scene, {});
  Flipper counter(SIZE_MAX, 0);
  sim::CoreState::visit_state(sim::WorldTestAccess::core(*scene), counter);
  // What water carries has a test of its own, below.
  ASSERT_EQ(counter.empty_maps(), std::set<std::string>{"tracers"})
      << "nothing in these maps can be flipped: give the scene an entry of each";
  ASSERT_GT(counter.count(), 20U);
  int flips = 0;
  for (std::size_t value = 0; value < counter.count(); ++value) {
    Flipper sizer(value, 64);
    sim::CoreState::visit_state(sim::WorldTestAccess::core(*scene), sizer);
    ASSERT_GT(sizer.bits(), 0);
    for (int bit = 0; bit < sizer.bits(); ++bit) {
      // Each bit after one phase, each value after all of them.
      const char* phase = kPhases[(value + static_cast<std::size_t>(bit)) % std::size(kPhases)];
      expect_caught(
          eventful_world, phase,
          [value, bit](sim::World& world) {
            Flipper flipper(value, bit);
            sim::CoreState::visit_state(sim::WorldTestAccess::core(world), flipper);
          },
          "value " + std::to_string(value) + " bit " + std::to_string(bit) + " after " + phase);
      if (HasFatalFailure()) return;
      ++flips;
    }
  }
  std::printf("%d flips of %zu declared values, all caught and named\n", flips, counter.count());
}

/// Hydro water on its way over a ledge and through a tunnel, in both directions.
std::unique_ptr<sim::World> flowing_world() {
  sim::WorldSpec spec;
  spec.config.size = {20, 20, 20};
  spec.config.water = sim::WaterModel::kHydro;
  spec.fills = {{{{0, 0, 0}, {20, 12, 20}}, kRock},
                {{{12, 0, 0}, {8, 12, 20}}, kAir},
                {{{12, 0, 4}, {4, 3, 10}}, kFull},
                {{{15, 1, 0}, {1, 3, 20}}, kRock},
                {{{0, 12, 0}, {6, 8, 6}}, kFull}};
  spec.sources = {{{1, 19, 1}, 700}};
  spec.drains = {{{19, 0, 19}, 300}};
  return must(sim::World::create(spec));
}

sim::HydroState& hydro_state(sim::World& world) {
  return sim::WorldTestAccess::core(world).water.as<sim::HydroState>();
}

TEST(KillMatrix, EveryBitOfHydroWaterIsCaughtAndNamed) {
  for (const bool flowed : {false, true}) {
    sim::HydroState state = state_after(flowing_world, kPhases[flowed ? 4 : 3], hydro_state);
    Flipper counter(SIZE_MAX, 0);
    sim::HydroState::visit_state(state, counter);
    ASSERT_EQ(counter.empty_maps(), std::set<std::string>{});
    const std::size_t step = counter.count() / 12 + 1;  // there are thousands
    for (std::size_t value = 0; value < counter.count(); value += step) {
      Flipper sizer(value, 64);
      sim::HydroState::visit_state(state, sizer);
      for (int bit = 0; bit < sizer.bits(); bit += 7) {
        const auto turn = value + static_cast<std::size_t>(bit);
        const char* phase = flowed ? kPhases[4 + turn % 2] : kPhases[turn % 4];
        expect_caught(
            flowing_world, phase,
            [value, bit](sim::World& world) {
              Flipper flipper(value, bit);
              sim::HydroState::visit_state(hydro_state(world), flipper);
            },
            "value " + std::to_string(value) + " bit " + std::to_string(bit) + " after " + phase);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Warm, dyed water below a spring that boils, with steam over it.
std::unique_ptr<sim::World> carrying_world() {
  sim::WorldSpec spec;
  spec.config.size = {12, 10, 1};
  spec.config.water = sim::WaterModel::kHydro;
  spec.heat.on = true;
  spec.heat.options.steam = true;
  spec.tracers = {sim::usual_options(sim::TracerKind::kDye),
                  sim::usual_options(sim::TracerKind::kSilt)};
  spec.tracers[0].name = "red";
  spec.tracers[1].name = "mud";
  spec.fills = {{{{0, 0, 0}, {12, 1, 1}}, kRock, false, {}},
                {{{0, 1, 0}, {5, 4, 1}}, kFull, false, {{"red", 4000}}},
                {{{5, 1, 0}, {4, 3, 1}}, kFull, false, {{"mud", 700}}}};
  spec.sources = {{{2, 8, 0}, 700, -1, 95 * sim::kDegree, {{"red", 90}, {"mud", 5}}}};
  spec.heaters = {{{3, 4, 0}, 1'000'000'000}};
  return must(sim::World::create(spec));
}

/// Flips bits of every value of one layer of what water carries, after that phase. Says how many
/// flips there were.
template <class StateOf>
int flip_layer(const std::string& phase, const StateOf& state_of) {
  const auto before = state_after(carrying_world, phase, state_of);
  using State = std::decay_t<decltype(before)>;
  const sim::WorldConfig config = carrying_world()->config();
  Flipper counter(SIZE_MAX, 0);
  State counted = before;
  State::visit_state(counted, counter);
  EXPECT_EQ(counter.empty_maps(), std::set<std::string>{});
  int flips = 0;
  // There are thousands of bits.
  constexpr int kStep = 43 * static_cast<int>(tests::kCasesDividedBy);
  for (std::size_t value = 0; value < counter.count(); ++value) {
    for (int bit = static_cast<int>(value % kStep); bit < 64; bit += kStep) {
      Flipper flipper(value, bit);
      State flipped = before;
      State::visit_state(flipped, flipper);
      if (bit >= flipper.bits()) break;
      // Some bits no state can have: amounts that overlap, or a name with a blank.
      if (!validate(flipped, config)) continue;
      expect_caught(
          carrying_world, phase,
          [&](sim::World& world) {
            Flipper own(value, bit);
            State::visit_state(state_of(world), own);
          },
          "value " + std::to_string(value) + " bit " + std::to_string(bit) + " after " + phase);
      if (testing::Test::HasFailure()) return flips;
      ++flips;
    }
  }
  return flips;
}

TEST(KillMatrix, AnyBitOfWhatWaterCarriesIsCaughtAndNamed) {
  int flips = 0;
  for (const char* const phase : {"springs", "sleep"}) {
    flips += flip_layer(phase, [](sim::World& world) -> sim::HeatState& {
      return sim::WorldTestAccess::core(world).heat;
    });
    flips += flip_layer(phase, [](sim::World& world) -> sim::TracerState& {
      return sim::WorldTestAccess::core(world).tracers;
    });
  }
  std::printf("%d flips, all caught and named\n", flips);
  EXPECT_GT(flips, static_cast<int>(tests::cases(500)));
}

bool same_fields(const sim::PipesImage& a, const sim::PipesImage& b) {
  const auto left = pipe_fields(a);
  const auto right = pipe_fields(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const sim::StateField& x, const sim::StateField& y) {
                      return x.place == y.place && x.field == y.field && x.value == y.value;
                    });
}

TEST(KillMatrix, EveryBitOfPipesIsCaughtAndNamed) {
  const auto scene = eventful_world();
  while (scene->tick_number() < kTick) play(*scene, {});
  sim::PipesImage image = scene->pipes().image();
  Flipper counter(SIZE_MAX, 0);
  sim::PipesImage::visit_state(image, counter);
  ASSERT_EQ(counter.empty_maps(), std::set<std::string>{});
  int flips = 0;
  int impossible = 0;
  for (std::size_t value = 0; value < counter.count(); ++value) {
    for (int bit = 0; bit < 64; ++bit) {
      Flipper flipper(value, bit);
      sim::PipesImage flipped = image;
      sim::PipesImage::visit_state(flipped, flipper);
      if (bit >= flipper.bits()) break;
      const auto probe = eventful_world();
      // Some bits no pipes can have (a name with a blank), and some mean nothing (a pipe's pump
      // rate).
      const bool possible = sim::WorldTestAccess::set_pipes(*probe, flipped) &&
                            !same_fields(probe->pipes().image(), image);
      if (!possible) {
        ++impossible;
        continue;
      }
      const char* phase = kPhases[(value + static_cast<std::size_t>(bit)) % std::size(kPhases)];
      expect_caught(
          eventful_world, phase,
          [value, bit](sim::World& world) {
            sim::PipesImage own = world.pipes().image();
            Flipper own_flipper(value, bit);
            sim::PipesImage::visit_state(own, own_flipper);
            (void)sim::WorldTestAccess::set_pipes(world, own);
          },
          "pipe value " + std::to_string(value) + " bit " + std::to_string(bit) + " after " +
              phase);
      if (HasFatalFailure()) return;
      ++flips;
    }
  }
  std::printf(
      "%d flips of %zu values of pipes, all caught and named; %d more that no pipes can have\n",
      flips, counter.count(), impossible);
  EXPECT_GT(flips, 200);
}

TEST(KillMatrix, EveryBitOfCellsIsCaughtAndNamed) {
  // With the digest told of the change, as a wrong rule would, and behind its back, as a faulty
  // memory would: a sleeping chunk is looked at too.
  tests::Dice dice(9);
  for (int bit = 0; bit < 32; ++bit) {
    for (const char* phase : kPhases) {
      for (const bool silent : {false, true}) {
        const Vec3 at = tests::random_place(dice, {64, 64, 1});
        expect_caught(
            eventful_world, phase,
            [=](sim::World& world) {
              sim::Grid& grid = sim::WorldTestAccess::grid(world);
              sim::Chunk& chunk = grid.obtain(grid.shape().chunk_of(at));
              auto& cell = chunk.cells.edit()[static_cast<std::size_t>(grid.shape().index_of(at))];
              cell = static_cast<Cell>(static_cast<std::uint32_t>(cell) ^ (1U << bit));
              if (!silent) grid.note_change(chunk, sim::kChangedAll);
            },
            "bit " + std::to_string(bit) + " of cell " + to_string(at) + " after " + phase);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(KillMatrix, EveryBitOfAMarkIsCaughtAndNamed) {
  // A block on a ledge, on its way: its mark says how many steps it has made.
  const auto walking = [] {
    sim::WorldSpec spec;
    spec.config.size = {90, 8, 1};
    spec.config.water = sim::WaterModel::kBlock;
    spec.config.options["walk_steps"] = 1000;
    spec.fills = {{{{0, 0, 0}, {90, 2, 1}}, kRock}, {{{45, 2, 0}, {1, 1, 1}}, kFull}};
    return must(sim::World::create(spec));
  };
  for (const char* phase : kPhases) {
    for (int bit = 0; bit < 32; ++bit) {
      const auto change = [bit](sim::World& world) {
        Vec3 at = {0, 2, 0};
        while (world.cell(at) != kFull) ++at.x;
        sim::WorldTestAccess::flip_mark(world, at, bit);
      };
      expect_caught(walking, phase, change, "bit " + std::to_string(bit) + " after " + phase);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(KillMatrix, AWorldThatIsAwakeForNothingIsNamed) {
  // No digest knows who sleeps; and yet one engine would work for ever where the other rests.
  sim::WorldSpec spec;
  spec.config.size = {16, 16, 1};
  spec.fills = {{{{0, 0, 0}, {16, 2, 1}}, kRock}};
  const auto world = must(sim::World::create(spec));
  Fault waking("water", [](sim::World& second) {
    sim::Grid& grid = sim::WorldTestAccess::grid(second);
    grid.wake(*grid.find(grid.shape().chunk_of({0, 0, 0})), sim::kWakeAll);
  });
  SyncOptions options;
  options.ticks = kTick + 20;
  options.disturbance = &waking;
  sim::SerialExecutor serial;
  const SyncReport report = must(sync_test(*world, serial, serial, options));
  ASSERT_TRUE(waking.happened());
  ASSERT_TRUE(report.divergence);
  EXPECT_EQ(report.divergence->tick, kTick);
  EXPECT_EQ(report.divergence->at.phase, "sleep");
  EXPECT_EQ(report.divergence->what, "the second engine is not at rest, and the first is");
}

TEST(KillMatrix, AStaleDigestIsNamedAsWhatItIs) {
  // Not a state that is wrong but the digest that is reported of it.
  TickTrace good;
  good.tick = 1;
  good.digest = 5;
  good.phases.push_back({"water", 4, {}, {}});
  TickTrace stale = good;
  EXPECT_FALSE(compare_traces(good, stale, 4));
  stale.digest = 6;
  const auto difference = compare_traces(good, stale, 4);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->phase, kDigestCaches);
}

TEST(KillMatrix, CleanTicksGiveNoAlarm) {
  constexpr std::uint64_t kTicks = tests::cases(200000);
  constexpr std::uint64_t kTicksAWorld = 2500;
  workers::ThreadPool pool(2);
  std::uint64_t ticks = 0;
  for (std::uint64_t seed = 1; ticks < kTicks; ++seed) {
    tests::WorldKind kind;
    kind.solid = seed % 4 == 0;
    kind.side = 30;
    const sim::WaterModel water = tests::any_water(seed / 4);
    const auto world = must(sim::World::create(tests::random_world_of(water, seed, kind)));
    const auto script = tests::fitted(tests::random_script(seed, world->config().size, 60),
                                      sim::measure_of(world->config()));
    workers::ShuffledExecutor shuffled(pool, seed);
    sim::SerialExecutor serial;
    SyncOptions options;
    options.ticks = std::min(kTicksAWorld, kTicks - ticks);
    options.restore_every = 1 + seed % 50;
    options.commands = [&script](std::uint64_t tick) {
      return tick <= script.size() ? script[tick - 1] : std::vector<sim::Command>();
    };
    const SyncReport report = must(sync_test(*world, serial, shuffled, options));
    ASSERT_FALSE(report.divergence) << "seed " << seed << ", tick " << report.divergence->tick
                                    << ": " << report.divergence->what;
    ticks += report.ticks;
  }
  EXPECT_EQ(ticks, kTicks);
}

}  // namespace
}  // namespace sluice::record::test::kill_matrix_test
