// `sluice schema`: the shapes of all commands, for editors, checks and other languages.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "server/formats/command_types.h"
#include "server/tools/commands.h"

namespace sluice::tools {

void add_schema_command(CLI::App& app, int& exit_status) {
  struct Options {
    bool script = false;
    bool typescript = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("schema", "Print the shapes of all commands as a JSON Schema");
  command->footer("Example: sluice schema --script > script.schema.json");
  CLI::Option* script = command->add_flag(
      "--script", options->script, "of the lines of a script: as commands, and they have a tick");
  command->add_flag("--typescript", options->typescript, "print a TypeScript declaration instead")
      ->excludes(script);
  command->callback([options, &exit_status] {
    using formats::SchemaOf;
    std::cout << (options->typescript
                      ? formats::command_declarations()
                      : formats::command_schema(options->script ? SchemaOf::kScriptLine
                                                                : SchemaOf::kCommand));
    std::cout.flush();
    exit_status = std::cout.good() ? kExitWell : kExitWrongInput;
  });
}

}  // namespace sluice::tools
