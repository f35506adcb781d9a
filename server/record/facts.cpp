#include "server/record/facts.h"

#include <bit>
#include <charconv>
#include <thread>

#include <sys/utsname.h>

#include "server/sim/field_list.h"
#include "server/sim/kernels.h"
#include "server/sim/models/registry.h"

namespace sluice::record {

namespace {

constexpr std::string_view kMetDamage = "a write after tick ";

}  // namespace

std::string met_damage_after(std::uint64_t durable_tick) {
  return std::string(kMetDamage) + std::to_string(durable_tick) + " met damage in it";
}

std::uint64_t tick_of_damage(std::string_view value) {
  if (!value.starts_with(kMetDamage)) return 0;
  value.remove_prefix(kMetDamage.size());
  std::uint64_t tick = 0;
  (void)std::from_chars(value.data(), value.data() + value.size(), tick);
  return tick;
}

std::string program_name() {
  return "sluice " SLUICE_VERSION;
}

std::vector<Fact> program_facts() {
  std::vector<Fact> facts = {{"made_by", program_name()}};
#if defined(__clang__)
  facts.push_back({"compiler", "clang " __clang_version__});
#else
  facts.push_back({"compiler", "gcc " __VERSION__});
#endif
  facts.push_back({"kernels", sim::kernels().name});
  facts.push_back({"byte_order", std::endian::native == std::endian::little ? "little" : "big"});
  facts.push_back({"pointer_bits", std::to_string(8 * sizeof(void*))});
  utsname system = {};
  if (uname(&system) == 0) {
    facts.push_back({"system", std::string(system.sysname) + " " + system.release});
    facts.push_back({"machine", system.machine});
  }
  facts.push_back({"cores", std::to_string(std::thread::hardware_concurrency())});
  return facts;
}

std::vector<Fact> world_facts(const sim::World& world) {
  const sim::WaterModelRow* model = sim::find_water_model(world.config().water);
  std::string options;
  for (const sim::StateField& field : sim::state_fields(world.config(), false)) {
    options += (options.empty() ? "" : ", ") + field.field + " " + field.value;
  }
  return {{"model", model->name},
          {"model_version", std::to_string(model->version)},
          {"pipes_version", std::to_string(sim::kPipesVersion)},
          {"options", options}};
}

}  // namespace sluice::record
