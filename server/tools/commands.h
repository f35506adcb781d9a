// The toolbox's subcommands. Each lives in its own file and adds itself to the program:
// add_NAME_command declares its flags and sets `exit_status` when it runs (0 well, 1 a check found
// something, 2 wrong usage or input).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace sluice::tools {

inline constexpr int kExitWell = 0;
inline constexpr int kExitFound = 1;
inline constexpr int kExitWrongInput = 2;

/// Prints "sluice: MESSAGE" on standard error, and returns the status for `return fail(...)`.
int fail(const std::string& message, int exit_status = kExitWrongInput);

/// For `--threads`.
inline constexpr int kMostThreads = 256;

void add_admin_command(CLI::App& app, int& exit_status);
void add_backup_command(CLI::App& app, int& exit_status);
void add_seal_command(CLI::App& app, int& exit_status);
void add_bundle_command(CLI::App& app, int& exit_status);
void add_completions_command(CLI::App& app, int& exit_status);
void add_diff_command(CLI::App& app, int& exit_status);
void add_load_command(CLI::App& app, int& exit_status);
void add_fill_command(CLI::App& app, int& exit_status);
void add_log_command(CLI::App& app, int& exit_status);
void add_manual_command(CLI::App& app, int& exit_status);
void add_models_command(CLI::App& app, int& exit_status);
void add_repair_command(CLI::App& app, int& exit_status);
void add_replay_command(CLI::App& app, int& exit_status);
void add_schema_command(CLI::App& app, int& exit_status);
void add_sim_command(CLI::App& app, int& exit_status);
void add_sync_test_command(CLI::App& app, int& exit_status);
void add_ban_command(CLI::App& app, int& exit_status);
void add_token_command(CLI::App& app, int& exit_status);
void add_trace_command(CLI::App& app, int& exit_status);
void add_verify_command(CLI::App& app, int& exit_status);

}  // namespace sluice::tools
