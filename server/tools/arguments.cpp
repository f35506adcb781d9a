#include "server/tools/arguments.h"

#include <algorithm>
#include <filesystem>

#include "protocol/base/suggestion.h"

namespace sluice::tools {

namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

bool is_every(const CLI::App*) {
  return true;
}

}  // namespace

CLI::Validator whole_number() {
  const auto check = [](std::string& text) -> std::string {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    // As many as fit 64 bits whatever they are; the rest is for the conversion to refuse.
    if (digits && text.size() <= 20) return "";
    return "'" + text + "' is not a whole number from 0 on";
  };
  return {check, "NUMBER"};
}

CLI::Validator recording_file() {
  const auto check = [](std::string& text) -> std::string {
    std::error_code error;
    if (!std::filesystem::is_directory(text, error)) return "";
    return "'" + text + "' is a directory; a recording is a file (NAME.sluice)";
  };
  return {check, ""};
}

std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& arguments) {
  const std::string said = error.what();
  const auto commands = app.get_subcommands(is_every);
  if (!arguments.empty() && !arguments.front().starts_with('-')) {
    const std::string& word = arguments.front();
    const std::vector<std::string> names = names_of(commands);
    const auto place = std::find(names.begin(), names.end(), word);
    if (place == names.end()) {
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
      return "there is no command '" + word + "'" + did_you_mean(word, names) +
             " (commands: " + list + ")";
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return word + ": " + said;
    const std::vector<std::string> flags = flags_of(*app.get_subcommand(word));
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const std::string flag = arguments[i].substr(0, arguments[i].find('='));
      const bool known = std::find(flags.begin(), flags.end(), flag) != flags.end();
      if (!flag.starts_with("--") || known) continue;
      return word + ": there is no flag '" + flag + "'" + did_you_mean(flag, flags);
    }
    return word + ": " + said;
  }
  return said;
}

}  // namespace sluice::tools
