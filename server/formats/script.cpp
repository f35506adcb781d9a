#include "server/formats/script.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "protocol/base/map_text.h"
#include "protocol/base/suggestion.h"
#include "server/formats/world_file.h"

namespace sluice::formats {

namespace {

// Written in the order in which fields are declared, read in that of the text. Its objects are
// searched from front to back: lines have few keys (kMaxLineKeys).
using Json = nlohmann::ordered_json;

/// Fills the fields of one command from an object. The first mistake is kept.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : object_(object) {
    known_.insert(known_.end(), kLoggedKeys.begin(), kLoggedKeys.end());
  }

  void field(const char* name, Vec3& value) {
    const Json* node = take(name);
    if (node == nullptr) return;
    if (!node->is_array() || node->size() != 3) {
      return fail(name, "must be three whole numbers, [x, y, z]");
    }
    read_number(name, (*node)[0], value.x);
    read_number(name, (*node)[1], value.y);
    read_number(name, (*node)[2], value.z);
  }
  void field(const char* name, std::int32_t& value) {
    const Json* node = take(name);
    if (node != nullptr) read_number(name, *node, value);
  }
  void field(const char* name, std::string& value) {
    const Json* node = take(name);
    if (node == nullptr) return;
    if (!node->is_string()) return fail(name, "must be a text");
    value = node->get<std::string>();
  }
  void field(const char* name, bool& value) {
    const Json* node = take(name);
    if (node == nullptr) return;
    if (!node->is_boolean()) return fail(name, "must be true or false");
    value = node->get<bool>();
  }
  void field(const char* name, std::map<std::string, std::int32_t>& value) {
    const Json* node = take(name);
    if (node == nullptr) return;
    if (!node->is_object()) return fail(name, "must be an object of names and whole numbers");
    for (const auto& [key, number] : node->items()) read_number(name, number, value[key]);
  }
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }
  /// What is left out keeps its value.
  template <class T>
  void optional(const char* name, T& value) {
    known_.push_back(name);
    if (object_.contains(name)) field(name, value);
  }
  template <class T>
  void optional(const char* name, std::optional<T>& value) {
    known_.push_back(name);
    if (!object_.contains(name)) return;
    value.emplace();
    field(name, *value);
  }
  template <class T, class Names>
  void choice(const char* name, T& value, const Names& names) {
    std::string text;
    field(name, text);
    if (!read_) return;
    std::string allowed;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (text == names[i]) {
        value = static_cast<T>(i);
        return;
      }
      allowed += (i == 0 ? "" : ", ") + std::string(names[i]);
    }
    fail(name, "is '" + text + "'; allowed: " + allowed);
  }
  void cell(const char* name, Cell& value) {
    const Json* node = take(name);
    if (node == nullptr) return;
    if (node->is_string()) {
      const auto& text = node->get_ref<const std::string&>();
      if (const auto cell = text.size() == 1 ? cell_of_glyph(text[0]) : std::nullopt) {
        value = *cell;
        return;
      }
    } else if (node->is_object() && node->size() == 1 && node->contains("water")) {
      read_number(name, (*node)["water"], value);
      if (read_ && value < 0) fail(name, "holds water below zero");
      return;
    }
    fail(name, std::string("is no cell; allowed: ") + kAllowedGlyphs + ", {\"water\": units}");
  }
  /// What is wrong first, if anything is. To call last: a key that was not asked for is a mistake.
  [[nodiscard]] Status finish() const {
    if (!read_) return read_;
    for (const auto& [key, node] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::set<std::string_view> sorted(known_.begin(), known_.end());
      std::string allowed;
      for (const std::string_view one : sorted) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(one);
      }
      return Error{"unknown key '" + key + "'; allowed here: " + allowed +
                   did_you_mean(key, {sorted.begin(), sorted.end()})};
    }
    return Done{};
  }

 private:
  const Json* take(const char* name) {
    known_.push_back(name);
    if (!read_) return nullptr;
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    fail(name, "is missing");
    return nullptr;
  }
  void read_number(const char* name, const Json& node, std::int32_t& value) {
    using Limits = std::numeric_limits<std::int32_t>;
    const bool fits = node.is_number_unsigned()
                          ? node.get<std::uint64_t>() <= std::uint64_t{Limits::max()}
                          : node.is_number_integer() && node.get<std::int64_t>() >= Limits::min();
    if (!fits) return fail(name, "must hold whole numbers of at most 32 bits");
    value = node.get<std::int32_t>();
  }
  void fail(const char* name, const std::string& what) {
    if (read_) read_ = Error{std::string("key '") + name + "' " + what};
  }

  const Json& object_;
  Status read_ = Done{};  // the first mistake
  std::vector<std::string_view> known_ = {"cmd", "tick"};
};

/// Writes the fields of one command into an object.
class FieldWriter {
 public:
  explicit FieldWriter(Json& object) : object_(object) {}
  void field(const char* name, const Vec3& v) { object_[name] = {v.x, v.y, v.z}; }
  void field(const char* name, std::int32_t value) { object_[name] = value; }
  void field(const char* name, const std::string& value) { object_[name] = value; }
  void field(const char* name, bool value) { object_[name] = value; }
  void field(const char* name, const std::map<std::string, std::int32_t>& value) {
    object_[name] = Json::object();
    for (const auto& [key, number] : value) object_[name][key] = number;
  }
  template <class T>
  void optional(const char* name, const T& value) {
    field(name, value);
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) field(name, *value);
  }
  /// What has no place has no key.
  void optional(const char* name, const Vec3& v) {
    if (v != kNowhere) field(name, v);
  }
  template <class T, class Names>
  void choice(const char* name, const T& value, const Names& names) {
    object_[name] = std::string(names[static_cast<std::size_t>(value)]);
  }
  void cell(const char* name, Cell value) {
    if (value == kRock) {
      object_[name] = "#";
    } else if (value == kTrappedAir) {
      object_[name] = "o";
    } else if (value == kAir) {
      object_[name] = ".";
    } else if (value == kFull) {
      object_[name] = "~";
    } else if (value > 0 && value < kFull && value % (kFull / 8) == 0) {
      object_[name] = std::string(1, static_cast<char>('0' + value / (kFull / 8)));
    } else {
      object_[name] = {{"water", value}};
    }
  }

 private:
  Json& object_;
};

template <std::size_t I = 0>
bool read_body(const std::string& name, FieldReader& reader, sim::CommandBody& body) {
  if constexpr (I < std::variant_size_v<sim::CommandRows>) {
    using Row = std::variant_alternative_t<I, sim::CommandRows>;
    if (sim::is_only_recorded<Row> || name != Row::kName) {
      return read_body<I + 1>(name, reader, body);
    }
    if constexpr (requires { Row::kWithKey; }) {
      if (!reader.has(Row::kWithKey)) return read_body<I + 1>(name, reader, body);
    }
    Row row;
    Row::visit_state(row, reader);
    body = row;
    return true;
  } else {
    return false;
  }
}

std::string allowed_commands() {
  std::string names;
  for (const std::string_view name : sim::command_names()) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

Result<sim::Command> command_of(const Json& object) {
  if (!object.is_object()) return Error{"a command is a JSON object"};
  const auto name = object.find("cmd");
  if (name == object.end() || !name->is_string()) {
    return Error{"key 'cmd' is missing; allowed: " + allowed_commands()};
  }
  FieldReader reader(object);
  sim::Command command;
  if (!read_body(name->get<std::string>(), reader, command.body)) {
    const auto names = sim::command_names();
    return Error{"unknown command '" + name->get<std::string>() +
                 "'; allowed: " + allowed_commands() +
                 did_you_mean(name->get<std::string>(), {names.begin(), names.end()})};
  }
  if (const Status read = reader.finish(); !read) {
    return Error{"command '" + name->get<std::string>() + "': " + read.error()};
  }
  return command;
}

/// What can be seen of JSON without parsing it.
struct LineShape {
  std::size_t depth = 0;  // of brackets
  std::size_t keys = 0;   // colons, that is
};

LineShape shape_of(std::string_view line) {
  LineShape shape;
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (in_text) {
      continue;
    } else if (c == '{' || c == '[') {
      shape.depth = std::max(shape.depth, ++depth);
    } else if (c == '}' || c == ']') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ':') {
      ++shape.keys;
    }
  }
  return shape;
}

Result<Json> parse_json(std::string_view line) {
  if (line.size() > kMaxLineBytes) {
    return Error{"longer than " + std::to_string(kMaxLineBytes) + " bytes"};
  }
  const LineShape shape = shape_of(line);
  if (shape.depth > kMaxLineDepth) {
    return Error{"nested more than " + std::to_string(kMaxLineDepth) + " deep"};
  }
  if (shape.keys > kMaxLineKeys) {
    return Error{"more than " + std::to_string(kMaxLineKeys) + " keys"};
  }
  Json object = Json::parse(line, nullptr, false);
  if (object.is_discarded()) return Error{"not JSON"};
  return object;
}

Result<ScriptLine> parse_line(std::string_view line) {
  Result<Json> object = parse_json(line);
  if (!object) return Error{object.error()};
  Result<sim::Command> command = command_of(*object);
  if (!command) return Error{command.error()};
  const auto tick = object->find("tick");
  if (tick == object->end() || !tick->is_number_unsigned() || tick->get<std::uint64_t>() == 0) {
    return Error{"key 'tick' must be a whole number, 1 or more"};
  }
  return ScriptLine{tick->get<std::uint64_t>(), *command};
}

}  // namespace

Result<sim::Command> parse_command(std::string_view json, std::string_view where) {
  Result<Json> object = parse_json(json);
  if (!object) return Error{std::string(where) + ": " + object.error()};
  Result<sim::Command> command = command_of(*object);
  if (!command) return Error{std::string(where) + ": " + command.error()};
  return command;
}

Result<std::vector<ScriptLine>> parse_script(std::string_view text, std::string_view where) {
  std::vector<ScriptLine> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = std::string(where) + ":" + std::to_string(number) + ": ";
    Result<ScriptLine> parsed = parse_line(line);
    if (!parsed) return Error{place + parsed.error()};
    if (!lines.empty() && parsed->tick < lines.back().tick) {
      return Error{place + "tick " + std::to_string(parsed->tick) + " comes after tick " +
                   std::to_string(lines.back().tick) + "; a script is in tick order"};
    }
    lines.push_back(*parsed);
  }
  return lines;
}

Result<std::vector<ScriptLine>> read_script(const std::string& path) {
  Result<std::string> text = read_file(path);
  if (!text) return Error{text.error()};
  return parse_script(*text, path);
}

std::string format_command(const sim::Command& command, std::uint64_t tick,
                           const std::vector<std::pair<std::string, std::string>>& extra) {
  Json object;
  object["tick"] = tick;
  object["cmd"] = std::string(sim::name_of(command));
  FieldWriter writer(object);
  std::visit([&](const auto& body) { std::decay_t<decltype(body)>::visit_state(body, writer); },
             command.body);
  for (const auto& [key, value] : extra) object[key] = Json::parse(value, nullptr, false);
  // A text from a damaged recording may be no UTF-8: it is shown, not thrown over. In ASCII alone,
  // so that no name does anything to a terminal.
  return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace sluice::formats
