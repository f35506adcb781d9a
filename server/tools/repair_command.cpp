// `sluice repair FILE` and `sluice backup FILE TO`.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/formats/world_file.h"
#include "server/record/repair.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/report_text.h"

namespace sluice::tools {

namespace {

nlohmann::ordered_json lost_json(const record::LostTicks& lost) {
  return {{"first", lost.first},       {"last", lost.last},
          {"commands", lost.commands}, {"commands_unknown", lost.commands_unknown},
          {"clients", lost.clients},   {"why", lost.why}};
}

int run_repair(const std::string& file, bool as_json) {
  record::RepairOptions options;
  options.build_world = formats::build_world;
  const auto repaired = record::repair(file, options);
  if (!repaired) return fail(repaired.error(), kExitWrongInput);
  std::cout << record::describe(*repaired) << '\n';
  if (as_json) {
    nlohmann::ordered_json json = {{"whole", repaired->damage.whole()},
                                   {"kept", to_json(repaired->main)},
                                   {"parts", nlohmann::ordered_json::array()},
                                   {"lost", nlohmann::ordered_json::array()},
                                   {"without_state", nlohmann::ordered_json::array()},
                                   {"damaged_checkpoints", repaired->damage.checkpoints.size()},
                                   {"lost_checkpoints", nlohmann::ordered_json::array()},
                                   {"set_aside", repaired->set_aside}};
    const record::Damage& damage = repaired->damage;
    if (damage.begin_unknown) json["unknown_up_to"] = repaired->first_known_tick;
    if (damage.end_unknown) json["unknown_after"] = repaired->last_known_tick;
    for (const record::Part& part : repaired->parts) json["parts"].push_back(to_json(part));
    for (const record::LostTicks& lost : repaired->lost) json["lost"].push_back(lost_json(lost));
    for (const record::LostTicks& lost : repaired->without_state) {
      json["without_state"].push_back(lost_json(lost));
    }
    for (const record::LostCheckpoint& lost : repaired->not_rebuilt) {
      json["lost_checkpoints"].push_back({{"tick", lost.tick}, {"why", lost.why}});
    }
    std::cout << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  }
  return repaired->damage.whole() ? kExitWell : kExitFound;
}

int run_backup(const std::string& file, const std::string& to) {
  const auto last = record::backup(file, to);
  if (!last) return fail(last.error(), kExitFound);
  std::cout << to << ": holds " << file << " up to tick " << *last << ", read whole\n";
  return kExitWell;
}

}  // namespace

void add_repair_command(CLI::App& app, int& exit_status) {
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "repair", "Make a damaged recording whole again; what is damaged is set aside");
  command->footer("Example: sluice repair data/cave.sluice");
  command->add_option("FILE", *file, "a recording (NAME.sluice) that nobody writes")
      ->required()
      ->check(recording_file())
      ->check(CLI::ExistingFile);
  command->add_flag("--json", *json, "print one JSON object as the last line");
  command->callback([=, &exit_status] { exit_status = run_repair(*file, *json); });
}

void add_backup_command(CLI::App& app, int& exit_status) {
  auto file = std::make_shared<std::string>();
  auto to = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("backup", "Copy a recording, of a running server too, and read the copy");
  command->footer("Example: sluice backup data/cave.sluice copies/cave.sluice");
  command->add_option("FILE", *file, "a recording (NAME.sluice)")
      ->required()
      ->check(recording_file())
      ->check(CLI::ExistingFile);
  command
      ->add_option("TO", *to,
                   "the copy; an older one is replaced only by a good one that goes on from it")
      ->required();
  command->callback([=, &exit_status] { exit_status = run_backup(*file, *to); });
}

}  // namespace sluice::tools
