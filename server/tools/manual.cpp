#include "server/tools/manual.h"

#include <functional>
#include <vector>

#include <CLI/CLI.hpp>

namespace sluice::tools {

namespace {

using Visitor = std::function<void(const CLI::App& command, const std::string& path)>;

/// Every command below `app` with the words that lead to it, as in "token add".
void visit_commands(const CLI::App& app, const std::string& path, const Visitor& visit) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string its_path = (path.empty() ? "" : path + " ") + command->get_name();
    visit(*command, its_path);
    visit_commands(*command, its_path, visit);
  }
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// Those of an option whose type reads as TEXT:{watch,build}; none where any will do.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  return CLI::detail::join(words, between);
}

/// Between single quotes, for any of the shells.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char letter : text)
    result += letter == '\'' ? std::string("'\\''") : std::string{letter};
  return result + "'";
}

/// What may stand after the words of `path`.
std::string words_after(const CLI::App& command) {
  std::vector<std::string> words = subcommands_of(command);
  for (const CLI::Option* option : command.get_options()) {
    std::vector<std::string> flags = flags_of(*option);
    if (flags.empty()) flags = values_of(*option);  // it stands without a flag
    words.insert(words.end(), flags.begin(), flags.end());
  }
  return joined(words);
}

/// A line of a shell's `case` for each command, and for each flag with fixed values.
struct Cases {
  std::string words;     // after each path
  std::string values;    // after each flag that has a fixed choice
  std::string commands;  // the paths themselves
};

Cases cases_of(const CLI::App& app) {
  Cases cases;
  const Visitor add = [&cases](const CLI::App& command, const std::string& path) {
    cases.words +=
        "    " + in_quotes(path) + ") choices=" + in_quotes(words_after(command)) + " ;;\n";
    if (!path.empty()) cases.commands += (cases.commands.empty() ? "" : "|") + in_quotes(path);
    for (const CLI::Option* option : command.get_options()) {
      const std::vector<std::string> values = values_of(*option);
      for (const std::string& flag : flags_of(*option)) {
        if (values.empty()) continue;
        cases.values += "    " + in_quotes(path + " " + flag) +
                        ") choices=" + in_quotes(joined(values)) + " ;;\n";
      }
    }
  };
  add(app, "");
  visit_commands(app, "", add);
  return cases;
}

/// Backslashes, and dots that begin a line, mean something to troff.
std::string for_troff(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if ((letter == '.' || letter == '\'') && (result.empty() || result.back() == '\n'))
      result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
  }
  return result;
}

void add_option(const CLI::Option& option, std::string& page) {
  const bool is_positional = flags_of(option).empty();
  std::string head = is_positional ? option.get_name() : joined(flags_of(option), ", ");
  const std::vector<std::string> values = values_of(option);
  if (!is_positional && takes_value(option)) {
    head +=
        ' ' + (values.empty() ? option.get_type_name().substr(0, option.get_type_name().find(':'))
                              : joined(values, "|"));
  }
  page += ".TP\n.B " + for_troff(head) + '\n' + for_troff(option.get_description());
  if (!option.get_default_str().empty())
    page += " (default: " + for_troff(option.get_default_str()) + ')';
  page += '\n';
}

void add_command(const CLI::App& command, const std::string& path, std::string& page) {
  page += ".SS " + for_troff(path) + '\n' + for_troff(command.get_description()) + ".\n";
  for (const CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) add_option(*option, page);
  }
  if (!command.get_footer().empty())
    page += ".PP\n.nf\n" + for_troff(command.get_footer()) + "\n.fi\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const Cases cases = cases_of(app);
  const std::string& name = app.get_name();
  return "# Completes " + name + " in bash: source <(" + name + " completions bash)\n_" + name +
         R"(() {
  local place='' word choices='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word="${place:+$place }${COMP_WORDS[i]}"
    case "$word" in
    )" + cases.commands +
         R"() place="$word" ;;
    esac
  done
  case "$place" in
)" + cases.words +
         R"(  esac
  local before="${COMP_WORDS[COMP_CWORD - 1]}"
  case "$place $before" in
)" + cases.values +
         R"(  esac
  COMPREPLY=($(compgen -W "$choices" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _)" +
         name + ' ' + name + '\n';
}

// zsh runs functions of bash.
std::string zsh_completion(const CLI::App& app) {
  return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(app);
}

std::string fish_completion(const CLI::App& app) {
  const std::string& name = app.get_name();
  std::string script = "# Completes " + name + " in fish: " + name + " completions fish | source\n";
  const Visitor add = [&](const CLI::App& command, const std::string& path) {
    std::string condition = "__fish_use_subcommand";
    for (std::size_t i = 0; const std::string& word : CLI::detail::split(path, ' ')) {
      condition = i++ == 0 ? "__fish_seen_subcommand_from " + word
                           : condition + "; and __fish_seen_subcommand_from " + word;
    }
    if (path.empty()) condition = "__fish_use_subcommand";
    const std::vector<std::string> below = subcommands_of(command);
    if (!below.empty() && !path.empty()) {
      condition += "; and not __fish_seen_subcommand_from " + joined(below);
    }
    const std::string begin = "complete -c " + name + " -n " + in_quotes(condition);
    for (const std::string& word : below) {
      script += begin + " -f -a " + word + " -d " +
                in_quotes(command.get_subcommand(word)->get_description()) + '\n';
    }
    for (const CLI::Option* option : command.get_options()) {
      const std::vector<std::string> values = values_of(*option);
      std::string line = begin;
      for (const std::string& flag : option->get_snames()) line += " -s " + flag;
      for (const std::string& flag : option->get_lnames()) line += " -l " + flag;
      if (line == begin) {  // it stands without a flag
        if (!values.empty()) script += line + " -f -a " + in_quotes(joined(values)) + '\n';
        continue;
      }
      if (takes_value(*option)) line += " -r";
      if (!values.empty()) line += " -f -a " + in_quotes(joined(values));
      script += line + " -d " + in_quotes(option->get_description()) + '\n';
    }
  };
  add(app, "");
  visit_commands(app, "", add);
  return script;
}

std::string manual_page(const CLI::App& app, const std::string& version) {
  const std::string& name = app.get_name();
  std::string title = name;
  for (char& letter : title)
    letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
  std::string page = ".TH " + title + " 1 \"\" \"" + name + ' ' + version + "\"\n.SH NAME\n" +
                     name + " \\- " + for_troff(app.get_description()) + "\n.SH SYNOPSIS\n.B " +
                     name + "\nCOMMAND [OPTIONS]\n.SH COMMANDS\n";
  visit_commands(app, "", [&](const CLI::App& command, const std::string& path) {
    add_command(command, path, page);
  });
  return page + ".SH EXIT STATUS\n0: well; 1: a check found something; 2: wrong usage or input.\n";
}

}  // namespace sluice::tools
