// `sluice seal FILE --keep TICKS`: cuts the old history of a recording off.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/record/seal.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"
#include "server/tools/report_text.h"

namespace sluice::tools {

namespace {

struct SealFlags {
  std::string file;
  record::SealOptions options;
  bool json = false;
};

int run_seal(const SealFlags& flags) {
  const auto sealed = record::seal(flags.file, flags.options);
  if (!sealed) return fail(sealed.error());
  if (*sealed) {
    std::cout << record::describe(**sealed) << '\n';
  } else {
    std::cout << flags.file << ": nothing is cut off: no checkpoint after its beginning lies "
              << flags.options.keep << " ticks or more before its end\n";
  }
  if (flags.json) {
    nlohmann::ordered_json json = {{"cut", sealed->has_value()}};
    if (*sealed) {
      json["kept"] = to_json((*sealed)->main);
      json["old"] = to_json((*sealed)->old);
    }
    std::cout << json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  }
  return kExitWell;
}

}  // namespace

void add_seal_command(CLI::App& app, int& exit_status) {
  auto flags = std::make_shared<SealFlags>();
  CLI::App* command = app.add_subcommand(
      "seal", "Cut the old history of a recording off, into a recording of its own");
  command->footer("Example: sluice seal data/cave.sluice --keep 1728000");
  command->add_option("FILE", flags->file, "a recording (NAME.sluice) that nobody writes")
      ->required()
      ->check(recording_file())
      ->check(CLI::ExistingFile);
  command
      ->add_option("--keep", flags->options.keep,
                   "ticks that FILE still holds, at least: it is cut at a checkpoint")
      ->required()
      ->check(whole_number());
  command->add_flag(
      "--drop", flags->options.drop,
      "what is cut off is gone: what was before can't be proved or looked at any more");
  command->add_flag("--json", flags->json, "print one JSON object as the last line");
  command->callback([flags, &exit_status] { exit_status = run_seal(*flags); });
}

}  // namespace sluice::tools
