// `sluice bundle FILE --around TICK`: a small recording for a bug report.
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/record/bundle.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"

namespace sluice::tools {

namespace {

struct BundleFlags {
  std::string file;
  std::string out;
  bool json = false;
  record::BundleOptions options;
};

int run_bundle(BundleFlags& flags) {
  auto reader = record::Reader::open(flags.file);
  if (!reader) return fail(reader.error());
  const std::uint64_t around = flags.options.around;
  if (around < (*reader)->first_tick() || around > (*reader)->last_tick()) {
    return fail(flags.file + ": holds ticks " + std::to_string((*reader)->first_tick()) + " to " +
                std::to_string((*reader)->last_tick()) + "; --around is " + std::to_string(around));
  }
  if (flags.out.empty()) {
    flags.out = std::filesystem::path(flags.file).stem().string() + "-" + std::to_string(around) +
                ".bundle.sluice";
  }
  const auto bundle = record::write_bundle(**reader, flags.options, flags.out);
  if (!bundle) return fail(bundle.error());
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(flags.out, ignored);
  if (flags.json) {
    const nlohmann::ordered_json json = {{"bundle", flags.out},
                                         {"first_tick", bundle->first_tick},
                                         {"last_tick", bundle->last_tick},
                                         {"commands", bundle->commands},
                                         {"bytes", bytes}};
    std::cout << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    std::cout << flags.out << ": ticks " << bundle->first_tick << " to " << bundle->last_tick
              << ", " << bundle->commands << " commands, " << bytes << " bytes\n";
  }
  return kExitWell;
}

}  // namespace

void add_bundle_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<BundleFlags>();
  CLI::App* command =
      app.add_subcommand("bundle", "Cut a small recording around a tick, for a bug report");
  command->footer("Example: sluice bundle cave.sluice --around 900 --out report.sluice");
  command->add_option("FILE", flags->file, "a recording (NAME.sluice), of a running server too")
      ->required()
      ->check(recording_file());
  command->add_option("--around", flags->options.around, "the tick")
      ->required()
      ->check(whole_number());
  command->add_option("--before", flags->options.before, "ticks before it (default: 100)")
      ->check(whole_number());
  command->add_option("--after", flags->options.after, "ticks after it (default: 100)")
      ->check(whole_number());
  command->add_option("--out", flags->out, "the new file (default: NAME-TICK.bundle.sluice)");
  command->add_flag("--json", flags->json, "print one JSON object instead of text");
  command->callback([flags, &exit_status] { exit_status = run_bundle(*flags); });
}

}  // namespace sluice::tools
