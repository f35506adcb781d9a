#include "tests/hunt/aim.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "server/sim/waves/options.h"
#include "tests/support/random_heat.h"
#include "tests/support/random_tracers.h"
#include "tests/support/random_world.h"

namespace sluice::hunt {

namespace {

// So few of each that clients meet there.
constexpr int kBorderPlaces = 4;
constexpr std::size_t kMostOfTheWorld = 6;

template <class T>
const T& one_of(const std::vector<T>& list, tests::Dice& dice) {
  return list[dice.next() % list.size()];
}

/// The last cell before a chunk's border, or the first one behind it; of a side without a border,
/// its end.
std::int32_t beside_a_border(std::int32_t side, std::int32_t chunk, tests::Dice& dice) {
  const std::int32_t borders = (side - 1) / chunk;
  if (borders == 0) return dice.chance(50) ? 0 : side - 1;
  return dice.roll(1, borders) * chunk - dice.roll(0, 1);
}

/// Visits a command's fields. First it counts them, so that one can be chosen.
class Bender {
 public:
  Bender(const Targets& targets, tests::Dice& dice) : targets_(targets), dice_(dice) {}

  /// The fields seen so far, and from now on the number of the one to break; -1: none.
  int restart(int wrong) {
    wrong_ = wrong;
    return std::exchange(seen_, 0);
  }
  void bend_from_now_on() { bends_ = true; }

  template <class T>
  void field(const char* name, T& value) {
    const bool breaks = seen_++ == wrong_;
    if (!bends_) return;
    if (breaks) return break_value(name, value);
    bend(name, value);
  }
  template <class T>
  void optional(const char* name, T& value) {
    field(name, value);
  }
  template <class T, class Names>
  void choice(const char* /*name*/, T& /*value*/, const Names& /*names*/) {}
  void cell(const char* /*name*/, std::int32_t& value) {
    if (seen_++ != wrong_ || !bends_) return;
    constexpr std::array kCells = {kFull + 1, 40 * kFull, INT32_MAX};
    value = kCells[dice_.next() % kCells.size()];
  }

 private:
  template <class T>
  void bend(const char* /*name*/, T& /*value*/) {}
  void bend(const char* name, Vec3& value) {
    if (std::string_view(name) == "size" || value == kNowhere || !dice_.chance(70)) return;
    value = one_of(targets_.places, dice_);
  }
  void bend(const char* name, std::string& value) {
    if (std::string_view(name) == "fluid" || targets_.pipes.empty() || !dice_.chance(70)) return;
    value = one_of(targets_.pipes, dice_);
  }

  void break_value(const char* /*name*/, bool& value) { value = !value; }
  void break_value(const char* /*name*/, std::int32_t& value) {
    const std::array numbers = {0, -1, value < 0 ? INT32_MIN : INT32_MAX, -value,
                                kFull * (value % 64) + 1};
    value = numbers[dice_.next() % numbers.size()];
  }
  void break_value(const char* name, std::optional<std::int32_t>& value) {
    std::int32_t number = value.value_or(1);
    break_value(name, number);
    value = number;
  }
  void break_value(const char* name, std::string& value) {
    const bool fluid = std::string_view(name) == "fluid";
    const std::array<std::string, 4> names = {"", "no name", "nobody", std::string(200, 'x')};
    value = fluid && dice_.chance(60) ? "oil" : names[dice_.next() % names.size()];
  }
  void break_value(const char* name, Vec3& value) {
    if (std::string_view(name) == "size" && dice_.chance(50)) return void(value.x = 0);
    if (std::string_view(name) == "cell" && dice_.chance(30)) return void(value = kNowhere);
    if (dice_.chance(50)) return void(value.y = -1);
    value.x += 1 << dice_.roll(3, 20);
  }
  void break_value(const char* /*name*/, sim::TracerAmounts& value) {
    if (dice_.chance(50) || value.empty()) {
      value["nothing"] = 1;
    } else {
      value.begin()->second = dice_.chance(50) ? -1 : INT32_MAX;
    }
  }
  template <class T>
  void break_value(const char* name, std::optional<T>& value) {
    if (!value) value.emplace();
    break_value(name, *value);
  }

  const Targets& targets_;
  tests::Dice& dice_;
  bool bends_ = false;
  int wrong_ = -1;
  int seen_ = 0;
};

}  // namespace

Targets::Targets(const sim::WorldSpec& spec, std::uint64_t seed) {
  tests::Dice dice(seed);
  for (const auto* springs : {&spec.sources, &spec.drains}) {
    for (const sim::Spring& spring : *springs) places.push_back(spring.at);
  }
  for (const sim::PlacedHeater& heater : spec.heaters) places.push_back(heater.at);
  const Box world = spec.config.box();
  for (const sim::PipePort& port : spec.ports) {
    if (world.contains(port.cell)) places.push_back(port.cell);
    ports.push_back({port.node, port.cell});
  }
  for (const sim::PipeNode& node : spec.pipes) {
    pipes.push_back(node.fields.name);
    if (world.contains(node.fields.at)) places.push_back(node.fields.at);
  }
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[dice.next() % i]);
  places.resize(std::min(places.size(), kMostOfTheWorld));
  const Vec3 size = spec.config.size;
  const ChunkShape chunk = spec.config.shape();
  for (int i = 0; i < kBorderPlaces; ++i) {
    const std::int32_t x = beside_a_border(size.x, chunk.width(), dice);
    const std::int32_t y = beside_a_border(size.y, chunk.height(), dice);
    places.push_back({x, y, beside_a_border(size.z, chunk.depth(), dice)});
  }
  for (const sim::TracerOptions& tracer : spec.tracers) tracers.push_back(tracer.name);
}

sim::Command seldom_command(tests::Dice& dice, Vec3 size) {
  const std::string name =
      std::to_string(dice.roll(0, 7)) + ".n" + std::to_string(dice.roll(0, 11));
  switch (dice.roll(0, 6)) {
    case 0:
    case 1: {
      sim::AddPump add;
      add.name = name;
      add.amount = dice.chance(50) ? 0 : dice.roll(0, 2000);
      add.rate = dice.roll(0, 700);
      return {add};
    }
    case 2: {
      sim::AddValve add;
      add.name = name;
      add.amount = dice.chance(50) ? 0 : dice.roll(0, 2000);
      add.open = dice.chance(50);
      if (dice.chance(40)) add.at = tests::random_place(dice, size);
      return {add};
    }
    case 3:
      return {sim::SetWind{dice.roll(-sim::kMaxWind, sim::kMaxWind)}};
    case 4:
      return tests::random_heat_command(dice, size);
    case 5: {
      const Vec3 at = tests::random_place(dice, size);
      const std::int32_t energy = dice.roll(1, 1'000'000);
      const sim::Splash splash = {at, dice.roll(0, 4), energy, dice.roll(-1, 1)};
      if (energy % 4 != 3) return {splash};
      // A box at rest, from the same draws.
      const Vec3 box = {1 + energy / 4 % 9, 1 + energy / 64 % 9, 1 + splash.radius};
      const Vec3 fits = {std::min(box.x, size.x - at.x), std::min(box.y, size.y - at.y),
                         std::min(box.z, size.z - at.z)};
      return {sim::RestingPour{at, 1 + energy % (20 * kFull), true, fits}};
    }
    default:
      return tests::random_tracer_command(dice, size, sim::kMostTracers - 1, true);
  }
}

sim::Command rare_command(tests::Dice& dice, Vec3 size, const Targets& targets) {
  const Vec3 at = tests::random_place(dice, size);
  const std::int32_t level = dice.roll(1, std::min(size.y, 1000)) * kFull;
  switch (dice.roll(0, 3)) {
    case 0:
      return {sim::FillLevel{at, level - 1}};
    case 1:
      return {sim::EvaporateLevel{at, level - 1}};
    case 2: {
      if (level / kFull % 3 == 0) return {sim::FillLevel{at, size.y * kFull}};
      sim::TrapAir trap{at, level / kFull % 3 == 1 ? 0 : at.y * kFull};
      if (dice.chance(20)) trap.level = std::min(at.y + dice.roll(1, 3), size.y) * kFull;
      if (dice.chance(25)) return aimed({trap}, targets, true, dice);
      return {trap};
    }
    default:
      // From the same draws, one of the ports that there were.
      if (const auto number = static_cast<std::size_t>(level / kFull);
          number % 2 == 0 && !targets.ports.empty()) {
        return {targets.ports[number / 2 % targets.ports.size()]};
      }
      return {sim::AddPort{targets.pipes.empty() ? "none" : one_of(targets.pipes, dice), kNowhere,
                           PortKind::kOpen, 1}};
  }
}

sim::Command fitting(sim::Command command, sim::WaterMeasure measure) {
  if (auto* pour = std::get_if<sim::DyedPour>(&command.body)) {
    pour->units = tests::fitted(pour->units, measure);
  }
  if (auto* pour = std::get_if<sim::WarmPour>(&command.body)) {
    pour->units = tests::fitted(pour->units, measure);
  }
  return tests::fitted(tests::Script{{std::move(command)}}, measure).front().front();
}

sim::Command aimed(sim::Command command, const Targets& targets, bool wrong, tests::Dice& dice) {
  Bender bender(targets, dice);
  const auto visit = [&bender](auto& body) {
    std::remove_reference_t<decltype(body)>::visit_state(body, bender);
  };
  std::visit(visit, command.body);
  const int fields = bender.restart(-1);
  if (wrong && fields > 0) (void)bender.restart(dice.roll(0, fields - 1));
  bender.bend_from_now_on();
  std::visit(visit, command.body);
  return command;
}

}  // namespace sluice::hunt
