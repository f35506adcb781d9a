// `sluice log FILE`: the commands of a recording, as a script that `sluice sim --script` takes.
#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/formats/script.h"
#include "server/record/bounds.h"
#include "server/record/reader.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/report_text.h"

namespace sluice::tools {

namespace {

struct LogOptions {
  std::string file;
  std::uint64_t from = 1;
  std::uint64_t to = UINT64_MAX;
  bool outcomes = false;
};

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

void print_tick(const record::TickRecord& tick, bool outcomes) {
  for (record::RecordedCommand kept : tick.commands) {
    record::bound(kept);  // older recordings hold texts of any length
    const record::RecordedCommand& recorded = kept;
    std::vector<std::pair<std::string, std::string>> extra = client_keys(recorded.client);
    extra.emplace_back("seq", std::to_string(recorded.seq));
    if (outcomes) {
      extra.emplace_back("applied", recorded.applied ? "true" : "false");
      if (!recorded.applied) extra.emplace_back("reason", quoted(recorded.reason));
    }
    std::cout << formats::format_command(recorded.command, tick.tick, extra) << '\n';
  }
  if (!outcomes) return;
  for (const record::RefusedMore& more : tick.refused_more) {
    std::cout << "{\"tick\":" << tick.tick;
    for (const auto& [key, value] : client_keys(more.client)) {
      std::cout << ",\"" << key << "\":" << value;
    }
    std::cout << ",\"refused_more\":" << more.commands << "}\n";
  }
}

int run_log(const LogOptions& options) {
  auto reader = record::Reader::open(options.file);
  if (!reader) return fail(reader.error());
  if (options.from > options.to) {
    std::cerr << "sluice: --from " << options.from << " is after --to " << options.to << '\n';
    return kExitWrongInput;
  }
  // What was before that was cut off, or is another file's.
  const std::uint64_t from = std::max(options.from, (*reader)->first_tick() + 1);
  const std::uint64_t to = std::min(options.to, (*reader)->last_tick());
  if (from > to) {
    std::cerr << "sluice: nothing to print: the recording ends with tick " << (*reader)->last_tick()
              << '\n';
    return kExitWell;
  }
  const Status read = (*reader)->read_ticks(from, to, [&](const record::TickRecord& tick) {
    print_tick(tick, options.outcomes);
    return std::cout.good();
  });
  std::cout.flush();
  if (!read) return fail(read.error(), kExitFound);
  return kExitWell;
}

}  // namespace

void add_log_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<LogOptions>();
  CLI::App* command = app.add_subcommand("log", "Print a recording's commands as a script");
  command->footer("Example: sluice log cave.sluice --from 900 --to 1000 > edits.jsonl");
  command->add_option("FILE", options->file, "a recording (NAME.sluice)")
      ->required()
      ->check(recording_file());
  command->add_option("--from", options->from, "first tick (default: the first one recorded)")
      ->check(whole_number());
  command->add_option("--to", options->to, "last tick (default: the last one recorded)")
      ->check(whole_number());
  command->add_flag(
      "--outcomes", options->outcomes,
      "also print whether each command applied, and why not, and how many refused ones "
      "were counted and not kept (no longer a script)");
  command->callback([options, &exit_status] { exit_status = run_log(*options); });
}

}  // namespace sluice::tools
