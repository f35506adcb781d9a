#include "server/playback/control.h"

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

namespace sluice::playback {

namespace {

using Json = nlohmann::json;
using Kind = Control::Kind;

constexpr const char* kAllowed = "play, pause, seek, step, speed and alone";

struct Form {
  const char* name;
  Kind kind;
  const char* key;  // besides "cmd"; null: none
  const char* example;
  const char* more = nullptr;  // a key that may be left out; null: none
};
constexpr Form kForms[] = {
    {"play", Kind::kPlay, nullptr, R"({"cmd": "play"})"},
    {"pause", Kind::kPause, nullptr, R"({"cmd": "pause"})"},
    {"seek", Kind::kSeek, "to", R"({"cmd": "seek", "to": 1200})"},
    {"step", Kind::kStep, "by", R"({"cmd": "step", "by": -1})"},
    {"speed", Kind::kSpeed, "times", R"({"cmd": "speed", "times": 8})"},
    {"alone", Kind::kAlone, "as", R"({"cmd": "alone", "as": "me", "to": 1200})", "to"},
};

Error wrong(const Form& form, const std::string& what) {
  return {std::string(form.name) + ": " + what + "; expected " + form.example};
}

Result<Control> read_seek(const Form& form, const Json& value) {
  if (!value.is_number_unsigned()) return wrong(form, "\"to\" must be a tick, 0 or more");
  return Control{.kind = Kind::kSeek, .tick = value.get<std::uint64_t>()};
}

Result<Control> read_step(const Form& form, const Json& value) {
  // What does not fit into 63 bits is beyond every recording anyway.
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) return wrong(form, "\"by\" must be a number of ticks");
  return Control{.kind = Kind::kStep, .by = value.get<std::int64_t>()};
}

Result<Control> read_speed(const Form& form, const Json& value) {
  if (value == "max") return Control{.kind = Kind::kSpeed, .speed = kAsFastAsItGoes};
  const double times = value.is_number() ? value.get<double>() : 0;
  const double thousandths = std::round(times * kRealTime);
  if (!(thousandths >= 1 && thousandths <= kMostSpeed)) {
    return wrong(form, "\"times\" must be \"max\" or a number from 0.001 to 1000000");
  }
  return Control{.kind = Kind::kSpeed, .speed = static_cast<std::uint32_t>(thousandths)};
}

bool names_position(const std::string& text) {
  return !text.empty() && text.size() <= kMostPositionBytes &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos;
}

Result<Control> read_alone(const Form& form, const Json& json) {
  const Json& as = json[form.key];
  if (!as.is_string() || !names_position(as.get_ref<const std::string&>())) {
    return wrong(form, "\"as\" must be 1 to " + std::to_string(kMostPositionBytes) +
                           " characters of a to z and 0 to 9");
  }
  Control control{.kind = Kind::kAlone, .position = as.get<std::string>()};
  if (!json.contains(form.more)) return control;
  const auto from = read_seek(form, json[form.more]);
  if (!from.ok()) return Error{from.error()};
  control.from = from->tick;
  return control;
}

Result<Control> read(const Form& form, const Json& json) {
  for (const auto& [key, value] : json.items()) {
    if (key == "cmd" || (form.key != nullptr && key == form.key)) continue;
    if (form.more != nullptr && key == form.more) continue;
    return wrong(form, "unknown key \"" + key + "\"");
  }
  if (form.key == nullptr) return Control{.kind = form.kind};
  if (!json.contains(form.key)) return wrong(form, "lacks \"" + std::string(form.key) + "\"");
  if (form.kind == Kind::kAlone) return read_alone(form, json);
  const Json& value = json[form.key];
  if (form.kind == Kind::kSeek) return read_seek(form, value);
  if (form.kind == Kind::kStep) return read_step(form, value);
  return read_speed(form, value);
}

}  // namespace

Result<Control> parse_control(std::string_view text, std::string_view where) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error{"the command is not JSON"};
  if (!json.is_object() || !json.contains("cmd") || !json["cmd"].is_string()) {
    return Error{R"(the command must be an object like {"cmd": "play"})"};
  }
  const std::string name = json["cmd"].get<std::string>();
  for (const Form& form : kForms) {
    if (name == form.name) return read(form, json);
  }
  return Error{std::string(where) + ": what happened cannot be changed, so there is no \"" +
               name.substr(0, 64) + "\" here; allowed: " + kAllowed};
}

}  // namespace sluice::playback
