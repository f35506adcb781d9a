// `sluice models`: the water models and their options.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "server/formats/model_list.h"
#include "server/tools/commands.h"

namespace sluice::tools {

void add_models_command(CLI::App& app, int& exit_status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "models", "List the water models and the options that [water] of a world file may have");
  command->add_flag("--json", *json, "print them as JSON");
  command->footer("Example: sluice models --json");
  command->callback([json, &exit_status] {
    std::cout << (*json ? formats::model_list_json() : formats::model_list());
    std::cout.flush();
    exit_status = std::cout.good() ? kExitWell : kExitWrongInput;
  });
}

}  // namespace sluice::tools
