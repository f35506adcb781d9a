#include "tests/hunt/life.h"

#include <algorithm>
#include <utility>

#include "server/playback/control.h"
#include "server/record/recorder.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::hunt {

namespace {

using Kind = Timeline::Kind;
constexpr Duration kVerifierInterval = std::chrono::milliseconds(1000);
constexpr Duration kSweepInterval = std::chrono::milliseconds(1000);
constexpr auto kCutterInterval = std::chrono::milliseconds(1500);

std::size_t size_of(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

net::Limits limits_of(const Plan& plan) {
  net::Limits limits;
  limits.waiting_frames = size_of(plan.waiting_frames);
  limits.waiting_frame_bytes = size_of(plan.waiting_frame_bytes);
  limits.waiting_replies = size_of(plan.waiting_replies);
  limits.waiting_commands = size_of(plan.waiting_commands);
  limits.commands_per_second = static_cast<double>(plan.commands_per_second);
  limits.messages_per_second = static_cast<double>(plan.messages_per_second);
  limits.steady_messages_per_second = static_cast<double>(plan.steady_messages);
  limits.spare_messages_per_second = static_cast<double>(plan.spare_messages);
  return limits;
}

host::WorkLimits work_of(const Plan& plan) {
  host::WorkLimits limits;
  limits.tick_work = plan.tick_work;
  limits.least_tick_work = std::min<std::int64_t>(limits.least_tick_work, plan.tick_work);
  limits.commands = size_of(plan.queued_commands);
  return limits;
}

host::RecordWriter::Limits writer_limits_of(const Plan& plan) {
  host::RecordWriter::Limits limits;
  limits.ticks = size_of(plan.writer_ticks);
  limits.checkpoints = size_of(plan.writer_checkpoints);
  limits.bytes = size_of(plan.writer_bytes);
  return limits;
}

// Of a world's memory.
std::string beyond_limits(const sim::World& world) {
  // Each chunk that holds something may keep those around it awake.
  constexpr std::int64_t kWithNeighbours = 7;
  const sim::WorldLimits& limits = world.core().limits;
  const sim::Grid& grid = world.grid();
  if (grid.holding_count() > limits.chunks) {
    return std::to_string(grid.holding_count()) + " chunks hold something";
  }
  if (grid.chunk_count() > kWithNeighbours * limits.chunks) {
    return std::to_string(grid.chunk_count()) + " chunks are stored";
  }
  if (world.pipes().node_count() > limits.pipes) {
    return std::to_string(world.pipes().node_count()) + " pipes are in the network";
  }
  if (world.totals().taken_in() > limits.units) {
    return std::to_string(world.totals().taken_in()) + " units were taken in";
  }
  return {};
}

net::Sizes sizes_of(const Plan& plan) {
  net::Sizes sizes;
  sizes.tick_bytes = size_of(plan.tick_bytes);
  sizes.thorough_chunks = size_of(plan.thorough_chunks);
  sizes.thorough_layer_chunks = std::min(sizes.thorough_layer_chunks, sizes.thorough_chunks);
  if (plan.lessons != 0) {
    sizes.lessons = {static_cast<std::uint32_t>(plan.lessons), -1e9};
  }
  sizes.layer_chunks = size_of(plan.layer_chunks);
  sizes.layer_events = size_of(plan.layer_events);
  sizes.results.results = size_of(plan.results_kept);
  sizes.stale_air = size_of(plan.stale_air);
  return sizes;
}

}  // namespace

void AnyOrder::run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  std::vector<std::size_t> order(pieces);
  for (std::size_t i = 0; i < pieces; ++i) order[i] = i;
  for (std::size_t i = pieces; shuffles_ && i > 1; --i) {
    std::swap(order[i - 1], order[dice_.next() % i]);
  }
  for (const std::size_t i : order) piece(i);
}

std::uint64_t Ground::stream(std::string_view purpose) const {
  std::uint64_t mixed = sim::mix64(static_cast<std::uint64_t>(plan.seed) + 77);
  for (const char c : purpose) mixed = sim::mix64(mixed ^ static_cast<unsigned char>(c));
  return mixed;
}

std::vector<Box> areas_of(const Ground& ground) {
  tests::Dice dice(ground.stream("areas"));
  std::vector<Box> areas;
  for (std::int64_t i = 0; i < ground.plan.areas; ++i) {
    areas.push_back(tests::random_box(dice, ground.spec.config.size, 20));
  }
  return areas;
}

record::RepairOptions repair_options(const Ground& ground) {
  record::RepairOptions options;
  options.limits = ground.plan.record_limits();
  options.build_world = [&ground](const std::string&, std::string_view) {
    return sim::World::create(ground.spec);
  };
  return options;
}

Life::Life(Ground& ground, std::uint64_t number, Watcher watcher)
    : ground_(ground),
      number_(number),
      watcher_(std::move(watcher)),
      dice_(ground.stream("life") + number),
      look_dice_(ground.stream("look back") + number),
      verifier_dice_(ground.stream("verifier") + number),
      cutter_dice_(ground.stream("cutter") + number),
      executor_(ground.stream("order") + number, ground.plan.shuffle != 0),
      gate_(std::make_shared<access::Gate>(access::GateRules{}, [&ground] {
        return std::chrono::floor<std::chrono::seconds>(ground.timeline.now().time_since_epoch())
            .count();
      })) {}

Result<std::unique_ptr<Life>> Life::start(Ground& ground, std::uint64_t number, Watcher watcher) {
  std::unique_ptr<Life> life(new Life(ground, number, std::move(watcher)));
  host::WorldSource source{kRecording, "plan", ground.plan.text(), {}};
  source.repair = repair_options(ground);
  source.history.hours = static_cast<std::uint32_t>(ground.plan.history);
  source.ticks_per_hour = 1;
  auto loaded = ground.recording_is_there() ? host::load_recorded(source, life->executor_)
                                            : host::load_new(source, ground.spec);
  if (!loaded) return Error{loaded.error()};
  if (ground.disk.dead()) return Error{"the process died while it started"};
  life->compose(std::move(loaded).value());
  return life;
}

// The same world, in memory of another layout, with its chunks in any order.
std::unique_ptr<sim::World> Life::shuffled(std::unique_ptr<sim::World> world) {
  tests::Dice dice(ground_.stream("order of chunks") + number_);
  ground_.memory.stir(dice);
  auto copy = tests::restored_copy(*world, &dice);
  if (copy) return std::move(copy).value();
  ground_.journal.fail("determinism", "tick " + std::to_string(world->tick_number()) +
                                          " cannot be restored: " + copy.error());
  return world;
}

void Life::compose(host::LoadedWorld loaded) {
  const Plan& plan = ground_.plan;
  if (plan.shuffle != 0) loaded.world = shuffled(std::move(loaded.world));
  repaired_ = std::move(loaded.repaired);
  sim::RunOptions options;
  if (plan.pipe_block > 0) options.pipe_block_nodes = 1U << plan.pipe_block;
  loaded.world->set_run_options(options);
  const host::Drive drive{host::Drive::By::kOwner, &ground_.timeline};
  runner_ = std::make_unique<host::WorldRunner>(std::move(loaded.world), std::move(loaded.recorder),
                                                executor_, metrics_, work_of(plan), drive,
                                                writer_limits_of(plan));
  if (plan.checkpoint_ticks > 0) {
    runner_->set_checkpoint_spacing(static_cast<std::uint64_t>(plan.checkpoint_ticks));
  }
  std::vector<host::Area> areas;
  // Nobody who comes is more than a builder.
  for (const Box& box : areas_of(ground_)) areas.push_back({box, access::Role::kOperate});
  runner_->set_areas(host::Areas(std::move(areas)));
  if (plan.looks_back > 0) {
    runner_->set_look_back(
        {[] { return true; },
         [this](const net::ClientCommand& command) { return ask_to_look_back(command); }});
  }
  network_.options.limits = limits_of(plan);
  network_.options.gate = gate_;
  runner_->feed().set_sizes(sizes_of(plan));
  auto hub = std::make_unique<net::Hub>(runner_->feed(), *runner_, "hunt", std::move(loaded.past));
  hub_ = hub.get();
  network_.hubs.emplace("hunt", std::move(hub));
  runner_->feed().set_wake([this] {
    // Now and then the network's thread is busy for some ticks.
    const std::int32_t most = dice_.chance(5) ? 600'000 : 2000;
    after(std::chrono::microseconds(dice_.roll(0, most)), "mail", Kind::kMessage,
          [this] { take_mail(); });
  });
  host::BackgroundVerifier::Options verifier;
  verifier.name = "hunt";
  verifier.recording = kRecording;
  verifier.tick_rate = static_cast<std::uint64_t>(plan.tick_rate);
  const net::HubCounters& counters = runner_->feed().counters();
  verifier.mismatches = [&counters] { return counters.mismatches.load(); };
  verifier.claimants = [&counters] { return counters.claimants.load(); };
  verifier.drive = drive;
  verifier_ = std::make_unique<host::BackgroundVerifier>(std::move(verifier));
  if (plan.seals > 0) cutter_ = make_cutter();
  runner_->start();
  after({}, "tick", Kind::kRegular, [this] { step_runner(); });
  if (plan.verifies != 0) {
    after(kVerifierInterval, "verify", Kind::kRegular, [this] { step_verifier(); });
  }
  after(kSweepInterval, "sweep", Kind::kRegular, [this] { sweep(); });
  if (cutter_) after(kCutterInterval, "cut", Kind::kRegular, [this] { step_cutter(); });
}

std::unique_ptr<host::HistoryCutter> Life::make_cutter() {
  const Plan& plan = ground_.plan;
  host::HistoryCutter::Options options;
  options.name = "hunt";
  options.recording = kRecording;
  // As a start does it.
  options.rule.hours = static_cast<std::uint32_t>(plan.history);
  options.ticks_per_hour = 1;
  options.limits = plan.record_limits();
  options.most_behind = 4;
  options.retry = kCutterInterval;
  options.drive = {host::Drive::By::kOwner, &ground_.timeline};
  return std::make_unique<host::HistoryCutter>(std::move(options), runner_->writer());
}

Life::~Life() {
  *lives_ = false;
  if (runner_ == nullptr) return;
  runner_->feed().set_wake({});
  // What waits holds sessions, which look into the hub when they end.
  for (const auto& wire : wires_) {
    if (const auto there = wire.lock()) there->drop_server();
  }
  verifier_.reset();
  cutter_.reset();
}

// Of a process that is gone nothing happens any more.
void Life::after(Duration delay, const char* name, Kind kind, std::function<void()> action) {
  ground_.timeline.after(delay, name, kind, [this, lives = lives_, action = std::move(action)] {
    if (!*lives) return;
    action();
    // It may be gone by what happened.
    if (*lives && ground_.disk.dead()) watcher_.died();
  });
}

void Life::step_runner() {
  const std::uint64_t before = runner_->world().tick_number();
  const std::optional<Time> due = runner_->step();
  if (runner_->world().tick_number() != before) watcher_.ticked(*runner_);
  if (!due) return;
  // Paused: looked at now and then, as if somebody had called.
  const Time next = std::min(*due, ground_.timeline.now() + std::chrono::milliseconds(500));
  after(next - ground_.timeline.now(), "tick", Kind::kRegular, [this] { step_runner(); });
  if (std::exchange(writer_is_due_, true)) return;
  const auto slow = static_cast<std::int32_t>(ground_.plan.slow_disk);
  after(std::chrono::milliseconds(dice_.roll(0, slow)), "write", Kind::kRegular,
        [this] { step_writer(); });
}

void Life::step_writer() {
  writer_is_due_ = false;
  const bool failed = runner_->writer().failed();
  (void)runner_->writer().step();
  if (runner_->writer().failed() != failed) {
    ground_.journal.add(failed ? "the recording goes on" : "the recording failed");
  }
}

void Life::step_verifier() {
  if (!verifier_->step()) return;
  // A slow medium keeps its readers waiting, too.
  const auto slow = static_cast<std::int32_t>(ground_.plan.slow_disk);
  const auto late = std::chrono::milliseconds(slow == 0 ? 0 : verifier_dice_.roll(0, slow));
  after(kVerifierInterval + late, "verify", Kind::kRegular, [this] { step_verifier(); });
}

// The world goes on between the steps of a cut.
void Life::step_cutter() {
  const bool more = cutter_->step();
  const auto slow = static_cast<std::int32_t>(ground_.plan.slow_disk);
  const auto late = std::chrono::milliseconds(cutter_dice_.roll(1, 400 + slow));
  after(more ? late : kCutterInterval + late, "cut", Kind::kRegular, [this] { step_cutter(); });
}

void Life::seal(std::uint64_t keep) {
  if (cutter_) (void)cutter_->ask(keep, false, {});
}

// As the listener's own.
void Life::sweep() {
  const Time latest = ground_.timeline.now() - network_.options.limits.stall;
  for (const auto& session : sessions_) {
    if (const auto there = session.lock()) there->end_if_stalled_since(latest);
  }
  std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
  std::erase_if(wires_, [](const auto& wire) { return wire.expired(); });
  after(kSweepInterval, "sweep", Kind::kRegular, [this] { sweep(); });
}

void Life::take_mail() {
  hub_->on_mail();
}

void Life::accept(const std::shared_ptr<Wire>& wire) {
  const auto session = std::make_shared<net::Session>(
      wire->socket(), net::ConnectionSlot(network_, "client"), network_, *hub_, "");
  wires_.push_back(wire);
  sessions_.push_back(session);
  session->start({});
}

std::size_t Life::kick(tests::Dice& dice) {
  std::size_t ended = 0;
  const std::vector<std::weak_ptr<net::Session>> sessions = sessions_;
  for (const auto& session : sessions) {
    const auto there = session.lock();
    if (there == nullptr || !network_.sessions.contains(there.get()) || dice.chance(40)) continue;
    there->refuse(protocol::RefusalCode::kNotAllowed,
                  "not allowed: an operator ended this connection");
    ++ended;
  }
  return ended;
}

Status Life::ask_to_look_back(const net::ClientCommand& command) {
  const auto control = playback::parse_control(command.json);
  if (!control) return Error{control.error()};
  const std::uint64_t tick = control->from.value_or(runner_->feed().tick());
  after(std::chrono::milliseconds(look_dice_.roll(0, 50)), "looks back", Kind::kRegular,
        [this, tick, session = command.session, seq = command.seq] {
          const auto shown = look_back_.go_to(tick);
          watcher_.looked_back(shown);
          runner_->feed().deliver({{session,
                                    {seq, shown.ok(), shown ? shown->tick : 0,
                                     shown ? std::string() : shown.error()}}});
        });
  return Done{};
}

void Life::stop() {
  if (cutter_) cutter_->stop();
  look_back_.close();
  runner_->stop();
  hub_->on_mail();
  for (const auto& session : sessions_) {
    if (const auto there = session.lock()) {
      there->refuse(protocol::RefusalCode::kShutdown, "the server stops");
    }
  }
}

std::string Life::beyond_bounds() const {
  const net::Limits& limits = network_.options.limits;
  for (const auto& session : sessions_) {
    const auto there = session.lock();
    if (there == nullptr) continue;
    // One more frame than the limit may be on its way, and of replies those whose commands wait.
    const net::Session::Waiting waiting = there->waiting();
    if (waiting.frames > limits.waiting_frames + 1 ||
        waiting.replies >
            limits.waiting_replies + limits.waiting_commands + protocol::kResultsKept + 2) {
      return std::to_string(waiting.frames) + " frames and " + std::to_string(waiting.replies) +
             " replies wait for one client";
    }
    if (waiting.older_frame_bytes >= limits.waiting_frame_bytes && waiting.frames > 1) {
      return std::to_string(waiting.older_frame_bytes) +
             " bytes of frames waited for one client when another one was added";
    }
  }
  if (std::string what = beyond_limits(runner_->world()); !what.empty()) return what;
  if (runner_->waiting_commands() > size_of(ground_.plan.queued_commands)) {
    return std::to_string(runner_->waiting_commands()) + " commands wait";
  }
  if (runner_->writer().lag_ticks() > 2 * size_of(ground_.plan.writer_ticks) + 2) {
    return std::to_string(runner_->writer().lag_ticks()) + " ticks wait for the disk";
  }
  if (runner_->writer().older_bytes() > size_of(ground_.plan.writer_bytes)) {
    return std::to_string(runner_->writer().older_bytes()) + " bytes wait for the disk";
  }
  return {};
}

}  // namespace sluice::hunt
