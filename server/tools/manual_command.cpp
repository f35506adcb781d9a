// `sluice completions` and `sluice manual`: what shells and `man` are to know of the toolbox.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "server/tools/commands.h"
#include "server/tools/manual.h"

namespace sluice::tools {

namespace {

int printed(const std::string& text) {
  std::cout << text;
  std::cout.flush();
  return std::cout.good() ? kExitWell : kExitWrongInput;
}

}  // namespace

void add_completions_command(CLI::App& app, int& exit_status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completions", "Print what completes commands in a shell");
  command->add_option("SHELL", *shell, "which one")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Example: source <(sluice completions bash)\nand:     sluice completions fish | source");
  command->callback([&app, shell, &exit_status] {
    exit_status = printed(*shell == "bash"  ? bash_completion(app)
                          : *shell == "zsh" ? zsh_completion(app)
                                            : fish_completion(app));
  });
}

void add_manual_command(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("manual", "Print all commands as a page for man");
  command->footer("Example: sluice manual | man -l -");
  command->callback(
      [&app, &exit_status] { exit_status = printed(manual_page(app, SLUICE_VERSION)); });
}

}  // namespace sluice::tools
