// `sluice`: the toolbox. Results go to standard output, everything else to standard error.
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "server/tools/arguments.h"
#include "server/tools/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Sluice: deterministic worlds of water - run, record, replay, verify"};
  app.name("sluice");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", "sluice " SLUICE_VERSION, "print the version");
  app.footer("'sluice COMMAND --help' tells of a command.");
  int exit_status = sluice::tools::kExitWell;
  sluice::tools::add_sim_command(app, exit_status);
  sluice::tools::add_fill_command(app, exit_status);
  sluice::tools::add_log_command(app, exit_status);
  sluice::tools::add_replay_command(app, exit_status);
  sluice::tools::add_verify_command(app, exit_status);
  sluice::tools::add_bundle_command(app, exit_status);
  sluice::tools::add_diff_command(app, exit_status);
  sluice::tools::add_sync_test_command(app, exit_status);
  sluice::tools::add_trace_command(app, exit_status);
  sluice::tools::add_backup_command(app, exit_status);
  sluice::tools::add_seal_command(app, exit_status);
  sluice::tools::add_repair_command(app, exit_status);
  sluice::tools::add_load_command(app, exit_status);
  sluice::tools::add_token_command(app, exit_status);
  sluice::tools::add_ban_command(app, exit_status);
  sluice::tools::add_models_command(app, exit_status);
  sluice::tools::add_schema_command(app, exit_status);
  sluice::tools::add_admin_command(app, exit_status);
  sluice::tools::add_completions_command(app, exit_status);
  sluice::tools::add_manual_command(app, exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version, to standard output
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::cerr << "sluice: " << sluice::tools::explain(app, error, arguments) << '\n'
              << "Run with --help for more information.\n";
    return sluice::tools::kExitWrongInput;
  }
  return exit_status;
}
