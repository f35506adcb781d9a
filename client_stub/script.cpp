#include "client_stub/script.h"

#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "protocol/limits.h"

namespace sluice::client {

namespace {

/// Empty when the line is well.
std::string what_is_wrong(const std::string& line) {
  if (line.size() > protocol::kMaxCommandBytes) {
    return "is longer than the " + std::to_string(protocol::kMaxCommandBytes) +
           " bytes that a command may have";
  }
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (json.is_discarded()) return "is not JSON";
  if (!json.is_object()) return "is not a JSON object; expected {\"cmd\": ...}";
  if (!json.contains("cmd")) return "lacks the key \"cmd\"";
  return "";
}

}  // namespace

Result<std::vector<ScriptLine>> read_script(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) return Error{path + ": cannot be opened for reading"};
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::vector<ScriptLine> lines;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (const std::string wrong = what_is_wrong(line); !wrong.empty()) {
      return Error{path + ":" + std::to_string(number) + ": " + wrong};
    }
    lines.push_back({number, line});
  }
  if (in.bad()) return Error{path + ": cannot be read to its end"};
  return lines;
}

}  // namespace sluice::client
