// `sluice`: the toolbox. Results go to standard output, everything else to standard error.
#include <CLI/CLI.hpp>

#include "server/tools/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Sluice: deterministic worlds of water - run, record, replay, verify"};
  app.name("sluice");
  app.require_subcommand(1);
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
  sluice::tools::add_repair_command(app, exit_status);
  sluice::tools::add_load_command(app, exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help to stdout, mistakes to stderr
    return code == 0 ? sluice::tools::kExitWell : sluice::tools::kExitWrongInput;
  }
  return exit_status;
}
