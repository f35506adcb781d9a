#include "tests/hunt/plan.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "server/sim/models/registry.h"
#include "tests/hunt/extremes.h"
#include "tests/support/random_tracers.h"

namespace sluice::hunt {

namespace {

constexpr PlanField kFields[] = {
    {"flips", &Plan::flips, 0, false},
    {"lost_sectors", &Plan::lost_sectors, 0, false},
    {"bad_reads", &Plan::bad_reads, 0, false},
    {"bad_syncs", &Plan::bad_syncs, 0, false},
    {"gone_disk", &Plan::gone_disk, 0, false},
    {"full_disk", &Plan::full_disk, 0, false},
    {"second_deaths", &Plan::second_deaths, 0, false},
    {"name_deaths", &Plan::name_deaths, 0, false},
    {"hand_repairs", &Plan::hand_repairs, 0, false},
    {"power_cuts", &Plan::power_cuts, 0, false},
    {"dying_writes", &Plan::dying_writes, 0, false},
    {"crashes", &Plan::crashes, 0, false},
    {"stops", &Plan::stops, 0, false},
    {"stalls", &Plan::stalls, 0, false},
    {"breaks", &Plan::breaks, 0, false},
    {"slow_disk", &Plan::slow_disk, 0, false},
    {"delay", &Plan::delay, 0, false},
    {"pieces", &Plan::pieces, 1, false},
    {"clock_jumps", &Plan::clock_jumps, 0, false},
    {"shuffle", &Plan::shuffle, 0, false},
    {"operator_acts", &Plan::operator_acts, 0, false},
    {"seals", &Plan::seals, 0, false},
    {"resets", &Plan::resets, 0, false},
    {"admin_acts", &Plan::admin_acts, 0, false},
    {"looks_back", &Plan::looks_back, 0, false},
    {"restores", &Plan::restores, 0, false},
    {"rest", &Plan::rest, 0, false},
    {"liars", &Plan::liars, 0, false},
    {"views", &Plan::views, 0, false},
    {"details", &Plan::details, 0, false},
    {"clients", &Plan::clients, 0, false},
    {"ticks", &Plan::ticks, 1, false},
    {"pushes", &Plan::pushes, 0, false},
    {"areas", &Plan::areas, 0, false},
    {"little_room", &Plan::little_room, 0, false},
    {"pipes", &Plan::pipes, 0, false},
    {"waves", &Plan::waves, 0, false},
    {"heat", &Plan::heat, 0, false},
    {"tracers", &Plan::tracers, 0, false},
    {"springs", &Plan::springs, 0, false},
    {"edges", &Plan::edges, 0, false},
    {"solid", &Plan::solid, 0, false},
    {"side", &Plan::side, 4, false},
    {"commands", &Plan::commands, 0, false},
    {"burst", &Plan::burst, 1, false},
    {"bad_commands", &Plan::bad_commands, 0, false},
    {"aimed", &Plan::aimed, 0, false},
    {"resumes", &Plan::resumes, 0, false},
    {"points", &Plan::points, 0, false},
    {"extremes", &Plan::extremes, 0, false},
    {"layer_extremes", &Plan::layer_extremes, 0, false},
    {"floating", &Plan::floating, 0, false},
    {"keep_shape", &Plan::keep_shape, 0, false},
    {"quiet", &Plan::quiet, 20, false},
    {"model", &Plan::model, 0, false},
    {"tick_rate", &Plan::tick_rate, 1, false},
    {"ticks_per_row", &Plan::ticks_per_row, 1, true},
    {"ticks_per_merge", &Plan::ticks_per_merge, 1, true},
    {"commands_per_row", &Plan::commands_per_row, 1, true},
    {"core_piece_bytes", &Plan::core_piece_bytes, 64, true},
    {"checkpoint_ticks", &Plan::checkpoint_ticks, 0, true},
    {"pipe_block", &Plan::pipe_block, 0, true},
    {"waiting_frames", &Plan::waiting_frames, 1, true},
    {"waiting_frame_bytes", &Plan::waiting_frame_bytes, 1, true},
    {"waiting_replies", &Plan::waiting_replies, 1, true},
    {"waiting_commands", &Plan::waiting_commands, 1, true},
    {"commands_per_second", &Plan::commands_per_second, 1, true},
    {"messages_per_second", &Plan::messages_per_second, 1, true},
    {"steady_messages", &Plan::steady_messages, 1, true},
    {"spare_messages", &Plan::spare_messages, 1, true},
    {"tick_work", &Plan::tick_work, 1, true},
    {"queued_commands", &Plan::queued_commands, 1, true},
    {"writer_ticks", &Plan::writer_ticks, 1, true},
    {"writer_checkpoints", &Plan::writer_checkpoints, 1, true},
    {"writer_bytes", &Plan::writer_bytes, 1, true},
    {"tick_bytes", &Plan::tick_bytes, 1, true},
    {"thorough_chunks", &Plan::thorough_chunks, 1, true},
    {"lessons", &Plan::lessons, 0, true},
    {"layer_chunks", &Plan::layer_chunks, 1, true},
    {"layer_events", &Plan::layer_events, 1, true},
    {"results_kept", &Plan::results_kept, 1, true},
    {"stale_air", &Plan::stale_air, 1, true},
    {"verifies", &Plan::verifies, 1, true},
    {"history", &Plan::history, 0, true},
};

void draw_world(tests::Dice& dice, Plan& plan) {
  const auto models = sim::water_models();
  plan.model = dice.roll(0, static_cast<std::int32_t>(models.size()) - 1);
  plan.solid = dice.chance(30) ? 1 : 0;
  // A large world takes ten times as long for a tick, and finds little that a small one does not:
  // so there are few, and they rarely live long.
  plan.side = dice.chance(65) ? dice.roll(4, 24) : dice.roll(24, 48);
  if (dice.chance(9)) plan.side = dice.roll(60, dice.chance(25) ? 140 : 90);
  if (plan.side > 48 && dice.chance(80)) plan.ticks = std::min<std::int64_t>(plan.ticks, 200);
  plan.edges = dice.chance(40) ? 1 : 0;
  plan.springs = dice.chance(50) ? 1 : 0;
  plan.pipes = dice.chance(50) ? dice.roll(1, 2) : 0;
  plan.waves = dice.chance(30) ? 1 : 0;
  plan.tick_rate = dice.chance(50) ? dice.roll(1, 4) : dice.roll(5, 40);
}

auto small_sometimes(tests::Dice& dice) {
  return [&dice](std::int64_t& value, std::int32_t low, std::int32_t high) {
    if (dice.chance(35)) value = dice.roll(low, high);
  };
}

void draw_sizes(tests::Dice& dice, Plan& plan) {
  const auto small = small_sometimes(dice);
  small(plan.ticks_per_row, 2, 60);
  small(plan.ticks_per_merge, 1, 20);
  small(plan.commands_per_row, 2, 40);
  small(plan.core_piece_bytes, 64, 512);
  small(plan.pipe_block, 1, 4);
  small(plan.waiting_frames, 1, 2);
  small(plan.waiting_frame_bytes, 1, 2000);
  small(plan.waiting_replies, 1, 4);
  small(plan.waiting_commands, 1, 6);
  small(plan.commands_per_second, 2, 20);
  small(plan.messages_per_second, 10, 60);
  small(plan.tick_work, 300, 60000);
  small(plan.queued_commands, 1, 8);
  small(plan.writer_ticks, 2, 20);
  small(plan.writer_checkpoints, 1, 2);
}

// Most of them off, so that what needs a long time without the others is reached, too.
void draw_faults(tests::Dice& dice, Plan& plan) {
  const auto some = [&dice](std::int64_t& value, std::int32_t percent, std::int32_t high) {
    if (dice.chance(percent)) value = dice.roll(1, high);
  };
  some(plan.delay, 40, 800);
  some(plan.stalls, 25, 5);
  some(plan.breaks, 25, 6);
  some(plan.crashes, 20, 5);
  some(plan.power_cuts, 25, 5);
  if (dice.chance(50)) plan.dying_writes = 1;
  some(plan.second_deaths, 25, 60);
  some(plan.stops, 15, 3);
  some(plan.slow_disk, 25, 3000);
  some(plan.full_disk, 15, 3);
  some(plan.gone_disk, 15, 3);
  some(plan.bad_syncs, 15, 3);
  some(plan.bad_reads, 8, 2);
  some(plan.flips, 10, 3);
  some(plan.clock_jumps, 15, 4);
  if (dice.chance(40)) plan.shuffle = 1;
  some(plan.operator_acts, 15, 6);
}

// Within which a world is to be at rest: for most as many ticks as the models' own tests give them.
// Cellular water may level for long, which its document allows; a quarter of a million was seen.
// Pipes of all sizes may take some ten thousands.
std::int64_t ticks_to_rest(const Plan& plan) {
  const auto id = sim::water_models()[static_cast<std::size_t>(plan.model)].id;
  if (id == sim::WaterModel::kCellular) return 2'000'000;
  return plan.pipes != 0 ? 400'000 : 20'000;
}

// What goes wrong together: a repair needs damage that a start meets, and one inside another a
// death in it.
void draw_ailing(tests::Dice& dice, Plan& plan) {
  plan.flips = dice.roll(2, 5);
  plan.crashes = dice.roll(2, 5);
  plan.stops = dice.roll(1, 3);
  plan.second_deaths = dice.roll(40, 90);
  plan.dying_writes = 1;
  if (dice.chance(40)) plan.bad_syncs = dice.roll(1, 3);
}

// Damage that takes a part of the history, and deaths in the few steps in which a repaired file
// takes the place of the damaged one.
void draw_losses(tests::Dice& dice, Plan& plan) {
  plan.lost_sectors = dice.roll(1, 6);
  plan.stops += dice.roll(1, 4);
  plan.name_deaths = dice.roll(30, 90);
  plan.hand_repairs = dice.chance(60) ? dice.roll(40, 90) : 0;
}

// Of bursts in a slow world hundreds of commands would stand in every tick, most of them refused:
// that takes ten times as long as the tick, and finds little that a few dozen do not.
void slow_bursts_down(Plan& plan, std::int64_t most_a_tick) {
  const std::int64_t a_tick = plan.commands_a_tick();
  if (plan.burst == 1 || a_tick <= most_a_tick * 100) return;
  plan.commands = std::max<std::int64_t>(1, plan.commands * most_a_tick * 100 / a_tick);
}

// What came later has dice of its own: what a seed draws otherwise stays what it was.
void draw_later(tests::Dice& dice, Plan& plan) {
  if (dice.chance(20)) plan.pushes = dice.roll(5, 60);
  if (plan.pushes > 0 && dice.chance(80)) plan.waves = 2;
  if (dice.chance(12)) plan.areas = dice.roll(1, 3);
  // Waited for further below.
  const bool comes_soon = plan.heat == 0 && plan.tracers == 0;
  if (dice.chance(plan.side > 48 ? 8 : 25) && comes_soon) plan.rest = ticks_to_rest(plan);
  if (dice.chance(20)) plan.admin_acts = dice.roll(1, 10);
  if (dice.chance(15)) plan.looks_back = dice.roll(1, 12);
  if (dice.chance(15) && plan.history == 0) plan.resets = dice.roll(1, 4);
  if (dice.chance(50)) plan.aimed = dice.roll(10, 90);
  if (dice.chance(10)) plan.little_room = 1;
  if (dice.chance(5)) draw_ailing(dice, plan);
  if (dice.chance(15)) plan.verifies = 0;
  if (dice.chance(35)) plan.checkpoint_ticks = dice.roll(1, 40);
  if (dice.chance(12)) draw_losses(dice, plan);
  if (dice.chance(35)) plan.writer_bytes = dice.roll(1, 3000);
  if (dice.chance(30)) plan.pieces = dice.roll(2, 8);
  // A look back replays from the checkpoint before; as it ships that is the world's start in most
  // runs.
  if (plan.looks_back > 0 && plan.checkpoint_ticks == 0 && dice.chance(80)) {
    plan.checkpoint_ticks = dice.roll(20, 100);
  }
  if (dice.chance(40)) plan.details = 1;
  // A tick of what carries heat or tracers takes three times as long: they live long where they are
  // small.
  if (!comes_soon && plan.side > 20 && dice.chance(80)) {
    plan.ticks = std::min<std::int64_t>(plan.ticks, 250);
  }
  if (dice.chance(40)) plan.resumes = 1;
  // What such an option makes of rest is its own matter, and many sweeps a tick take long.
  if (dice.chance(15) && plan.side <= 24 && plan.rest == 0) plan.extremes = dice.roll(20, 100);
  if (dice.chance(25)) plan.points = dice.roll(1, 60);
  // What is warm, and what spreads, takes long, a few of them as long as a thousand other runs: it
  // is waited for where it is small.
  if (!comes_soon && plan.side <= 12 && plan.extremes == 0 && dice.chance(4)) {
    plan.rest = 4'000'000;
  }
  const auto small = small_sometimes(dice);
  small(plan.tick_bytes, 1, 2000);
  small(plan.thorough_chunks, 1, 4);
  small(plan.layer_chunks, 1, 4);
  small(plan.layer_events, 1, 8);
  small(plan.results_kept, 1, 12);
  small(plan.stale_air, 1, 4);
  slow_bursts_down(plan, dice.chance(90) ? 4 : 25);
  const bool has_layers = plan.heat != 0 || plan.tracers != 0 || plan.waves != 0;
  if (dice.chance(15) && has_layers && plan.rest == 0) plan.layer_extremes = dice.roll(20, 100);
  if (plan.heat != 0 && dice.chance(60)) plan.floating = 1;
  if (plan.heat != 0 && dice.chance(60)) plan.keep_shape = 1;
  // What was cut off is of a history that a reset ends.
  if (dice.chance(15) && plan.resets == 0) plan.seals = dice.roll(1, 8);
  if (dice.chance(60)) plan.lessons = dice.roll(1, 6);
  small(plan.steady_messages, 20, 100);
  small(plan.spare_messages, 10, 200);
}

}  // namespace

std::span<const PlanField> plan_fields() {
  return kFields;
}

Plan Plan::of_seed(std::uint64_t seed) {
  tests::Dice dice(seed * 0x9e3779b97f4a7c15U + 12);
  Plan plan;
  plan.seed = static_cast<std::int64_t>(seed);
  plan.ticks = dice.chance(70) ? dice.roll(30, 300) : dice.roll(300, 1500);
  draw_world(dice, plan);
  plan.clients = dice.roll(1, 4);
  plan.liars = dice.chance(20) ? dice.roll(1, 2) : 0;
  plan.commands = dice.chance(15) ? 0 : dice.roll(1, 60);
  plan.burst = dice.chance(70) ? 1 : dice.roll(2, 40);
  plan.bad_commands = dice.chance(50) ? dice.roll(1, 40) : 0;
  plan.views = dice.chance(40) ? dice.roll(1, 20) : 0;
  draw_sizes(dice, plan);
  draw_faults(dice, plan);
  plan.quiet = dice.roll(20, 150);
  plan.restores = dice.chance(50) ? dice.roll(1, 10) : 0;
  // Drawn last: what a seed draws before stays what it was.
  if (dice.chance(25)) plan.history = dice.roll(1, 100);
  if (dice.chance(20)) plan.heat = 1;
  if (dice.chance(20)) plan.tracers = 1;
  tests::Dice later(seed * 0x9e3779b97f4a7c15U + 13);
  draw_later(later, plan);
  return plan;
}

sim::WorldSpec Plan::world() const {
  const auto of_world = static_cast<std::uint64_t>(seed) ^ 0xa11ceU;
  tests::WorldKind kind;
  kind.solid = solid != 0;
  kind.edges = edges != 0;
  kind.springs = springs != 0;
  kind.side = static_cast<std::int32_t>(side);
  kind.pipes = pipes == 0   ? tests::Pipes::kNone
               : pipes == 1 ? tests::Pipes::kApart
                            : tests::Pipes::kJoined;
  kind.waves = waves != 0;
  const auto id = sim::water_models()[static_cast<std::size_t>(model)].id;
  sim::WorldSpec spec = tests::random_world_of(id, of_world, kind);
  if (waves == 2) spec.waves.on = true;
  // Their fills are those of half a world of water, which many ticks of a large one are too slow
  // for.
  if (heat != 0) tests::add_random_heat(of_world, spec);
  if (floating != 0) spec.heat.options.floating = spec.heat.on;
  if (keep_shape != 0) spec.waves.options.keep_shape = spec.waves.on;
  if (tracers != 0) tests::add_random_tracers(of_world, spec);
  spec = tests::fitted(std::move(spec), id);
  if (extremes != 0) draw_model_extremes(of_world + 1, extremes, spec);
  if (layer_extremes != 0) draw_layer_extremes(of_world + 2, layer_extremes, spec);
  if (little_room != 0) draw_limits(of_world, spec);
  spec.config.name = "hunt";
  spec.config.tick_rate = static_cast<std::int32_t>(tick_rate);
  return spec;
}

std::int64_t Plan::commands_a_tick() const {
  const std::int64_t moments_a_second = (clients + liars) * 1000 / (kLongestPause / 2);
  return moments_a_second * commands * (burst + 1) / 2 / tick_rate;
}

record::Limits Plan::record_limits() const {
  record::Limits limits;
  limits.ticks_per_row = static_cast<std::size_t>(ticks_per_row);
  limits.commands_per_row = static_cast<std::size_t>(commands_per_row);
  limits.ticks_per_short_merge = static_cast<std::size_t>(ticks_per_merge);
  limits.core_piece_bytes = static_cast<std::size_t>(core_piece_bytes);
  return limits;
}

std::string Plan::text() const {
  const Plan plain;
  std::string lines = "seed = " + std::to_string(seed) + "\n";
  for (const PlanField& field : kFields) {
    if (this->*field.value == plain.*field.value) continue;
    lines += std::string(field.name) + " = " + std::to_string(this->*field.value) + "\n";
  }
  for (const auto& [client, number] : without) {
    lines += "without = " + std::to_string(client) + "." + std::to_string(number) + "\n";
  }
  return lines;
}

Result<Plan> Plan::parse(std::string_view text) {
  Plan plan;
  if (Status taken = plan.take(text); !taken) return Error{taken.error()};
  return plan;
}

Status Plan::take(std::string_view text) {
  const auto number_of = [](std::string_view digits, std::int64_t& value) {
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t middle = line.find(" = ");
    if (middle == std::string_view::npos) return Error{"no ' = ' in: " + std::string(line)};
    const std::string_view name = line.substr(0, middle);
    const std::string_view value = line.substr(middle + 3);
    if (name == "without") {
      std::pair<std::int64_t, std::int64_t> one;
      const std::size_t dot = std::min(value.find('.'), value.size());
      if (!number_of(value.substr(0, dot), one.first) || dot == value.size() ||
          !number_of(value.substr(dot + 1), one.second)) {
        return Error{"no CLIENT.NUMBER: " + std::string(line)};
      }
      without.insert(one);
      continue;
    }
    const auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                    [&](const PlanField& one) { return name == one.name; });
    std::int64_t* place = name == "seed"               ? &seed
                          : field == std::end(kFields) ? nullptr
                                                       : &(this->*field->value);
    if (place == nullptr) return Error{"nothing is named '" + std::string(name) + "'"};
    if (!number_of(value, *place)) return Error{"no number: " + std::string(line)};
  }
  return Done{};
}

}  // namespace sluice::hunt
