// Goal: shells and man know every command and flag that the toolbox has, and each command shows how
// it is used.
// Method: the programs themselves read what is printed, and the help of each command says what they
// must know.
#include <set>
#include <sstream>

#include "tests/support/toolbox.h"

namespace sluice::tests::toolbox_manual_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class Manual : public Toolbox {
 protected:
  std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
  }

  /// What bash offers after these words, of which the last is being written.
  std::vector<std::string> offered(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) line += " '" + word + "'";
    const std::string script = "source <(" SLUICE_TOOL " completions bash)\nCOMP_WORDS=(sluice" +
                               line + ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                               "\n_sluice\necho \"${COMPREPLY[@]}\"\n";
    const Finished finished = run_program({"/bin/bash", "-c", script});
    EXPECT_EQ(finished.status, 0) << finished.error;
    EXPECT_EQ(finished.error, "");
    return words_of(finished.out);
  }

  /// The names below "Subcommands:" of a help.
  std::vector<std::string> commands_of(const std::string& help) {
    std::vector<std::string> names;
    bool within = false;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      if (within && !line.starts_with("  ")) break;
      if (within) names.push_back(words_of(line).front());
      if (line == "Subcommands:") within = true;
    }
    return names;
  }

  std::vector<std::string> flags_of(const std::string& help) {
    std::set<std::string> flags;
    for (std::size_t at = help.find("  --"); at != std::string::npos;
         at = help.find("  --", at + 1)) {
      const std::string flag = words_of(help.substr(at, 60)).front();
      flags.insert(flag.substr(0, flag.find('=')));
    }
    return {flags.begin(), flags.end()};
  }

  std::string help_of(const std::string& path) {
    std::vector<std::string> arguments = words_of(path);
    arguments.emplace_back("--help");
    return sluice(arguments).out;
  }
};

TEST_F(Manual, ShellsCompleteEveryCommandAndFlag) {
  const std::vector<std::string> commands = commands_of(help_of(""));
  ASSERT_GT(commands.size(), 15U);
  EXPECT_THAT(offered({""}), IsSupersetOf(commands));
  for (const std::string& command : commands) {
    const std::string help = help_of(command);
    EXPECT_THAT(offered({command, "--"}), IsSupersetOf(flags_of(help))) << command;
    for (const std::string& below : commands_of(help)) {
      EXPECT_THAT(offered({command, "--json", below, "--"}),
                  IsSupersetOf(flags_of(help_of(command + " " + below))))
          << command << ' ' << below;
    }
  }
  EXPECT_THAT(offered({"ver"}), ElementsAre("verify"));
  EXPECT_THAT(offered({"token", "add", "ada", "--role", "b"}), ElementsAre("build"));
  EXPECT_THAT(offered({"completions", "f"}), ElementsAre("fish"));
  EXPECT_THAT(offered({"sim", "cave"}), ElementsAre()) << "files are the shell's";
}

TEST_F(Manual, OtherShellsAreToldTheSame) {
  const std::string fish = sluice({"completions", "fish"}).out;
  EXPECT_THAT(fish, HasSubstr("-f -a verify -d 'Replay a recording"));
  EXPECT_THAT(fish, HasSubstr("-n '__fish_seen_subcommand_from sim' -l ticks -r"));
  EXPECT_THAT(fish, HasSubstr("-l role -r -f -a 'watch build operate admin'"));
  const std::string bash = sluice({"completions", "bash"}).out;
  EXPECT_THAT(sluice({"completions", "zsh"}).out, HasSubstr("bashcompinit\n" + bash));
  expect_wrong({"completions", "tcsh"}, "tcsh not in {bash,zsh,fish}");
}

TEST_F(Manual, ThePageHasEveryCommandAndFlag) {
  const Finished printed = sluice({"manual"});
  ASSERT_EQ(printed.status, 0);
  // troff is told that a minus is one.
  std::string page;
  for (std::size_t i = 0; i < printed.out.size(); ++i) {
    if (printed.out.compare(i, 2, "\\-") == 0) ++i;
    page += printed.out[i];
  }
  for (const std::string& command : commands_of(help_of(""))) {
    EXPECT_THAT(page, HasSubstr("\n.SS " + command + "\n"));
    for (const std::string& flag : flags_of(help_of(command))) {
      if (flag == "--help") continue;
      EXPECT_THAT(page, HasSubstr(flag)) << command;
    }
  }
  // Lines that begin with a dot are requests.
  std::istringstream lines(printed.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('.')) continue;
    const std::set<std::string> known = {".TH", ".SH", ".SS", ".TP", ".B", ".PP", ".nf", ".fi"};
    EXPECT_TRUE(known.contains(line.substr(0, line.find(' ')))) << line;
  }
}

TEST_F(Manual, EachCommandShowsHowItIsUsed) {
  for (const std::string& command : commands_of(help_of(""))) {
    const std::string help = help_of(command);
    const std::size_t at = help.find("\nExample: ");
    ASSERT_NE(at, std::string::npos) << command;
    const std::string example = help.substr(at);
    EXPECT_THAT(example, HasSubstr("sluice " + command)) << command;
    std::string all = help;
    for (const std::string& below : commands_of(help)) all += help_of(command + " " + below);
    for (const std::string& word : words_of(example)) {
      if (word.starts_with("--") && example.find("sluice-server") > example.find(word)) {
        EXPECT_THAT(all, HasSubstr("  " + word)) << command << " has no such flag";
      }
    }
  }
}

}  // namespace
}  // namespace sluice::tests::toolbox_manual_test
